//! `structure.Struct`: a container of elements some of which are named, and the functions that take any struct of ours.

use pyo3::exceptions::{PyAttributeError, PyIndexError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PySequence, PySlice, PyString, PyTuple};

use crate::federated::block_classes::{self, ComputationBuildingBlock};
use crate::federated::python;
use crate::federated::types::classes::{self, Type};

/// A struct of elements, some of them named.
///
/// Raises:
///   TypeError: an element is no pair of a name or `None` and a value.
///   ValueError: a name occurs twice or is reserved.
///
/// Example:
///   >>> from graphwright.federated import structure
///   >>> structure.Struct([("a", 1), (None, 2)])
///   Struct([('a', 1), (None, 2)])
#[pyclass(frozen, subclass, mapping, name = "Struct", module = "graphwright.federated.structure")]
pub struct Struct {
    pub elements: Vec<Element>,
}

/// An element in Python.
pub struct Element {
    pub name: Option<String>,
    pub value: Py<PyAny>,
}

/// Names, `None` for elements without one, and elements.
pub type Pairs<'py> = Vec<(Option<String>, Bound<'py, PyAny>)>;

impl Struct {
    pub fn position(&self, name: &str) -> Option<usize> {
        self.elements.iter().position(|element| element.name.as_deref() == Some(name))
    }

    fn names(&self) -> Vec<&str> {
        self.elements.iter().filter_map(|element| element.name.as_deref()).collect()
    }

    /// Makes a struct of elements whose names are known to be allowed.
    pub fn of(py: Python<'_>, elements: Vec<Element>) -> PyResult<Bound<'_, Struct>> {
        Bound::new(py, Struct { elements })
    }
}

/// Reads a pair of a name or `None` and a value; `None` for any other object.
pub fn pair<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Option<String>, Bound<'py, PyAny>)>> {
    if object.is_instance_of::<PyString>() {
        return Ok(None);
    }
    let Ok(items) = object.cast::<PySequence>() else { return Ok(None) };
    if items.len()? != 2 {
        return Ok(None);
    }
    let name = items.get_item(0)?;
    if !name.is_none() && !name.is_instance_of::<PyString>() {
        return Ok(None);
    }
    Ok(Some((name.extract()?, items.get_item(1)?)))
}

#[pymethods]
impl Struct {
    #[new]
    fn new(elements: &Bound<'_, PyAny>) -> PyResult<Struct> {
        let mut read = Vec::new();
        for element in elements.try_iter()? {
            let element = element?;
            let Some((name, value)) = pair(&element)? else {
                return Err(PyTypeError::new_err(format!(
                    "Expected every item on the list to be a pair in which the first element is a string, found {}.",
                    element.repr()?
                )));
            };
            read.push(Element { name, value: value.unbind() });
        }
        let reserved = |name: &str| name == "_asdict";
        if read.iter().any(|element| element.name.as_deref().is_some_and(reserved)) {
            return Err(PyValueError::new_err("The name `_asdict` is reserved."));
        }
        check_distinct(&read)?;
        Ok(Struct { elements: read })
    }

    /// Makes a struct of named elements.
    ///
    /// Args:
    ///   elements: elements by name.
    ///
    /// Returns:
    ///   `Struct`.
    ///
    /// Example:
    ///   >>> from graphwright.federated import structure
    ///   >>> structure.Struct.named(a=1)
    ///   Struct([('a', 1)])
    #[classmethod]
    #[pyo3(signature = (**elements))]
    fn named<'py>(
        class: &Bound<'py, pyo3::types::PyType>,
        elements: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let items = elements.map_or_else(|| PyList::empty(class.py()), |elements| elements.items());
        class.call1((items,))
    }

    /// Makes a struct of unnamed elements.
    ///
    /// Args:
    ///   elements: elements.
    ///
    /// Returns:
    ///   `Struct`.
    ///
    /// Example:
    ///   >>> from graphwright.federated import structure
    ///   >>> structure.Struct.unnamed(1, 2)
    ///   Struct([(None, 1), (None, 2)])
    #[classmethod]
    #[pyo3(signature = (*elements))]
    fn unnamed<'py>(
        class: &Bound<'py, pyo3::types::PyType>,
        elements: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pairs: Vec<_> = elements.iter().map(|element| (class.py().None(), element)).collect();
        class.call1((pairs,))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.elements.iter().try_for_each(|element| visit.call(&element.value))
    }

    fn __len__(&self) -> usize {
        self.elements.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyTuple::new(py, self.elements.iter().map(|element| &element.value))?.call_method0("__iter__")
    }

    fn __dir__(&self) -> Vec<&str> {
        self.names()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = key.cast::<PyString>() {
            return self.__getattr__(py, name.to_str()?);
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            return PyTuple::new(py, self.elements.iter().map(|element| &element.value))?
                .as_any()
                .get_item(slice);
        }
        let length = self.elements.len();
        let index: i64 = key.extract()?;
        let element = usize::try_from(index).ok().and_then(|index| self.elements.get(index));
        element.map(|element| element.value.bind(py).clone()).ok_or_else(|| {
            PyIndexError::new_err(format!(
                "Element index {index} is out of range, `Struct` has {length} elements."
            ))
        })
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.position(name).map(|index| self.elements[index].value.bind(py).clone());
        found.ok_or_else(|| {
            let names: Vec<&str> = self.names().into_iter().take(10).collect();
            PyAttributeError::new_err(format!(
                "The `Struct` of length {} does not have named field \"{name}\". Fields (up to first 10): {}",
                self.elements.len(),
                gw_federated::types::quoted(&names)
            ))
        })
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Struct>() else { return Ok(python::answer(py, None)) };
        let others = &other.get().elements;
        let mut equal = self.elements.len() == others.len();
        for (one, other) in self.elements.iter().zip(others) {
            equal = equal && one.name == other.name && one.value.bind(py).eq(&other.value)?;
        }
        Ok(python::answer(py, Some(equal)))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let pairs = self.elements.iter().map(|element| (element.name.as_deref(), &element.value));
        ("Struct", PyTuple::new(py, pairs)?).into_pyobject(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = |element: &Element| {
            let name = element.name.as_ref().map_or("None".to_owned(), |name| format!("'{name}'"));
            Ok(format!("({name}, {})", element.value.bind(py).repr()?))
        };
        let texts: Vec<String> = self.elements.iter().map(text).collect::<PyResult<_>>()?;
        Ok(format!("Struct([{}])", texts.join(", ")))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let text = |element: &Element| {
            let label = element.name.as_ref().map_or(String::new(), |name| format!("{name}="));
            Ok(format!("{label}{}", element.value.bind(py).str()?))
        };
        let texts: Vec<String> = self.elements.iter().map(text).collect::<PyResult<_>>()?;
        Ok(format!("<{}>", texts.join(",")))
    }

    /// Returns the elements as an ordered mapping.
    #[pyo3(signature = (recursive=false))]
    fn _asdict<'py>(slf: &Bound<'py, Struct>, recursive: bool) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("graphwright.federated.structure")?.call_method1("to_odict", (slf, recursive))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Struct>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        Ok((slf.get_type().into_any(), (to_elements(slf)?,)))
    }
}

fn check_distinct(elements: &[Element]) -> PyResult<()> {
    let mut names: Vec<&str> = elements.iter().filter_map(|element| element.name.as_deref()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let message = format!("`Struct` does not support duplicated names, found `{}` twice.", pair[0]);
            Err(PyValueError::new_err(message))
        }
    }
}

/// Returns the names and elements of a struct of ours: a `Struct`, a struct type, a struct block.
pub fn elements_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Pairs<'py>>> {
    let py = object.py();
    if let Ok(found) = object.cast::<Struct>() {
        let pair = |element: &Element| (element.name.clone(), element.value.bind(py).clone());
        return Ok(Some(found.get().elements.iter().map(pair).collect()));
    }
    if let Some(fields) = object.cast::<Type>().ok().and_then(|ty| ty.get().0.fields()) {
        let pair = |field: &gw_federated::types::Field<_>| {
            Ok((field.name.as_deref().map(str::to_owned), classes::handle(py, &field.ty)?))
        };
        return fields.elements.iter().map(pair).collect::<PyResult<_>>().map(Some);
    }
    if let Some(elements) =
        object.cast::<ComputationBuildingBlock>().ok().and_then(|block| block.get().0.elements())
    {
        let pair = |element: &gw_federated::blocks::Element<_>| {
            Ok((element.name.as_deref().map(str::to_owned), block_classes::handle(py, &element.value)?))
        };
        return elements.iter().map(pair).collect::<PyResult<_>>().map(Some);
    }
    Ok(None)
}

fn required<'py>(object: &Bound<'py, PyAny>) -> PyResult<Pairs<'py>> {
    let refused = || PyTypeError::new_err(format!("Expected a `Struct`, found {}.", object.get_type()));
    elements_of(object)?.ok_or_else(refused)
}

/// Lists the pairs of names and elements.
///
/// Args:
///   struct: `Struct`.
///
/// Returns:
///   List of pairs.
///
/// Example:
///   >>> from graphwright.federated import structure
///   >>> structure.to_elements(structure.Struct.named(a=1))
///   [('a', 1)]
#[pyfunction]
pub fn to_elements<'py>(r#struct: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    PyList::new(r#struct.py(), required(r#struct)?)
}

/// Iterates over the pairs of names and elements of a struct.
///
/// Args:
///   struct: `Struct`.
///
/// Returns:
///   Iterator of pairs.
///
/// Example:
///   >>> from graphwright.federated import structure
///   >>> list(structure.iter_elements(structure.Struct.named(a=1)))
///   [('a', 1)]
#[pyfunction]
fn iter_elements<'py>(r#struct: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    to_elements(r#struct)?.call_method0("__iter__")
}

/// Lists the names of the named elements.
///
/// Args:
///   struct: `Struct`.
///
/// Returns:
///   List of names.
///
/// Example:
///   >>> from graphwright.federated import structure
///   >>> structure.name_list(structure.Struct([("a", 1), (None, 2)]))
///   ['a']
#[pyfunction]
fn name_list(r#struct: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    Ok(required(r#struct)?.into_iter().filter_map(|(name, _)| name).collect())
}

/// Lists the names of all elements, `None` for those without.
///
/// Args:
///   struct: `Struct`.
///
/// Returns:
///   List of names.
///
/// Example:
///   >>> from graphwright.federated import structure
///   >>> structure.name_list_with_nones(structure.Struct([("a", 1), (None, 2)]))
///   ['a', None]
#[pyfunction]
fn name_list_with_nones(r#struct: &Bound<'_, PyAny>) -> PyResult<Vec<Option<String>>> {
    Ok(required(r#struct)?.into_iter().map(|(name, _)| name).collect())
}

/// Returns the index that an integer key stands for, if it is one.
pub fn integer_key(key: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if key.is_instance_of::<PyInt>() { key.extract().map(Some) } else { Ok(None) }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("StructureStruct", module.py().get_type::<Struct>())?;
    module.add_function(wrap_pyfunction!(to_elements, module)?)?;
    module.add_function(wrap_pyfunction!(iter_elements, module)?)?;
    module.add_function(wrap_pyfunction!(name_list, module)?)?;
    module.add_function(wrap_pyfunction!(name_list_with_nones, module)?)
}

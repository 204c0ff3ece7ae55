//! Types in Python: constructors, attributes, texts and comparisons.

pub mod classes;
pub mod element_types;
pub mod infer;
pub mod placements;
pub mod questions;
pub mod to_type;

use gw_federated::types::{Interns, Kind};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString, PyTuple, PyType};

use crate::federated::python::{self, Container, PyHost, Ty};
use crate::federated::types::classes::{
    AbstractType, FederatedType, FunctionType, PlacementType, SequenceType, StructType, StructWithPythonType,
    TensorType, Type,
};
use crate::federated::{raised, structure};

/// Returns the type of a handle of any class.
fn of(handle: &Bound<'_, PyAny>) -> PyResult<Ty> {
    let refused = || PyTypeError::new_err(format!("Expected a type, found {}.", handle.get_type()));
    classes::read(handle).ok_or_else(refused)
}

/// Returns the error of an attribute that the kind of a type does not have, which no handle has.
fn other_kind(ty: &Ty) -> PyErr {
    PyTypeError::new_err(format!("The type {ty} is of another kind."))
}

#[pymethods]
impl Type {
    /// Returns the text on one line.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.to_type([("a", np.int32), ("b", np.bool_)]).compact_representation()
    ///   '<a=int32,b=bool>'
    fn compact_representation(&self) -> String {
        self.0.compact()
    }

    /// Returns the text with each element of a struct on a line of its own.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> print(tff.to_type([("a", np.int32), ("b", np.bool_)]).formatted_representation())
    ///   <
    ///     a=int32,
    ///     b=bool
    ///   >
    fn formatted_representation(&self) -> String {
        self.0.formatted()
    }

    fn __str__(&self) -> String {
        self.0.compact()
    }

    fn __repr__(&self) -> String {
        self.0.constructor()
    }

    fn __hash__(&self) -> u64 {
        self.0.structural_hash()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> Py<PyAny> {
        let equal = other.cast::<Type>().ok().map(|other| other.get().0 == self.0);
        python::answer(other.py(), equal)
    }

    /// Tells whether a value of another type fits where this type is expected.
    ///
    /// Args:
    ///   source_type: `tff.Type`.
    ///
    /// Returns:
    ///   bool.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.TensorType(np.int32, [None]).is_assignable_from(tff.TensorType(np.int32, [3]))
    ///   True
    fn is_assignable_from(&self, source_type: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.0.is_assignable_from(&of(source_type)?).map_err(raised::error)
    }

    /// Refuses a type whose values do not fit where this type is expected.
    ///
    /// Args:
    ///   source_type: `tff.Type`.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Raises:
    ///   TypeNotAssignableError: it does not fit.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.TensorType(np.int32, [None]).check_assignable_from(tff.TensorType(np.int32, [3]))
    ///   >>> tff.TensorType(np.int32, [3]).check_assignable_from(tff.TensorType(np.int32, [None]))
    ///   Traceback (most recent call last):
    ///       ...
    ///   graphwright.federated.TypeNotAssignableError: Expected int32[?] to be assignable to int32[3].
    fn check_assignable_from(&self, source_type: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.check_assignable_from(&of(source_type)?).map_err(raised::error)
    }

    /// Tells whether values of the two types can be exchanged.
    ///
    /// Args:
    ///   other: `tff.Type`.
    ///
    /// Returns:
    ///   bool.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.TensorType(np.int32).is_equivalent_to(tff.TensorType(np.int64))
    ///   False
    fn is_equivalent_to(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.0.is_equivalent_to(&of(other)?).map_err(raised::error)
    }

    /// Refuses a type whose values cannot be exchanged with those of this type.
    ///
    /// Args:
    ///   other: `tff.Type`.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Raises:
    ///   TypesNotEquivalentError: they cannot be exchanged.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.TensorType(np.int32).check_equivalent_to(tff.TensorType(np.int32))
    ///   >>> tff.TensorType(np.int32).check_equivalent_to(tff.TensorType(np.int64))
    ///   Traceback (most recent call last):
    ///       ...
    ///   graphwright.federated.TypesNotEquivalentError: Expected int32 to be equivalent to int64.
    fn check_equivalent_to(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.check_equivalent_to(&of(other)?).map_err(raised::error)
    }

    /// Tells whether the two types are one.
    ///
    /// Args:
    ///   other: `tff.Type`.
    ///
    /// Returns:
    ///   bool.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.TensorType(np.int32).is_identical_to(tff.TensorType(np.int32))
    ///   True
    fn is_identical_to(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Type>().is_ok_and(|other| other.get().0 == self.0)
    }

    /// Returns an iterator over the types that the type is made of.
    ///
    /// Returns:
    ///   Iterator of types.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> [str(child) for child in tff.FunctionType(np.int32, np.bool_).children()]
    ///   ['int32', 'bool']
    fn children<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let children = self.0.children().into_iter().map(|child| classes::handle(py, child));
        PyTuple::new(py, children.collect::<PyResult<Vec<_>>>()?)?.call_method0("__iter__")
    }
}

#[pymethods]
impl TensorType {
    #[new]
    #[pyo3(signature = (dtype, shape=Shape::Scalar))]
    fn construct<'py>(dtype: &Bound<'py, PyAny>, shape: Shape<'py>) -> PyResult<Bound<'py, PyAny>> {
        let py = dtype.py();
        let Some(element) = to_type::dtype(dtype)? else {
            let found = dtype.repr()?;
            return Err(PyTypeError::new_err(format!("Expected `dtype` to be a dtype, found {found}.")));
        };
        let ty = match shape {
            Shape::Scalar => Ty::scalar(element),
            Shape::Given(shape) => Ty::tensor(element, to_type::dimensions(&shape)?),
        };
        classes::handle(py, &ty)
    }

    /// The element type, a dtype of NumPy's.
    #[getter]
    fn dtype<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let ty = of(slf)?;
        let Kind::Tensor(dtype, _) = ty.kind() else { return Err(other_kind(&ty)) };
        element_types::numpy_dtype(slf.py(), *dtype)
    }

    /// The sizes, `None` for an unknown one; `None` where even their number is unknown.
    #[getter]
    fn shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let ty = of(slf)?;
        let Kind::Tensor(_, dimensions) = ty.kind() else { return Err(other_kind(&ty)) };
        dimensions.as_ref().map(|sizes| PyTuple::new(slf.py(), sizes.iter())).transpose()
    }
}

/// The shape of a tensor type; `None` is one that may be given.
enum Shape<'py> {
    Scalar,
    Given(Bound<'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Shape<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Shape<'py>> {
        Ok(Shape::Given(object.to_owned()))
    }
}

#[pymethods]
impl StructType {
    #[new]
    #[pyo3(signature = (elements, *, convert=true))]
    fn construct<'py>(elements: &Bound<'py, PyAny>, convert: bool) -> PyResult<Bound<'py, PyAny>> {
        let _ = convert;
        classes::handle(elements.py(), &to_type::structure_of(to_type::elements(elements)?, None)?)
    }

    /// Returns an iterator over the names, `None` for elements without one, and types.
    ///
    /// Returns:
    ///   Iterator of pairs.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> [(name, str(ty)) for name, ty in tff.StructType([("a", np.int32), np.bool_]).items()]
    ///   [('a', 'int32'), (None, 'bool')]
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        PyTuple::new(slf.py(), pairs(slf)?)?.call_method0("__iter__")
    }

    /// Returns the names of the elements that have one.
    ///
    /// Returns:
    ///   List of names.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> list(tff.StructType([("x", np.int32), np.float32]).fields())
    ///   ['x']
    fn fields(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        Ok(pairs(slf)?.into_iter().filter_map(|(name, _)| name).collect())
    }

    /// The class of containers that the struct stands for.
    #[getter]
    fn python_container<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyType>>> {
        let container = |fields: &gw_federated::types::Fields<PyHost>| {
            fields.container.as_ref().map(|container| container.0.bind(slf.py()).clone())
        };
        Ok(of(slf)?.fields().and_then(container))
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(of(slf)?.fields().map_or(0, |fields| fields.len()))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let types: Vec<_> = pairs(slf)?.into_iter().map(|(_, ty)| ty).collect();
        PyTuple::new(slf.py(), types)?.call_method0("__iter__")
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = key.cast::<PyString>() {
            return StructType::__getattr__(slf, name.to_str()?);
        }
        let types: Vec<_> = pairs(slf)?.into_iter().map(|(_, ty)| ty).collect();
        if let Ok(slice) = key.cast::<PySlice>() {
            return PyTuple::new(slf.py(), types)?.as_any().get_item(slice);
        }
        let index: i64 = key.extract()?;
        let found = usize::try_from(index).ok().and_then(|index| types.get(index));
        found.cloned().ok_or_else(|| {
            let length = types.len();
            PyIndexError::new_err(format!(
                "Element index {index} is out of range, `Struct` has {length} elements."
            ))
        })
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let ty = of(slf)?;
        let fields = ty.fields().ok_or_else(|| other_kind(&ty))?;
        match fields.position(name) {
            Some(index) => classes::handle(slf.py(), &fields.elements[index].ty),
            None => {
                let names: Vec<_> = fields.names().collect();
                let known = gw_federated::types::quoted(&names);
                let message =
                    format!("The type {ty} has no element \"{name}\"; its named elements are {known}.");
                Err(pyo3::exceptions::PyAttributeError::new_err(message))
            }
        }
    }
}

/// Returns the names and types of the elements.
fn pairs<'py>(handle: &Bound<'py, StructType>) -> PyResult<structure::Pairs<'py>> {
    Ok(structure::elements_of(handle)?.unwrap_or_default())
}

#[pymethods]
impl StructWithPythonType {
    #[new]
    fn construct<'py>(
        elements: &Bound<'py, PyAny>,
        container_type: &Bound<'py, PyType>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let container = Container(container_type.clone().unbind());
        classes::handle(elements.py(), &to_type::structure_of(to_type::elements(elements)?, Some(container))?)
    }
}

#[pymethods]
impl SequenceType {
    #[new]
    fn construct<'py>(element: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ty = Ty::sequence_of(to_type::to_type(element)?).map_err(raised::error)?;
        classes::handle(element.py(), &ty)
    }

    /// The type of the elements.
    #[getter]
    fn element<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let ty = of(slf)?;
        classes::handle(slf.py(), ty.sequence().ok_or_else(|| other_kind(&ty))?)
    }
}

#[pymethods]
impl FunctionType {
    #[new]
    fn construct<'py>(
        parameter: &Bound<'py, PyAny>,
        result: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parameter = (!parameter.is_none()).then(|| to_type::to_type(parameter)).transpose()?;
        let ty = Ty::function_of(parameter, to_type::to_type(result)?).map_err(raised::error)?;
        classes::handle(result.py(), &ty)
    }

    /// The type of the parameter, `None` if there is none.
    #[getter]
    fn parameter<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ty = of(slf)?;
        classes::optional(slf.py(), ty.function().ok_or_else(|| other_kind(&ty))?.0)
    }

    /// The type of the result.
    #[getter]
    fn result<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let ty = of(slf)?;
        classes::handle(slf.py(), ty.function().ok_or_else(|| other_kind(&ty))?.1)
    }
}

#[pymethods]
impl AbstractType {
    #[new]
    fn construct<'py>(py: Python<'py>, label: &str) -> PyResult<Bound<'py, PyAny>> {
        classes::handle(py, &Ty::variable(label))
    }

    /// The name of the variable.
    #[getter]
    fn label(slf: &Bound<'_, Self>) -> PyResult<String> {
        let ty = of(slf)?;
        let Kind::Abstract(label) = ty.kind() else { return Err(other_kind(&ty)) };
        Ok(label.to_string())
    }
}

#[pymethods]
impl PlacementType {
    #[new]
    fn construct(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        classes::handle(py, &Ty::placement())
    }
}

#[pymethods]
impl FederatedType {
    #[new]
    #[pyo3(signature = (member, placement, all_equal=None))]
    fn construct<'py>(
        member: &Bound<'py, PyAny>,
        placement: &Bound<'py, PyAny>,
        all_equal: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let placement = placements::read(placement, "placement")?;
        let ty = Ty::federated_of(to_type::to_type(member)?, placement, all_equal).map_err(raised::error)?;
        classes::handle(member.py(), &ty)
    }

    /// The type of the value at one participant.
    #[getter]
    fn member<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let ty = of(slf)?;
        classes::handle(slf.py(), &ty.federated().ok_or_else(|| other_kind(&ty))?.member)
    }

    /// The participants.
    #[getter]
    fn placement<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let ty = of(slf)?;
        let placement = ty.federated().ok_or_else(|| other_kind(&ty))?.placement;
        Ok(placements::handle(slf.py(), placement)?.into_any())
    }

    /// Tells if the value is the same at all participants.
    #[getter]
    fn all_equal(slf: &Bound<'_, Self>) -> PyResult<bool> {
        let ty = of(slf)?;
        Ok(ty.federated().ok_or_else(|| other_kind(&ty))?.all_equal)
    }
}

/// Iterates over the types in a type, outer ones first.
///
/// Args:
///   type_signature: `tff.Type`.
///
/// Returns:
///   Iterator of `tff.Type`.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> [str(part) for part in tff.framework.preorder_types(tff.SequenceType(np.int32))]
///   ['int32*', 'int32']
#[pyfunction]
fn preorder_types<'py>(type_signature: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = type_signature.py();
    let mut handles = Vec::new();
    let mut open = vec![of(type_signature)?];
    while let Some(ty) = open.pop() {
        handles.push(classes::handle(py, &ty)?);
        open.extend(ty.children().into_iter().rev().cloned());
    }
    PyList::new(py, handles)?.call_method0("__iter__")?.into_bound_py_any(py)
}

/// Returns the number of entries in the table of types, for tests of its bound.
#[pyfunction]
fn _interned_types() -> usize {
    PyHost::interner().entries()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::register(module)?;
    module.add_function(wrap_pyfunction!(to_type::to_type_object, module)?)?;
    module.add_function(wrap_pyfunction!(crate::federated::types::infer::infer_type, module)?)?;
    module.add_function(wrap_pyfunction!(_interned_types, module)?)?;
    module.add_function(wrap_pyfunction!(preorder_types, module)?)
}

//! Arguments in Python: packed into one object for a call, and unpacked for the user's function.

use std::sync::Arc;

use gw_federated::blocks::Element as BlockElement;
use gw_federated::packing::{self, Packed, Parameter, Passing, Signature, Source, Unpacked};
use gw_federated::types::Name;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};

use crate::federated::computation_classes::Value;
use crate::federated::python::{Block, Ty};
use crate::federated::structure::{Element, Struct};
use crate::federated::types::{classes, to_type};
use crate::federated::{py_containers, raised, signatures, structure, to_value};

/// The arguments of a call.
pub struct Arguments<'py> {
    pub positional: Bound<'py, PyTuple>,
    pub names: Vec<Name>,
    pub keywords: Vec<Bound<'py, PyAny>>,
}

impl<'py> Arguments<'py> {
    pub fn new(
        positional: Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Arguments<'py>> {
        let mut arguments = Arguments { positional, names: Vec::new(), keywords: Vec::new() };
        for (name, value) in keywords.into_iter().flat_map(|keywords| keywords.iter()) {
            arguments.names.push(name.extract::<String>()?.into());
            arguments.keywords.push(value);
        }
        Ok(arguments)
    }

    fn get(&self, source: &Source) -> PyResult<Bound<'py, PyAny>> {
        match source {
            Source::Positional(index) => self.positional.get_item(*index),
            Source::Keyword(index) => Ok(self.keywords[*index].clone()),
        }
    }

    fn packed(&self, parameter: Option<&Ty>) -> PyResult<Packed> {
        packing::pack(parameter, self.positional.len(), &self.names).map_err(raised::error)
    }

    /// Returns the argument as a Python object; a struct is a `Struct`.
    pub fn pack(&self, py: Python<'py>, parameter: Option<&Ty>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.packed(parameter)? {
            Packed::Nothing => Ok(None),
            Packed::Whole => self.positional.get_item(0).map(Some),
            Packed::Struct(elements) => Ok(Some(self.structure(py, elements)?.into_any())),
        }
    }

    fn structure(
        &self,
        py: Python<'py>,
        elements: Vec<(Option<Name>, Source)>,
    ) -> PyResult<Bound<'py, Struct>> {
        let mut read = Vec::with_capacity(elements.len());
        for (name, source) in elements {
            read.push(Element {
                name: name.map(|name| name.to_string()),
                value: self.get(&source)?.unbind(),
            });
        }
        Struct::of(py, read)
    }

    /// Returns the argument as a block.
    pub fn block(&self, parameter: Option<&Ty>) -> PyResult<Option<Block>> {
        match self.packed(parameter)? {
            Packed::Nothing => Ok(None),
            Packed::Whole => to_value::plain(&self.positional.get_item(0)?).map(Some),
            Packed::Struct(elements) => {
                let mut blocks = Vec::with_capacity(elements.len());
                for (name, source) in elements {
                    blocks.push(BlockElement { name, value: to_value::plain(&self.get(&source)?)? });
                }
                Block::structure(blocks, None).map(Some).map_err(raised::error)
            }
        }
    }

    /// Returns the arguments as a struct, positional ones first.
    pub fn all(&self, py: Python<'py>) -> PyResult<Bound<'py, Struct>> {
        let positional = (0..self.positional.len()).map(|index| (None, Source::Positional(index)));
        let keywords =
            self.names.iter().enumerate().map(|(index, name)| (Some(name.clone()), Source::Keyword(index)));
        self.structure(py, positional.chain(keywords).collect())
    }
}

/// Calls a function of the user's with an argument that is unpacked for it.
///
/// Example: `unpack(fn, argument)`.
#[pyclass(frozen, module = "graphwright.federated")]
pub struct Unpack {
    signature: Arc<Signature>,
    parameter: Option<Ty>,
    forced: Option<bool>,
    way: Unpacked,
}

impl Unpack {
    pub fn new(signature: Arc<Signature>, parameter: Option<Ty>, unpack: Option<bool>) -> PyResult<Unpack> {
        let way = packing::unpack(&signature, parameter.as_ref(), unpack).map_err(raised::error)?;
        Ok(Unpack { signature, parameter, forced: unpack, way })
    }

    /// Calls `function` with an argument.
    pub fn call<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        argument: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (positional, keywords) = self.arguments(function.py(), argument)?;
        function.call(positional, Some(&keywords).filter(|keywords| !keywords.is_empty()))
    }

    fn arguments<'py>(
        &self,
        py: Python<'py>,
        argument: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        let (Some(argument), Some(ty)) = (argument, &self.parameter) else {
            return Ok((PyTuple::empty(py), keywords));
        };
        match self.way {
            Unpacked::Nothing => Ok((PyTuple::empty(py), keywords)),
            Unpacked::Whole => Ok((PyTuple::new(py, [contained(argument, ty)?])?, keywords)),
            Unpacked::Elements => {
                let mut positional = Vec::new();
                for (index, field) in ty.fields().iter().flat_map(|fields| fields.elements.iter().enumerate())
                {
                    let value = element(argument, index, field.name.as_deref())?;
                    let value = contained(&value, &field.ty)?;
                    match &field.name {
                        Some(name) => keywords.set_item(&**name, value)?,
                        None => positional.push(value),
                    }
                }
                Ok((PyTuple::new(py, positional)?, keywords))
            }
        }
    }
}

/// Returns a struct in its container; values and what is in a container already stay as they are.
fn contained<'py>(value: &Bound<'py, PyAny>, ty: &Ty) -> PyResult<Bound<'py, PyAny>> {
    if value.is_instance_of::<Struct>() { py_containers::restore(value, ty) } else { Ok(value.clone()) }
}

/// Returns an element of an argument: of a mapping by name, of others by name or position as they have it.
fn element<'py>(
    argument: &Bound<'py, PyAny>,
    index: usize,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(found) = argument.cast::<Struct>() {
        let missing = || PyTypeError::new_err(format!("the argument has no element {index}"));
        let element = found.get().elements.get(index).ok_or_else(missing)?;
        return Ok(element.value.bind(argument.py()).clone());
    }
    match name {
        Some(name) if argument.cast::<PyMapping>().is_ok() => argument.get_item(name),
        Some(name) if is_value(argument) => argument.get_item(name),
        Some(_) | None => argument.get_item(index),
    }
}

/// Tells if an object is a value of a computation, whose elements have names.
fn is_value(argument: &Bound<'_, PyAny>) -> bool {
    argument.is_instance_of::<Value>()
}

/// A function's name, its parameters, the type of the argument and if it must be unpacked, as a pickle holds them.
type Described<'py> = (String, Vec<String>, Option<Bound<'py, PyAny>>, Option<bool>);

/// Makes what `Unpack.__reduce__` describes.
#[pyfunction]
fn _read_unpack(
    function: String,
    parameters: Vec<String>,
    parameter_type: Option<Bound<'_, PyAny>>,
    unpack: Option<bool>,
) -> PyResult<Unpack> {
    let parameter = |name: String| Parameter { name: name.into(), passing: Passing::Either, default: None };
    let parameters = parameters.into_iter().map(parameter).collect();
    let ty = parameter_type.map(|ty| to_type::to_type(&ty)).transpose()?;
    Unpack::new(Arc::new(Signature { function: function.into(), parameters }), ty, unpack)
}

#[pymethods]
impl Unpack {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Described<'py>)> {
        let names = self.parameters().into_iter().map(str::to_owned).collect();
        let ty = classes::optional(py, self.parameter.as_ref())?;
        let described = (self.signature.function.to_string(), names, ty, self.forced);
        Ok((py.import("graphwright._federated")?.getattr("_read_unpack")?, described))
    }

    #[pyo3(signature = (fn_, argument=None))]
    fn __call__<'py>(
        &self,
        fn_: &Bound<'py, PyAny>,
        argument: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(fn_, argument)
    }

    /// The names of the parameters of the user's function.
    #[getter]
    fn parameters(&self) -> Vec<&str> {
        self.signature.parameters.iter().map(|parameter| &*parameter.name).collect()
    }
}

/// Packs the arguments of a call into one argument.
///
/// Args:
///   parameter_type: type of the parameter, or `None`.
///   args: positional arguments.
///   kwargs: arguments by name.
///
/// Returns:
///   The argument, or `None` for a computation without a parameter.
///
/// Raises:
///   TypeError: the arguments do not fit.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> parameter = tff.StructType([("a", np.int32), ("b", np.int32)])
///   >>> tff.framework.pack_args(parameter, [1], {"b": 2})
///   Struct([('a', 1), ('b', 2)])
#[pyfunction]
fn pack_args<'py>(
    py: Python<'py>,
    parameter_type: &Bound<'py, PyAny>,
    args: &Bound<'py, PyAny>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let parameter = (!parameter_type.is_none()).then(|| to_type::to_type(parameter_type)).transpose()?;
    arguments(args, kwargs)?.pack(py, parameter.as_ref())
}

fn arguments<'py>(args: &Bound<'py, PyAny>, kwargs: &Bound<'py, PyDict>) -> PyResult<Arguments<'py>> {
    let positional = args.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    Arguments::new(PyTuple::new(args.py(), positional)?, Some(kwargs))
}

/// Packs the arguments of a call into a struct; without a type, positional ones come first.
///
/// Args:
///   args: positional arguments.
///   kwargs: arguments by name.
///   type_spec: type of the struct, or `None`.
///
/// Returns:
///   `Struct`.
///
/// Raises:
///   TypeError: the arguments do not fit.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.framework.pack_args_into_struct([1], {"a": 2})
///   Struct([(None, 1), ('a', 2)])
#[pyfunction]
#[pyo3(signature = (args, kwargs, type_spec=None))]
fn pack_args_into_struct<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyAny>,
    kwargs: &Bound<'py, PyDict>,
    type_spec: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, Struct>> {
    let arguments = arguments(args, kwargs)?;
    let ty = type_spec.map(to_type::to_type).transpose()?;
    match ty.filter(|ty| ty.fields().is_none_or(|fields| !fields.is_empty())) {
        None => arguments.all(py),
        Some(ty) => {
            let count = arguments.positional.len();
            let packed = packing::pack_struct(&ty, count, &arguments.names).map_err(raised::error)?;
            arguments.structure(py, packed)
        }
    }
}

/// Splits a struct into its unnamed and its named elements.
///
/// Args:
///   struct_with_args: `Struct`.
///
/// Returns:
///   Pair of a list and a dict.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.framework.unpack_args_from_struct(tff.structure.Struct([(None, 1), ("a", 2)]))
///   ([1], {'a': 2})
#[pyfunction]
fn unpack_args_from_struct<'py>(
    struct_with_args: &Bound<'py, PyAny>,
) -> PyResult<(Vec<Bound<'py, PyAny>>, Bound<'py, PyDict>)> {
    let py = struct_with_args.py();
    let elements = match structure::elements_of(struct_with_args)? {
        Some(elements) => elements,
        None => {
            let handle = classes::handle(py, &to_type::to_type(struct_with_args)?)?;
            structure::elements_of(&handle)?.unwrap_or_default()
        }
    };
    let keywords = PyDict::new(py);
    let mut positional = Vec::new();
    for (name, value) in elements {
        match name {
            Some(name) => keywords.set_item(name, value)?,
            None if keywords.is_empty() => positional.push(value),
            None => {
                let text = struct_with_args.str()?;
                return Err(PyTypeError::new_err(format!("Not an argument struct: {text}.")));
            }
        }
    }
    Ok((positional, keywords))
}

/// Returns the positional arguments and the keywords with which an argument is given to a function.
///
/// Args:
///   fn: function.
///   parameter_type: type of the argument, or `None`.
///   arg: argument.
///   unpack: `True` if a struct becomes several arguments, `False` if it stays one; `None` decides by the function.
///
/// Returns:
///   Pair of a list and a dict.
///
/// Raises:
///   TypeError: the function does not take the argument.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> pair = tff.structure.Struct([("x", 1), ("y", 2)])
///   >>> tff.framework.unpack_arg(lambda x, y: x, [("x", np.int32), ("y", np.int32)], pair)
///   ([], {'x': 1, 'y': 2})
#[pyfunction]
#[pyo3(signature = (r#fn, parameter_type, arg, unpack=None))]
fn unpack_arg<'py>(
    r#fn: &Bound<'py, PyAny>,
    parameter_type: &Bound<'py, PyAny>,
    arg: &Bound<'py, PyAny>,
    unpack: Option<bool>,
) -> PyResult<(Vec<Bound<'py, PyAny>>, Bound<'py, PyDict>)> {
    let parameter = (!parameter_type.is_none()).then(|| to_type::to_type(parameter_type)).transpose()?;
    let signature = Arc::new(signatures::read(r#fn)?);
    let (positional, keywords) = Unpack::new(signature, parameter, unpack)?.arguments(arg.py(), Some(arg))?;
    Ok((positional.iter().collect(), keywords))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Unpack>()?;
    module.add_function(wrap_pyfunction!(_read_unpack, module)?)?;
    module.add_function(wrap_pyfunction!(pack_args, module)?)?;
    module.add_function(wrap_pyfunction!(pack_args_into_struct, module)?)?;
    module.add_function(wrap_pyfunction!(unpack_args_from_struct, module)?)?;
    module.add_function(wrap_pyfunction!(unpack_arg, module)?)?;
    module.add_function(wrap_pyfunction!(py_containers::type_to_py_container, module)?)
}

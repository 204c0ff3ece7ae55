//! `to_value`: the values of the language that Python objects stand for.

use gw_federated::blocks::Element;
use gw_federated::values;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::federated::computation_classes::{self, Computation, PolymorphicComputation, Value};
use crate::federated::containers::{self, Depth, Opened};
use crate::federated::python::{Block, Ty};
use crate::federated::types::placements::PlacementLiteral;
use crate::federated::types::{classes, to_type};
use crate::federated::{block_classes, constants, raised};
use crate::function::Function;

/// Knowledge of a value before it is read.
#[derive(Clone, Copy, Default)]
pub struct Expected<'t> {
    /// The type of the value.
    pub ty: Option<&'t Ty>,
    /// The type of the parameter, if the value is a function.
    pub parameter: Option<&'t Ty>,
    /// A struct of federated values may become a federated struct.
    pub zip: bool,
}

/// Converts an object to a value of a computation that is being traced.
///
/// Args:
///   arg: value, computation, constant, or container of them.
///   type_spec: type that it has to have, or `None`.
///   parameter_type_hint: type of the parameter of a function.
///   zip_if_needed: whether to zip a struct of federated values.
///
/// Returns:
///   `tff.Value`.
///
/// Raises:
///   TypeError: the object is of another type.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> print(tff.federated_computation(lambda: tff.to_value(7))())
///   7
#[pyfunction]
#[pyo3(name = "to_value", signature = (arg, type_spec=None, *, parameter_type_hint=None, zip_if_needed=false))]
pub fn to_value_object<'py>(
    arg: &Bound<'py, PyAny>,
    type_spec: Option<&Bound<'py, PyAny>>,
    parameter_type_hint: Option<&Bound<'py, PyAny>>,
    zip_if_needed: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let ty = type_spec.map(to_type::to_type).transpose()?;
    let parameter = parameter_type_hint.map(to_type::to_type).transpose()?;
    let expected = Expected { ty: ty.as_ref(), parameter: parameter.as_ref(), zip: zip_if_needed };
    computation_classes::value(arg.py(), to_value(arg, expected)?)
}

/// Returns the block of the value that an object stands for.
pub fn to_value(object: &Bound<'_, PyAny>, expected: Expected<'_>) -> PyResult<Block> {
    let block = read(object, expected, Depth::default())?;
    values::fit(block, expected.ty, expected.zip).map_err(raised::error)
}

/// Returns the block of a value of which nothing is known before.
pub fn plain(object: &Bound<'_, PyAny>) -> PyResult<Block> {
    to_value(object, Expected::default())
}

fn read(object: &Bound<'_, PyAny>, expected: Expected<'_>, depth: Depth) -> PyResult<Block> {
    if let Ok(value) = object.cast::<Value>() {
        return Ok(value.get().0.clone());
    }
    if let Some(block) = block_classes::read(object) {
        return Ok(block);
    }
    if let Ok(placement) = object.cast::<PlacementLiteral>() {
        return Ok(Block::placement(placement.get().0));
    }
    if let Ok(computation) = object.cast::<Computation>() {
        return Ok(computation.get().0.clone());
    }
    if object.is_instance_of::<PolymorphicComputation>() {
        return concretized(object, expected.parameter);
    }
    let object = &constants::plain(object)?;
    if let Some(constant) = constants::read(object)? {
        let ty = expected.ty.map_or_else(|| constants::infer(object, &constant), |ty| Ok(ty.clone()))?;
        return constants::literal(object, &ty);
    }
    if let Some(opened) = containers::open(object)? {
        return read_struct(object, opened, expected, depth.deeper()?);
    }
    if object.is_instance_of::<Function>() {
        return from_function(object, expected.parameter);
    }
    Err(not_a_value(object))
}

fn read_struct(
    object: &Bound<'_, PyAny>,
    opened: Opened<'_>,
    expected: Expected<'_>,
    depth: Depth,
) -> PyResult<Block> {
    if let Some(ty) = expected.ty.filter(|ty| ty.sequence().is_some()) {
        let class = object.get_type();
        return Err(PyTypeError::new_err(format!(
            "Expected a value of the sequence type {ty}, found {class}."
        )));
    }
    let fields = expected.ty.and_then(Ty::fields);
    let mut elements = Vec::with_capacity(opened.items.len());
    for (index, (name, item)) in opened.items.iter().enumerate() {
        let ty = fields.and_then(|fields| fields.elements.get(index)).map(|field| &field.ty);
        let inner = Expected { ty, parameter: None, zip: expected.zip };
        let block = read(item, inner, depth)?;
        let value = values::fit(block, ty, expected.zip).map_err(raised::error)?;
        elements.push(Element { name: name.as_deref().map(Into::into), value });
    }
    Block::structure(elements, opened.container()).map_err(raised::error)
}

/// Traces a polymorphic computation for the type of its parameter.
fn concretized(object: &Bound<'_, PyAny>, parameter: Option<&Ty>) -> PyResult<Block> {
    let py = object.py();
    let Some(parameter) = parameter else {
        return Err(PyTypeError::new_err(
            "Polymorphic computations cannot be converted to values without a type hint. Give the decorator of the \
             function the types of its parameters, or pass `parameter_type_hint`.",
        ));
    };
    let handle = classes::handle(py, parameter)?;
    let concrete = object.call_method1(intern!(py, "fn_for_argument_type"), (handle,))?;
    plain(&concrete)
}

/// Makes a `gw.function` a polymorphic graph computation.
fn from_function(object: &Bound<'_, PyAny>, parameter: Option<&Ty>) -> PyResult<Block> {
    let decorator = object.py().import("graphwright.federated.framework")?.getattr("graph_computation")?;
    let made = decorator.call1((object,))?;
    if made.is_instance_of::<PolymorphicComputation>() { concretized(&made, parameter) } else { plain(&made) }
}

fn not_a_value(object: &Bound<'_, PyAny>) -> PyErr {
    let class = object.get_type();
    if object.is_callable() {
        return PyTypeError::new_err(format!(
            "Expected a value of a federated computation, found a Python function of type {class}; decorate it with \
             `@graph_computation` (tensors of one place) or `@federated_computation`."
        ));
    }
    if object.is_none() {
        return PyTypeError::new_err("Expected a value of a federated computation, found None.");
    }
    PyTypeError::new_err(format!(
        "Expected a Python object that stands for a value of a federated computation, found {class}; wrap logic that \
         is not federated in a `@graph_computation`."
    ))
}

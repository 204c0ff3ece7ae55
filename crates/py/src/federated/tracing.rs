//! Traces functions: a federated computation in its own context, a graph by the leaf of the executors.

use std::sync::Arc;

use gw_federated::packing::Signature;
use pyo3::intern;
use pyo3::prelude::*;

use crate::federated::computation_classes::{self, Way};
use crate::federated::contexts::{FederatedComputationContext, Installed};
use crate::federated::packed::Unpack;
use crate::federated::python::{Block, Object, Ty};
use crate::federated::raised::{self, ComputationReturnedNoneError};
use crate::federated::types::classes;
use crate::federated::{signatures, to_value};

/// Traces a function for one type of its parameter.
pub fn trace<'py>(
    way: Way,
    function: &Bound<'py, PyAny>,
    signature: &Arc<Signature>,
    parameter: Option<Ty>,
    unpack: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let unpacking = Unpack::new(Arc::clone(signature), parameter.clone(), unpack)?;
    let block = match way {
        Way::Federated => trace_federated(function, &unpacking, parameter)?,
        Way::Graph => trace_graph(function, unpacking, parameter.as_ref())?,
    };
    let computation = computation_classes::concrete(function.py(), block)?;
    describe(&computation, function)?;
    Ok(computation)
}

/// Calls the user's function in a context of its own. The stack is as before, whatever is raised.
fn trace_federated(
    function: &Bound<'_, PyAny>,
    unpacking: &Unpack,
    parameter: Option<Ty>,
) -> PyResult<Block> {
    let py = function.py();
    let name = signatures::function_name(function)?;
    let context = FederatedComputationContext::begin(py, name.as_deref())?;
    let installed = Installed::new(context.clone().into_any().unbind());
    let argument = parameter.as_ref().map(|ty| {
        let name = context.get().tracing().parameter_name();
        computation_classes::value(py, Block::reference(name, ty.clone(), None))
    });
    let returned = unpacking.call(function, argument.transpose()?.as_ref())?;
    if returned.is_none() {
        return Err(returned_none(function));
    }
    let result = to_value::plain(&returned)?;
    drop(installed);
    let traced = context.get().tracing().take();
    traced.finish(parameter, result).map_err(raised::error)
}

fn trace_graph(function: &Bound<'_, PyAny>, unpacking: Unpack, parameter: Option<&Ty>) -> PyResult<Block> {
    let py = function.py();
    let leaves = py.import(intern!(py, "graphwright.federated._execution.leaf"))?;
    let parameter = classes::optional(py, parameter)?;
    let name = signatures::function_name(function)?;
    let leaf = leaves.call_method1(intern!(py, "trace"), (function, parameter, unpacking, name))?;
    compiled(&leaf)
}

/// Makes a block of a leaf, which says its type and its digest.
pub fn compiled(leaf: &Bound<'_, PyAny>) -> PyResult<Block> {
    let py = leaf.py();
    let handle = leaf.getattr(intern!(py, "type_signature"))?;
    let digest: String = leaf.getattr(intern!(py, "digest"))?.extract()?;
    let ty = crate::federated::types::to_type::to_type(&handle)?;
    Ok(Block::compiled(Object(leaf.clone().unbind()), digest, ty))
}

/// Gives a computation the name and the docstring of its function.
pub fn describe(computation: &Bound<'_, PyAny>, function: &Bound<'_, PyAny>) -> PyResult<()> {
    for name in [intern!(function.py(), "__name__"), intern!(function.py(), "__doc__")] {
        if let Some(value) = function.getattr_opt(name)? {
            computation.setattr(name, value)?;
        }
    }
    Ok(())
}

fn returned_none(function: &Bound<'_, PyAny>) -> PyErr {
    let read = |object: &Bound<'_, PyAny>, name: &str| {
        object.getattr(name).and_then(|value| Ok(value.str()?.to_string()))
    };
    let code = function.getattr("__code__");
    let place = code.and_then(|code| {
        let (line, file) = (read(&code, "co_firstlineno")?, read(&code, "co_filename")?);
        Ok(format!(" defined on line {line} of file {file}"))
    });
    let name = read(function, "__name__").unwrap_or_else(|_| "<unnamed>".to_owned());
    let place = place.unwrap_or_default();
    ComputationReturnedNoneError::new_err(format!(
        "The function `{name}`{place} returned `None` (or didn't explicitly `return` at all), but computations must \
         return some non-`None` value."
    ))
}

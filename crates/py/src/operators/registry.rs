//! Dispatch of a statement by its value: the graph decides for its own types, a backend for those it is
//! registered for, else Python.

use std::sync::Arc;

use gw_trace::Staged;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType};

use crate::host::checks::{self, staged_value};
use crate::operators::backend::Backend;
use crate::operators::special_methods;
use crate::optional::maybe::Maybe;
use crate::session::{self, Tracing, backends};
use crate::values::tensor::Tensor;

/// Owner of the meaning of a statement on a value.
pub enum Decides<'py> {
    /// Python, while the function runs.
    Python,
    /// The graph that is being traced, in which this is the value.
    Graph(Arc<Tracing>, Staged),
    /// A backend that was registered for the value's type.
    Backend(Backend<'py>),
}

/// Finds the owner of the meaning of a statement on this value.
pub fn decides<'py>(value: &Bound<'py, PyAny>) -> PyResult<Decides<'py>> {
    if is_plain(value) {
        return Ok(Decides::Python);
    }
    if let Some((tracing, length)) = checks::length(value)? {
        return Ok(Decides::Graph(tracing, length));
    }
    if is_of_graphs(value) {
        let decides = |(tracing, staged)| Decides::Graph(tracing, staged);
        return Ok(staged_value(value)?.map_or(Decides::Python, decides));
    }
    let backend = backends::of(&value.get_type())?;
    Ok(backend.map_or(Decides::Python, |backend| Decides::Backend(Backend::new(backend, value))))
}

/// False where Python decides every value: no graph is being built, and no backend is registered.
pub fn may_decide_others() -> bool {
    session::is_tracing() || backends::are_registered()
}

/// True of tensors, which may be values of a graph, and of names that have one on some paths only.
fn is_of_graphs(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<Tensor>() || value.is_exact_instance_of::<Maybe>()
}

/// The value that decides a test: what the method of an object gives that Python asks for its truth, else the object itself.
pub fn tested<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_asked = session::is_tracing()
        && !is_plain(object)
        && !is_of_graphs(object)
        && backends::of(&object.get_type())?.is_none();
    let truth = if is_asked { special_methods::truth(object)? } else { None };
    Ok(truth.unwrap_or_else(|| object.clone()))
}

/// True for values that every program is full of: Python decides, and the table is not asked.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_none()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyComplex>()
        || value.is_exact_instance_of::<PyString>()
}

/// Registers a backend for a type and its subclasses.
#[pyfunction]
#[pyo3(signature = (r#type, backend, /))]
pub fn register_backend(r#type: &Bound<'_, PyType>, backend: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = backend.py();
    match [py.get_type::<Tensor>(), py.get_type::<Maybe>()].iter().any(|class| class.is(r#type)) {
        true => Err(backends::taken(r#type)?),
        false => backends::register(r#type, backend),
    }
}

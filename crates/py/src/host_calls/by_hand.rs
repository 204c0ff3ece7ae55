//! Runs whose calls of the host one function of Python's answers: `Partition.start`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::answering;
use crate::function::concrete_function::ConcreteFunction;

/// The result of a graph whose calls of the host `answering(number, name, tensors)` answers.
#[pyfunction]
fn answered_by<'py>(
    answering: Py<PyAny>,
    graph: &Bound<'py, ConcreteFunction>,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    answering::with(answering, || graph.call(args, Some(kwargs)))
}

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(answered_by, module)?)
}

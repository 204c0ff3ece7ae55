//! Callables of Python's that run our code.

use pyo3::prelude::*;
use pyo3::types::PyCFunction;

/// A callable of Python's that runs `give`.
pub fn callable<'py, F>(py: Python<'py>, give: F) -> PyResult<Bound<'py, PyAny>>
where
    F: Fn(Python<'_>) -> PyResult<Py<PyAny>> + Send + Sync + 'static,
{
    Ok(PyCFunction::new_closure(py, None, None, move |args, _| give(args.py()))?.into_any())
}

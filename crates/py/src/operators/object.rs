//! The operators as converted code sees them.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The operators, as converted code sees them: one object with a method each.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Operators {
    /// True if what is called is converted too.
    pub(super) recursive: bool,
}

/// The one object.
pub fn the(py: Python<'_>) -> PyResult<Bound<'_, Operators>> {
    static THE: PyOnceLock<Py<Operators>> = PyOnceLock::new();
    Ok(THE.get_or_try_init(py, || Py::new(py, Operators { recursive: true }))?.bind(py).clone())
}

/// The operators of a function whose callees stay as they are.
pub fn shallow(py: Python<'_>) -> PyResult<Bound<'_, Operators>> {
    static THE: PyOnceLock<Py<Operators>> = PyOnceLock::new();
    Ok(THE.get_or_try_init(py, || Py::new(py, Operators { recursive: false }))?.bind(py).clone())
}

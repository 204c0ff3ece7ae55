//! The frame that Python runs now.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The frame that Python runs now.
pub fn top_frame(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    static GETFRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get = GETFRAME
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("sys")?.getattr("_getframe")?.unbind()))
        .ok()?;
    get.bind(py).call0().ok()
}

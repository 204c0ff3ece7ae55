//! `gw.init_scope`: code that runs outside of the graphs that are being built.

use pyo3::prelude::*;

use crate::session;

/// Leaves the graphs that are built on this thread, until `leave_init_scope`.
#[pyfunction]
fn enter_init_scope(py: Python<'_>) {
    session::enter(py, None);
}

/// Goes back to the graph that `enter_init_scope` left.
#[pyfunction]
fn leave_init_scope() {
    session::leave();
}

/// Tells whether no graph is being built on this thread.
///
/// Returns:
///   bool.
///
/// Example:
///   >>> gw.executing_eagerly(), bool(gw.function(lambda: gw.executing_eagerly())())
///   (True, False)
#[pyfunction]
fn executing_eagerly() -> bool {
    !session::is_tracing()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(enter_init_scope, module)?)?;
    module.add_function(wrap_pyfunction!(leave_init_scope, module)?)?;
    module.add_function(wrap_pyfunction!(executing_eagerly, module)?)
}

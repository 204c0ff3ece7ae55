//! The door to the threads that work off large loops.

use pyo3::prelude::*;

/// The number wanted; 0 for as many as there are processors.
#[pyfunction]
pub fn threads() -> usize {
    graphwright::threads::said()
}

/// Says how many there are to be.
#[pyfunction]
pub fn set_threads(count: usize) {
    graphwright::threads::set(count);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(threads, module)?)?;
    module.add_function(wrap_pyfunction!(set_threads, module)?)
}

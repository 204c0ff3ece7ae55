//! Settings of the process, and the checker.

pub mod check;
pub mod denormals;
pub mod first_calls;
pub mod machine;
pub mod overflow;
pub mod profile;
pub mod promotion;
pub mod records;
pub mod second_tier;
pub mod threads;
pub mod traced_graphs;

use pyo3::prelude::*;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    threads::register(module)?;
    profile::register(module)?;
    machine::register(module)?;
    first_calls::register(module)?;
    traced_graphs::register(module)
}

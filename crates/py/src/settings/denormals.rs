//! The door to what becomes of subnormal numbers: zeros, or what they are.

use gw_runtime::{Denormals, denormals};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Reads `"flush"` or `"keep"`.
pub fn read(word: &str) -> PyResult<Denormals> {
    match word {
        "flush" => Ok(Denormals::Flush),
        "keep" => Ok(Denormals::Keep),
        other => Err(PyValueError::new_err(format!("denormals are \"flush\" or \"keep\", not {other:?}"))),
    }
}

/// The fate of subnormal numbers in graphs of single precision.
#[pyfunction]
fn get_denormals() -> &'static str {
    match denormals::said() {
        Denormals::Flush => "flush",
        Denormals::Keep => "keep",
    }
}

/// Says what becomes of subnormal numbers in graphs of single precision.
#[pyfunction]
fn set_denormals(mode: &str) -> PyResult<()> {
    denormals::say(read(mode)?);
    Ok(())
}

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(get_denormals, module)?)?;
    module.add_function(wrap_pyfunction!(set_denormals, module)?)
}

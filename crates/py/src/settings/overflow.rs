//! The door to what becomes of integer scalars that leave their type: `OverflowError`, or wrapping around.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// True if a function's integer scalars are checked for overflow, by what its option says: `"raise"` or `"wrap"`.
pub fn checks(word: &str) -> PyResult<bool> {
    match word {
        "raise" => Ok(true),
        "wrap" => Ok(false),
        other => {
            let message = format!("integer_overflow is \"raise\" or \"wrap\", not {other:?}");
            Err(PyValueError::new_err(message))
        }
    }
}

/// The treatment of integer scalars that leave their type.
#[pyfunction]
pub fn integer_overflow() -> &'static str {
    if graphwright::overflow::is_checked() { "raise" } else { "wrap" }
}

/// Says what becomes of integer scalars that leave their type.
#[pyfunction]
pub fn set_integer_overflow(on_overflow: &str) -> PyResult<()> {
    graphwright::overflow::check(checks(on_overflow)?);
    Ok(())
}

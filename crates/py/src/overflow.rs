//! The door to what becomes of integer scalars that leave their type: `OverflowError`, or wrapping around.

use gw_ir::Op;
use gw_trace::calls::Call;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::pack;

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

/// What becomes of integer scalars that leave their type.
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

/// `x + y` of which the low bits count, for hashes in the package.
#[pyfunction]
pub fn wrapping_add<'py>(x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    pack::call(x.py(), &Call::Wrapping(Op::Add), &[x, y])
}

/// `x * y` of which the low bits count, for hashes in the package.
#[pyfunction]
pub fn wrapping_multiply<'py>(x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    pack::call(x.py(), &Call::Wrapping(Op::Mul), &[x, y])
}

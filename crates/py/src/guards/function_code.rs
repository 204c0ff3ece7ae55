//! The code of a function as each call compares it: read from the function itself, since the attribute `__code__` asks the audit hooks
//! of the interpreter first.
#![allow(unsafe_code, reason = "the interpreter's own accessor has no safe binding")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyFunction;

/// The code object of a function.
pub(super) fn of<'py>(function: &Bound<'py, PyFunction>) -> Bound<'py, PyAny> {
    // SAFETY: the object is a function, which always has code; the reference that is lent is held from here on.
    unsafe { Bound::from_borrowed_ptr(function.py(), ffi::PyFunction_GetCode(function.as_ptr())) }
}

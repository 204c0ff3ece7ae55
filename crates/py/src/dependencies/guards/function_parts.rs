//! Parts of functions, as each call compares them.
#![allow(unsafe_code, reason = "the interpreter's own accessor has no safe binding")]

use pyo3::prelude::*;
use pyo3::types::PyFunction;
use pyo3::{ffi, intern};

/// A part of a function by the name of its attribute: its code, its defaults.
pub(super) fn part<'py>(function: &Bound<'py, PyAny>, name: &str) -> Option<Bound<'py, PyAny>> {
    let py = function.py();
    let name = match name {
        "__code__" => return function.cast().ok().map(code),
        "__defaults__" => intern!(py, "__defaults__"),
        _ => intern!(py, "__kwdefaults__"),
    };
    function.getattr_opt(name).ok().flatten()
}

/// The code of a function, read from the function itself: the attribute asks the audit hooks of the interpreter first.
fn code<'py>(function: &Bound<'py, PyFunction>) -> Bound<'py, PyAny> {
    // SAFETY: the object is a function, which always has code; the reference that is lent is held from here on.
    unsafe { Bound::from_borrowed_ptr(function.py(), ffi::PyFunction_GetCode(function.as_ptr())) }
}

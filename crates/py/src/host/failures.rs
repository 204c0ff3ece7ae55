//! Classes of Python's for the failures of a graph.

use gw_base::{Diagnostic, Loc};
use gw_ir::CheckKind;
use pyo3::exceptions::{
    PyAssertionError, PyIndexError, PyKeyError, PyNameError, PyOverflowError, PyRecursionError,
    PyRuntimeError, PyTypeError, PyUnboundLocalError, PyValueError, PyZeroDivisionError,
};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::exceptions::errors;

/// The diagnostic of an operation that may raise what a `try` around it catches.
pub fn not_caught(class: &Bound<'_, PyType>, place: Option<Loc>) -> PyResult<Diagnostic> {
    Ok(gw_trace::not_caught(&class.name()?.to_string(), place))
}

/// The class of what a failing check raises.
pub fn class_of(py: Python<'_>, kind: CheckKind) -> Bound<'_, PyType> {
    match kind {
        CheckKind::Assertion => py.get_type::<PyAssertionError>(),
        CheckKind::UnboundLocal => py.get_type::<PyUnboundLocalError>(),
        CheckKind::Name => py.get_type::<PyNameError>(),
        CheckKind::Index => py.get_type::<PyIndexError>(),
        CheckKind::ZeroDivision => py.get_type::<PyZeroDivisionError>(),
        CheckKind::Value => py.get_type::<PyValueError>(),
        CheckKind::Overflow => py.get_type::<PyOverflowError>(),
        CheckKind::Type => py.get_type::<PyTypeError>(),
        CheckKind::Recursion => py.get_type::<PyRecursionError>(),
        CheckKind::Key => py.get_type::<PyKeyError>(),
        CheckKind::Runtime => py.get_type::<PyRuntimeError>(),
        CheckKind::Argument => {
            errors::invalid_argument_class(py).unwrap_or_else(|_| py.get_type::<PyValueError>())
        }
    }
}

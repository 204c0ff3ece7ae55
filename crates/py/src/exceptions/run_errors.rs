//! Failures of native code as Python's exceptions, with the tracebacks that they would have had in Python.

use graphwright::EagerError;
use gw_runtime::{Failure, HostError, NO_QUOTIENT, NO_REMAINDER, RunError};
use pyo3::exceptions::{
    PyAssertionError, PyIndexError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyNameError,
    PyOverflowError, PyRecursionError, PyRuntimeError, PyTypeError, PyUnboundLocalError, PyValueError,
    PyZeroDivisionError,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyTuple};

use crate::exceptions::errors::{broken, invalid_argument, unfit};
use crate::exceptions::traceback;

/// An eager call that gives no result.
pub fn eager_failed(py: Python<'_>, error: EagerError, interrupt: Option<PyErr>) -> PyErr {
    match error {
        EagerError::Unfit(found) => unfit(py, found),
        EagerError::Run(found) => run_failed(py, found, interrupt),
        EagerError::Broken(found) => broken(&found),
    }
}

/// A failure of native code, with the traceback that it would have had in Python.
pub fn run_failed(py: Python<'_>, error: RunError, interrupt: Option<PyErr>) -> PyErr {
    let text = error.message;
    let is_bare = text.is_empty();
    let raised = match error.failure {
        Failure::ZeroDivision => PyZeroDivisionError::new_err(division_by_zero(py, &text)),
        Failure::IndexOutOfRange => PyIndexError::new_err(text),
        Failure::ShapeMismatch | Failure::Value => PyValueError::new_err(text),
        Failure::Overflow => PyOverflowError::new_err(text),
        Failure::Type => PyTypeError::new_err(text),
        Failure::UnboundLocal => PyUnboundLocalError::new_err(text),
        Failure::Name => PyNameError::new_err(text),
        Failure::Assertion => PyAssertionError::new_err(text),
        Failure::Recursion => PyRecursionError::new_err(text),
        Failure::Key => missing_key(py, text),
        Failure::Runtime => PyRuntimeError::new_err(text),
        Failure::Argument => invalid_argument(text),
        Failure::OutOfMemory => PyMemoryError::new_err(text),
        Failure::Interrupted => interrupt.unwrap_or_else(|| PyKeyboardInterrupt::new_err(())),
        Failure::Host(raised) => host_failed(raised),
    };
    if is_bare {
        // `raise ValueError` has no arguments.
        let _ = raised.value(py).setattr(intern!(py, "args"), PyTuple::empty(py));
    }
    if let Some(place) = &error.place {
        traceback::place(py, &raised, place);
    }
    raised
}

/// The text of the running Python for a division of integers by zero, of which a run says this.
pub fn division_by_zero(py: Python<'_>, text: &str) -> String {
    let operator = match text {
        NO_QUOTIENT => intern!(py, "__floordiv__"),
        NO_REMAINDER => intern!(py, "__mod__"),
        other => return other.to_owned(),
    };
    let asked = py.get_type::<PyInt>().call_method1(operator, (1, 0));
    asked.map_or_else(|error| error.value(py).to_string(), |_| text.to_owned())
}

fn missing_key(py: Python<'_>, text: String) -> PyErr {
    PyKeyError::new_err((key_of(py, &text).unbind(),))
}

/// The argument of a `KeyError`: a key that is written as Python writes it, or a text that says what is missing.
pub fn key_of<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyAny> {
    let key = py.import("ast").and_then(|ast| ast.call_method1("literal_eval", (text,)));
    key.unwrap_or_else(|_| PyString::new(py, text).into_any())
}

/// The exception that Python raised while it served native code, as itself.
pub fn host_failed(raised: HostError) -> PyErr {
    let lost = |_| Box::new(PyRuntimeError::new_err("the host failed"));
    *raised.downcast::<PyErr>().unwrap_or_else(lost)
}

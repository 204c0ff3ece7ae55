//! Exceptions that Python itself raises while a graph is built: those that plain Python raises at the same place, and those
//! that may come of a tensor that stands there in place of a number.

use pyo3::exceptions::{
    PyAttributeError, PyImportError, PyNameError, PyOSError, PyOverflowError, PyStopIteration, PyTypeError,
    PyUnboundLocalError, PyUnicodeError,
};
use pyo3::intern;
use pyo3::prelude::*;

use super::{is_watched, users_frame};
use crate::exceptions::errors;
use crate::host_calls::host_value;
use crate::session::Tracing;

/// Phrases of Python about objects whose types do not fit, or about arguments that do not.
const MISFITS: [&str; 14] = [
    "unsupported operand type(s) for ",
    "bad operand type for ",
    " not supported between instances of ",
    " object is not ",
    " object cannot be ",
    " object does not support ",
    " object doesn't support ",
    " has no len()",
    "cannot unpack non-iterable ",
    "unhashable type: ",
    "can only concatenate ",
    " required positional argument",
    " required keyword-only argument",
    " unexpected keyword argument",
];

/// A call with too many arguments: `f() takes 1 positional argument but 2 were given`.
const TOO_MANY: [&str; 2] = [" takes ", " given"];

/// True if plain Python raises the same: a name or an attribute that is not there, a module that cannot be imported, objects
/// of Python's own that do not fit.
pub(super) fn is_of_plain_python(error: &PyErr, py: Python<'_>) -> PyResult<bool> {
    if users_frame(error, py)?.is_none() {
        return Ok(false);
    }
    let is_name = error.is_instance_of::<PyNameError>(py) && !error.is_instance_of::<PyUnboundLocalError>(py);
    let is_other = error.is_instance_of::<PyAttributeError>(py)
        || error.is_instance_of::<PyImportError>(py)
        || error.is_instance_of::<PyStopIteration>(py)
        || error.is_instance_of::<PyOverflowError>(py)
        || error.is_instance_of::<PyUnicodeError>(py);
    Ok(is_name || is_other || (error.is_instance_of::<PyTypeError>(py) && is_of_plain_objects(error, py)?))
}

/// True if a `TypeError` is about objects that are the same when Python runs, `None + 1.0`, and not about values of ours.
pub(super) fn is_of_plain_objects(error: &PyErr, py: Python<'_>) -> PyResult<bool> {
    let text = error.value(py).str()?.to_string();
    let is_misfit =
        MISFITS.iter().any(|words| text.contains(words)) || TOO_MANY.iter().all(|words| text.contains(words));
    Ok(is_misfit && !names_ours(&text, py)?)
}

/// True if a text names a class of this package.
fn names_ours(text: &str, py: Python<'_>) -> PyResult<bool> {
    let native = py.import("graphwright._native")?;
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    for word in words.filter(|word| word.starts_with(char::is_uppercase)) {
        if native.hasattr(word)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if an exception of Python's may wait until the graph gets there: no handler or `finally` around sees it, which could
/// take the want of a number for the program's own answer.
pub(super) fn may_wait(error: &PyErr, tracing: &Tracing, py: Python<'_>) -> PyResult<bool> {
    let class = error.get_type(py);
    let module = class.getattr(intern!(py, "__module__"))?.extract::<String>().unwrap_or_default();
    let root = module.split('.').next().unwrap_or_default();
    let is_library = py.import("sys")?.getattr("stdlib_module_names")?.contains(root)? || root == "numpy";
    let is_library = root == "builtins" || is_library;
    // A file or a socket may answer otherwise when the graph gets there.
    let is_of_system = error.is_instance_of::<PyOSError>(py);
    if !is_library || is_of_system || host_value::is_named(py, error) || errors::code_of(py, error).is_some()
    {
        return Ok(false);
    }
    Ok(!tracing.tries().heard_by_bodies(py)?.hears(class.as_any()) && !is_watched(py, 0)?)
}

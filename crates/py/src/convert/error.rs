//! Diagnostics of conversion as Python exceptions; the one place to change how they are raised.

use gw_base::{Diagnostic, Raises, Source, render};
use pyo3::PyErr;
use pyo3::exceptions::{
    PyNotImplementedError, PySystemError, PyTypeError, PyUnboundLocalError, PyValueError,
};

/// The Python exception of a diagnostic, which shows the lines that it is about.
pub fn raise(diagnostic: &Diagnostic, source: Option<&Source>) -> PyErr {
    let text = render(diagnostic, &|name| source.filter(|source| *source.name == *name).cloned());
    let text = text.trim_end().to_owned();
    match diagnostic.code.raises() {
        Raises::TypeError | Raises::OperatorNotAllowed => PyTypeError::new_err(text),
        Raises::ValueError | Raises::Conversion => PyValueError::new_err(text),
        Raises::UnboundLocal => PyUnboundLocalError::new_err(text),
        Raises::NotImplemented => PyNotImplementedError::new_err(text),
    }
}

/// A bug of ours as a Python exception.
pub fn broken(rule: &str) -> PyErr {
    PySystemError::new_err(gw_base::Broken::new("convert", rule).to_string())
}

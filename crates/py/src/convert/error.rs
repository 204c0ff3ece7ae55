//! What conversion raises.

use gw_base::{Broken, Diagnostic};
use pyo3::PyErr;

/// The Python exception of a diagnostic, which shows the lines that it is about.
pub fn raise(diagnostic: &Diagnostic) -> PyErr {
    crate::errors::raise(diagnostic)
}

/// A bug of ours as a Python exception.
pub fn broken(rule: &str) -> PyErr {
    crate::errors::broken(&Broken::new("convert", rule))
}

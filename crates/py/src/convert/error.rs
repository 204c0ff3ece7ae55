//! What conversion raises.

use gw_base::{Broken, Diagnostic};
use pyo3::PyErr;

/// The Python exception of a diagnostic.
pub fn raise(diagnostic: &Diagnostic) -> PyErr {
    crate::errors::raise(diagnostic.clone())
}

/// A bug of ours as a Python exception.
pub fn broken(rule: &str) -> PyErr {
    crate::errors::broken(&Broken::new("convert", rule))
}

//! Structures that nest deeper than any that is taken apart, or contain themselves.

use crate::exceptions::errors;
use gw_base::Code;
use pyo3::prelude::*;

/// So many levels of structures in structures are walked; one that contains itself has more.
pub const DEEPEST: usize = 200;

/// The diagnostic of a structure that is deeper.
pub fn too_deep(py: Python<'_>) -> PyErr {
    let message = format!("a structure of values contains itself, or nests more than {DEEPEST} levels deep");
    let help = "pass and return flatter structures, e.g. one list of all nodes";
    errors::here(py, Code::BadArgument, message, help)
}

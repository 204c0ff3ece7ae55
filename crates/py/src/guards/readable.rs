//! What code that a tracing can reach may read of objects, by the names in it.

use std::collections::HashSet;

use pyo3::prelude::*;

/// What the functions that a tracing met can reach by the names in their code.
#[derive(Debug, Default)]
pub struct Readable {
    /// The functions that were met and are not searched yet.
    pub met: Vec<Py<PyAny>>,
    /// The functions and classes that were searched, by their addresses.
    pub searched: HashSet<usize>,
    /// What their code names.
    pub names: HashSet<String>,
    /// The number of objects that escaped so far.
    pub escaped: usize,
}

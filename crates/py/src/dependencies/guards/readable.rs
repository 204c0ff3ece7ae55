//! Names by which code that a tracing can reach may read of objects.

use std::collections::HashSet;

use pyo3::prelude::*;

/// The functions that a tracing met and reaches from there, and the names in their code.
#[derive(Debug, Default)]
pub struct Readable {
    /// The functions that were met and are not searched yet.
    pub met: Vec<Py<PyAny>>,
    /// All functions that were met.
    pub all: Vec<Py<PyAny>>,
    /// The functions and classes that were searched, by their addresses.
    pub searched: HashSet<usize>,
    /// The names in their code.
    pub names: HashSet<String>,
    /// The number of objects that escaped so far.
    pub escaped: usize,
}

impl Readable {
    /// Adds a function that is met.
    pub fn meet(&mut self, function: &Bound<'_, PyAny>) {
        self.met.push(function.clone().unbind());
        self.all.push(function.clone().unbind());
    }
}

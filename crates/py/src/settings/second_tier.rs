//! The door to the second tier: where Python's packages have LLVM's library, and the end of the process.

use std::path::PathBuf;

use pyo3::prelude::*;

/// Says where LLVM's library is.
#[pyfunction]
pub fn found_library(file: PathBuf) {
    graphwright::tiers::found_library(file);
}

/// Waits for what is compiled in the background; nothing more is.
#[pyfunction]
pub fn finish(py: Python<'_>) {
    py.detach(graphwright::tiers::finish);
}

/// The number of functions that have gone over to the second tier while they were used.
#[pyfunction]
pub fn improved_functions() -> usize {
    graphwright::tiers::improved()
}

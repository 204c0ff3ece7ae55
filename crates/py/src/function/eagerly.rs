//! The switch that runs functions as plain Python, for debugging.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

static EAGERLY: AtomicBool = AtomicBool::new(false);

/// Makes the calls of all functions run as plain Python; graphs that are there are kept.
#[pyfunction]
pub fn run_functions_eagerly(run_eagerly: bool) {
    EAGERLY.store(run_eagerly, Ordering::Relaxed);
}

/// True if calls run as plain Python.
#[pyfunction]
pub fn functions_run_eagerly() -> bool {
    EAGERLY.load(Ordering::Relaxed)
}

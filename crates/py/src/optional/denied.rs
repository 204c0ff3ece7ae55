//! Answers that the guards of a program were given of tensors, for the exceptions that they raise then.

use crate::exceptions::errors;
use crate::session::{Feature, FeatureSlot, Tracing};
use pyo3::exceptions::{PyAssertionError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::{Mutex, PoisonError};

/// The questions of the program's own guards that were answered by "it is a tensor".
#[derive(Debug, Default)]
pub struct Denied(Mutex<Vec<String>>);

impl Feature for Denied {
    fn slot() -> FeatureSlot {
        FeatureSlot::Denied
    }
}

impl Denied {
    /// Notes what a guard was told.
    pub fn note(&self, note: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }
}

/// Adds to an exception of the program's own what its guard was told of a tensor.
pub fn explain(error: &PyErr, tracing: &Tracing, py: Python<'_>) -> PyResult<()> {
    let notes = std::mem::take(&mut *tracing.denied().0.lock().unwrap_or_else(PoisonError::into_inner));
    let by_guard = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyAssertionError>(py);
    let Some(note) = notes.last().filter(|_| by_guard && errors::code_of(py, error).is_none()) else {
        return Ok(());
    };
    // As `add_note` does, which Python 3.10 lacks.
    let value = error.value(py);
    let name = pyo3::intern!(py, "__notes__");
    let notes = value.getattr_opt(name)?.unwrap_or(PyList::empty(py).into_any());
    notes.call_method1("append", (note,))?;
    value.setattr(name, notes)
}

impl Tracing {
    /// The answers that the program's guards were given of tensors.
    pub fn denied(&self) -> &Denied {
        self.feature()
    }
}

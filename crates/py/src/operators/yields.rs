//! Operators of generators that are run by the loops over them, see `generators`.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

use crate::iteration::generators;
use crate::iteration::iterable::{Iterable, Progress};
use crate::iteration::progress;
use crate::operators::builtin_table::rows;
use crate::operators::object::Operators;
use crate::values::tensor::Tensor;

/// Up to so many rows, where their number is known, are given one by one, as Python's own generator would.
const FEW: usize = 16;

/// Python's iteration over a tensor of few rows, or over an iterator of the graph with few items.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct OneByOne {
    rows: Py<PyAny>,
    /// True if a tensor decides how many of them the loop takes.
    left: AtomicBool,
}

impl OneByOne {
    /// Says that a tensor decides how many rows the loop takes: it asks for all, and nobody knows which are left.
    pub fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }
}

#[pymethods]
impl OneByOne {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rows = self.rows.bind(py);
        let next = rows.try_iter()?.next().transpose()?;
        if next.is_none()
            && self.left.load(Ordering::Relaxed)
            && let Ok(iterator) = rows.cast::<Iterable>()
        {
            iterator.get().set(Progress::Unknown);
        }
        Ok(next)
    }
}

#[pymethods]
impl Operators {
    /// The iterable of a loop that yields: a value itself, but for tensors of few rows, which it takes one by one.
    fn one_by_one<'py>(&self, iterable: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = iterable.py();
        let is_tensor = iterable.is_instance_of::<Tensor>();
        let Some(rows) = (if is_tensor { rows(iterable)? } else { Some(iterable.clone()) }) else {
            return Ok(iterable.clone());
        };
        let Ok(items) = rows.cast::<Iterable>() else { return Ok(iterable.clone()) };
        if items.get().length(py)?.is_none_or(|length| length > FEW) {
            return Ok(iterable.clone());
        }
        Ok(progress::made(
            Bound::new(py, OneByOne { rows: rows.unbind(), left: AtomicBool::new(false) })?.into_any(),
            &[],
        ))
    }

    /// Gives what a generator yields to the loop over it; whether that stops.
    fn emit<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        generators::give(value)
    }

    /// Runs the body of the `with` whose manager yields a value.
    fn within(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        generators::give(value).map(drop)
    }
}

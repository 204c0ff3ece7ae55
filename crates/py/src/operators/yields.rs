//! Operators of generators that are run by the loops over them, see `generators`.

use pyo3::prelude::*;

use crate::iteration::generators;
use crate::iteration::iterable::Iterable;
use crate::iteration::progress;
use crate::operators::builtin_table::rows;
use crate::operators::object::Operators;
use crate::values::tensor::Tensor;

/// Up to so many rows, where their number is known, are given one by one, as Python's own generator would.
const FEW: usize = 16;

/// Python's iteration over a tensor of few rows, or over an iterator of the graph with few items.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct OneByOne(Py<PyAny>);

#[pymethods]
impl OneByOne {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.bind(py).try_iter()?.next().transpose()
    }
}

#[pymethods]
impl Operators {
    /// What a loop that yields runs over: a value itself, but for tensors of few rows, which it takes one by one.
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
        Ok(progress::made(Bound::new(py, OneByOne(rows.unbind()))?.into_any(), &[]))
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

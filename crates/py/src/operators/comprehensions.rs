//! Comprehensions and generator expressions: loops of the graph where the graph iterates what they run over.

use gw_base::Code;
use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;

use crate::containers::lists::{self, elements};
use crate::exceptions::errors;
use crate::host::checks::staged_test;
use crate::iteration::iterable::Iterable;
use crate::iteration::progress;
use crate::operators::builtin_table::generated;
use crate::operators::object::Operators;
use crate::session::recursion_limit;
use crate::values::tensor::Tensor;

#[pymethods]
impl Operators {
    /// `(element for target in iterable if test)`: `make` makes Python's generator, `parts` gives test and element.
    fn generator<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        make: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match generated(iterable, parts)? {
            Some(generator) => Ok(generator),
            None => Ok(progress::made(make.call1((iterable,))?, std::slice::from_ref(iterable))),
        }
    }

    /// `[element for target in iterable if test]`: `make` makes Python's list, `parts` gives test and element.
    fn listed<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        make: &Bound<'py, PyAny>,
        parts: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = if is_looped(iterable) { generated(iterable, parts)? } else { None };
        let Some(found) = found else {
            progress::advances(iterable)?;
            return make.call1((lists::each(iterable)?,));
        };
        found.py().import("graphwright._meanings.iterables")?.call_method1("collected", (&found,))
    }

    /// The same of one that no loop of the graph can be: it is noted where it is made.
    fn made<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        make: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(progress::made(make.call1((iterable,))?, std::slice::from_ref(iterable)))
    }

    /// A part of a generator expression that became part of a loop: as in a generator, no `StopIteration` leaves it.
    fn yielded<'py>(&self, thunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = thunk.py();
        recursion_limit::call(thunk, ()).map_err(|error| {
            if !error.is_instance_of::<PyStopIteration>(py) {
                return error;
            }
            let raised = PyRuntimeError::new_err("generator raised StopIteration");
            raised.set_cause(py, Some(error));
            raised
        })
    }

    /// The test of a comprehension for an item, which Python decides.
    fn keeps<'py>(&self, test: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if staged_test(test)?.is_none() {
            return Ok(test.clone());
        }
        let message = "a tensor decides which items this comprehension keeps, so its length is not known";
        let help = "write `gw.where(test, element, 0)`, or a `for` loop with an `if`";
        Err(errors::here(test.py(), Code::TensorAsBool, message, help))
    }
}

/// True of what has as many items as the graph computes: a range or list of the graph, a tensor whose rows are not counted.
fn is_looped(iterable: &Bound<'_, PyAny>) -> bool {
    let is_open = |tensor: &Bound<'_, Tensor>| tensor.get().lengths().first() == Some(&None);
    iterable.is_instance_of::<Iterable>()
        || elements::staged(iterable).is_some()
        || iterable.cast::<Tensor>().is_ok_and(is_open)
}

//! The message of an assertion of the graph: Python makes it where the assertion fails, so what may raise in it or acts on the world
//! is in a branch of its own.

use std::sync::Arc;

use gw_opt::is_removable;
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use super::texts::Message;
use super::{branch, staged_value};
use crate::current::{self, Tracing};
use crate::places::PyState;

/// True if what makes a message fails, or the graph may fail or act on the world in it; the error of `fails` refuses the message.
pub fn acts(tracing: &Arc<Tracing>, fails: impl FnOnce() -> PyResult<bool>) -> PyResult<bool> {
    let stopped = tracing.stopped();
    tracing.trace.build(|b| b.open());
    let fails = fails();
    tracing.go_on(stopped);
    tracing.trace.build(|b| {
        let graph = b.graph();
        let acts = graph.regions[b.region()].nodes.iter().any(|&node| !is_removable(graph, node));
        b.close(Vec::new());
        Ok(fails? || acts)
    })
}

/// `if not test: raise AssertionError(message())`
pub fn in_branch(test: &Bound<'_, PyAny>, message: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = test.py();
    let holds = |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {};
    let holds = PyCFunction::new_closure(py, None, None, holds)?;
    let own = message.clone().unbind();
    let fails = move |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        Err::<(), _>(failure(own.bind(args.py()))?)
    };
    let fails = PyCFunction::new_closure(py, None, None, fails)?;
    let (none, blocks) = (PyTuple::empty(py), [message]);
    branch(test, [holds.as_any(), fails.as_any()], &PyState::new(&none, &blocks), &blocks)
}

/// The exception with its message, thrown by the program's own `assert`.
fn failure(message: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let (py, text) = (message.py(), message.call0()?);
    let text = match staged_value(&text)? {
        Some(_) => Bound::new(py, Message::new(&PyTuple::new(py, [text])?)?)?.into_any(),
        None => text,
    };
    let error = PyAssertionError::new_err((text.unbind(),));
    if let Some(tracing) = current::current() {
        tracing.tries.thrown(error.value(py).clone().into_any().unbind(), current::place(py));
    }
    Ok(error)
}

//! The message of an assertion of the graph: Python makes it where the assertion fails, so what may raise in it or acts on the world
//! is in a branch of its own.

use std::sync::Arc;

use gw_ir::Piece;
use gw_opt::is_removable;
use pyo3::exceptions::{PyAssertionError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyString, PyTuple};

use super::statements::branch;
use crate::effects::places::PyState;
use crate::host::checks::staged_value;
use crate::host::messages::{self, Message};
use crate::host::operand::Operand;
use crate::session::{self, Tracing, frames};

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

/// The pieces of a message that is a text; an error for any other object, which the exception has as it is.
pub fn said(message: Option<Bound<'_, PyAny>>) -> PyResult<(Vec<Piece>, Vec<Operand>)> {
    let Some(message) = message else {
        return Ok((vec![Piece::Text("assertion failed".to_owned())], Vec::new()));
    };
    let is_text = message.is_instance_of::<PyString>() || message.is_instance_of::<Message>();
    if !is_text && staged_value(&message)?.is_none() {
        return Err(PyTypeError::new_err("the message of an assertion is no text"));
    }
    messages::message(&message, 1)
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
    if let Some(tracing) = session::current() {
        tracing.tries().thrown(error.value(py).clone().into_any().unbind(), frames::place(py));
    }
    Ok(error)
}

//! Exceptions that the graph raises in the place of those of the program.

use crate::exceptions::errors;
use crate::session::Tracing;
use gw_ir::{Attr, CheckKind, CompareOp, Literal, NodeId, Op, PrintFormat, Stream, ValueId};
use gw_trace::{Fails, failures_by};
use gw_types::{DType, Scalar};
use pyo3::prelude::*;
use std::sync::Arc;

/// Lets the graph raise an exception of the user's at the end of the region open now, if a `try` there catches it; with
/// `whole`, what calls the function does.
pub fn raise(tracing: &Arc<Tracing>, error: &PyErr, whole: bool, py: Python<'_>) -> PyResult<bool> {
    let value = error.value(py).clone().into_any();
    if !tracing.tries().catches(tracing, value.get_type().as_any(), whole) {
        return Ok(false);
    }
    tracing
        .trace
        .set_place(tracing.tries().place_of(&value).or_else(|| crate::session::frames::place_of(error, py)));
    tracing.tries().set_raising(Some(value.unbind()));
    let made = tracing.trace.build(|b| {
        let never = b.constant(Literal::scalar(DType::Bool, Scalar::Bool(false)));
        let message = PrintFormat { pieces: Vec::new(), stream: Stream::Stderr, summarize: None };
        b.effect(Op::Check, Attr::Check { kind: CheckKind::Assertion, message, limit: false }, &[never])
    });
    tracing.tries().set_raising(None);
    made.map(|()| true).map_err(|unfit| errors::unfit(py, unfit))
}

/// Lets the graph raise an exception of host code here where a number of the graph is this one.
pub fn raise_if(
    tracing: &Arc<Tracing>,
    number: ValueId,
    wanted: usize,
    error: Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = error.py();
    tracing.tries().set_raising(Some(error.unbind()));
    let made = tracing.trace.build(|b| {
        let wanted = b.constant(Literal::scalar(DType::I64, Scalar::Int(wanted as i64)));
        let goes_on = b.op(CompareOp::Ne, Attr::None, &[number, wanted])?;
        let message = PrintFormat { pieces: Vec::new(), stream: Stream::Stderr, summarize: None };
        b.effect(Op::Check, Attr::Check { kind: CheckKind::Assertion, message, limit: false }, &[goes_on])
    });
    tracing.tries().set_raising(None);
    made.map(drop).map_err(|unfit| errors::unfit(py, unfit))
}

/// True if a function of the graph is being made.
pub fn is_in_call(tracing: &Tracing) -> bool {
    tracing.trace.build(|b| !b.waiting().is_empty())
}

/// Exceptions that a node raises, in each way in which it may fail.
pub(super) fn failures(tracing: &Tracing, node: NodeId) -> Vec<(CheckKind, Fails)> {
    tracing.trace.build(|b| failures_by(b.graph(), node))
}

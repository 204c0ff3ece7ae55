//! Checks that a graph makes when it runs, and values as tests.

use crate::exceptions::errors;
use crate::host::operands;
use crate::optional::maybe::Maybe;
use crate::session::{self, Tracing, frames};
use crate::values::tensor::{Payload, Tensor};
use gw_base::Code;
use gw_ir::{Attr, CheckKind, CompareOp, Literal, Op, Piece, PrintFormat, Stream, ValueId};
use gw_trace::Staged;
use gw_types::{DType, Scalar, TensorType};
use pyo3::prelude::*;
use pyo3::types::PySlice;
use std::sync::Arc;

/// A value of the graph as a bool of it; numbers are compared with zero.
pub fn test_of(py: Python<'_>, tracing: &Tracing, staged: Staged) -> PyResult<ValueId> {
    let ty = tracing.trace.ty(staged.value);
    if ty == TensorType::scalar(DType::Bool) {
        return Ok(staged.value);
    }
    if !ty.is_scalar() {
        let message =
            format!("a condition must be one element, but this is {}", gw_trace::describe(&ty, None));
        let help = "say what is meant with `gw.reduce_any` or `gw.reduce_all`";
        return Err(errors::here(py, Code::WrongShape, message, help));
    }
    let test = tracing.trace.build(|b| {
        let zero = b.constant(Literal::scalar(ty.dtype, Scalar::Int(0)));
        b.op(CompareOp::Ne, Attr::None, &[staged.value, zero])
    });
    test.map_err(|u| errors::unfit(py, u))
}

/// Fails with a text when the graph runs, unless the first of `values` holds; the others stand in the text.
pub fn check(
    py: Python<'_>,
    tracing: &Tracing,
    values: &[ValueId],
    kind: CheckKind,
    pieces: Vec<Piece>,
) -> PyResult<()> {
    check_shown(py, tracing, values, kind, (pieces, None))
}

/// The same for a limit of the graph, where Python raises nothing: no handler of the program catches it.
pub fn check_limit(
    py: Python<'_>,
    tracing: &Tracing,
    values: &[ValueId],
    kind: CheckKind,
    pieces: Vec<Piece>,
) -> PyResult<()> {
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    put_check(py, tracing, values, Attr::Check { kind, message, limit: true })
}

/// The same with so many elements of each axis in the text.
pub fn check_shown(
    py: Python<'_>,
    tracing: &Tracing,
    values: &[ValueId],
    kind: CheckKind,
    (pieces, summarize): (Vec<Piece>, Option<usize>),
) -> PyResult<()> {
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize };
    put_check(py, tracing, values, Attr::Check { kind, message, limit: false })
}

fn put_check(py: Python<'_>, tracing: &Tracing, values: &[ValueId], check: Attr) -> PyResult<()> {
    tracing.trace.set_place(frames::place(py));
    let made = tracing.trace.build(|b| b.effect(Op::Check, check, values));
    made.map_err(|u| errors::unfit(py, u))
}

/// The object as a value of the innermost graph, if it is a tensor and there is one.
pub fn staged_value(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    if object.is_instance_of::<Maybe>() {
        for kind in operands::kinds() {
            if let Some(there) = (kind.there)(object)? {
                return Ok(Some(there));
            }
        }
        return staged_value(&operands::value_of(object)?);
    }
    let Ok(tensor) = object.cast::<Tensor>() else { return Ok(None) };
    let operand = operands::operand(tensor.as_any())?;
    let Some(tracing) = session::current() else { return Ok(None) };
    tracing.trace.set_place(frames::place(object.py()));
    let staged = operands::stage(&tracing, &operand);
    Ok(Some((tracing, staged)))
}

/// The number of elements of a container in the graph, which says whether it is true; none where Python knows it.
pub fn length(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    if object.is_exact_instance_of::<Tensor>() {
        return Ok(None);
    }
    for kind in operands::kinds() {
        if let Some(length) = (kind.length)(object)? {
            return Ok(Some(length));
        }
    }
    Ok(None)
}

/// The object as a bool of the innermost graph, if it is a tensor and there is one.
pub fn staged_test(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, ValueId)>> {
    let staged = match length(object)? {
        Some(length) => Some(length),
        None => staged_value(object)?,
    };
    let Some((tracing, staged)) = staged else { return Ok(None) };
    let test = test_of(object.py(), &tracing, staged)?;
    Ok(Some((tracing, test)))
}

/// True if what stands between brackets is a value of the graph, or a slice with one in it.
pub fn is_staged_index(key: &Bound<'_, PyAny>) -> bool {
    if let Ok(tensor) = key.cast::<Tensor>() {
        return matches!(tensor.get().content(), Payload::Staged(..));
    }
    if let Ok(slice) = key.cast::<PySlice>() {
        let part = |name| slice.getattr(name).is_ok_and(|part| is_staged_index(&part));
        return ["start", "stop", "step"].into_iter().any(part);
    }
    key.is_instance_of::<Maybe>()
}

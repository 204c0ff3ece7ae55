//! The nodes that a loop adds for itself: counters, and answers to "go on?".

use gw_ir::{Attr, Literal, Op, ValueId};
use gw_types::{DType, Scalar};

use crate::Trace;

/// An integer constant.
pub(crate) fn index(trace: &Trace, i: i64) -> ValueId {
    trace.build(|b| b.constant(Literal::scalar(DType::I64, Scalar::Int(i))))
}

/// An elementwise op on counters or answers.
pub(crate) fn elementwise(trace: &Trace, op: Op, args: &[ValueId]) -> ValueId {
    trace.build(|b| b.op(op, Attr::None, args)).expect("counters and answers have the right types")
}

/// A bool constant.
pub(crate) fn truth(trace: &Trace, value: bool) -> ValueId {
    trace.build(|b| b.constant(Literal::scalar(DType::Bool, Scalar::Bool(value))))
}

//! Elements as tensors, and the arithmetic of their positions.

use std::sync::Arc;

use gw_ir::{Attr, CompareOp, Op, ValueId};
use gw_types::Scalar;

use crate::{Lack, Staged, Trace};

/// Elements of a list: how one is made of its leaves, and for each leaf a tensor with a row for each element.
#[derive(Debug)]
pub struct Elements<S> {
    /// The structure of an element: a leaf, or tuples.
    pub element: Arc<S>,
    /// The tensors; they have as many rows each.
    pub leaves: Vec<Staged>,
    /// True if the name of the list has a value, where that is in doubt.
    pub bound: Option<(ValueId, Lack)>,
}

impl<S> Clone for Elements<S> {
    fn clone(&self) -> Self {
        Self { element: self.element.clone(), leaves: self.leaves.clone(), bound: self.bound }
    }
}

impl<S> Elements<S> {
    /// The number of them, if that is known while tracing.
    pub fn count(&self, trace: &Trace) -> Option<usize> {
        self.leaves.iter().find_map(|leaf| trace.ty(leaf.value).shape.0[0].fixed())
    }

    /// The number of them.
    pub fn length(&self, trace: &Trace) -> ValueId {
        match self.count(trace) {
            Some(count) => number(trace, count as i64),
            None => trace
                .build(|b| b.op(Op::Dim, Attr::Axis(0), &[self.leaves[0].value]))
                .expect("rows have an axis"),
        }
    }

    /// True if there are any.
    pub fn is_some(&self, trace: &Trace) -> ValueId {
        let (length, zero) = (self.length(trace), number(trace, 0));
        arithmetic(trace, Op::Compare(CompareOp::Gt), &[length, zero])
    }
}

/// A position as a value of the graph.
pub(super) fn number(trace: &Trace, i: i64) -> ValueId {
    trace.number(Scalar::Int(i)).value
}

/// The result of an operation on positions, lengths and tests.
pub(super) fn arithmetic(trace: &Trace, op: Op, args: &[ValueId]) -> ValueId {
    trace.build(|b| b.op(op, Attr::None, args)).expect("positions are integers, tests are bools")
}

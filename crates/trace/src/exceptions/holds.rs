//! The conditions under which nodes fail, as values of the graph: an index, a divisor.

use gw_ir::{
    Attr, BinaryOp, Builder, CompareOp, Literal, Needs, NodeId, Op, Place, ReduceOp, UnaryOp, ValueId,
};
use gw_types::{DType, Scalar};

use crate::Trace;
use crate::exceptions::fits::{self, Axis, lengths_fit};
use crate::exceptions::inside::is_inside;

/// Part of an operation that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fails {
    /// A value: a divisor, an index, what is checked.
    Value,
    /// Lengths, which do not fit.
    Lengths,
}

/// Emits a test, in the open region, that a node does not fail; none if ops cannot express it.
pub(crate) fn holds(trace: &Trace, node: NodeId, fails: Fails) -> Option<ValueId> {
    trace.build(|b| {
        let node = b.graph().nodes[node].clone();
        if fails == Fails::Lengths {
            return lengths_fit(b, &node);
        }
        match (&node.attr, node.op) {
            (Attr::Check { .. }, _) => Some(node.args[0]),
            (_, Op::Binary(BinaryOp::FloorDiv | BinaryOp::Mod)) => {
                compare(b, Op::Compare(CompareOp::Ne), node.args[1])
            }
            (_, Op::Binary(BinaryOp::Pow | BinaryOp::Shl | BinaryOp::Shr)) => {
                compare(b, Op::Compare(CompareOp::Ge), node.args[1])
            }
            (_, Op::Range) => compare(b, Op::Compare(CompareOp::Ne), node.args[2]),
            (Attr::Axis(axis), Op::Index | Op::Gather) => inside(b, node.args[0], *axis, node.args[1]),
            (Attr::Places { places, .. }, Op::Put) => {
                let mut ok: Option<ValueId> = None;
                for (axis, place) in places.iter().enumerate() {
                    let Place::At(at) = place else { continue };
                    let here = inside(b, node.args[0], axis, node.args[*at])?;
                    ok = Some(match ok {
                        Some(ok) => b.op(BinaryOp::And, Attr::None, &[ok, here]).ok()?,
                        None => here,
                    });
                }
                ok
            }
            _ => None,
        }
    })
}

/// Emits a test that a comparison with zero holds for all elements.
fn compare(b: &mut Builder, op: Op, value: ValueId) -> Option<ValueId> {
    let zero = b.constant(Literal::scalar(b.ty(value).dtype, Scalar::Int(0)));
    let holds = b.op(op, Attr::None, &[value, zero]).ok()?;
    all(b, holds)
}

/// Emits a test that all indices are inside an axis.
pub(crate) fn inside(b: &mut Builder, of: ValueId, axis: usize, index: ValueId) -> Option<ValueId> {
    let index = b.op(Op::Cast, Attr::To(DType::I64), &[index]).ok()?;
    let length = length(b, (of, axis))?;
    let least = b.op(UnaryOp::Neg, Attr::None, &[length]).ok()?;
    let below = b.op(CompareOp::Lt, Attr::None, &[index, length]).ok()?;
    let above = b.op(CompareOp::Ge, Attr::None, &[index, least]).ok()?;
    let both = b.op(BinaryOp::And, Attr::None, &[below, above]).ok()?;
    all(b, both)
}

fn all(b: &mut Builder, holds: ValueId) -> Option<ValueId> {
    let rank = b.ty(holds).rank();
    if rank == 0 {
        return Some(holds);
    }
    let axes = (0..rank).collect();
    b.op(ReduceOp::All, Attr::Axes { axes, keep: false }, &[holds]).ok()
}

pub(crate) fn length(b: &mut Builder, (value, axis): Axis) -> Option<ValueId> {
    match b.ty(value).shape.0[axis].fixed() {
        Some(known) => Some(b.constant(Literal::scalar(DType::I64, Scalar::Int(known as i64)))),
        None => b.op(Op::Dim, Attr::Axis(axis), &[value]).ok(),
    }
}

/// True if ops can say that a node does not fail in this way.
pub fn is_said(trace: &Trace, node: NodeId, fails: Fails) -> bool {
    if fails == Fails::Lengths {
        return trace.build(|b| fits::is_said(&b.graph().nodes[node]));
    }
    let op = trace.build(|b| b.graph().nodes[node].op);
    op.needs() != Needs::Any || op == Op::Range || op == Op::Check || op.is_indexed()
}

/// True if a node reads or stores inside of an array for certain, or divides, or counts in steps, by a number that is known and
/// is not zero.
pub fn never_fails(trace: &Trace, node: NodeId) -> bool {
    if is_inside(trace, node) {
        return true;
    }
    let by = trace.build(|b| {
        let (graph, op) = (b.graph(), b.graph().nodes[node].op);
        let at = if op.needs() == Needs::NotZero { 1 } else { 2 };
        let mut by = *graph.nodes[node].args.get(at).filter(|_| at == 1 || op == Op::Range)?;
        // A number that is written takes the type of the other operand.
        while let Some(cast) = graph.definer(by).filter(|&made| graph.nodes[made].op == Op::Cast) {
            by = graph.nodes[cast].args[0];
        }
        Some(by)
    });
    // No type of integers takes one of these numbers for zero.
    by.and_then(|by| trace.known(by)).is_some_and(|by| by.to_f64() != 0.0 && by.to_f64().abs() < 128.0)
}

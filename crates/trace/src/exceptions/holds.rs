//! The conditions under which nodes fail, as values of the graph: an index, a divisor, lengths that do not fit.

use gw_ir::{
    Attr, BinaryOp, Builder, Class, CompareOp, Literal, Needs, Node, NodeId, Op, Place, ReduceOp, UnaryOp,
    ValueId,
};
use gw_types::{DType, Dim, Scalar};

use crate::Trace;
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

/// An axis of a value.
type Axis = (ValueId, usize);

/// Emits a test that the lengths of a node's operands fit; none where that takes more than to compare axes with
/// each other.
fn lengths_fit(b: &mut Builder, node: &Node) -> Option<ValueId> {
    let mut ok = b.constant(Literal::scalar(DType::Bool, Scalar::Bool(true)));
    let rank = |b: &Builder, value: ValueId| b.ty(value).shape.rank();
    let mut stretching = Vec::new();
    let mut equal = Vec::new();
    if node.op.class() == Class::Elementwise {
        stretching.push(node.args.iter().map(|&arg| (arg, rank(b, arg))).collect());
    } else if let Attr::Matmul { transpose_x, transpose_y } = node.attr {
        let [x, y] = [(node.args[0], rank(b, node.args[0])), (node.args[1], rank(b, node.args[1]))];
        stretching.push(vec![(x.0, x.1 - 2), (y.0, y.1 - 2)]);
        let [columns, rows] = [usize::from(transpose_x) + 1, 2 - usize::from(transpose_y)];
        equal.push([(x.0, x.1 - columns), (y.0, y.1 - rows)]);
    } else if node.op.class() == Class::Matrices {
        let axes = |at: usize, back: usize| (node.args[at], rank(b, node.args[at]) - back);
        if matches!(node.op, Op::Matrix(op) if op.takes_square()) {
            equal.push([axes(0, 1), axes(0, 2)]);
        }
        if node.args.len() == 2 {
            equal.push([axes(0, 1), axes(1, 2)]);
            let batch = |at: usize| (node.args[at], rank(b, node.args[at]) - 2);
            stretching.push(vec![batch(0), batch(1)]);
        }
    } else if node.op == Op::Conv2d {
        equal.push([(node.args[0], 3), (node.args[1], 2)]);
    } else if let (Op::Concat, Attr::Axis(along)) = (node.op, &node.attr) {
        let axes = (0..rank(b, node.args[0])).filter(|axis| axis != along);
        let pairs = |axis: usize| node.args[1..].iter().map(move |&arg| [(node.args[0], axis), (arg, axis)]);
        equal.extend(axes.flat_map(pairs));
    } else {
        return None;
    }
    for pair in equal {
        ok = and_fit(b, ok, pair, false)?;
    }
    for pair in stretching.iter().flat_map(|operands| aligned(operands)) {
        ok = and_fit(b, ok, pair, true)?;
    }
    Some(ok)
}

/// The axes of operands, with how many axes of each there are, that stand in one place as broadcasting aligns them.
fn aligned(operands: &[(ValueId, usize)]) -> Vec<[Axis; 2]> {
    let mut pairs = Vec::new();
    for (at, &(x, x_rank)) in operands.iter().enumerate() {
        for &(y, y_rank) in &operands[at + 1..] {
            pairs.extend((1..=x_rank.min(y_rank)).map(|back| [(x, x_rank - back), (y, y_rank - back)]));
        }
    }
    pairs
}

/// Emits a test that `ok` holds and two axes are of one length; or one of them is of length one, if that
/// stretches.
fn and_fit(b: &mut Builder, ok: ValueId, axes: [Axis; 2], stretches: bool) -> Option<ValueId> {
    let [x, y] = axes.map(|(value, axis)| b.ty(value).shape.0[axis]);
    if x == y || stretches && (x == Dim::Fixed(1) || y == Dim::Fixed(1)) {
        return Some(ok);
    }
    let [x, y] = [length(b, axes[0])?, length(b, axes[1])?];
    let mut fit = b.op(CompareOp::Eq, Attr::None, &[x, y]).ok()?;
    for side in [x, y].into_iter().filter(|_| stretches) {
        let one = b.constant(Literal::scalar(DType::I64, Scalar::Int(1)));
        let is_one = b.op(CompareOp::Eq, Attr::None, &[side, one]).ok()?;
        fit = b.op(BinaryOp::Or, Attr::None, &[fit, is_one]).ok()?;
    }
    b.op(BinaryOp::And, Attr::None, &[ok, fit]).ok()
}

pub(crate) fn length(b: &mut Builder, (value, axis): Axis) -> Option<ValueId> {
    match b.ty(value).shape.0[axis].fixed() {
        Some(known) => Some(b.constant(Literal::scalar(DType::I64, Scalar::Int(known as i64)))),
        None => b.op(Op::Dim, Attr::Axis(axis), &[value]).ok(),
    }
}

/// True if ops can say that a node does not fail by a value.
pub fn is_said(trace: &Trace, node: NodeId) -> bool {
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

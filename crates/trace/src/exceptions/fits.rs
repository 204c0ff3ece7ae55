//! Lengths that fit, as values of the graph: what operations on arrays ask of the axes of their operands.

use gw_ir::{
    Attr, AxisSlice, BinaryOp, Bound, Builder, Class, CompareOp, DimArg, Literal, Node, Op, Place, ValueId,
};
use gw_types::{DType, Dim, Scalar};

use super::holds::length;

/// An axis of a value.
pub(crate) type Axis = (ValueId, usize);

/// True if ops can say that the lengths of a node's operands fit.
pub(crate) fn is_said(node: &Node) -> bool {
    let takes_axes = matches!(node.op.class(), Class::Elementwise | Class::Contract | Class::Matrices);
    takes_axes || [Op::Concat, Op::Broadcast, Op::Put, Op::Reshape].contains(&node.op)
}

/// Emits a test that the lengths of a node's operands fit; none where that takes more than to compare axes with
/// each other.
pub(crate) fn lengths_fit(b: &mut Builder, node: &Node) -> Option<ValueId> {
    if let Attr::Places { places, .. } = &node.attr {
        return put_fits(b, node, places);
    }
    if let Attr::Dims(dims) = &node.attr {
        return if node.op == Op::Reshape {
            reshape_fits(b, node, dims)
        } else {
            broadcast_fits(b, node, dims)
        };
    }
    let mut ok = truth(b);
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
        let one = known(b, 1);
        let is_one = b.op(CompareOp::Eq, Attr::None, &[side, one]).ok()?;
        fit = b.op(BinaryOp::Or, Attr::None, &[fit, is_one]).ok()?;
    }
    b.op(BinaryOp::And, Attr::None, &[ok, fit]).ok()
}

/// Emits a test that a value can be repeated to lengths.
fn broadcast_fits(b: &mut Builder, node: &Node, dims: &[DimArg]) -> Option<ValueId> {
    let (mut ok, mut to) = (truth(b), Vec::new());
    for dim in dims {
        match *dim {
            DimArg::Fixed(length) => to.push(known(b, length as i64)),
            DimArg::Arg(at) => {
                let length = *node.args.get(at)?;
                ok = and_counts(b, ok, length)?;
                to.push(length);
            }
            DimArg::Rest => return None,
        }
    }
    stretches(b, ok, node.args[0], &to)
}

/// Emits a test that `ok` holds and a number is one of elements.
fn and_counts(b: &mut Builder, ok: ValueId, length: ValueId) -> Option<ValueId> {
    let zero = known(b, 0);
    let counts = b.op(CompareOp::Ge, Attr::None, &[length, zero]).ok()?;
    b.op(BinaryOp::And, Attr::None, &[ok, counts]).ok()
}

/// Emits a test that a value has as many elements as lengths say.
fn reshape_fits(b: &mut Builder, node: &Node, dims: &[DimArg]) -> Option<ValueId> {
    let (mut ok, zero, mut given) = (truth(b), known(b, 0), known(b, 1));
    for dim in dims {
        let length = match *dim {
            DimArg::Fixed(length) => known(b, length as i64),
            DimArg::Arg(at) => {
                let length = *node.args.get(at)?;
                ok = and_counts(b, ok, length)?;
                length
            }
            DimArg::Rest => continue,
        };
        given = b.op(BinaryOp::Mul, Attr::None, &[given, length]).ok()?;
    }
    let size = size(b, node.args[0])?;
    let mut fits = b.op(CompareOp::Eq, Attr::None, &[size, given]).ok()?;
    if dims.contains(&DimArg::Rest) {
        let one = known(b, 1);
        let by = b.op(BinaryOp::Max, Attr::None, &[given, one]).ok()?;
        let rest = b.op(BinaryOp::Mod, Attr::None, &[size, by]).ok()?;
        let divides = b.op(CompareOp::Eq, Attr::None, &[rest, zero]).ok()?;
        let is_some = b.op(CompareOp::Gt, Attr::None, &[given, zero]).ok()?;
        fits = b.op(BinaryOp::And, Attr::None, &[divides, is_some]).ok()?;
    }
    b.op(BinaryOp::And, Attr::None, &[ok, fits]).ok()
}

/// The number of elements of a value.
pub(super) fn size(b: &mut Builder, value: ValueId) -> Option<ValueId> {
    let mut size = known(b, 1);
    for axis in 0..b.ty(value).rank() {
        let length = length(b, (value, axis))?;
        size = b.op(BinaryOp::Mul, Attr::None, &[size, length]).ok()?;
    }
    Some(size)
}

/// Emits a test that the indices of a store are as many, and that its value can be repeated to the places.
fn put_fits(b: &mut Builder, node: &Node, places: &[Place]) -> Option<ValueId> {
    let mut ok = truth(b);
    if let Some((&first, others)) = indices(b, node, places).split_first() {
        let rank = b.ty(first).rank();
        for (&other, axis) in others.iter().flat_map(|other| (0..rank).map(move |axis| (other, axis))) {
            ok = and_fit(b, ok, [(first, axis), (other, axis)], false)?;
        }
    }
    if b.ty(node.args[1]).is_scalar() {
        return Some(ok);
    }
    let to = picked(b, node, places)?;
    stretches(b, ok, node.args[1], &to)
}

/// The indices of a store that have axes.
fn indices(b: &Builder, node: &Node, places: &[Place]) -> Vec<ValueId> {
    let index = |place: &Place| if let Place::At(at) = place { Some(node.args[*at]) } else { None };
    places.iter().filter_map(index).filter(|&index| !b.ty(index).is_scalar()).collect()
}

/// The lengths of the places of a store: those of the indices, which they share, and of the slices.
pub(super) fn picked(b: &mut Builder, node: &Node, places: &[Place]) -> Option<Vec<ValueId>> {
    let mut to = Vec::new();
    if let Some(&first) = indices(b, node, places).first() {
        for axis in 0..b.ty(first).rank() {
            to.push(length(b, (first, axis))?);
        }
    }
    for (axis, place) in places.iter().enumerate() {
        let Place::Slice(slice) = place else { continue };
        to.push(taken(b, node, (node.args[0], axis), slice)?);
    }
    Some(to)
}

/// The length of a slice of one axis.
fn taken(b: &mut Builder, node: &Node, (x, axis): Axis, slice: &AxisSlice) -> Option<ValueId> {
    if *slice == AxisSlice::ALL {
        return length(b, (x, axis));
    }
    let mut args = vec![x];
    let mut bound = |bound: Bound| match bound {
        Bound::Arg(at) => {
            args.push(node.args[at]);
            Bound::Arg(args.len() - 1)
        }
        Bound::Open | Bound::Fixed(_) => bound,
    };
    let slice = AxisSlice { start: bound(slice.start), stop: bound(slice.stop), step: slice.step };
    let mut slices = vec![AxisSlice::ALL; b.ty(x).rank()];
    slices[axis] = slice;
    let part = b.op(Op::Slice, Attr::Slices(slices), &args).ok()?;
    length(b, (part, axis))
}

/// Emits a test that `ok` holds and the axes of a value are as long as the last of these lengths, or of length one.
fn stretches(b: &mut Builder, mut ok: ValueId, value: ValueId, to: &[ValueId]) -> Option<ValueId> {
    let rank = b.ty(value).rank();
    for (axis, &wanted) in (0..rank).rev().zip(to.iter().rev()) {
        if b.ty(value).shape.0[axis] == Dim::Fixed(1) {
            continue;
        }
        let own = length(b, (value, axis))?;
        let same = b.op(CompareOp::Eq, Attr::None, &[own, wanted]).ok()?;
        let one = known(b, 1);
        let is_one = b.op(CompareOp::Eq, Attr::None, &[own, one]).ok()?;
        let fits = b.op(BinaryOp::Or, Attr::None, &[same, is_one]).ok()?;
        ok = b.op(BinaryOp::And, Attr::None, &[ok, fits]).ok()?;
    }
    Some(ok)
}

fn truth(b: &mut Builder) -> ValueId {
    b.constant(Literal::scalar(DType::Bool, Scalar::Bool(true)))
}

fn known(b: &mut Builder, number: i64) -> ValueId {
    b.constant(Literal::scalar(DType::I64, Scalar::Int(number)))
}

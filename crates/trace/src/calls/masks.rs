//! Masks between the brackets: each stands for the positions at which it is true, along the axes that it covers
//! taken as one. Their number is known when the graph runs.

use gw_base::Code;
use gw_ir::{
    ArgOp, Attr, AxisSlice, BinaryOp, Bound, Builder, CheckKind, CompareOp, DimArg, Op, Piece, PrintFormat,
    ReduceOp, Stream, UnaryOp, Unfit, ValueId,
};
use gw_types::{DType, Dim, Scalar};

use super::entries::{End, Item};
use super::movement;
use super::steps::{bad, cast, lengths_of, reshape, scalar};
use crate::Staged;

/// A tensor with its axes under masks taken as one each, and the operands with positions in place of masks.
pub(super) struct Resolved {
    pub(super) x: ValueId,
    pub(super) given: Vec<ValueId>,
}

/// True if one of the entries is a mask.
pub(super) fn has_mask(b: &Builder, given: &[ValueId]) -> bool {
    given.iter().any(|&value| b.ty(value).dtype == DType::Bool)
}

/// Replaces masks by positions, the last one first: the axes in front of it stay where they are.
pub(super) fn resolve(
    b: &mut Builder,
    items: &[Item],
    x: ValueId,
    given: &[ValueId],
) -> Result<Resolved, Unfit> {
    let mut resolved = Resolved { x, given: given.to_vec() };
    for (axis, at) in covered(b, items, x, given)?.into_iter().rev() {
        let mask = given[at];
        judge(b, mask, x, axis)?;
        resolved.x = merged(b, resolved.x, axis, b.ty(mask).rank())?;
        resolved.given[at] = positions(b, mask)?;
    }
    Ok(resolved)
}

/// The first axis under each mask, and the mask's number among the operands.
fn covered(b: &Builder, items: &[Item], x: ValueId, given: &[ValueId]) -> Result<Vec<(usize, usize)>, Unfit> {
    let (mut at, mut axis, mut behind_ellipsis, mut masks) = (0, 0, false, Vec::new());
    for item in items {
        match item {
            Item::NewAxis => {}
            Item::Ellipsis => behind_ellipsis = true,
            Item::At(_) => axis += 1,
            Item::Slice(start, stop, _) => {
                at += [start, stop].into_iter().filter(|end| **end == End::Given).count();
                axis += 1;
            }
            Item::Given => {
                let is_mask = b.ty(given[at]).dtype == DType::Bool;
                if is_mask {
                    masks.push((axis, at, behind_ellipsis));
                }
                axis += if is_mask { b.ty(given[at]).rank() } else { 1 };
                at += 1;
            }
        }
    }
    let rank = b.ty(x).rank();
    let Some(left) = rank.checked_sub(axis) else {
        let message = format!("{axis} indices for a tensor of {rank} axes");
        return Err(Unfit { clause: "call.subscript", code: Code::IndexPastEnd, message });
    };
    Ok(masks.into_iter().map(|(axis, at, behind)| (if behind { axis + left } else { axis }, at)).collect())
}

/// A mask has the lengths of the axes that it covers: now where both are known, else the run fails.
pub(super) fn judge(b: &mut Builder, mask: ValueId, x: ValueId, axis: usize) -> Result<(), Unfit> {
    let (mask_shape, shape) = (b.ty(mask).shape.clone(), b.ty(x).shape.clone());
    for (own, (&m, &n)) in mask_shape.0.iter().zip(&shape.0[axis..]).enumerate() {
        match (m, n) {
            (Dim::Fixed(m), Dim::Fixed(n)) if m != n => {
                let message = format!("a mask of shape {mask_shape} does not fit a tensor of shape {shape}");
                return Err(Unfit { clause: "call.mask", code: Code::IndexPastEnd, message });
            }
            (m, n) if m != n => check_length(b, (mask, own), (x, axis + own))?,
            (_, _) => {}
        }
    }
    Ok(())
}

/// A tensor with some neighbouring axes as one; a new one of length 1 for none.
fn merged(b: &mut Builder, x: ValueId, axis: usize, count: usize) -> Result<ValueId, Unfit> {
    if count == 1 {
        return Ok(x);
    }
    let (mut dims, mut operands) = lengths_of(b, x, 1)?;
    let known = b.ty(x).shape.0[axis..axis + count].iter().map(|dim| dim.fixed());
    let length = match known.product::<Option<usize>>() {
        Some(known) => DimArg::Fixed(known),
        None => {
            let mut product = scalar(b, DType::I64, Scalar::Int(1));
            for at in axis..axis + count {
                let length = b.op(Op::Dim, Attr::Axis(at), &[x])?;
                product = b.op(BinaryOp::Mul, Attr::None, &[product, length])?;
            }
            operands.push(product);
            DimArg::Arg(operands.len())
        }
    };
    dims.splice(axis..axis + count, [length]);
    let (dims, operands) = movement::renumber(dims.into_iter(), &operands);
    reshape(b, x, dims, &operands)
}

/// The positions at which a mask is true, among its elements in row-major order: those of the elements that come
/// first when the false ones are put behind.
fn positions(b: &mut Builder, mask: ValueId) -> Result<ValueId, Unfit> {
    let flat = b.op(Op::Reshape, Attr::Dims(vec![DimArg::Rest]), &[mask])?;
    let wide = cast(b, flat, DType::I64)?;
    let count = b.op(ReduceOp::Sum, Attr::Axes { axes: vec![0], keep: false }, &[wide])?;
    let falses = b.op(UnaryOp::Not, Attr::None, &[flat])?;
    let marks = cast(b, falses, DType::I32)?;
    let order = b.op(ArgOp::Sort, Attr::None, &[marks])?;
    let first = AxisSlice { start: Bound::Open, stop: Bound::Arg(1), step: 1 };
    b.op(Op::Slice, Attr::Slices(vec![first]), &[order, count])
}

/// The positions of the elements that are not zero, a row for each with its number along each axis.
pub(super) fn nonzero(b: &mut Builder, x: ValueId) -> Result<Staged, Unfit> {
    let rank = b.ty(x).rank();
    if rank == 0 {
        return Err(bad("call.nonzero", "a single number has no positions".to_owned()));
    }
    let mask = cast(b, x, DType::Bool)?;
    let flat = positions(b, mask)?;
    let mut rest = cast(b, flat, DType::I64)?;
    let mut columns = Vec::with_capacity(rank);
    for axis in (0..rank).rev() {
        let length = b.op(Op::Dim, Attr::Axis(axis), &[x])?;
        let one = scalar(b, DType::I64, Scalar::Int(1));
        let divisor = b.op(BinaryOp::Max, Attr::None, &[length, one])?;
        columns.insert(0, Staged::strong(b.op(BinaryOp::Mod, Attr::None, &[rest, divisor])?));
        rest = b.op(BinaryOp::FloorDiv, Attr::None, &[rest, divisor])?;
    }
    movement::stack(b, &columns, 1)
}

/// The run fails unless an axis of a mask is as long as that of the tensor.
fn check_length(
    b: &mut Builder,
    (mask, own): (ValueId, usize),
    (x, axis): (ValueId, usize),
) -> Result<(), Unfit> {
    let [of_mask, of_x] = [(mask, own), (x, axis)].map(|(v, axis)| b.op(Op::Dim, Attr::Axis(axis), &[v]));
    let (of_mask, of_x) = (of_mask?, of_x?);
    let same = b.op(CompareOp::Eq, Attr::None, &[of_mask, of_x])?;
    let text = |text: &str| Piece::Text(text.to_owned());
    let pieces = vec![
        text("a mask of length "),
        Piece::Operand(1),
        text(" does not fit an axis of length "),
        Piece::Operand(2),
    ];
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    b.effect(Op::Check, Attr::Check { kind: CheckKind::Index, message, limit: false }, &[same, of_mask, of_x])
}

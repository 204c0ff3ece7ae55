//! Sorting along an axis: elements by one op, positions by another; elements of descending order by gathering them.

use gw_ir::{ArgOp, Attr, AxisSlice, BinaryOp, Bound, Builder, DimArg, Op, Unfit, ValueId};
use gw_types::{DType, Scalar};

use super::steps::{axis_of, cast, lengths_of, reshape, scalar};
use crate::Staged;

/// An operand in order along an axis, or the places: numbers of the host's stay the host's, and places are none.
pub(super) fn of_operand(
    b: &mut Builder,
    x: Staged,
    axis: i64,
    descending: bool,
    places: bool,
) -> Result<Staged, Unfit> {
    let value = sort(b, x.value, axis, descending, places)?;
    Ok(Staged { value, weak: x.weak.filter(|_| !places) })
}

/// Elements along `axis` in order, or their `places`; equal ones keep theirs in both directions.
///
/// Descending is: reverse, sort, reverse, so that equal elements stay as they are.
pub(super) fn sort(
    b: &mut Builder,
    x: ValueId,
    axis: i64,
    descending: bool,
    places: bool,
) -> Result<ValueId, Unfit> {
    let axis = axis_of(axis, b.ty(x).rank())?;
    let turned = to_last(b, x, axis)?;
    if !places && !descending && b.ty(x).dtype != DType::Bool {
        let found = b.op(Op::Sort, Attr::None, &[turned])?;
        return to_last(b, found, axis);
    }
    let keys = if b.ty(x).dtype == DType::Bool { cast(b, turned, DType::I32)? } else { turned };
    let keys = if descending { reversed(b, keys)? } else { keys };
    let mut found = b.op(ArgOp::Sort, Attr::None, &[keys])?;
    if descending {
        let back = reversed(b, found)?;
        let last = axis_length(b, turned)?;
        let one = scalar(b, DType::I64, Scalar::Int(1));
        let last = b.op(BinaryOp::Sub, Attr::None, &[last, one])?;
        found = b.op(BinaryOp::Sub, Attr::None, &[last, back])?;
    }
    let found = if places { found } else { picked(b, turned, found)? };
    to_last(b, found, axis)
}

/// Swaps an axis and the last one.
fn to_last(b: &mut Builder, x: ValueId, axis: usize) -> Result<ValueId, Unfit> {
    let rank = b.ty(x).rank();
    if axis + 1 == rank {
        return Ok(x);
    }
    let mut perm: Vec<usize> = (0..rank).collect();
    perm.swap(axis, rank - 1);
    b.op(Op::Transpose, Attr::Perm(perm), &[x])
}

/// The last axis backwards.
fn reversed(b: &mut Builder, x: ValueId) -> Result<ValueId, Unfit> {
    let mut slices = vec![AxisSlice::ALL; b.ty(x).rank()];
    if let Some(last) = slices.last_mut() {
        *last = AxisSlice { start: Bound::Open, stop: Bound::Open, step: -1 };
    }
    b.op(Op::Slice, Attr::Slices(slices), &[x])
}

fn axis_length(b: &mut Builder, x: ValueId) -> Result<ValueId, Unfit> {
    b.op(Op::Dim, Attr::Axis(b.ty(x).rank() - 1), &[x])
}

/// `x[…, places[…, j]]`: all rows one behind the other, and each place counted from the first of them.
pub(super) fn picked(b: &mut Builder, x: ValueId, places: ValueId) -> Result<ValueId, Unfit> {
    let rank = b.ty(x).rank();
    if rank == 1 {
        return b.op(Op::Gather, Attr::Axis(0), &[x, places]);
    }
    let mut rows = scalar(b, DType::I64, Scalar::Int(1));
    for axis in 0..rank - 1 {
        let length = b.op(Op::Dim, Attr::Axis(axis), &[x])?;
        rows = b.op(BinaryOp::Mul, Attr::None, &[rows, length])?;
    }
    let length = axis_length(b, x)?;
    let [zero, one] = [0, 1].map(|i| scalar(b, DType::I64, Scalar::Int(i)));
    let numbers = b.op(Op::Range, Attr::None, &[zero, rows, one])?;
    let starts = b.op(BinaryOp::Mul, Attr::None, &[numbers, length])?;
    let (dims, operands) = lengths_of(b, x, 1)?;
    let (heads, used) = (dims[..rank - 1].to_vec(), &operands[..variables(&dims[..rank - 1])]);
    let starts = reshape(b, starts, [heads, vec![DimArg::Fixed(1)]].concat(), used)?;
    let flat = b.op(BinaryOp::Add, Attr::None, &[places, starts])?;
    let line = b.op(Op::Reshape, Attr::Dims(vec![DimArg::Rest]), &[x])?;
    b.op(Op::Gather, Attr::Axis(0), &[line, flat])
}

fn variables(dims: &[DimArg]) -> usize {
    dims.iter().filter(|dim| matches!(dim, DimArg::Arg(_))).count()
}

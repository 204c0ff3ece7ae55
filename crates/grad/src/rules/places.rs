//! Reading what stands at the places of a `put`: the axes of indices first, then one for each slice.

use gw_ir::{Attr, AxisSlice, BinaryOp, Bound, CompareOp, DimArg, Op, Place, ValueId};
use gw_types::Dim;

use crate::adjoint::Adjoint;
use crate::stop::Made;

/// The elements of `x` at these places; `operands` are those of the `put` that follow the value, here.
pub(super) fn read(
    r: &mut Adjoint<'_, '_>,
    x: ValueId,
    places: &[Place],
    operands: &[ValueId],
) -> Made<ValueId> {
    let mut x = sliced(r, x, places, operands)?;
    let mut tensors = Vec::new();
    let mut axis = 0;
    for place in places {
        match place {
            Place::At(at) if r.ty(operands[at - 2]).rank() == 0 => {
                x = r.with(Op::Index, Attr::Axis(axis), &[x, operands[at - 2]])?;
            }
            Place::At(at) => {
                tensors.push((axis, operands[at - 2]));
                axis += 1;
            }
            Place::Slice(_) => axis += 1,
        }
    }
    gathered(r, x, &tensors)
}

/// The slices alone.
fn sliced(r: &mut Adjoint<'_, '_>, x: ValueId, places: &[Place], operands: &[ValueId]) -> Made<ValueId> {
    let mut args = vec![x];
    let mut bound = |bound: Bound| match bound {
        Bound::Arg(at) => {
            args.push(operands[at - 2]);
            Bound::Arg(args.len() - 1)
        }
        Bound::Open | Bound::Fixed(_) => bound,
    };
    let mut slices = Vec::with_capacity(places.len());
    for place in places {
        slices.push(match place {
            Place::At(_) => AxisSlice::ALL,
            Place::Slice(s) => AxisSlice { start: bound(s.start), stop: bound(s.stop), step: s.step },
        });
    }
    if slices.iter().all(|slice| *slice == AxisSlice::ALL) {
        return Ok(x);
    }
    r.with(Op::Slice, Attr::Slices(slices), &args)
}

/// By indices with axes, which are read together: the axes that they speak of become one, in front.
fn gathered(r: &mut Adjoint<'_, '_>, x: ValueId, tensors: &[(usize, ValueId)]) -> Made<ValueId> {
    let Some(&(first, indices)) = tensors.first() else { return Ok(x) };
    let mut perm: Vec<usize> = tensors.iter().map(|&(axis, _)| axis).collect();
    perm.extend((0..r.ty(x).rank()).filter(|axis| tensors.iter().all(|(own, _)| own != axis)));
    let x = if first == 0 && tensors.len() == 1 { x } else { r.with(Op::Transpose, Attr::Perm(perm), &[x])? };
    if tensors.len() == 1 {
        return r.with(Op::Gather, Attr::Axis(0), &[x, indices]);
    }
    let mut flat = None;
    for (axis, &(_, index)) in tensors.iter().enumerate() {
        let length = length(r, x, axis)?;
        let number = counted_from_start(r, index, length)?;
        flat = Some(match flat {
            None => number,
            Some(before) => {
                let before = r.op(BinaryOp::Mul, [before, length])?;
                r.op(BinaryOp::Add, [before, number])?
            }
        });
    }
    let (mut dims, given) = r.lengths(x)?;
    dims.splice(..tensors.len(), [DimArg::Rest]);
    let args: Vec<_> = std::iter::once(x).chain(given).collect();
    let rows = r.with(Op::Reshape, Attr::Dims(dims), &args)?;
    r.with(Op::Gather, Attr::Axis(0), &[rows, flat.expect("there is more than one")])
}

fn length(r: &mut Adjoint<'_, '_>, x: ValueId, axis: usize) -> Made<ValueId> {
    match r.ty(x).shape.0[axis] {
        Dim::Fixed(n) => Ok(r.integer(n as i64)),
        Dim::Var(_) => r.with(Op::Dim, Attr::Axis(axis), &[x]),
    }
}

/// An index that may count from the end, as an i64 that does not.
fn counted_from_start(r: &mut Adjoint<'_, '_>, index: ValueId, length: ValueId) -> Made<ValueId> {
    let wide = r.with(Op::Cast, Attr::To(gw_types::DType::I64), &[index])?;
    let zero = r.integer(0);
    let is_behind = r.op(CompareOp::Lt, [wide, zero])?;
    let from_end = r.op(BinaryOp::Add, [wide, length])?;
    r.op(Op::Select, [is_behind, from_end, wide])
}

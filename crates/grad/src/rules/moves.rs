//! Ops that move elements: what flows back moves the other way, and is added up where an element was used twice.

use gw_ir::{Attr, AxisSlice, BinaryOp, Bound, Keep, Op, Place, ValueId};
use gw_types::Dim;

use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

pub(super) fn reshape(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let flows = r.reshaped(step.g, step.args[0])?;
    r.add(step.args[0], flows)
}

pub(super) fn broadcast(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let flows = r.unbroadcast(step.g, step.args[0])?;
    r.add(step.args[0], flows)
}

pub(super) fn transpose(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let Attr::Perm(perm) = r.graph().nodes[step.id].attr.clone() else { unreachable!("an order of axes") };
    let flows = r.with(Op::Transpose, Attr::Perm(inverse(&perm)), &[step.g])?;
    r.add(step.args[0], flows)
}

fn inverse(perm: &[usize]) -> Vec<usize> {
    let mut back = vec![0; perm.len()];
    for (at, &axis) in perm.iter().enumerate() {
        back[axis] = at;
    }
    back
}

/// Bounds of a `slice` as those of a `put`, which has one operand more in front of them.
fn later(slice: AxisSlice) -> Place {
    let bound = |bound: Bound| match bound {
        Bound::Arg(at) => Bound::Arg(at + 1),
        Bound::Open | Bound::Fixed(_) => bound,
    };
    Place::Slice(AxisSlice { start: bound(slice.start), stop: bound(slice.stop), step: slice.step })
}

pub(super) fn slice(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let Attr::Slices(slices) = r.graph().nodes[step.id].attr.clone() else { unreachable!("bounds") };
    let places = slices.into_iter().map(later).collect();
    back_to(r, step.args[0], step.g, places, &step.args[1..])
}

pub(super) fn index(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let places = at_axis(r, step);
    back_to(r, step.args[0], step.g, places, &step.args[1..])
}

pub(super) fn gather(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let Attr::Axis(axis) = r.graph().nodes[step.id].attr else { unreachable!("an axis") };
    let (added, rank) = (r.ty(step.args[1]).rank(), r.ty(step.g).rank());
    let mut perm: Vec<usize> = (axis..axis + added).collect();
    perm.extend((0..rank).filter(|at| !(axis..axis + added).contains(at)));
    let in_order = perm.iter().enumerate().all(|(at, &axis)| at == axis);
    let g = if in_order { step.g } else { r.with(Op::Transpose, Attr::Perm(perm), &[step.g])? };
    let places = at_axis(r, step);
    back_to(r, step.args[0], g, places, &step.args[1..])
}

/// The places of an op that reads at one axis by its second operand.
fn at_axis(r: &Adjoint<'_, '_>, step: &Step) -> Vec<Place> {
    let Attr::Axis(axis) = r.graph().nodes[step.id].attr else { unreachable!("an axis") };
    let mut places = vec![Place::Slice(AxisSlice::ALL); r.ty(step.args[0]).rank()];
    places[axis] = Place::At(2);
    places
}

/// Adds a cotangent to places of what has flowed back to a value. Only these places are touched.
fn back_to(
    r: &mut Adjoint<'_, '_>,
    x: ValueId,
    g: ValueId,
    places: Vec<Place>,
    operands: &[ValueId],
) -> Made<()> {
    if !r.activity.holds(x) {
        return Ok(());
    }
    let so_far = match r.cotangent(x) {
        Some(known) => known,
        None => r.zeros(x)?,
    };
    let mut args = vec![so_far, g];
    for &operand in operands {
        args.push(r.primal(operand)?);
    }
    let sum = r.with(Op::Put, Attr::Places { places, keep: Keep::Sum }, &args)?;
    r.scope().set_cotangent(x, sum);
    Ok(())
}

/// Each part gets back its own piece. A piece is counted from the end where only what follows it has known lengths: so a
/// list that grows in a loop need not be there again.
pub(super) fn concat(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let Attr::Axis(axis) = r.graph().nodes[step.id].attr else { unreachable!("an axis") };
    let lengths: Vec<Dim> = step.args.iter().map(|&part| r.ty(part).shape.0[axis]).collect();
    for (at, &part) in step.args.iter().enumerate() {
        if !r.activity.reaches(part, step.id) {
            continue;
        }
        let ty = r.ty(part);
        let mut args = vec![step.g];
        let mut slices = vec![AxisSlice::ALL; ty.rank()];
        let start = border(r, step, axis, &lengths, at, &mut args)?;
        let stop = border(r, step, axis, &lengths, at + 1, &mut args)?;
        slices[axis] = AxisSlice { start, stop, step: 1 };
        let flows = r.b.op_as(Op::Slice, Attr::Slices(slices), &args, &ty)?;
        r.add(part, flows)?;
    }
    Ok(())
}

/// Bound at which the part at this position begins: a number, or a value that becomes an operand.
fn border(
    r: &mut Adjoint<'_, '_>,
    step: &Step,
    axis: usize,
    lengths: &[Dim],
    at: usize,
    args: &mut Vec<ValueId>,
) -> Made<Bound> {
    let total = |lengths: &[Dim]| lengths.iter().map(|dim| dim.fixed()).sum::<Option<usize>>();
    if let Some(before) = total(&lengths[..at]) {
        return Ok(Bound::Fixed(before as i64));
    }
    match total(&lengths[at..]) {
        Some(0) => return Ok(Bound::Open),
        Some(behind) => return Ok(Bound::Fixed(-(behind as i64))),
        None => {}
    }
    let mut place = r.integer(0);
    for &part in &step.args[..at] {
        let length = r.length(part, axis)?;
        place = r.op(BinaryOp::Add, [place, length])?;
    }
    args.push(place);
    Ok(Bound::Arg(args.len() - 1))
}

//! `put`: the cotangent of what was there loses the places, that of what came there is read from them.

use gw_ir::{Attr, BinaryOp, CompareOp, DimArg, Keep, Op, Place, ValueId};
use gw_types::DType;

use super::places::read;
use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

pub(super) fn put(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let Attr::Places { places, keep } = r.graph().nodes[step.id].attr.clone() else { unreachable!("places") };
    let mut operands = Vec::with_capacity(step.args.len());
    for &operand in &step.args[2..] {
        operands.push(r.primal(operand)?);
    }
    match keep {
        Keep::Sum => {
            r.add_for(step.id, step.args[0], step.g)?;
            to_value(r, step, &places, &operands, false)
        }
        Keep::Last => {
            to_what_stays(r, step, &places, &operands)?;
            let tensors = operands.iter().any(|&operand| r.ty(operand).rank() > 0);
            to_value(r, step, &places, &operands, tensors)
        }
        Keep::Least | Keep::Greatest => to_what_won(r, step, &places, &operands),
        Keep::Product => r.refuse("a scatter that multiplies", step.id),
    }
}

/// Of what is compared, what is there in the end gets all; those that are equal share.
fn to_what_won(r: &mut Adjoint<'_, '_>, step: &Step, places: &[Place], operands: &[ValueId]) -> Made<()> {
    let [x, value] = [step.args[0], step.args[1]];
    let [x_here, value_here, out] = [r.primal(x)?, r.primal(value)?, r.primal(step.out)?];
    let dtype = r.ty(step.g).dtype;
    let [zero, one] = [0.0, 1.0].map(|number| r.number(dtype, number));
    let there = read(r, out, places, operands)?;
    let [x_won, value_won] = [r.op(CompareOp::Eq, [x_here, out])?, r.op(CompareOp::Eq, [value_here, there])?];
    let [x_counts, value_counts] =
        [r.op(Op::Select, [x_won, one, zero])?, r.op(Op::Select, [value_won, one, zero])?];
    let args: Vec<_> = [x_counts, value_counts].into_iter().chain(operands.iter().copied()).collect();
    let winners = r.with(Op::Put, Attr::Places { places: places.to_vec(), keep: Keep::Sum }, &args)?;
    let share = r.op(BinaryOp::Div, [step.g, winners])?;
    let to_x = r.op(Op::Select, [x_won, share, zero])?;
    r.add_for(step.id, x, to_x)?;
    if !r.activity.reaches(value, step.id) {
        return Ok(());
    }
    let share = read(r, share, places, operands)?;
    let to_value = r.op(Op::Select, [value_won, share, zero])?;
    let to_value = r.unbroadcast(to_value, value)?;
    r.add(value, to_value)
}

fn to_what_stays(r: &mut Adjoint<'_, '_>, step: &Step, places: &[Place], operands: &[ValueId]) -> Made<()> {
    if !r.activity.reaches(step.args[0], step.id) {
        return Ok(());
    }
    let dtype = r.ty(step.g).dtype;
    let zero = r.number(dtype, 0.0);
    let args: Vec<_> = [step.g, zero].into_iter().chain(operands.iter().copied()).collect();
    let flows = r.with(Op::Put, Attr::Places { places: places.to_vec(), keep: Keep::Last }, &args)?;
    r.add(step.args[0], flows)
}

/// The cotangent of the stored value: of several elements in one place only the last is there.
fn to_value(
    r: &mut Adjoint<'_, '_>,
    step: &Step,
    places: &[Place],
    operands: &[ValueId],
    one_place: bool,
) -> Made<()> {
    let value = step.args[1];
    if !r.activity.reaches(value, step.id) {
        return Ok(());
    }
    let mut flows = read(r, step.g, places, operands)?;
    if one_place {
        let is_last = last_ones(r, flows, step.args[0], places, operands)?;
        let dtype = r.ty(step.g).dtype;
        let zero = r.number(dtype, 0.0);
        flows = r.op(Op::Select, [is_last, flows, zero])?;
    }
    let flows = r.unbroadcast(flows, value)?;
    r.add(value, flows)
}

/// Mask, in the shape of `read`, of the places that no later one repeats: each writes its number, and tests
/// that it is still there.
fn last_ones(
    r: &mut Adjoint<'_, '_>,
    read_there: ValueId,
    x: ValueId,
    places: &[Place],
    operands: &[ValueId],
) -> Made<ValueId> {
    let flat = numbers(r, read_there)?;
    let numbers = r.reshaped(flat, read_there)?;
    let zero = r.integer(0);
    let (mut dims, mut args) = (Vec::new(), vec![zero]);
    let (lengths, given) = r.lengths(x)?;
    dims.extend::<Vec<DimArg>>(lengths);
    args.extend(given);
    let nobody = r.with(Op::Broadcast, Attr::Dims(dims), &args)?;
    debug_assert_eq!(r.ty(nobody).dtype, DType::I64, "places are numbered");
    let args: Vec<_> = [nobody, numbers].into_iter().chain(operands.iter().copied()).collect();
    let written = r.with(Op::Put, Attr::Places { places: places.to_vec(), keep: Keep::Last }, &args)?;
    let found = read(r, written, places, operands)?;
    r.op(CompareOp::Eq, [found, numbers])
}

/// As many numbers, from 0 on, as a value that is here has elements.
fn numbers(r: &mut Adjoint<'_, '_>, here: ValueId) -> Made<ValueId> {
    if let Some(count) = r.ty(here).shape.size() {
        return Ok(r.counting(count));
    }
    let [zero, one] = [0, 1].map(|n| r.integer(n));
    let mut count = one;
    for axis in 0..r.ty(here).rank() {
        let length = r.with(Op::Dim, Attr::Axis(axis), &[here])?;
        count = r.op(BinaryOp::Mul, [count, length])?;
    }
    r.op(Op::Range, [zero, count, one])
}

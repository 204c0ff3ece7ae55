//! Elementwise ops of two operands, and `select`: what flows back to an operand that was repeated is summed.

use gw_ir::{Attr, Op, ValueId};

use super::Step;
use crate::Made;
use crate::reverse::Reverse;

pub(super) fn rule(r: &mut Reverse<'_, '_>, step: &Step) -> Made<()> {
    for side in 0..2 {
        let arg = step.args[side];
        if !r.activity.reaches(arg, step.id) {
            continue;
        }
        let flows = if side == 0 { to_first(r, step)? } else { to_second(r, step)? };
        let flows = r.unbroadcast(flows, arg)?;
        r.add(arg, flows)?;
    }
    Ok(())
}

fn to_first(r: &mut Reverse<'_, '_>, step: &Step) -> Made<ValueId> {
    let (&[x, y], g) = (&step.args[..], step.g) else { unreachable!("two operands") };
    match step.op {
        Op::Mul => {
            let y = r.primal(y)?;
            r.op(Op::Mul, [g, y])
        }
        Op::Div => {
            let y = r.primal(y)?;
            r.op(Op::Div, [g, y])
        }
        Op::Pow => to_base(r, step),
        Op::Max => where_it_is(r, Op::Ge, [x, y], g, true),
        Op::Min => where_it_is(r, Op::Le, [x, y], g, true),
        Op::Atan2 => {
            let slope = over_square(r, y, [x, y])?;
            r.op(Op::Mul, [g, slope])
        }
        _ => Ok(g),
    }
}

fn to_second(r: &mut Reverse<'_, '_>, step: &Step) -> Made<ValueId> {
    let (&[x, y], g) = (&step.args[..], step.g) else { unreachable!("two operands") };
    match step.op {
        Op::Sub => r.op(Op::Neg, [g]),
        Op::Mul => {
            let x = r.primal(x)?;
            r.op(Op::Mul, [g, x])
        }
        Op::Div => {
            let [out, y] = [r.primal(step.out)?, r.primal(y)?];
            let slope = r.op(Op::Div, [out, y])?;
            let flows = r.op(Op::Mul, [g, slope])?;
            r.op(Op::Neg, [flows])
        }
        Op::Mod => {
            let [x, y] = [r.primal(x)?, r.primal(y)?];
            let times = r.op(Op::FloorDiv, [x, y])?;
            let flows = r.op(Op::Mul, [g, times])?;
            r.op(Op::Neg, [flows])
        }
        Op::Pow => to_exponent(r, step),
        Op::Max => where_it_is(r, Op::Ge, [x, y], g, false),
        Op::Min => where_it_is(r, Op::Le, [x, y], g, false),
        Op::Atan2 => {
            let slope = over_square(r, x, [x, y])?;
            let flows = r.op(Op::Mul, [g, slope])?;
            r.op(Op::Neg, [flows])
        }
        _ => Ok(g),
    }
}

/// `g * y * x ^ (y - 1)`, which is nothing where `y` is 0.
fn to_base(r: &mut Reverse<'_, '_>, step: &Step) -> Made<ValueId> {
    let dtype = r.ty(step.out).dtype;
    let [x, y] = [r.primal(step.args[0])?, r.primal(step.args[1])?];
    let [zero, one] = [0.0, 1.0].map(|n| r.number(dtype, n));
    let less = r.op(Op::Sub, [y, one])?;
    let power = r.op(Op::Pow, [x, less])?;
    let slope = r.op(Op::Mul, [y, power])?;
    let is_flat = r.op(Op::Eq, [y, zero])?;
    let slope = r.op(Op::Select, [is_flat, zero, slope])?;
    r.op(Op::Mul, [step.g, slope])
}

/// `g * out * ln x`, which is nothing where `x` is not positive.
fn to_exponent(r: &mut Reverse<'_, '_>, step: &Step) -> Made<ValueId> {
    let dtype = r.ty(step.out).dtype;
    let [x, out] = [r.primal(step.args[0])?, r.primal(step.out)?];
    let [zero, one] = [0.0, 1.0].map(|n| r.number(dtype, n));
    let is_positive = r.op(Op::Gt, [x, zero])?;
    let sound = r.op(Op::Select, [is_positive, x, one])?;
    let log = r.op(Op::Log, [sound])?;
    let slope = r.op(Op::Mul, [out, log])?;
    r.op(Op::Mul, [step.g, slope])
}

/// The cotangent where one operand compares so to the other, or where it does not.
fn where_it_is(
    r: &mut Reverse<'_, '_>,
    compare: Op,
    operands: [ValueId; 2],
    g: ValueId,
    holds: bool,
) -> Made<ValueId> {
    let [x, y] = [r.primal(operands[0])?, r.primal(operands[1])?];
    let is_so = r.op(compare, [x, y])?;
    let dtype = r.ty(g).dtype;
    let zero = r.number(dtype, 0.0);
    let [then, other] = if holds { [g, zero] } else { [zero, g] };
    r.op(Op::Select, [is_so, then, other])
}

/// `value / (y² + x²)`
fn over_square(r: &mut Reverse<'_, '_>, value: ValueId, operands: [ValueId; 2]) -> Made<ValueId> {
    let mut squares = Vec::with_capacity(2);
    for operand in operands {
        let here = r.primal(operand)?;
        squares.push(r.op(Op::Mul, [here, here])?);
    }
    let below = r.op(Op::Add, [squares[0], squares[1]])?;
    let value = r.primal(value)?;
    r.op(Op::Div, [value, below])
}

/// The cotangent where the value was chosen.
pub(super) fn select(r: &mut Reverse<'_, '_>, step: &Step) -> Made<()> {
    let test = step.args[0];
    let dtype = r.ty(step.g).dtype;
    for side in 1..3 {
        let arg = step.args[side];
        if !r.activity.reaches(arg, step.id) {
            continue;
        }
        let (test, zero) = (r.primal(test)?, r.number(dtype, 0.0));
        let [then, other] = if side == 1 { [step.g, zero] } else { [zero, step.g] };
        let wanted = r.ty(step.out);
        let flows = r.b.op_as(Op::Select, Attr::None, &[test, then, other], &wanted)?;
        let flows = r.unbroadcast(flows, arg)?;
        r.add(arg, flows)?;
    }
    Ok(())
}

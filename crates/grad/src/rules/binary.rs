//! Elementwise ops of two operands, and `select`.

use gw_ir::{Attr, BinaryOp, CompareOp, Op, UnaryOp, ValueId};

use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

type R<'x, 'a, 'b> = &'x mut Adjoint<'a, 'b>;

/// `g`
pub(super) fn same(_: R, step: &Step) -> Made<ValueId> {
    Ok(step.g)
}

/// `g * y`
pub(super) fn mul_x(r: R, step: &Step) -> Made<ValueId> {
    let y = r.primal(step.args[1])?;
    r.op(BinaryOp::Mul, [step.g, y])
}

/// `g * x`
pub(super) fn mul_y(r: R, step: &Step) -> Made<ValueId> {
    let x = r.primal(step.args[0])?;
    r.op(BinaryOp::Mul, [step.g, x])
}

/// `g / y`
pub(super) fn div_x(r: R, step: &Step) -> Made<ValueId> {
    let y = r.primal(step.args[1])?;
    r.op(BinaryOp::Div, [step.g, y])
}

/// `-g * out / y`
pub(super) fn div_y(r: R, step: &Step) -> Made<ValueId> {
    let [out, y] = [r.primal(step.out)?, r.primal(step.args[1])?];
    let slope = r.op(BinaryOp::Div, [out, y])?;
    let flow = r.op(BinaryOp::Mul, [step.g, slope])?;
    r.op(UnaryOp::Neg, [flow])
}

/// `-g * ⌊x / y⌋`
pub(super) fn mod_y(r: R, step: &Step) -> Made<ValueId> {
    let [x, y] = [r.primal(step.args[0])?, r.primal(step.args[1])?];
    let times = r.op(BinaryOp::FloorDiv, [x, y])?;
    let flow = r.op(BinaryOp::Mul, [step.g, times])?;
    r.op(UnaryOp::Neg, [flow])
}

/// `g * y * x ^ (y - 1)`, which is nothing where `y` is 0.
pub(super) fn pow_x(r: R, step: &Step) -> Made<ValueId> {
    let dtype = r.ty(step.out).dtype;
    let [x, y] = [r.primal(step.args[0])?, r.primal(step.args[1])?];
    let [zero, one] = [0.0, 1.0].map(|n| r.number(dtype, n));
    let less = r.op(BinaryOp::Sub, [y, one])?;
    let power = r.op(BinaryOp::Pow, [x, less])?;
    let slope = r.op(BinaryOp::Mul, [y, power])?;
    let is_flat = r.op(CompareOp::Eq, [y, zero])?;
    let slope = r.op(Op::Select, [is_flat, zero, slope])?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `g * out * ln x`, which is nothing where `x` is not positive, or no complex number but 0.
pub(super) fn pow_y(r: R, step: &Step) -> Made<ValueId> {
    let dtype = r.ty(step.out).dtype;
    let [x, out] = [r.primal(step.args[0])?, r.primal(step.out)?];
    let [zero, one] = [0.0, 1.0].map(|n| r.number(dtype, n));
    let sound = if r.ty(x).dtype.is_complex() { CompareOp::Ne } else { CompareOp::Gt };
    let is_positive = r.op(sound, [x, zero])?;
    let sound = r.op(Op::Select, [is_positive, x, one])?;
    let log = r.op(UnaryOp::Log, [sound])?;
    let slope = r.op(BinaryOp::Mul, [out, log])?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `g` where `x` is the greater
pub(super) fn max_x(r: R, step: &Step) -> Made<ValueId> {
    where_it_is(r, step, CompareOp::Ge, true)
}

/// `g` where `y` is the greater
pub(super) fn max_y(r: R, step: &Step) -> Made<ValueId> {
    where_it_is(r, step, CompareOp::Ge, false)
}

/// `g` where `x` is the lesser
pub(super) fn min_x(r: R, step: &Step) -> Made<ValueId> {
    where_it_is(r, step, CompareOp::Le, true)
}

/// `g` where `y` is the lesser
pub(super) fn min_y(r: R, step: &Step) -> Made<ValueId> {
    where_it_is(r, step, CompareOp::Le, false)
}

/// `g` where the first operand compares so to the second, or where it does not.
fn where_it_is(r: R, step: &Step, compare: CompareOp, holds: bool) -> Made<ValueId> {
    let [x, y] = [r.primal(step.args[0])?, r.primal(step.args[1])?];
    let is_so = r.op(compare, [x, y])?;
    let dtype = r.ty(step.g).dtype;
    let zero = r.number(dtype, 0.0);
    let [then, other] = if holds { [step.g, zero] } else { [zero, step.g] };
    r.op(Op::Select, [is_so, then, other])
}

/// `g * x / (y² + x²)`; the operands are `y` and `x`.
pub(super) fn atan2_y(r: R, step: &Step) -> Made<ValueId> {
    let slope = over_square(r, step, 1)?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `-g * y / (y² + x²)`
pub(super) fn atan2_x(r: R, step: &Step) -> Made<ValueId> {
    let slope = over_square(r, step, 0)?;
    let flow = r.op(BinaryOp::Mul, [step.g, slope])?;
    r.op(UnaryOp::Neg, [flow])
}

/// One operand over the sum of the squares of both.
fn over_square(r: R, step: &Step, which: usize) -> Made<ValueId> {
    let both = [r.primal(step.args[0])?, r.primal(step.args[1])?];
    let [first, second] =
        [r.op(BinaryOp::Mul, [both[0], both[0]])?, r.op(BinaryOp::Mul, [both[1], both[1]])?];
    let below = r.op(BinaryOp::Add, [first, second])?;
    r.op(BinaryOp::Div, [both[which], below])
}

/// The cotangent where the value was chosen.
pub(super) fn select(r: R, step: &Step) -> Made<()> {
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

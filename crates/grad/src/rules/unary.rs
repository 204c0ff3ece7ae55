//! Elementwise ops of one operand: `out = f(x)`; what flows back is `g * f'(x)`, by `x` or by `out`, what is cheaper.

use gw_ir::{Attr, BinaryOp, Op, PartOp, UnaryOp, ValueId};

use super::complex;
use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

type R<'x, 'a, 'b> = &'x mut Adjoint<'a, 'b>;

/// `2 / √π`
const ERF_SLOPE: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// A number of the type of what flows.
fn number(r: R, step: &Step, number: f64) -> ValueId {
    let dtype = r.ty(step.g).dtype;
    r.number(dtype, number)
}

/// `-g`
pub(super) fn neg(r: R, step: &Step) -> Made<ValueId> {
    r.op(UnaryOp::Neg, [step.g])
}

/// `g * sign x`
pub(super) fn abs(r: R, step: &Step) -> Made<ValueId> {
    if r.ty(step.args[0]).dtype.is_complex() {
        return complex::abs(r, step);
    }
    let x = r.primal(step.args[0])?;
    let sign = r.op(UnaryOp::Sign, [x])?;
    r.op(BinaryOp::Mul, [step.g, sign])
}

/// `g * out`
pub(super) fn exp(r: R, step: &Step) -> Made<ValueId> {
    let out = r.primal(step.out)?;
    r.op(BinaryOp::Mul, [step.g, out])
}

/// `g * (out + 1)`
pub(super) fn expm1(r: R, step: &Step) -> Made<ValueId> {
    let (out, one) = (r.primal(step.out)?, number(r, step, 1.0));
    let slope = r.op(BinaryOp::Add, [out, one])?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `g / x`
pub(super) fn log(r: R, step: &Step) -> Made<ValueId> {
    let x = r.primal(step.args[0])?;
    r.op(BinaryOp::Div, [step.g, x])
}

/// `g / ln 2 / x`
pub(super) fn log2(r: R, step: &Step) -> Made<ValueId> {
    let (x, slope) = (r.primal(step.args[0])?, number(r, step, std::f64::consts::LOG2_E));
    let flow = r.op(BinaryOp::Mul, [step.g, slope])?;
    r.op(BinaryOp::Div, [flow, x])
}

/// `g / √((1 - x) (1 + x))`
pub(super) fn asin(r: R, step: &Step) -> Made<ValueId> {
    let (x, one) = (r.primal(step.args[0])?, number(r, step, 1.0));
    let (below, above) = (r.op(BinaryOp::Sub, [one, x])?, r.op(BinaryOp::Add, [one, x])?);
    let product = r.op(BinaryOp::Mul, [below, above])?;
    let root = r.op(UnaryOp::Sqrt, [product])?;
    r.op(BinaryOp::Div, [step.g, root])
}

/// `-g / √((1 - x) (1 + x))`
pub(super) fn acos(r: R, step: &Step) -> Made<ValueId> {
    let found = asin(r, step)?;
    r.op(UnaryOp::Neg, [found])
}

/// `g cosh x`
pub(super) fn sinh(r: R, step: &Step) -> Made<ValueId> {
    let (x, half) = (r.primal(step.args[0])?, number(r, step, 0.5));
    let minus = r.op(UnaryOp::Neg, [x])?;
    let (power, inverse) = (r.op(UnaryOp::Exp, [x])?, r.op(UnaryOp::Exp, [minus])?);
    let sum = r.op(BinaryOp::Add, [power, inverse])?;
    let cosine = r.op(BinaryOp::Mul, [sum, half])?;
    r.op(BinaryOp::Mul, [step.g, cosine])
}

/// `g / √(1 + x²)`
pub(super) fn asinh(r: R, step: &Step) -> Made<ValueId> {
    let (x, one) = (r.primal(step.args[0])?, number(r, step, 1.0));
    let square = r.op(BinaryOp::Mul, [x, x])?;
    let above = r.op(BinaryOp::Add, [square, one])?;
    let root = r.op(UnaryOp::Sqrt, [above])?;
    r.op(BinaryOp::Div, [step.g, root])
}

/// `g / (1 + x)`
pub(super) fn log1p(r: R, step: &Step) -> Made<ValueId> {
    let (x, one) = (r.primal(step.args[0])?, number(r, step, 1.0));
    let below = r.op(BinaryOp::Add, [x, one])?;
    r.op(BinaryOp::Div, [step.g, below])
}

/// `g / 2 / out`
pub(super) fn sqrt(r: R, step: &Step) -> Made<ValueId> {
    let (out, half) = (r.primal(step.out)?, number(r, step, 0.5));
    let above = r.op(BinaryOp::Mul, [step.g, half])?;
    r.op(BinaryOp::Div, [above, out])
}

/// `-g / 2 * out³`
pub(super) fn rsqrt(r: R, step: &Step) -> Made<ValueId> {
    let (out, factor) = (r.primal(step.out)?, number(r, step, -0.5));
    let square = r.op(BinaryOp::Mul, [out, out])?;
    let cube = r.op(BinaryOp::Mul, [square, out])?;
    let slope = r.op(BinaryOp::Mul, [cube, factor])?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `g * cos x`
pub(super) fn sin(r: R, step: &Step) -> Made<ValueId> {
    let x = r.primal(step.args[0])?;
    let slope = r.op(UnaryOp::Cos, [x])?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `-g * sin x`
pub(super) fn cos(r: R, step: &Step) -> Made<ValueId> {
    let x = r.primal(step.args[0])?;
    let sine = r.op(UnaryOp::Sin, [x])?;
    let flow = r.op(BinaryOp::Mul, [step.g, sine])?;
    r.op(UnaryOp::Neg, [flow])
}

/// `g * (1 + out²)`
pub(super) fn tan(r: R, step: &Step) -> Made<ValueId> {
    by_square(r, step, BinaryOp::Add)
}

/// `g * (1 - out²)`
pub(super) fn tanh(r: R, step: &Step) -> Made<ValueId> {
    by_square(r, step, BinaryOp::Sub)
}

fn by_square(r: R, step: &Step, sign: BinaryOp) -> Made<ValueId> {
    let (out, one) = (r.primal(step.out)?, number(r, step, 1.0));
    let square = r.op(BinaryOp::Mul, [out, out])?;
    let slope = r.op(sign, [one, square])?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `g / (1 + x²)`
pub(super) fn atan(r: R, step: &Step) -> Made<ValueId> {
    let (x, one) = (r.primal(step.args[0])?, number(r, step, 1.0));
    let square = r.op(BinaryOp::Mul, [x, x])?;
    let below = r.op(BinaryOp::Add, [one, square])?;
    r.op(BinaryOp::Div, [step.g, below])
}

/// `g * 2 / √π * e^(-x²)`
pub(super) fn erf(r: R, step: &Step) -> Made<ValueId> {
    let (x, factor) = (r.primal(step.args[0])?, number(r, step, ERF_SLOPE));
    let square = r.op(BinaryOp::Mul, [x, x])?;
    let negative = r.op(UnaryOp::Neg, [square])?;
    let bell = r.op(UnaryOp::Exp, [negative])?;
    let slope = r.op(BinaryOp::Mul, [bell, factor])?;
    r.op(BinaryOp::Mul, [step.g, slope])
}

/// `g`, or its real part, in the type of `x`
pub(super) fn cast(r: R, step: &Step) -> Made<ValueId> {
    let dtype = r.ty(step.args[0]).dtype;
    let is_part = r.ty(step.g).dtype.is_complex() && !dtype.is_complex();
    let g = if is_part { r.op(PartOp::Real, [step.g])? } else { step.g };
    r.with(Op::Cast, Attr::To(dtype), &[g])
}

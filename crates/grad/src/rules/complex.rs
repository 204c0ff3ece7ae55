//! Complex numbers. What flows back to a complex number is the derivative by its real part and, as the imaginary part, that by its
//! imaginary part: the direction in which a real result grows. To the operand of a function with the derivative `f'` flows `g * conj f'`.

use gw_ir::{Attr, BinaryOp, CompareOp, Op, PartOp, UnaryOp, ValueId};

use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

type R<'x, 'a, 'b> = &'x mut Adjoint<'a, 'b>;

impl Adjoint<'_, '_> {
    /// The complex conjugate; of a real value itself.
    pub fn conj(&mut self, value: ValueId) -> Made<ValueId> {
        if !self.ty(value).dtype.is_complex() {
            return Ok(value);
        }
        let [re, im] = [self.op(PartOp::Real, [value])?, self.op(PartOp::Imag, [value])?];
        let im = self.op(UnaryOp::Neg, [im])?;
        self.op(Op::Complex, [re, im])
    }
}

/// Zeros of the type of what flows.
fn none(r: R, step: &Step) -> ValueId {
    let dtype = r.ty(step.g).dtype;
    r.number(dtype, 0.0)
}

/// `g + 0i`
pub(super) fn of_real(r: R, step: &Step) -> Made<ValueId> {
    let none = none(r, step);
    r.op(Op::Complex, [step.g, none])
}

/// `0 + gi`
pub(super) fn of_imag(r: R, step: &Step) -> Made<ValueId> {
    let none = none(r, step);
    r.op(Op::Complex, [none, step.g])
}

/// The real part of `g`.
pub(super) fn to_real(r: R, step: &Step) -> Made<ValueId> {
    r.op(PartOp::Real, [step.g])
}

/// The imaginary part of `g`.
pub(super) fn to_imag(r: R, step: &Step) -> Made<ValueId> {
    r.op(PartOp::Imag, [step.g])
}

/// `g * z / |z|`, which is nothing at 0.
pub(super) fn abs(r: R, step: &Step) -> Made<ValueId> {
    let [z, size] = [r.primal(step.args[0])?, r.primal(step.out)?];
    let dtype = r.ty(size).dtype;
    let [zero, one] = [0.0, 1.0].map(|number| r.number(dtype, number));
    let is_zero = r.op(CompareOp::Eq, [size, zero])?;
    let size = r.op(Op::Select, [is_zero, one, size])?;
    let slope = r.op(BinaryOp::Div, [step.g, size])?;
    let slope = r.with(Op::Cast, Attr::To(dtype.complex()), &[slope])?;
    r.op(BinaryOp::Mul, [slope, z])
}

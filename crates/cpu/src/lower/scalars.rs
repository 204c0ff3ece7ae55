//! Elementwise ops on numbers in variables.

use gw_ir::Op;
use gw_kernels::{Math, MathFloat, pow_i32, pow_i64};
use gw_runtime::Report;

use super::{Lower, Lowers, broken};
use crate::loops::{Binary, Callee, Compare, Ty, Unary, Var};

impl Lower<'_> {
    /// One element of an elementwise op; `to` is the type of its result.
    pub(super) fn apply(&mut self, op: Op, to: Ty, args: &[Var]) -> Lowers<Var> {
        let of = |at: usize| args.get(at).copied().ok_or_else(|| broken("an operand is missing"));
        let x = of(0)?;
        Ok(match op {
            Op::Neg => self.b.unary(Unary::Neg, x),
            Op::Abs => self.b.unary(Unary::Abs, x),
            Op::Sign => self.sign(x),
            Op::Exp => self.math(Math::Exp, args),
            Op::Expm1 => self.math(Math::Expm1, args),
            Op::Log => self.math(Math::Log, args),
            Op::Log1p => self.math(Math::Log1p, args),
            Op::Sin => self.math(Math::Sin, args),
            Op::Cos => self.math(Math::Cos, args),
            Op::Tan => self.math(Math::Tan, args),
            Op::Atan => self.math(Math::Atan, args),
            Op::Tanh => self.math(Math::Tanh, args),
            Op::Erf => self.math(Math::Erf, args),
            Op::Atan2 => self.math(Math::Atan2, args),
            Op::Sqrt => self.b.unary(Unary::Sqrt, x),
            Op::Rsqrt => {
                let (root, one) = (self.b.unary(Unary::Sqrt, x), self.b.real(to, 1.0));
                self.b.binary(Binary::Div, one, root)
            }
            Op::Floor => self.b.unary(Unary::Floor, x),
            Op::Ceil => self.b.unary(Unary::Ceil, x),
            Op::Round => self.b.unary(Unary::Nearest, x),
            Op::Not => self.b.unary(Unary::Not, x),
            Op::IsNan => self.b.compare(Compare::Ne, x, x),
            Op::IsFinite => {
                let (size, limit) = (self.b.unary(Unary::Abs, x), self.b.real(self.b.ty(x), f64::INFINITY));
                self.b.compare(Compare::Lt, size, limit)
            }
            Op::Add => self.b.add(x, of(1)?),
            Op::Sub => self.b.sub(x, of(1)?),
            Op::Mul => self.b.mul(x, of(1)?),
            Op::Div => self.b.binary(Binary::Div, x, of(1)?),
            Op::FloorDiv if to.is_float() => self.math(Math::FloorDiv, args),
            Op::FloorDiv => self.floor_div(x, of(1)?),
            Op::Mod if to.is_float() => self.math(Math::Mod, args),
            Op::Mod => self.modulo(x, of(1)?),
            Op::Pow => self.power(x, of(1)?),
            Op::Max => self.extreme(Compare::Ge, x, of(1)?),
            Op::Min => self.extreme(Compare::Le, x, of(1)?),
            Op::And => self.b.and(x, of(1)?),
            Op::Or => self.b.or(x, of(1)?),
            Op::Xor => self.b.binary(Binary::Xor, x, of(1)?),
            Op::Shl => self.shift_left(x, of(1)?),
            Op::Shr => self.shift_right(x, of(1)?),
            Op::Eq => self.b.compare(Compare::Eq, x, of(1)?),
            Op::Ne => self.b.compare(Compare::Ne, x, of(1)?),
            Op::Lt => self.b.compare(Compare::Lt, x, of(1)?),
            Op::Le => self.b.compare(Compare::Le, x, of(1)?),
            Op::Gt => self.b.compare(Compare::Gt, x, of(1)?),
            Op::Ge => self.b.compare(Compare::Ge, x, of(1)?),
            Op::Select => self.b.select(x, of(1)?, of(2)?),
            Op::Cast => self.b.convert(to, x),
            Op::ReduceSum
            | Op::ReduceProd
            | Op::ReduceMax
            | Op::ReduceMin
            | Op::ReduceAll
            | Op::ReduceAny => {
                return Err(broken("a reduction is not elementwise"));
            }
            Op::ArgMax | Op::ArgMin | Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Index => {
                return Err(broken("a move is not elementwise"));
            }
            Op::Gather | Op::Concat | Op::Matmul | Op::Const | Op::Range | Op::Dim | Op::Cond | Op::While => {
                return Err(broken("the op is not elementwise"));
            }
            Op::Print | Op::Check => return Err(broken("an effect is not elementwise")),
        })
    }

    fn math(&mut self, math: Math, args: &[Var]) -> Var {
        let ty = self.b.ty(args[0]);
        let float = if ty == Ty::F32 { MathFloat::F32 } else { MathFloat::F64 };
        self.b.call(ty, Callee::Kernel(math.function(float)), args.to_vec())
    }

    /// A constant of any number type.
    pub(super) fn number(&mut self, ty: Ty, value: i64) -> Var {
        if ty.is_float() { self.b.real(ty, value as f64) } else { self.b.int(ty, value) }
    }

    /// -1, 0 or 1; NaN of NaN, and 0 of -0.
    fn sign(&mut self, x: Var) -> Var {
        let ty = self.b.ty(x);
        let [zero, one, minus] = [0, 1, -1].map(|value| self.number(ty, value));
        let (above, below) = (self.b.compare(Compare::Gt, x, zero), self.b.compare(Compare::Lt, x, zero));
        let natural = self.b.add(x, zero);
        let rest = self.b.select(below, minus, natural);
        self.b.select(above, one, rest)
    }

    /// The first of equals; NaN if either is.
    pub(super) fn extreme(&mut self, better: Compare, x: Var, y: Var) -> Var {
        let mut first = self.b.compare(better, x, y);
        if self.b.ty(x).is_float() {
            let nan = self.b.compare(Compare::Ne, x, x);
            first = self.b.or(first, nan);
        }
        self.b.select(first, x, y)
    }

    fn power(&mut self, x: Var, y: Var) -> Var {
        if self.b.known(y) == Some(2) || self.b.known_real(y) == Some(2.0) {
            return self.b.mul(x, x);
        }
        let ty = self.b.ty(x);
        if ty.is_float() {
            return self.math(Math::Pow, &[x, y]);
        }
        let zero = self.b.int(ty, 0);
        let ok = self.b.compare(Compare::Ge, y, zero);
        self.guard(ok, Report::NegativePower, Vec::new());
        let function = if ty == Ty::I32 { pow_i32() } else { pow_i64() };
        self.b.call(ty, Callee::Kernel(function), vec![x, y])
    }

    fn shift_left(&mut self, x: Var, y: Var) -> Var {
        let ty = self.b.ty(x);
        let (width, zero) = (self.b.int(ty, ty.bits()), self.b.int(ty, 0));
        let inside = self.b.compare(Compare::Below, y, width);
        let shifted = self.b.binary(Binary::Shl, x, y);
        self.b.select(inside, shifted, zero)
    }

    fn shift_right(&mut self, x: Var, y: Var) -> Var {
        let ty = self.b.ty(x);
        let (width, most) = (self.b.int(ty, ty.bits()), self.b.int(ty, ty.bits() - 1));
        let inside = self.b.compare(Compare::Below, y, width);
        let amount = self.b.select(inside, y, most);
        self.b.binary(Binary::Sar, x, amount)
    }
}

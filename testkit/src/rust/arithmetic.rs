//! Rust's operators as operations of the graph.

use gw_base::Diagnostic;
use gw_ir::{BinaryOp, CompareOp, Op, UnaryOp};
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::{DType, Scalar};

use super::host::{Rust, refusal};
use super::{Frame, Value};

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident = $op:path;)*) => {
        impl Frame<'_> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// Fails if the operands do not fit.
            pub fn $name(&self, x: Value, y: Value) -> Result<Value, Diagnostic> {
                let operands = [self.host.staged(x)?, self.host.staged(y)?];
                self.host.call(&Call::binary($op), &operands).map(Value::Staged)
            }
        )*}
    };
}

operators! {
    /// `x + y`
    add = BinaryOp::Add;
    /// `x - y`
    sub = BinaryOp::Sub;
    /// `x * y`
    mul = BinaryOp::Mul;
    /// `x == y`
    eq = CompareOp::Eq;
    /// `x != y`
    ne = CompareOp::Ne;
    /// `x < y`
    lt = CompareOp::Lt;
    /// `x <= y`
    le = CompareOp::Le;
    /// `x > y`
    gt = CompareOp::Gt;
    /// `x >= y`
    ge = CompareOp::Ge;
}

impl Frame<'_> {
    /// `x / y`: of integers, toward zero.
    ///
    /// # Errors
    /// Fails if the operands do not fit.
    pub fn div(&self, x: Value, y: Value) -> Result<Value, Diagnostic> {
        let [x, y] = [self.host.staged(x)?, self.host.staged(y)?];
        if self.host.dtype(x).is_float() {
            return self.host.call(&Call::binary(BinaryOp::Div), &[x, y]).map(Value::Staged);
        }
        let quotient = self.host.call(&Call::binary(BinaryOp::FloorDiv), &[x, y])?;
        let (_, is_below) = self.host.remainder(x, y)?;
        let one = self.host.call(&Call::Cast(DType::I64), &[is_below])?;
        self.host.call(&Call::wrapping(BinaryOp::Add), &[quotient, one]).map(Value::Staged)
    }

    /// `x % y` of integers, with the sign of `x`.
    ///
    /// # Errors
    /// Fails if the operands do not fit.
    pub fn rem(&self, x: Value, y: Value) -> Result<Value, Diagnostic> {
        let [x, y] = [self.host.staged(x)?, self.host.staged(y)?];
        if self.host.dtype(x).is_float() {
            return Err(refusal("the toy takes `%` of integers only"));
        }
        let (remainder, is_below) = self.host.remainder(x, y)?;
        let less = self.host.call(&Call::wrapping(BinaryOp::Sub), &[remainder, y])?;
        self.host.call(&Call::Select, &[is_below, less, remainder]).map(Value::Staged)
    }

    /// `-x`
    ///
    /// # Errors
    /// Fails if the operand does not fit.
    pub fn neg(&self, x: Value) -> Result<Value, Diagnostic> {
        match x {
            Value::Number(Scalar::Int(n)) => Ok(super::int(n.wrapping_neg())),
            Value::Number(Scalar::Float(n)) => Ok(super::float(-n)),
            Value::Number(_) | Value::Staged(_) | Value::Empty | Value::Unbound => {
                self.unary(Op::Unary(UnaryOp::Neg), x)
            }
        }
    }

    /// `!x` of a bool.
    ///
    /// # Errors
    /// Fails if the operand does not fit.
    pub fn not(&self, x: Value) -> Result<Value, Diagnostic> {
        self.unary(Op::Unary(UnaryOp::Not), x)
    }

    /// `x.abs()`
    ///
    /// # Errors
    /// Fails if the operand does not fit.
    pub fn abs(&self, x: Value) -> Result<Value, Diagnostic> {
        self.unary(Op::Unary(UnaryOp::Abs), x)
    }

    /// `x.sqrt()`
    ///
    /// # Errors
    /// Fails if the operand does not fit.
    pub fn sqrt(&self, x: Value) -> Result<Value, Diagnostic> {
        self.unary(Op::Unary(UnaryOp::Sqrt), x)
    }

    /// `x as f64`
    ///
    /// # Errors
    /// Fails if the operand does not fit.
    pub fn as_f64(&self, x: Value) -> Result<Value, Diagnostic> {
        self.host.call(&Call::Cast(DType::F64), &[self.host.staged(x)?]).map(Value::Staged)
    }

    /// `x as i64`
    ///
    /// # Errors
    /// Fails if a float becomes an integer.
    pub fn as_i64(&self, x: Value) -> Result<Value, Diagnostic> {
        let x = self.host.staged(x)?;
        if self.host.dtype(x).is_float() {
            return Err(refusal("the toy turns no float into an integer"));
        }
        self.host.call(&Call::Cast(DType::I64), &[x]).map(Value::Staged)
    }

    /// `x as usize`, which is an `i64` here: numbers below zero, which Rust wraps to large ones, fail.
    ///
    /// # Errors
    /// Fails if a float becomes an integer.
    pub fn as_usize(&self, x: Value) -> Result<Value, Diagnostic> {
        let x = self.as_i64(x)?;
        self.host.not_below_zero(self.host.staged(x)?)?;
        Ok(x)
    }

    fn unary(&self, op: Op, x: Value) -> Result<Value, Diagnostic> {
        self.host.call(&Call::Unary(op), &[self.host.staged(x)?]).map(Value::Staged)
    }
}

impl Rust {
    pub(super) fn dtype(&self, x: Staged) -> DType {
        gw_trace::Host::trace(self).ty(x.value).dtype
    }

    /// The remainder that has the sign of the divisor, and whether Rust's has another sign: then the quotient of the graph is
    /// one below Rust's.
    fn remainder(&self, x: Staged, y: Staged) -> Result<(Staged, Staged), Diagnostic> {
        let zero = self.constant(Scalar::Int(0));
        let compare = |op, x, y| self.call(&Call::Binary(op), &[x, y]);
        let remainder = self.call(&Call::wrapping(BinaryOp::Mod), &[x, y])?;
        let is_rest = compare(Op::Compare(CompareOp::Ne), remainder, zero)?;
        let signs_differ = compare(
            Op::Compare(CompareOp::Ne),
            compare(Op::Compare(CompareOp::Lt), x, zero)?,
            compare(Op::Compare(CompareOp::Lt), y, zero)?,
        )?;
        Ok((remainder, compare(Op::Binary(BinaryOp::And), is_rest, signs_differ)?))
    }
}

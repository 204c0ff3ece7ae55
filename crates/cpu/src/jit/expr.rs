//! Expressions of the loop IR as Cranelift instructions.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;
use gw_base::Id;
use gw_runtime::Context;

use super::context::{Emit, clif};
use super::object::Symbol;
use crate::loops::{Binary, Compare, Expr, Field, Ty, Unary, Var};

/// Addresses have room for constants of so many elements.
const FARTHEST: u64 = 1 << 24;

impl Emit<'_> {
    pub(super) fn expr(&mut self, ty: Ty, expr: &Expr) -> Value {
        match expr {
            Expr::Int(value) => self.b.ins().iconst(clif(ty), narrowed(ty, *value)),
            Expr::Real(value) if ty == Ty::F32 => self.b.ins().f32const(*value as f32),
            Expr::Real(value) => self.b.ins().f64const(*value),
            Expr::Literal(at) => {
                let address = self.pieces.address(Symbol::Literal(*at), self.b.func);
                self.b.ins().symbol_value(types::I64, address)
            }
            Expr::Field(field) => self.field(*field),
            Expr::Unary(unary, x) => self.unary(*unary, *x),
            Expr::Binary(binary, x, y) => self.binary(*binary, *x, *y),
            Expr::Overflows(binary, x, y) => self.with_overflow(*binary, *x, *y)[1],
            Expr::Compare(compare, x, y) => self.compare(*compare, *x, *y),
            Expr::Select(c, x, y) => {
                let [c, x, y] = [*c, *x, *y].map(|v| self.value(v));
                self.b.ins().select(c, x, y)
            }
            Expr::Convert(x) => self.convert(ty, *x),
            Expr::Load(ptr, index) => {
                let (base, offset) = self.address(*ptr, *index, ty.size());
                self.b.ins().load(clif(ty), MemFlagsData::trusted(), base, offset)
            }
            Expr::Offset(ptr, index, of) => {
                let (base, offset) = self.address(*ptr, *index, of.size());
                let offset = self.b.ins().iconst(types::I64, i64::from(offset));
                self.b.ins().iadd(base, offset)
            }
            Expr::Room => {
                let (here, end) = (
                    self.b.ins().get_stack_pointer(types::I64),
                    self.context_word(offset_of!(Context, stack_end)),
                );
                self.b.ins().icmp(IntCC::UnsignedGreaterThan, here, end)
            }
            Expr::Call(callee, args) => match self.call(callee, args) {
                Some(value) => value,
                None => self.b.ins().iconst(types::I64, 0),
            },
        }
    }

    fn field(&mut self, field: Field) -> Value {
        let context = self.context;
        match field {
            Field::Context => context,
            Field::Args => self.context_word(offset_of!(Context, args)),
            Field::Outs => self.context_word(offset_of!(Context, outs)),
            Field::Slots => self.context_word(offset_of!(Context, slots)),
            Field::Scratch => self.context_word(offset_of!(Context, scratch)),
            Field::Ticks => {
                let offset = self.b.ins().iconst(types::I64, offset_of!(Context, ticks) as i64);
                self.b.ins().iadd(context, offset)
            }
            Field::Activation => {
                let offset = self.b.ins().iconst(types::I64, offset_of!(Context, activation) as i64);
                self.b.ins().iadd(context, offset)
            }
        }
    }

    /// Base and constant offset of `ptr[index]`.
    pub(super) fn address(&mut self, ptr: Var, index: Var, size: usize) -> (Value, i32) {
        let base = self.value(ptr);
        let fixed = self.known[index.index()].and_then(|i| i.checked_mul(size as i64));
        if let Some(offset) = fixed.and_then(|offset| i32::try_from(offset).ok()) {
            return (base, offset);
        }
        let index = self.value(index);
        let (index, more) = self.sums.get(&index).copied().unwrap_or((index, 0));
        let offset = more.checked_mul(size as i64).and_then(|offset| i32::try_from(offset).ok()).unwrap_or(0);
        let shift = self.b.ins().iconst(types::I64, i64::from(size.trailing_zeros()));
        let scaled = if size == 1 { index } else { self.b.ins().ishl(index, shift) };
        (self.b.ins().iadd(base, scaled), offset)
    }

    /// Notes that a number is another one with a constant added.
    pub(super) fn note_sum(&mut self, expr: &Expr, made: Value) {
        let Expr::Binary(binary @ (Binary::Add | Binary::Sub), x, y) = *expr else { return };
        let known = [x, y].map(|var| self.known[var.index()]);
        let (of, by) = match (binary, known) {
            (Binary::Sub, [_, Some(by)]) => (x, by.checked_neg()),
            (Binary::Sub, [_, None]) => return,
            (_, [_, Some(by)]) => (x, Some(by)),
            (_, [Some(by), None]) => (y, Some(by)),
            (_, [None, None]) => return,
        };
        let Some(by) = by.filter(|by| by.unsigned_abs() <= FARTHEST && self.ty(of) == Ty::I64) else {
            return;
        };
        let of = self.value(of);
        self.add_sum(made, of, by);
    }

    /// Notes that `made` is `of + by`.
    pub(super) fn add_sum(&mut self, made: Value, of: Value, by: i64) {
        let (root, before) = self.sums.get(&of).copied().unwrap_or((of, 0));
        let all = before + by;
        if all.unsigned_abs() <= FARTHEST {
            self.sums.insert(made, (root, all));
        }
    }

    fn unary(&mut self, unary: Unary, x: Var) -> Value {
        let ty = self.ty(x);
        let x = self.value(x);
        self.unary_on(unary, ty, x)
    }

    /// Of a number of this type, or of a vector of such.
    pub(super) fn unary_on(&mut self, unary: Unary, ty: Ty, x: Value) -> Value {
        match unary {
            Unary::Neg if ty.is_float() => self.b.ins().fneg(x),
            Unary::Neg => self.b.ins().ineg(x),
            Unary::Abs if ty.is_float() => self.b.ins().fabs(x),
            Unary::Abs => self.b.ins().iabs(x),
            Unary::Not if ty == Ty::Bool => {
                let one = self.b.ins().iconst(types::I8, 1);
                self.b.ins().bxor(x, one)
            }
            Unary::Not => self.b.ins().bnot(x),
            Unary::Sqrt => self.b.ins().sqrt(x),
            Unary::Floor => self.b.ins().floor(x),
            Unary::Ceil => self.b.ins().ceil(x),
            Unary::Nearest => self.b.ins().nearest(x),
        }
    }

    fn binary(&mut self, binary: Binary, x: Var, y: Var) -> Value {
        let float = self.ty(x).is_float();
        if binary == Binary::Mul && !float {
            let shifts = [x, y].map(|var| self.known[var.index()].and_then(shift_and_add));
            match shifts {
                [_, Some(shift)] => return self.shifted_and_added(x, shift),
                [Some(shift), None] => return self.shifted_and_added(y, shift),
                [None, None] => {}
            }
        }
        let [x, y] = [x, y].map(|v| self.value(v));
        self.binary_on(binary, float, x, y)
    }

    /// `(x << shift) + x`
    fn shifted_and_added(&mut self, x: Var, shift: i64) -> Value {
        let x = self.value(x);
        let shift = self.b.ins().iconst(types::I32, shift);
        let shifted = self.b.ins().ishl(x, shift);
        self.b.ins().iadd(shifted, x)
    }

    /// Of numbers, or of vectors.
    pub(super) fn binary_on(&mut self, binary: Binary, float: bool, x: Value, y: Value) -> Value {
        match binary {
            Binary::Add if float => self.b.ins().fadd(x, y),
            Binary::Sub if float => self.b.ins().fsub(x, y),
            Binary::Mul if float => self.b.ins().fmul(x, y),
            Binary::Div if float => self.b.ins().fdiv(x, y),
            Binary::Add => self.b.ins().iadd(x, y),
            Binary::Sub => self.b.ins().isub(x, y),
            Binary::Mul => self.b.ins().imul(x, y),
            Binary::Div => self.b.ins().sdiv(x, y),
            Binary::ShortDiv => self.short(x, y, |b, x, y| b.ins().udiv(x, y)),
            Binary::ShortRest => self.short(x, y, |b, x, y| b.ins().urem(x, y)),
            Binary::MulHigh => self.multiply_high(x, y),
            Binary::MulSaturating => self.multiply_saturating(x, y),
            Binary::And => self.b.ins().band(x, y),
            Binary::Or => self.b.ins().bor(x, y),
            Binary::Xor => self.b.ins().bxor(x, y),
            Binary::Shl => self.b.ins().ishl(x, y),
            Binary::Sar => self.b.ins().sshr(x, y),
            Binary::Shr => self.b.ins().ushr(x, y),
        }
    }

    /// Of the lower halves of words, which takes a machine less time; the upper halves are zero.
    fn short(&mut self, x: Value, y: Value, of: fn(&mut FunctionBuilder, Value, Value) -> Value) -> Value {
        if self.b.func.dfg.value_type(x) == types::I32 {
            return of(&mut self.b, x, y);
        }
        let [x, y] = [x, y].map(|word| self.b.ins().ireduce(types::I32, word));
        let half = of(&mut self.b, x, y);
        self.b.ins().uextend(types::I64, half)
    }

    /// Of halves by a product of words, which leaves the registers free.
    fn multiply_high(&mut self, x: Value, y: Value) -> Value {
        if self.b.func.dfg.value_type(x) != types::I32 {
            return self.b.ins().umulhi(x, y);
        }
        let [x, y] = [x, y].map(|half| self.b.ins().uextend(types::I64, half));
        let product = self.b.ins().imul(x, y);
        let half = self.b.ins().iconst(types::I64, 32);
        let high = self.b.ins().ushr(product, half);
        self.b.ins().ireduce(types::I32, high)
    }

    /// Neither operand is negative, so the product fits if its upper half and its sign are zero.
    fn multiply_saturating(&mut self, x: Value, y: Value) -> Value {
        let (low, high) = (self.b.ins().imul(x, y), self.b.ins().umulhi(x, y));
        let zero = self.b.ins().iconst(types::I64, 0);
        let most = self.b.ins().iconst(types::I64, i64::MAX);
        let sign = self.b.ins().icmp(IntCC::SignedLessThan, low, zero);
        let over = self.b.ins().icmp(IntCC::NotEqual, high, zero);
        let wrong = self.b.ins().bor(sign, over);
        self.b.ins().select(wrong, most, low)
    }

    fn compare(&mut self, compare: Compare, x: Var, y: Var) -> Value {
        let float = self.ty(x).is_float();
        let [x, y] = [x, y].map(|v| self.value(v));
        match compare {
            // NaN alone is not itself.
            Compare::Eq if float && x == y => self.b.ins().fcmp(FloatCC::Ordered, x, x),
            Compare::Ne if float && x == y => self.b.ins().fcmp(FloatCC::Unordered, x, x),
            Compare::Eq | Compare::Ne | Compare::Lt => self.compare_on(compare, float, x, y),
            Compare::Le | Compare::Gt | Compare::Ge | Compare::Below => self.compare_on(compare, float, x, y),
        }
    }

    /// Of numbers, or of vectors.
    pub(super) fn compare_on(&mut self, compare: Compare, float: bool, x: Value, y: Value) -> Value {
        if float {
            // Cranelift makes one instruction of `x if x < y else y`, and of nothing that is written otherwise.
            let (code, x, y) = match compare {
                Compare::Eq => (FloatCC::Equal, x, y),
                Compare::Ne => (FloatCC::NotEqual, x, y),
                Compare::Lt | Compare::Below => (FloatCC::LessThan, x, y),
                Compare::Le => (FloatCC::LessThanOrEqual, x, y),
                Compare::Gt => (FloatCC::LessThan, y, x),
                Compare::Ge => (FloatCC::LessThanOrEqual, y, x),
            };
            return self.b.ins().fcmp(code, x, y);
        }
        let code = match compare {
            Compare::Eq => IntCC::Equal,
            Compare::Ne => IntCC::NotEqual,
            Compare::Lt => IntCC::SignedLessThan,
            Compare::Le => IntCC::SignedLessThanOrEqual,
            Compare::Gt => IntCC::SignedGreaterThan,
            Compare::Ge => IntCC::SignedGreaterThanOrEqual,
            Compare::Below => IntCC::UnsignedLessThan,
        };
        self.b.ins().icmp(code, x, y)
    }

    fn convert(&mut self, to: Ty, x: Var) -> Value {
        let from = self.ty(x);
        let x = self.value(x);
        match (from, to) {
            (Ty::F32 | Ty::F64, Ty::Bool) => {
                let single = from == Ty::F32;
                let zero = if single { self.b.ins().f32const(0.0) } else { self.b.ins().f64const(0.0) };
                self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
            }
            (Ty::I32 | Ty::I64, Ty::Bool) => {
                let zero = self.b.ins().iconst(clif(from), 0);
                self.b.ins().icmp(IntCC::NotEqual, x, zero)
            }
            (Ty::Bool, Ty::I32 | Ty::I64) => self.b.ins().uextend(clif(to), x),
            (Ty::Bool, Ty::F32 | Ty::F64) => {
                let wide = self.b.ins().uextend(types::I32, x);
                self.b.ins().fcvt_from_sint(clif(to), wide)
            }
            (Ty::I32, Ty::I64) => self.b.ins().sextend(types::I64, x),
            (Ty::I64, Ty::I32) => self.b.ins().ireduce(types::I32, x),
            (Ty::I32 | Ty::I64, Ty::F32 | Ty::F64) => self.b.ins().fcvt_from_sint(clif(to), x),
            (Ty::F32 | Ty::F64, Ty::I32 | Ty::I64) => self.b.ins().fcvt_to_sint_sat(clif(to), x),
            (Ty::F32, Ty::F64) => self.b.ins().fpromote(types::F64, x),
            (Ty::F64, Ty::F32) => self.b.ins().fdemote(types::F32, x),
            (Ty::F32, Ty::F32) | (Ty::F64, Ty::F64) | (Ty::Bool, Ty::Bool) => x,
            (Ty::I32, Ty::I32) | (Ty::I64, Ty::I64) => x,
            (Ty::I8 | Ty::I16, to) => self.b.ins().sextend(clif(to), x),
            (Ty::U8 | Ty::U16 | Ty::U32, to) => self.b.ins().uextend(clif(to), x),
            (_, narrow @ (Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32)) => {
                self.b.ins().ireduce(clif(narrow), x)
            }
            (Ty::Ptr, _) | (_, Ty::Ptr) => x,
        }
    }
}

/// The shift that makes a product with this factor one addition of an address, which takes less time.
fn shift_and_add(factor: i64) -> Option<i64> {
    match factor {
        3 => Some(1),
        5 => Some(2),
        9 => Some(3),
        _ => None,
    }
}

/// Cranelift wants the bits above a narrow constant to be zero.
fn narrowed(ty: Ty, value: i64) -> i64 {
    match ty {
        Ty::Bool => value & 1,
        Ty::I8 | Ty::U8 => i64::from(value as u8),
        Ty::I16 | Ty::U16 => i64::from(value as u16),
        Ty::I32 | Ty::U32 => i64::from(value as u32),
        Ty::I64 | Ty::F32 | Ty::F64 | Ty::Ptr => value,
    }
}

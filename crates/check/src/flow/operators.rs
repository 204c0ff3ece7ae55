//! Operators with two operands and comparisons, of tensors and of Python's numbers.

use gw_syntax::{CmpOp, ExprId, Operator};

use super::Walk;
use crate::ops::{self, Arithmetic};
use crate::value::Value;

impl Walk<'_, '_> {
    /// `left op right`
    pub(super) fn binary(
        &mut self,
        op: Operator,
        a: &Value,
        b: &Value,
        left: ExprId,
        right: ExprId,
        at: ExprId,
    ) -> Value {
        if !matches!(a, Value::Tensor(_)) && !matches!(b, Value::Tensor(_)) {
            return of_python(op, a, b);
        }
        let words = (self.words(left), self.words(right));
        let found = match op {
            Operator::MatMult => ops::matmul(a, b, false, false, words),
            Operator::Div => ops::elementwise(Arithmetic::Divide, a, b, words),
            Operator::Pow => ops::elementwise(Arithmetic::Power, a, b, words),
            Operator::Add
            | Operator::Sub
            | Operator::Mult
            | Operator::Mod
            | Operator::FloorDiv
            | Operator::LShift
            | Operator::RShift
            | Operator::BitOr
            | Operator::BitXor
            | Operator::BitAnd => ops::elementwise(Arithmetic::Same, a, b, words),
        };
        self.judged(found, at)
    }

    /// The value of an operation, or what is wrong with it.
    pub(super) fn judged(&mut self, found: Result<Value, ops::Misfit>, at: ExprId) -> Value {
        let value = found.unwrap_or_else(|misfit| self.misfit(misfit, at));
        if matches!(value, Value::Tensor(_)) {
            self.checker.operations += 1;
        }
        value
    }

    pub(super) fn compared(
        &mut self,
        op: CmpOp,
        a: &Value,
        b: &Value,
        left: ExprId,
        right: ExprId,
        at: ExprId,
    ) -> Value {
        if matches!(op, CmpOp::Is | CmpOp::IsNot) {
            return is_none(op, a, b);
        }
        if matches!(op, CmpOp::In | CmpOp::NotIn) {
            return Value::Unknown;
        }
        if matches!(a, Value::Tensor(_)) || matches!(b, Value::Tensor(_)) {
            let is_equality = matches!(op, CmpOp::Eq | CmpOp::NotEq);
            if is_equality && !(ops::is_operand(a) && ops::is_operand(b)) {
                return Value::Unknown;
            }
            let words = (self.words(left), self.words(right));
            return self.judged(ops::elementwise(Arithmetic::Compare, a, b, words), at);
        }
        of_constants(op, a, b)
    }
}

fn of_python(op: Operator, a: &Value, b: &Value) -> Value {
    let (Some(x), Some(y)) = (a.number(), b.number()) else { return Value::Unknown };
    let is_float = [x, y].iter().any(|number| number.kind() == gw_types::Kind::Float);
    match (op, a.integer(), b.integer()) {
        (Operator::Add, Some(x), Some(y)) => Value::Int(x.checked_add(y)),
        (Operator::Sub, Some(x), Some(y)) => Value::Int(x.checked_sub(y)),
        (Operator::Mult, Some(x), Some(y)) => Value::Int(x.checked_mul(y)),
        (Operator::FloorDiv, Some(x), Some(y)) if y > 0 => Value::Int(Some(x.div_euclid(y))),
        (Operator::Mod, Some(x), Some(y)) if y > 0 => Value::Int(Some(x.rem_euclid(y))),
        (Operator::Add | Operator::Sub | Operator::Mult, ..) if is_float => Value::Float,
        (Operator::Add | Operator::Sub | Operator::Mult | Operator::FloorDiv | Operator::Mod, ..)
            if !is_float =>
        {
            Value::Int(None)
        }
        (Operator::Div, ..) => Value::Float,
        _ => Value::Unknown,
    }
}

fn is_none(op: CmpOp, a: &Value, b: &Value) -> Value {
    let is_known = *a != Value::Unknown && *b == Value::None;
    Value::Bool(is_known.then_some((*a == Value::None) == (op == CmpOp::Is)))
}

fn of_constants(op: CmpOp, a: &Value, b: &Value) -> Value {
    if let (Some(x), Some(y)) = (a.integer(), b.integer()) {
        let truth = match op {
            CmpOp::Eq => x == y,
            CmpOp::NotEq => x != y,
            CmpOp::Lt => x < y,
            CmpOp::LtE => x <= y,
            CmpOp::Gt => x > y,
            CmpOp::GtE => x >= y,
            CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn => return Value::Unknown,
        };
        return Value::Bool(Some(truth));
    }
    let are_texts = matches!((a, b), (Value::Str(_), Value::Str(_)) | (Value::DType(_), Value::DType(_)));
    let is_equality = matches!(op, CmpOp::Eq | CmpOp::NotEq);
    if are_texts && is_equality { Value::Bool(Some((a == b) == (op == CmpOp::Eq))) } else { Value::Unknown }
}

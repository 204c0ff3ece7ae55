//! Elementwise calls: how host numbers and tensors meet, then one op or a few.

use gw_base::Code;
use gw_ir::{Attr, Builder, CheckKind, Op, Piece, PrintFormat, Stream, Unfit, ValueId};
use gw_types::{DType, Kind, Number, Scalar, join_weak, true_division};

use super::reduce::reduce;
use super::{cast, scalar};
use crate::{Staged, describe};

pub(super) fn unary(b: &mut Builder, op: Op, x: Staged) -> Result<Staged, Unfit> {
    let x = if of_reals(op) && x.weak.is_some() { as_number(b, x, Number::Float)? } else { x };
    let attr = b.arithmetic(op, &[x.value]);
    let value = b.op(op, attr, &[x.value])?;
    Ok(keep_weak(b, value, x.weak))
}

/// Functions of real numbers, for which a host integer is a real number.
fn of_reals(op: Op) -> bool {
    use Op::*;
    matches!(op, Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt | Sin | Cos | Tan | Atan | Tanh | Erf)
}

pub(super) fn binary(b: &mut Builder, op: Op, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    if op == Op::Pow && is_two(b, y) && b.ty(x.value).dtype != DType::Bool {
        return binary(b, Op::Mul, x, x);
    }
    let (x, y, weak) = meet(b, op, x, y)?;
    let op = if op == Op::Add && !b.ty(x).dtype.is_number() { Op::Append } else { op };
    let attr = b.arithmetic(op, &[x, y]);
    let value = b.op(op, attr, &[x, y])?;
    Ok(keep_weak(b, value, weak))
}

/// The same for the compiler's own arithmetic, which is never checked for overflow.
pub(super) fn wrapping(b: &mut Builder, op: Op, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let (x, y, weak) = meet(b, op, x, y)?;
    let value = b.op(op, Attr::None, &[x, y])?;
    Ok(keep_weak(b, value, weak))
}

pub(super) fn true_div(b: &mut Builder, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let known = literal(b, y).is_some_and(|y| y.to_f64() != 0.0);
    let (x, y, weak) = meet(b, Op::Div, x, y)?;
    if !b.ty(x).dtype.is_number() {
        return b.op(Op::Div, Attr::None, &[x, y]).map(Staged::strong);
    }
    if !known && !b.ty(y).dtype.is_float() {
        not_zero(b, y)?;
    }
    let dtype = if weak.is_some() { Number::Float.own_dtype() } else { true_division(b.ty(x).dtype) };
    let (x, y) = (cast(b, x, dtype)?, cast(b, y, dtype)?);
    let value = b.op(Op::Div, Attr::None, &[x, y])?;
    Ok(Staged { value, weak: weak.map(|_| Number::Float) })
}

/// Integers raise where they divide by zero, also when the quotient is a float; floats have infinity.
fn not_zero(b: &mut Builder, divisor: ValueId) -> Result<(), Unfit> {
    let zero = scalar(b, b.ty(divisor).dtype, Scalar::Int(0));
    let differs = b.op(Op::Ne, Attr::None, &[divisor, zero])?;
    let scalar = b.ty(differs).is_scalar();
    let ok = if scalar { differs } else { reduce(b, Op::ReduceAll, differs, None, false)?.value };
    let text = vec![Piece::Text("division by zero".to_owned())];
    let message = PrintFormat { pieces: text, stream: Stream::Stderr, summarize: None };
    b.effect(Op::Check, Attr::Check { kind: CheckKind::ZeroDivision, message }, &[ok])
}

pub(super) fn select(b: &mut Builder, c: Staged, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let (x, y, weak) = meet(b, Op::Select, x, y)?;
    let value = b.op(Op::Select, Attr::None, &[c.value, x, y])?;
    Ok(Staged { value, weak })
}

pub(super) fn sigmoid(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    let minus = unary(b, Op::Neg, x)?;
    let e = unary(b, Op::Exp, minus)?;
    let one = weak_number(b, 1);
    let sum = binary(b, Op::Add, one, e)?;
    true_div(b, one, sum)
}

pub(super) fn relu(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    let zero = weak_number(b, 0);
    binary(b, Op::Max, x, zero)
}

pub(super) fn clip(b: &mut Builder, x: Staged, low: Staged, high: Staged) -> Result<Staged, Unfit> {
    let raised = binary(b, Op::Max, x, low)?;
    binary(b, Op::Min, raised, high)
}

fn weak_number(b: &mut Builder, n: i64) -> Staged {
    Staged { value: scalar(b, Number::Int.own_dtype(), Scalar::Int(n)), weak: Some(Number::Int) }
}

/// Both operands in the type in which they meet, and whether the result is weak.
fn meet(b: &mut Builder, op: Op, x: Staged, y: Staged) -> Result<(ValueId, ValueId, Option<Number>), Unfit> {
    let (x_type, y_type) = (b.ty(x.value).dtype, b.ty(y.value).dtype);
    let (dtype, weak) = match (x.weak, y.weak) {
        (None, None) if x_type == y_type => (x_type, None),
        (None, None) => return Err(differ(b, x, y)),
        _ if !x_type.is_number() || !y_type.is_number() => return Err(differ(b, x, y)),
        (None, Some(n)) => (beside(b, op, x_type, y, n), None),
        (Some(n), None) => (beside(b, op, y_type, x, n), None),
        (Some(m), Some(n)) => {
            let number = if arithmetic(op) { m.max(n).max(Number::Int) } else { m.max(n) };
            let widest = [x_type, y_type].into_iter().filter(|d| d.kind() == number.kind()).max();
            (widest.unwrap_or(number.own_dtype()), Some(number))
        }
    };
    check_fits(b, x, dtype)?;
    check_fits(b, y, dtype)?;
    Ok((narrowed(b, x, dtype)?, narrowed(b, y, dtype)?, weak))
}

/// An operand in the type in which it meets the other: a host integer that is too large for that overflows.
fn narrowed(b: &mut Builder, x: Staged, dtype: DType) -> Result<ValueId, Unfit> {
    let from = b.ty(x.value);
    let narrows = from.is_scalar() && from.dtype == DType::I64 && dtype == DType::I32;
    if narrows && x.weak.is_some() && b.checks_overflow() && literal(b, x).is_none() {
        return b.op(Op::Cast, Attr::ToChecked(dtype), &[x.value]);
    }
    cast(b, x.value, dtype)
}

/// The type in which a tensor of `dtype` meets a host number. A comparison of integers with a float, or with an integer
/// that may be wider than the tensor's type, is made in the wider type, so that nothing changes before it is compared.
fn beside(b: &Builder, op: Op, dtype: DType, number: Staged, kind: Number) -> DType {
    let compares = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
    let wider = kind == Number::Float || (kind == Number::Int && !fits(b, number, dtype));
    if compares && dtype.is_int() && wider {
        return kind.own_dtype();
    }
    join_weak(dtype, kind)
}

/// A host integer that is written in the program must fit the tensor's type; it would wrap silently.
fn check_fits(b: &Builder, number: Staged, dtype: DType) -> Result<(), Unfit> {
    match literal(b, number) {
        Some(Scalar::Int(n))
            if number.weak.is_some() && dtype.is_int() && Scalar::Int(n).cast(dtype) != Scalar::Int(n) =>
        {
            let message =
                format!("{n} does not fit `{}`, the type of the other operand", dtype.python_name());
            Err(Unfit { clause: "call.fits", code: Code::BadArgument, message })
        }
        Some(_) | None => Ok(()),
    }
}

fn fits(b: &Builder, number: Staged, dtype: DType) -> bool {
    literal(b, number).is_some_and(|n| n.cast(dtype) == n)
}

/// Ops for which Python's bools are the integers 0 and 1.
fn arithmetic(op: Op) -> bool {
    use Op::*;
    matches!(op, Add | Sub | Mul | Div | FloorDiv | Mod | Pow | Shl | Shr)
}

fn differ(b: &Builder, x: Staged, y: Staged) -> Unfit {
    let numbers = [x, y].iter().all(|s| b.ty(s.value).dtype.is_number());
    let advice =
        if numbers { "convert one of them with `gw.cast`" } else { "strings and numbers do not mix" };
    let [x, y] = [x, y].map(|s| describe(b.ty(s.value), s.weak));
    Unfit {
        clause: "call.dtypes",
        code: Code::DTypesDiffer,
        message: format!("one operand is {x}, the other {y}; {advice}"),
    }
}

fn as_number(b: &mut Builder, x: Staged, number: Number) -> Result<Staged, Unfit> {
    if b.ty(x.value).dtype.kind() >= number.kind() {
        return Ok(x);
    }
    Ok(Staged { value: cast(b, x.value, number.own_dtype())?, weak: Some(number) })
}

/// A result is weak if its operands were, with the kind of number it has now.
fn keep_weak(b: &Builder, value: ValueId, weak: Option<Number>) -> Staged {
    let number = match b.ty(value).dtype.kind() {
        Kind::Text => None,
        Kind::Bool => Some(Number::Bool),
        Kind::Int => Some(Number::Int),
        Kind::Float => Some(Number::Float),
    };
    Staged { value, weak: weak.and(number) }
}

/// Whether a value is the host number 2, so that a power is a product.
fn is_two(b: &Builder, y: Staged) -> bool {
    y.weak.is_some() && literal(b, y).is_some_and(|n| n.to_f64() == 2.0)
}

/// The number that a value is, if it is written in the graph.
fn literal(b: &Builder, x: Staged) -> Option<Scalar> {
    let graph = b.graph();
    let Attr::Literal(literal) = &graph.nodes[graph.definer(x.value)?].attr else { return None };
    literal.as_scalar()
}

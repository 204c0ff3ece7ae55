//! Elementwise calls: how host numbers and tensors meet, then one op or a few.

use gw_base::Code;
use gw_ir::{
    Attr, BinaryOp, Builder, CheckKind, CompareOp, ForeignCall, Op, Piece, PrintFormat, Stream, StringOp,
    Takes, UnaryOp, Unfit, ValueId,
};
use gw_types::{DType, Kind, Number, Promotion, Scalar, true_division};

use super::compare::compare;
use super::meeting::{converted, is_single, meet, of_bools};
use super::steps::{cast, integer, scalar, written};
use crate::Staged;

pub(super) fn unary(b: &mut Builder, op: impl Into<Op>, x: Staged) -> Result<Staged, Unfit> {
    let op = op.into();
    let of_reals = op.takes() == Takes::Reals || op.takes() == Takes::Analytic;
    let x = if of_reals && x.weak.is_some() { as_number(b, x, Number::Float)? } else { x };
    let x = if op.arithmetic().is_some() { counted(b, x)? } else { x };
    let attr = b.arithmetic(op, &[x.value]);
    let value = b.op(op, attr, &[x.value])?;
    let weak = if of_reals { x.weak.and(Some(Number::Float)) } else { x.weak };
    Ok(keep_weak(b, value, weak))
}

/// A single bool as the integer that it is in Python's arithmetic.
fn counted(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    if b.ty(x.value).dtype != DType::Bool || !is_single(b, x) || b.promotion() == Promotion::Strict {
        let weak = x.weak.map(|number| number.max(Number::Int));
        return Ok(Staged { weak, ..x });
    }
    Ok(Staged { value: cast(b, x.value, Number::Int.own_dtype())?, weak: x.weak.map(|_| Number::Int) })
}

pub(super) fn binary(b: &mut Builder, op: impl Into<Op>, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let op = op.into();
    if let Op::Compare(op) = op {
        return compare(b, op, x, y);
    }
    if op == Op::Binary(BinaryOp::Pow) && is_square(b, x, y) {
        return binary(b, BinaryOp::Mul, x, x);
    }
    if takes_integers(op)
        && [x, y]
            .iter()
            .any(|operand| matches!(operand.weak, Some(Number::IntOrFloat | Number::FloatOrComplex)))
    {
        return Err(undecided());
    }
    if op == BinaryOp::FloorDiv.into() || op == BinaryOp::Mod.into() {
        not_zero_for_host(b, x, y)?;
    }
    let (x, y, weak) = meet(b, op, x, y)?;
    let op = of_bools(b, op, x);
    let op = if op == Op::Binary(BinaryOp::Add) && !b.ty(x).dtype.is_number() {
        Op::String(StringOp::Append)
    } else {
        op
    };
    let attr = b.arithmetic(op, &[x, y]);
    let value = b.op(op, attr, &[x, y])?;
    Ok(keep_weak(b, value, weak))
}

/// Ops of integers alone: Python's floats raise.
fn takes_integers(op: Op) -> bool {
    op.takes() == Takes::Ints || op.takes() == Takes::BoolsAndInts
}

/// The refusal of a number that is an integer on some paths, where Python computes it.
fn undecided() -> Unfit {
    let message = "this takes integers, and the number is an integer or a float where the graph decides; give it one \
                   type on all paths, or convert it with `int`";
    Unfit { clause: "call.undecided", code: Code::BranchesDisagree, message: message.to_owned() }
}

/// The same for the compiler's own arithmetic, which is never checked for overflow.
pub(super) fn wrapping(b: &mut Builder, op: Op, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let (x, y, weak) = meet(b, op, x, y)?;
    let value = b.op(op, Attr::None, &[x, y])?;
    Ok(keep_weak(b, value, weak))
}

/// A function of numbers that the process was given: operands take the types that it takes where these hold them.
pub(super) fn foreign(b: &mut Builder, call: &ForeignCall, args: &[Staged]) -> Result<Staged, Unfit> {
    let mut values = Vec::with_capacity(args.len());
    for (at, &arg) in args.iter().enumerate() {
        let own = b.ty(arg.value).dtype;
        let fits = |to: &DType| match arg.weak {
            Some(number) => number.kind().is_in(to.kind()),
            None => b.promotion().join(own, *to) == Some(*to),
        };
        values.push(match call.takes.get(at).copied().filter(fits) {
            Some(to) => converted(b, arg, to)?,
            None => arg.value,
        });
    }
    b.op(Op::Foreign, Attr::Foreign(call.clone()), &values).map(Staged::strong)
}

/// An op on the truths of its operands.
pub(super) fn logical(b: &mut Builder, op: Op, args: &[Staged]) -> Result<Staged, Unfit> {
    let mut truths = Vec::with_capacity(args.len());
    for arg in args {
        let dtype = b.ty(arg.value).dtype;
        let is_number = dtype != DType::Bool && dtype.is_number();
        truths.push(if is_number { cast(b, arg.value, DType::Bool)? } else { arg.value });
    }
    let value = b.op(op, Attr::None, &truths)?;
    let weak = args.iter().all(|arg| arg.weak.is_some()).then_some(Number::Bool);
    Ok(Staged { value, weak })
}

pub(super) fn true_div(b: &mut Builder, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let known = written(b, y.value).is_some_and(|y| y.to_f64() != 0.0);
    not_zero_for_host(b, x, y)?;
    let (x, y, weak) = meet(b, Op::Binary(BinaryOp::Div), x, y)?;
    if !b.ty(x).dtype.is_number() {
        return b.op(BinaryOp::Div, Attr::None, &[x, y]).map(Staged::strong);
    }
    let are_single = b.ty(x).is_scalar() && b.ty(y).is_scalar();
    if are_single && !known && b.ty(y).dtype.kind() <= Kind::Int {
        not_zero(b, y)?;
    }
    let weak = weak.map(|number| number.max(Number::Float));
    let dtype = weak.map_or_else(|| true_division(b.ty(x).dtype), Number::own_dtype);
    let (x, y) = (cast(b, x, dtype)?, cast(b, y, dtype)?);
    let value = b.op(BinaryOp::Div, Attr::None, &[x, y])?;
    Ok(Staged { value, weak })
}

/// The host's own numbers raise where they divide by zero. Floats of the graph do not; those that are integers on some paths do, for the host
/// raises on each path.
fn not_zero_for_host(b: &mut Builder, x: Staged, y: Staged) -> Result<(), Unfit> {
    let (Some(m), Some(n)) = (x.weak, y.weak) else { return Ok(()) };
    let is_known = written(b, y.value).is_some_and(|y| y.to_f64() != 0.0);
    if is_known || ![m, n].contains(&Number::IntOrFloat) || b.ty(y.value).dtype.kind() > Kind::Float {
        return Ok(());
    }
    not_zero(b, y.value)
}

/// Single integers raise where they divide by zero, as Python's do, though the quotient is a float. A quotient of an array is
/// infinite or NaN there, as NumPy's is.
fn not_zero(b: &mut Builder, divisor: ValueId) -> Result<(), Unfit> {
    let zero = scalar(b, b.ty(divisor).dtype, Scalar::Int(0));
    let ok = b.op(CompareOp::Ne, Attr::None, &[divisor, zero])?;
    fails_unless(b, ok, (CheckKind::ZeroDivision, "division by zero"), false)
}

/// The run fails unless `ok`; as a limit of the graph, or as the program's own language does.
pub(super) fn fails_unless(
    b: &mut Builder,
    ok: ValueId,
    (kind, text): (CheckKind, &str),
    limit: bool,
) -> Result<(), Unfit> {
    let pieces = vec![Piece::Text(text.to_owned())];
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    b.effect(Op::Check, Attr::Check { kind, message, limit }, &[ok])
}

pub(super) fn select(b: &mut Builder, c: Staged, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let (x, y, weak) = meet(b, Op::Select, x, y)?;
    let value = b.op(Op::Select, Attr::None, &[c.value, x, y])?;
    Ok(Staged { value, weak })
}

/// `e / (1 + e)` with `e = exp(x)` up to 0, `1 / (1 + e)` with `e = exp(-x)` above: `e` never overflows, so that neither the
/// result nor a derivative of it is lost far from 0.
pub(super) fn sigmoid(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    let minus = unary(b, UnaryOp::Neg, x)?;
    let (zero, one) = (integer(b, 0), integer(b, 1));
    let is_low = binary(b, CompareOp::Le, x, zero)?;
    let low = select(b, is_low, x, minus)?;
    let e = unary(b, UnaryOp::Exp, low)?;
    let above = select(b, is_low, e, one)?;
    let below = binary(b, BinaryOp::Add, one, e)?;
    true_div(b, above, below)
}

pub(super) fn relu(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    let zero = integer(b, 0);
    binary(b, BinaryOp::Max, x, zero)
}

pub(super) fn clip(b: &mut Builder, x: Staged, low: Staged, high: Staged) -> Result<Staged, Unfit> {
    let raised = binary(b, BinaryOp::Max, x, low)?;
    binary(b, BinaryOp::Min, raised, high)
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
        kind if weak.is_some_and(|number| number.kind() == kind) => weak,
        Kind::Bool => Some(Number::Bool),
        Kind::Int => Some(Number::Int),
        Kind::Float => Some(Number::Float),
        Kind::Complex => Some(Number::Complex),
    };
    Staged { value, weak: weak.and(number) }
}

/// True if a power is a product: the exponent is the host number 2, and the product of the base's type.
fn is_square(b: &Builder, x: Staged, y: Staged) -> bool {
    let dtype = b.ty(x.value).dtype;
    y.weak.is_some_and(|number| number.kind() <= dtype.kind())
        && written(b, y.value).is_some_and(|n| n.to_f64() == 2.0)
        && dtype != DType::Bool
}

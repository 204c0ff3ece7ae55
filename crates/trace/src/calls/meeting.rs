//! Promotion of operands of different element types: tensors to the greater type, host numbers to the type of the tensor.

use gw_base::Code;
use gw_ir::{Attr, BinaryOp, Builder, Op, Unfit, ValueId};
use gw_types::{DType, Number, Promotion, Scalar, join_weak};

use super::steps::{cast, written};
use crate::{Staged, describe};

/// Both operands in the type in which they meet, and whether the result is weak.
pub(super) fn meet(
    b: &mut Builder,
    op: Op,
    x: Staged,
    y: Staged,
) -> Result<(ValueId, ValueId, Option<Number>), Unfit> {
    let (dtype, weak) = common(b, x, y)?;
    let (dtype, weak) = match weak {
        Some(_) if arithmetic(op) => {
            let number = x.weak.max(y.weak).max(Some(Number::Int));
            (if dtype == DType::Bool { DType::I64 } else { dtype }, number)
        }
        Some(_) if !picks(op) => (dtype, x.weak.max(y.weak)),
        _ if dtype == DType::Bool && counts_bools(b, op, x, y) => {
            // Arrays of bools count in the least integers, as NumPy's do.
            let are_single = is_single(b, x) && is_single(b, y);
            (if are_single { DType::I64 } else { DType::I8 }, weak)
        }
        _ => (dtype, weak),
    };
    Ok((converted(b, x, dtype)?, converted(b, y, dtype)?, weak))
}

/// The type in which two operands meet, one of which may be the result; weak if both are.
pub(super) fn common(b: &Builder, x: Staged, y: Staged) -> Result<(DType, Option<Number>), Unfit> {
    let (x_type, y_type) = (b.ty(x.value).dtype, b.ty(y.value).dtype);
    Ok(match (x.weak, y.weak) {
        (None, None) => {
            let joined = b.promotion().join(x_type, y_type);
            (joined.ok_or_else(|| differ(b, x, y))?, None)
        }
        _ if !x_type.is_number() || !y_type.is_number() => return Err(differ(b, x, y)),
        (None, Some(number)) => (join_weak(x_type, number), None),
        (Some(number), None) => (join_weak(y_type, number), None),
        (Some(m), Some(n)) => {
            let number = m.or(n);
            let widest = [x_type, y_type].into_iter().filter(|d| d.kind() == number.kind()).max();
            (widest.unwrap_or(number.own_dtype()), Some(number))
        }
    })
}

/// All operands in the one type in which they meet; weak if all are.
pub(super) fn together(b: &mut Builder, args: &[Staged]) -> Result<(Vec<ValueId>, Option<Number>), Unfit> {
    let mut met = args[0];
    let mut dtype = b.ty(met.value).dtype;
    for &arg in &args[1..] {
        let (joined, weak) = common_of(b, (dtype, met), arg)?;
        (dtype, met.weak) = (joined, weak);
    }
    let values = args.iter().map(|&arg| converted(b, arg, dtype)).collect::<Result<_, _>>()?;
    Ok((values, met.weak))
}

/// The type in which what has met so far, in `dtype`, meets one more operand.
fn common_of(
    b: &Builder,
    (dtype, met): (DType, Staged),
    arg: Staged,
) -> Result<(DType, Option<Number>), Unfit> {
    let other = b.ty(arg.value).dtype;
    Ok(match (met.weak, arg.weak) {
        (None, None) => (b.promotion().join(dtype, other).ok_or_else(|| differ(b, met, arg))?, None),
        _ if !dtype.is_number() || !other.is_number() => return Err(differ(b, met, arg)),
        (None, Some(number)) => (join_weak(dtype, number), None),
        (Some(number), None) => (join_weak(other, number), None),
        (Some(m), Some(n)) => (dtype.join(other).ok_or_else(|| differ(b, met, arg))?, Some(m.or(n))),
    })
}

/// The operand in a type. A host integer that is written in the program must fit it, one that the graph computes overflows
/// where it does not: it would wrap silently.
pub(super) fn converted(b: &mut Builder, x: Staged, dtype: DType) -> Result<ValueId, Unfit> {
    if let (Some(_), Some(Scalar::Int(n))) = (x.weak, written(b, x.value))
        && dtype.is_int()
        && !dtype.holds(n.into())
    {
        let message = format!("{n} does not fit `{}`, the type of the other operand", dtype.python_name());
        return Err(Unfit { clause: "call.fits", code: Code::BadArgument, message });
    }
    let narrows =
        is_single(b, x) && b.ty(x.value).dtype == DType::I64 && dtype.is_int() && dtype != DType::I64;
    if narrows && x.weak.is_some() && b.checks_overflow() && written(b, x.value).is_none() {
        return b.op(Op::Cast, Attr::ToChecked(dtype), &[x.value]);
    }
    cast(b, x.value, dtype)
}

/// Ops for which Python's bools are the integers 0 and 1.
pub(super) fn arithmetic(op: Op) -> bool {
    let Op::Binary(op) = op else { return false };
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => true,
        BinaryOp::FloorDiv | BinaryOp::Mod | BinaryOp::Pow | BinaryOp::Shl | BinaryOp::Shr => true,
        BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 | BinaryOp::RandomBits => false,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
    }
}

/// Ops for which NumPy's arrays of bools are arrays of the integers 0 and 1.
fn counts_arrays(op: Op) -> bool {
    let Op::Binary(op) = op else { return false };
    match op {
        BinaryOp::FloorDiv | BinaryOp::Mod | BinaryOp::Pow | BinaryOp::Shl | BinaryOp::Shr => true,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => false,
        BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 | BinaryOp::RandomBits => false,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
    }
}

/// Ops whose result is one of their operands: a number keeps the type that it has.
fn picks(op: Op) -> bool {
    op == Op::Select || op == BinaryOp::Max.into() || op == BinaryOp::Min.into()
}

/// True if an op on bools counts with them: Python's single bools are integers, and NumPy has integers for what is not
/// `or` and `and` of arrays.
fn counts_bools(b: &Builder, op: Op, x: Staged, y: Staged) -> bool {
    let single = is_single(b, x) && is_single(b, y);
    b.promotion() == Promotion::Standard
        && (counts_arrays(op) || single && arithmetic(op) && op != BinaryOp::Div.into())
}

/// The op of NumPy's that stands for an arithmetic one on arrays of bools: `+` is `or`, `*` is `and`.
pub(super) fn of_bools(b: &Builder, op: Op, x: ValueId) -> Op {
    if b.ty(x).dtype != DType::Bool || b.promotion() == Promotion::Strict {
        return op;
    }
    if op == BinaryOp::Add.into() {
        BinaryOp::Or.into()
    } else if op == BinaryOp::Mul.into() {
        BinaryOp::And.into()
    } else {
        op
    }
}

/// True if an operand has no axes.
pub(super) fn is_single(b: &Builder, x: Staged) -> bool {
    b.ty(x.value).is_scalar()
}

/// The error for operands that do not meet.
pub(super) fn differ(b: &Builder, x: Staged, y: Staged) -> Unfit {
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

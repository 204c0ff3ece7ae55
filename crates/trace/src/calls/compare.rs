//! Comparisons of numbers of different types: nothing is rounded before it is compared, so the answer is Python's.

use gw_ir::{Attr, BinaryOp, Builder, CompareOp, Op, UnaryOp, Unfit, ValueId};
use gw_types::{DType, Number, Promotion, Scalar};

use super::meeting::{common, converted, is_single};
use super::steps::{cast, scalar, written};
use crate::Staged;

/// The first integer above those of 64 bits, as a float.
const ABOVE: f64 = 9_223_372_036_854_775_808.0;

/// Up to here every integer is a float of 64 bits.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// `x < y` and the like.
pub(super) fn compare(b: &mut Builder, op: CompareOp, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let weak = x.weak.and(y.weak).map(|_| Number::Bool);
    let (x_type, y_type) = (b.ty(x.value).dtype, b.ty(y.value).dtype);
    if let Some((op, words, number)) = words_beside_number(b, op, x, y) {
        return with_number(b, op, words, number).map(Staged::strong);
    }
    let (joined, _) = common(b, x, y)?;
    let dtype = match (x_type.is_float(), y_type.is_float()) {
        _ if joined.is_complex() => Some(joined),
        (true, false) => beside_float(b, y, x, joined),
        (false, true) => beside_float(b, x, y, joined),
        (true, true) => Some(joined),
        (false, false) => Some(integers(b, x, y, joined)),
    };
    let value = match dtype {
        None if x_type.is_float() => exactly(b, op.turned(), y.value, x.value)?,
        None => exactly(b, op, x.value, y.value)?,
        Some(dtype) => {
            let (x, y) = (converted(b, x, dtype)?, converted(b, y, dtype)?);
            b.op(op, Attr::None, &[x, y])?
        }
    };
    Ok(Staged { value, weak })
}

/// The type in which two integers are compared: a host number that may not fit the tensor's type is not made to.
fn integers(b: &Builder, x: Staged, y: Staged, joined: DType) -> DType {
    let fits = |number: Staged| {
        number.weak.is_none_or(|weak| weak == Number::Bool)
            || written(b, number.value).is_some_and(|n| joined.holds(n.to_integer()))
    };
    if joined.is_int() && !(fits(x) && fits(y)) { DType::I64 } else { joined }
}

/// Words and the integers that they are compared with, whose values are not known to fit them; the comparison with the words first.
fn words_beside_number(
    b: &Builder,
    op: CompareOp,
    x: Staged,
    y: Staged,
) -> Option<(CompareOp, ValueId, ValueId)> {
    let is_word = |value: Staged| value.weak.is_none() && b.ty(value.value).dtype == DType::U64;
    let (op, words, number) = match (is_word(x), is_word(y)) {
        (true, false) => (op, x, y),
        (false, true) => (op.turned(), y, x),
        (true, true) | (false, false) => return None,
    };
    let dtype = b.ty(number.value).dtype;
    let is_number = number.weak.is_some() && dtype.is_int();
    let is_signed =
        b.promotion() == Promotion::Standard && dtype.is_int() && dtype.join(DType::U64).is_none();
    let fits = written(b, number.value).is_some_and(|n| n.to_integer() >= 0);
    ((is_number || is_signed) && !fits).then_some((op, words.value, number.value))
}

/// Compares words with integers that may be below zero, and then are below each of them.
fn with_number(b: &mut Builder, op: CompareOp, words: ValueId, number: ValueId) -> Result<ValueId, Unfit> {
    let (number, zero) = (cast(b, number, DType::I64)?, scalar(b, DType::I64, Scalar::Int(0)));
    let is_below = b.op(CompareOp::Lt, Attr::None, &[number, zero])?;
    let natural = b.op(BinaryOp::Max, Attr::None, &[number, zero])?;
    let natural = cast(b, natural, DType::U64)?;
    let found = b.op(op, Attr::None, &[words, natural])?;
    let holds = match op {
        CompareOp::Gt | CompareOp::Ge | CompareOp::Ne => true,
        CompareOp::Lt | CompareOp::Le | CompareOp::Eq => false,
    };
    let verdict = scalar(b, DType::Bool, Scalar::Bool(holds));
    b.op(Op::Select, Attr::None, &[is_below, verdict, found])
}

/// The type in which an integer and a float are compared; none if only their exact comparison is right.
fn beside_float(b: &Builder, int: Staged, float: Staged, joined: DType) -> Option<DType> {
    let (int_type, float_type) = (b.ty(int.value).dtype, b.ty(float.value).dtype);
    if int_type == DType::Bool {
        return Some(float_type);
    }
    if let (Some(_), Some(number)) = (int.weak, written(b, int.value))
        && let Scalar::Int(n) = number
        && number.cast(float_type).to_f64().abs() <= EXACT
        && number.cast(float_type).to_i64() == n
    {
        return Some(joined);
    }
    if int_type.bits() <= 32 {
        return Some(DType::F64);
    }
    if !is_single(b, int) || !is_single(b, float) {
        let numpys = int.weak.is_some() && float.weak.is_none();
        return Some(if numpys { joined } else { DType::F64 });
    }
    let plain = |x: f64| x.abs() < EXACT || !x.is_finite();
    written(b, float.value).is_some_and(|x| plain(x.to_f64())).then_some(DType::F64)
}

/// Compares a 64-bit integer with a float as Python does. The float becomes an integer, rounded to the side on which the
/// answer stays the same; what is asked of the float besides can be done before a loop that counts the integer.
fn exactly(b: &mut Builder, op: CompareOp, int: ValueId, float: ValueId) -> Result<ValueId, Unfit> {
    let x = cast(b, float, DType::F64)?;
    let own = if b.ty(int).dtype == DType::U64 { DType::U64 } else { DType::I64 };
    let ends = if own == DType::U64 { [2.0 * ABOVE, 0.0] } else { [ABOVE, -ABOVE] };
    let [above, below] = ends.map(|limit| scalar(b, DType::F64, Scalar::Float(limit)));
    let rounded = |b: &mut Builder, op: UnaryOp| b.op(op, Attr::None, &[x]);
    let against = |b: &mut Builder, whole: ValueId| {
        let bound = b.op(Op::Cast, Attr::To(own), &[whole])?;
        b.op(op, Attr::None, &[int, bound])
    };
    match op {
        CompareOp::Lt => {
            let whole = rounded(b, UnaryOp::Ceil)?;
            let found = against(b, whole)?;
            let found = both(b, found, CompareOp::Ge, [x, below])?;
            either(b, found, CompareOp::Ge, [x, above])
        }
        CompareOp::Le => {
            let whole = rounded(b, UnaryOp::Floor)?;
            let found = against(b, whole)?;
            both(b, found, CompareOp::Ge, [x, below])
        }
        CompareOp::Gt => {
            let whole = rounded(b, UnaryOp::Floor)?;
            let found = against(b, whole)?;
            let found = both(b, found, CompareOp::Lt, [x, above])?;
            either(b, found, CompareOp::Lt, [x, below])
        }
        CompareOp::Ge => {
            let whole = rounded(b, UnaryOp::Ceil)?;
            let found = against(b, whole)?;
            both(b, found, CompareOp::Lt, [x, above])
        }
        CompareOp::Eq => {
            let bound = b.op(Op::Cast, Attr::To(own), &[x])?;
            let found = b.op(CompareOp::Eq, Attr::None, &[int, bound])?;
            let back = b.op(Op::Cast, Attr::To(DType::F64), &[bound])?;
            let found = both(b, found, CompareOp::Eq, [back, x])?;
            both(b, found, CompareOp::Lt, [x, above])
        }
        CompareOp::Ne => {
            let equal = exactly(b, CompareOp::Eq, int, float)?;
            b.op(UnaryOp::Not, Attr::None, &[equal])
        }
    }
}

fn both(b: &mut Builder, found: ValueId, op: CompareOp, args: [ValueId; 2]) -> Result<ValueId, Unfit> {
    let other = b.op(op, Attr::None, &args)?;
    b.op(BinaryOp::And, Attr::None, &[found, other])
}

fn either(b: &mut Builder, found: ValueId, op: CompareOp, args: [ValueId; 2]) -> Result<ValueId, Unfit> {
    let other = b.op(op, Attr::None, &args)?;
    b.op(BinaryOp::Or, Attr::None, &[found, other])
}

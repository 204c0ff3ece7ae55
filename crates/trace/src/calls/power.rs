//! `x ** y` as Python means it: a single number fails where Python's float has no answer; arrays, and what is computed of their
//! elements, follow IEEE 754, as NumPy's do.

use gw_ir::{Attr, BinaryOp, Builder, CheckKind, CompareOp, Op, TestOp, UnaryOp, Unfit, ValueId};
use gw_types::{DType, Kind, Number, Promotion, Scalar};

use super::elementwise::{binary, fails_unless};
use super::meeting::is_single;
use super::origin::is_of_array;
use super::steps::{cast, scalar, written};
use crate::Staged;

const NO_ROOM: &str = "(34, 'Numerical result out of range')";
const NO_QUOTIENT: &str = "0.0 cannot be raised to a negative power";
const NEGATIVE: &str = "GW204: an integer to a negative power is a float in Python, and an integer in the graph: make the \
                        base or the exponent a float";
const COMPLEX: &str = "a negative number to a fractional power is complex, which no tensor holds; take `abs` of it \
                       first, or `np.power`, which gives nan";

/// `x ** y`. A float of 64 bits without axes is a Python float, unless it comes from an array, and so is what an integer
/// gives.
pub(super) fn power(b: &mut Builder, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let (x, y) = as_float(b, x, y)?;
    if let Some(found) = complex_power(b, x, y)? {
        return Ok(found);
    }
    if is_root(b, x, y) {
        return Ok(Staged { value: b.op(UnaryOp::Sqrt, Attr::None, &[x.value])?, weak: None });
    }
    let is_bools = b.ty(x.value).dtype == DType::Bool && !is_single(b, x);
    if is_bools && y.weak.is_some() && written(b, y.value) == Some(Scalar::Int(2)) {
        let x = Staged::strong(cast(b, x.value, DType::I8)?);
        return binary(b, BinaryOp::Mul, x, x);
    }
    check_exponent(b, x, y)?;
    let made = binary(b, BinaryOp::Pow, x, y)?;
    let dtype = b.ty(made.value).dtype;
    let of_int = dtype.kind() == Kind::Float && b.ty(x.value).dtype.kind() == Kind::Int;
    let checked = is_single(b, made) && (dtype == DType::F64 || of_int);
    let of_array = || [x, y].iter().any(|operand| operand.weak.is_none() && is_of_array(b, operand.value));
    if checked && b.promotion() == Promotion::Standard && !of_array() {
        check(b, x.value, y.value, made.value)?;
    }
    Ok(made)
}

/// True of `array ** 0.5`, which NumPy computes as a root: that of -inf is no number, and that of -0.0 is -0.0. A Python float, and
/// an element of an array, has the power of C.
fn is_root(b: &Builder, x: Staged, y: Staged) -> bool {
    let is_half = || matches!(written(b, y.value), Some(Scalar::Float(exponent)) if exponent == 0.5);
    b.ty(x.value).dtype.is_float() && !is_single(b, x) && y.weak.is_some() && is_half()
}

/// A complex number to a power that NumPy computes by another function, which is exact where the parts are infinite.
fn complex_power(b: &mut Builder, z: Staged, y: Staged) -> Result<Option<Staged>, Unfit> {
    if !b.ty(z.value).dtype.is_complex() || y.weak.is_none() || z.weak.is_some() {
        return Ok(None);
    }
    let Some(Scalar::Int(_) | Scalar::Float(_)) = written(b, y.value) else { return Ok(None) };
    let exponent = written(b, y.value).map_or(f64::NAN, Scalar::to_f64);
    let value = if exponent == 1.0 {
        let zero = scalar(b, b.ty(z.value).dtype, Scalar::Int(0));
        let is_zero = b.op(CompareOp::Eq, Attr::None, &[z.value, zero])?;
        b.op(Op::Select, Attr::None, &[is_zero, zero, z.value])
    } else if exponent == 0.5 {
        b.op(UnaryOp::Sqrt, Attr::None, &[z.value])
    } else if exponent == -1.0 {
        super::complex::reciprocal(b, z.value)
    } else {
        return Ok(None);
    };
    Ok(Some(Staged { value: value?, weak: None }))
}

/// Base and exponent: a single integer to a negative power that is written in the program is a float.
fn as_float(b: &mut Builder, x: Staged, y: Staged) -> Result<(Staged, Staged), Unfit> {
    let negative = matches!(written(b, y.value), Some(Scalar::Int(n)) if n < 0);
    let dtype = b.ty(x.value).dtype;
    let whole = dtype.is_number() && dtype.kind() <= Kind::Int;
    if !(negative && whole && is_single(b, x) && is_single(b, y)) {
        return Ok((x, y));
    }
    let float = |b: &mut Builder, x: Staged| {
        let value = cast(b, x.value, DType::F64)?;
        Ok(Staged { value, weak: x.weak.map(|_| Number::Float) })
    };
    // The exponent stays written: what a power can fail as depends on it.
    let exponent = written(b, y.value).unwrap_or(Scalar::Int(-1));
    let y =
        Staged { value: scalar(b, DType::F64, Scalar::Float(exponent.to_f64())), weak: Some(Number::Float) };
    Ok((float(b, x)?, y))
}

/// A single integer to a power that is not written: a negative one would give Python a float.
fn check_exponent(b: &mut Builder, x: Staged, y: Staged) -> Result<(), Unfit> {
    let is_whole = |value| b.ty(value).dtype.kind() == Kind::Int;
    let is_open = written(b, y.value).is_none() && is_whole(x.value) && is_whole(y.value);
    if !(is_open && is_single(b, x) && is_single(b, y)) || b.promotion() != Promotion::Standard {
        return Ok(());
    }
    let zero = scalar(b, b.ty(y.value).dtype, Scalar::Int(0));
    let ok = b.op(CompareOp::Ge, Attr::None, &[y.value, zero])?;
    fails_unless(b, ok, (CheckKind::Value, NEGATIVE), true)
}

/// Special cases of a power of finite numbers.
struct Ways {
    /// Zero is raised to a negative power.
    divides: bool,
    /// A negative number is raised to a fractional power.
    is_complex: bool,
    /// The result is too large.
    grows: bool,
}

impl Ways {
    fn of(exponent: Option<Scalar>) -> Self {
        let Some(exponent) = exponent.map(Scalar::to_f64) else {
            return Self { divides: true, is_complex: true, grows: true };
        };
        let is_finite = exponent.is_finite();
        let root = (0.0..=1.0).contains(&exponent);
        Self {
            divides: is_finite && exponent < 0.0,
            is_complex: is_finite && exponent.fract() != 0.0,
            grows: is_finite && !root,
        }
    }
}

/// Fails as Python does for finite operands whose power is not finite.
fn check(b: &mut Builder, x: ValueId, y: ValueId, made: ValueId) -> Result<(), Unfit> {
    let ways = Ways::of(written(b, y));
    let (known_base, known_exponent) = (written(b, x).is_some(), written(b, y).is_some());
    let (x, y) = (cast(b, x, DType::F64)?, cast(b, y, DType::F64)?);
    let mut fine = b.op(TestOp::IsFinite, Attr::None, &[made])?;
    for (operand, is_known) in [(x, known_base), (y, known_exponent)] {
        if !is_known {
            let given = b.op(TestOp::IsFinite, Attr::None, &[operand])?;
            let strange = b.op(UnaryOp::Not, Attr::None, &[given])?;
            fine = b.op(BinaryOp::Or, Attr::None, &[fine, strange])?;
        }
    }
    if ways.divides {
        let zero = scalar(b, DType::F64, Scalar::Float(0.0));
        unless(
            b,
            fine,
            (Op::Compare(CompareOp::Ne), [x, zero]),
            (CheckKind::ZeroDivision, NO_QUOTIENT),
            false,
        )?;
    }
    if ways.is_complex {
        unless(b, fine, (Op::Compare(CompareOp::Eq), [made, made]), (CheckKind::Value, COMPLEX), true)?;
    }
    if ways.grows { fails_unless(b, fine, (CheckKind::Overflow, NO_ROOM), false) } else { Ok(()) }
}

/// Fails unless `fine`, or a comparison holds.
fn unless(
    b: &mut Builder,
    fine: ValueId,
    (op, args): (Op, [ValueId; 2]),
    said: (CheckKind, &str),
    limit: bool,
) -> Result<(), Unfit> {
    let other = b.op(op, Attr::None, &args)?;
    let ok = b.op(BinaryOp::Or, Attr::None, &[fine, other])?;
    fails_unless(b, ok, said, limit)
}

//! Elementwise ops, one element at a time.

use std::cell::RefCell;
use std::cmp::Ordering;

use gw_ir::Attr;
use gw_types::{Arithmetic, DType, Kind, Scalar, Texts};

use crate::array::{Array, broadcast};
use crate::fault::misused;
use crate::{EvalError, Failure};

/// `out[i] = f(x[i])`
pub(crate) fn unary(x: &Array, to: DType, f: impl Fn(Scalar) -> Scalar) -> Array {
    Array::new(to, x.lengths.clone(), x.elements.iter().map(|&element| f(element)))
}

/// `out[i] = f(x[i], y[i])`; the operands broadcast.
pub(crate) fn binary(
    x: &Array,
    y: &Array,
    to: DType,
    f: impl Fn(DType, Scalar, Scalar) -> Result<Scalar, EvalError>,
) -> Result<Array, EvalError> {
    let mut failed = None;
    let out = Array::build(to, broadcast(&x.lengths, &y.lengths)?, |index| {
        f(x.dtype, x.stretched_at(index), y.stretched_at(index)).unwrap_or_else(|error| {
            failed.get_or_insert(error);
            Scalar::Int(0)
        })
    });
    failed.map_or(Ok(out), Err)
}

/// `out[i] = x[i]` followed by `y[i]`
pub(crate) fn append(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let made = RefCell::new(Texts::default());
    binary(args[0], args[1], DType::Str, |_, x, y| {
        let bytes = [x.to_text().to_bytes(), y.to_text().to_bytes()].concat();
        Ok(Scalar::Text(made.borrow_mut().make(&bytes)))
    })
}

/// The real part.
pub(crate) fn real(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    Ok(unary(args[0], args[0].dtype.part(), |z| Scalar::Float(z.parts()[0])))
}

/// The imaginary part.
pub(crate) fn imag(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    Ok(unary(args[0], args[0].dtype.part(), |z| Scalar::Float(z.parts()[1])))
}

/// Complex numbers of their parts.
pub(crate) fn complex(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let parts = |_, re: Scalar, im: Scalar| Ok(Scalar::Complex(re.to_f64(), im.to_f64()));
    binary(args[0], args[1], args[0].dtype.complex(), parts)
}

/// The operand.
pub(crate) fn same(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    Ok(args[0].clone())
}

/// Number of bytes in a string.
pub(crate) fn length(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let count = |x: Scalar| Scalar::Int(x.to_text().with(|bytes| bytes.len() as i64));
    Ok(unary(args[0], DType::I64, count))
}

/// The letters of ASCII as capitals.
pub(crate) fn upper(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    Ok(made(args[0], <[u8]>::to_ascii_uppercase))
}

/// The letters of ASCII as small ones.
pub(crate) fn lower(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    Ok(made(args[0], <[u8]>::to_ascii_lowercase))
}

/// Strings made of others.
fn made(x: &Array, f: impl Fn(&[u8]) -> Vec<u8>) -> Array {
    let made = RefCell::new(Texts::default());
    unary(x, DType::Str, |x| Scalar::Text(made.borrow_mut().make(&x.to_text().with(&f))))
}

/// `out[i] = x[i] if c[i] else y[i]`
pub(crate) fn select(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let [c, x, y] = [args[0], args[1], args[2]];
    let lengths = broadcast(&c.lengths, &broadcast(&x.lengths, &y.lengths)?)?;
    let choose = |index: &[usize]| if c.stretched_at(index).to_bool() { x } else { y }.stretched_at(index);
    Ok(Array::build(x.dtype, lengths, choose))
}

/// The nearest element of another dtype.
pub(crate) fn cast(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let (Attr::To(dtype) | Attr::ToChecked(dtype)) = attr else { return Err(misused(attr)) };
    Ok(unary(args[0], *dtype, |x| x))
}

/// `found`, unless it is not what a step of arithmetic gives of integers that have no end.
pub(crate) fn judge_overflow(step: Arithmetic, args: &[&Array], found: Array) -> Result<Array, EvalError> {
    let operands: Vec<Scalar> = args.iter().map(|arg| arg.first()).collect();
    let number = |at: usize| operands.get(at).map_or(0, |x| x.to_integer());
    let fits = match operands[0] {
        Scalar::Float(x) => found.dtype.holds_cut(x),
        Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) | Scalar::Text(_) | Scalar::Complex(..) => {
            found.dtype.holds(step.exact(number(0), number(1)))
        }
    };
    if fits {
        Ok(found)
    } else {
        Err(EvalError::new(Failure::Overflow, step.message(found.dtype, &operands)))
    }
}

/// `-x`; integers wrap.
pub(crate) fn neg(x: Scalar) -> Scalar {
    match x {
        Scalar::Float(x) => Scalar::Float(-x),
        Scalar::Complex(re, im) => Scalar::Complex(-re, -im),
        Scalar::Int(_) | Scalar::Nat(_) | Scalar::Bool(_) | Scalar::Text(_) => {
            Scalar::Int(x.to_i64().wrapping_neg())
        }
    }
}

/// `|x|`; the least integer is its own.
pub(crate) fn abs(x: Scalar) -> Scalar {
    match x {
        Scalar::Nat(_) | Scalar::Complex(..) => x,
        Scalar::Float(x) => Scalar::Float(x.abs()),
        Scalar::Int(_) | Scalar::Bool(_) | Scalar::Text(_) => Scalar::Int(x.to_i64().wrapping_abs()),
    }
}

/// -1, 0 or 1; zeros and NaN stay as they are.
pub(crate) fn sign(x: Scalar) -> Scalar {
    match x {
        Scalar::Float(x) => Scalar::Float(if x == 0.0 { x } else { x.signum() }),
        Scalar::Complex(..) => x,
        Scalar::Int(_) | Scalar::Nat(_) | Scalar::Bool(_) | Scalar::Text(_) => {
            Scalar::Int(x.to_integer().signum() as i64)
        }
    }
}

/// Logical of a bool, bitwise of an integer.
pub(crate) fn not(x: Scalar) -> Scalar {
    match x {
        Scalar::Bool(x) => Scalar::Bool(!x),
        Scalar::Int(_) | Scalar::Nat(_) | Scalar::Float(_) | Scalar::Text(_) | Scalar::Complex(..) => {
            Scalar::Int(!x.to_i64())
        }
    }
}

/// Wrapping on integers, IEEE on floats.
pub(crate) fn arithmetic(
    x: Scalar,
    y: Scalar,
    ints: impl Fn(i64, i64) -> i64,
    floats: impl Fn(f64, f64) -> f64,
) -> Scalar {
    match x.kind() {
        Kind::Float => Scalar::Float(floats(x.to_f64(), y.to_f64())),
        Kind::Complex => {
            let [[a, b], [c, d]] = [x.parts(), y.parts()];
            Scalar::Complex(floats(a, c), floats(b, d))
        }
        Kind::Int | Kind::Bool | Kind::Text => Scalar::Int(ints(x.to_i64(), y.to_i64())),
    }
}

/// `x // y` as in Python; a floating zero divisor gives what `/` gives.
pub(crate) fn floor_div(x: Scalar, y: Scalar) -> Result<Scalar, EvalError> {
    match (x, y) {
        (Scalar::Float(x), Scalar::Float(y)) => Ok(Scalar::Float(float_floor_div(x, y))),
        _ if y.to_integer() == 0 => Err(no_quotient("integer division or modulo by zero")),
        _ => Ok(wrapping(Arithmetic::FloorDiv.exact(x.to_integer(), y.to_integer()))),
    }
}

/// `x % y` as in Python: the sign of `y`; a floating zero divisor gives NaN.
pub(crate) fn modulo(x: Scalar, y: Scalar) -> Result<Scalar, EvalError> {
    match (x, y) {
        (Scalar::Float(x), Scalar::Float(y)) => Ok(Scalar::Float(float_mod(x, y))),
        _ if y.to_integer() == 0 => Err(no_quotient("integer modulo by zero")),
        _ => {
            let (x, y) = (x.to_integer(), y.to_integer());
            Ok(wrapping(x - Arithmetic::FloorDiv.exact(x, y) * y))
        }
    }
}

/// `x ** y`; integers wrap, and take no negative exponents; the square of a float is its product with itself.
pub(crate) fn pow(x: Scalar, y: Scalar) -> Result<Scalar, EvalError> {
    match (x, y) {
        (Scalar::Float(x), Scalar::Float(2.0)) => Ok(Scalar::Float(x * x)),
        (Scalar::Float(x), Scalar::Float(y)) => Ok(Scalar::Float(libm::pow(x, y))),
        _ if y.to_integer() < 0 => {
            Err(EvalError::new(Failure::Value, "integers to negative integer powers are not allowed"))
        }
        _ => Ok(Scalar::Int(pow_ints(x.to_i64(), y.to_i64() as u64))),
    }
}

/// The greater; NaN if either is, the first of equals.
pub(crate) fn max(x: Scalar, y: Scalar) -> Scalar {
    if is_nan(x) || (!is_nan(y) && !less(x, y)) { x } else { y }
}

/// The lesser; NaN if either is, the first of equals.
pub(crate) fn min(x: Scalar, y: Scalar) -> Scalar {
    if is_nan(x) || (!is_nan(y) && !less(y, x)) { x } else { y }
}

/// Order of two elements: strings by their bytes; NaN is in no order.
pub(crate) fn order(x: Scalar, y: Scalar) -> Option<Ordering> {
    match (x, y) {
        (Scalar::Float(x), Scalar::Float(y)) => x.partial_cmp(&y),
        (Scalar::Text(x), Scalar::Text(y)) => Some(x.to_bytes().cmp(&y.to_bytes())),
        _ => Some(x.to_integer().cmp(&y.to_integer())),
    }
}

/// `x << y`; amounts from the width on give 0.
pub(crate) fn shift_left(dtype: DType, x: Scalar, y: Scalar) -> Result<Scalar, EvalError> {
    let (x, y) = (x.to_i64(), shift_amount(y)?);
    Ok(Scalar::Int(if y < width(dtype) { x << y } else { 0 }))
}

/// `x >> y`; amounts from the width on leave the sign alone: -1 of a number below zero, else 0.
pub(crate) fn shift_right(dtype: DType, x: Scalar, y: Scalar) -> Result<Scalar, EvalError> {
    let (x, amount) = (x.to_integer(), shift_amount(y)?);
    Ok(wrapping(if amount < width(dtype) { x >> amount } else { x.signum().min(0) }))
}

fn shift_amount(y: Scalar) -> Result<i64, EvalError> {
    match y.to_index() {
        amount if amount < 0 => Err(EvalError::new(Failure::Value, "negative shift count")),
        amount => Ok(amount),
    }
}

pub(crate) fn less(x: Scalar, y: Scalar) -> bool {
    order(x, y).is_some_and(Ordering::is_lt)
}

pub(crate) fn is_nan(x: Scalar) -> bool {
    x.is_nan()
}

fn width(dtype: DType) -> i64 {
    dtype.size() as i64 * 8
}

fn no_quotient(text: &str) -> EvalError {
    EvalError::new(Failure::ZeroDivision, text)
}

/// An integer of 64 bits that has the lowest bits of a number.
fn wrapping(number: i128) -> Scalar {
    Scalar::wrapped(DType::I64, number)
}

fn pow_ints(mut base: i64, mut exponent: u64) -> i64 {
    let mut power: i64 = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    power
}

fn float_mod(x: f64, y: f64) -> f64 {
    let rest = x % y;
    if rest == 0.0 {
        0f64.copysign(y)
    } else if (rest < 0.0) != (y < 0.0) {
        rest + y
    } else {
        rest
    }
}

fn float_floor_div(x: f64, y: f64) -> f64 {
    if y == 0.0 {
        return x / y;
    }
    let rest = x % y;
    let whole = (x - rest) / y;
    let whole = if rest != 0.0 && (rest < 0.0) != (y < 0.0) { whole - 1.0 } else { whole };
    if whole == 0.0 {
        return 0f64.copysign(x / y);
    }
    let floor = whole.floor();
    if whole - floor > 0.5 { floor + 1.0 } else { floor }
}

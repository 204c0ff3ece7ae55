//! One row per op: what its elements, or the whole of it, are computed by.

use std::cmp::Ordering;

use gw_ir::{Attr, Op};
use gw_types::{DType, Scalar};

use crate::fault::misused;
use crate::{Array, EvalError, contract, elementwise as el, matrices, moves, put, random, reduce, source};

/// Computes whole arrays.
type WholeFn = fn(&Attr, &[&Array]) -> Result<Array, EvalError>;

/// How an op is computed.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    /// A function of one floating number.
    Float(fn(f64) -> f64),
    /// A function of one element.
    Unary(fn(Scalar) -> Scalar),
    /// A question about one floating number.
    Test(fn(f64) -> bool),
    /// A function of two elements of a dtype.
    Binary(fn(DType, Scalar, Scalar) -> Result<Scalar, EvalError>),
    /// A question about the order of two elements; NaN has none.
    Compare(fn(Option<Ordering>) -> bool),
    /// A function of whole arrays.
    Whole(WholeFn),
    /// Runs regions or acts on the world: not a function.
    Acts,
}

/// The row of an op.
pub(crate) fn row(op: Op) -> Row {
    use Row::{Acts, Binary, Compare, Float, Test, Unary, Whole};
    match op {
        Op::Neg => Unary(el::neg),
        Op::Abs => Unary(el::abs),
        Op::Sign => Unary(el::sign),
        Op::Exp => Float(libm::exp),
        Op::Expm1 => Float(libm::expm1),
        Op::Log => Float(libm::log),
        Op::Log1p => Float(libm::log1p),
        Op::Sqrt => Float(f64::sqrt),
        Op::Rsqrt => Float(|x| 1.0 / x.sqrt()),
        Op::Sin => Float(libm::sin),
        Op::Cos => Float(libm::cos),
        Op::Tan => Float(libm::tan),
        Op::Atan => Float(libm::atan),
        Op::Tanh => Float(libm::tanh),
        Op::Erf => Float(libm::erf),
        Op::Floor => Float(f64::floor),
        Op::Ceil => Float(f64::ceil),
        Op::Round => Float(f64::round_ties_even),
        Op::Not => Unary(el::not),
        Op::IsNan => Test(f64::is_nan),
        Op::IsFinite => Test(f64::is_finite),
        Op::Add => Binary(|_, x, y| Ok(el::arithmetic(x, y, i64::wrapping_add, |x, y| x + y))),
        Op::Sub => Binary(|_, x, y| Ok(el::arithmetic(x, y, i64::wrapping_sub, |x, y| x - y))),
        Op::Mul => Binary(|_, x, y| Ok(el::arithmetic(x, y, i64::wrapping_mul, |x, y| x * y))),
        Op::Div => Binary(|_, x, y| Ok(Scalar::Float(x.to_f64() / y.to_f64()))),
        Op::FloorDiv => Binary(|_, x, y| el::floor_div(x, y)),
        Op::Mod => Binary(|_, x, y| el::modulo(x, y)),
        Op::Pow => Binary(|_, x, y| el::pow(x, y)),
        Op::Max => Binary(|_, x, y| Ok(el::max(x, y))),
        Op::Min => Binary(|_, x, y| Ok(el::min(x, y))),
        Op::Atan2 => Binary(|_, y, x| Ok(Scalar::Float(libm::atan2(y.to_f64(), x.to_f64())))),
        Op::And => Binary(|_, x, y| Ok(Scalar::Int(x.to_i64() & y.to_i64()))),
        Op::Or => Binary(|_, x, y| Ok(Scalar::Int(x.to_i64() | y.to_i64()))),
        Op::Xor => Binary(|_, x, y| Ok(Scalar::Int(x.to_i64() ^ y.to_i64()))),
        Op::Shl => Binary(el::shift_left),
        Op::Shr => Binary(el::shift_right),
        Op::RandomBits => Binary(|_, key, counter| Ok(random::bits(key, counter))),
        Op::Append | Op::Length | Op::Upper | Op::Lower | Op::Stop => Whole(whole(op)),
        Op::Eq => Compare(|order| order.is_some_and(Ordering::is_eq)),
        Op::Ne => Compare(|order| order.is_none_or(Ordering::is_ne)),
        Op::Lt => Compare(|order| order.is_some_and(Ordering::is_lt)),
        Op::Le => Compare(|order| order.is_some_and(Ordering::is_le)),
        Op::Gt => Compare(|order| order.is_some_and(Ordering::is_gt)),
        Op::Ge => Compare(|order| order.is_some_and(Ordering::is_ge)),
        Op::Select => Whole(el::select),
        Op::Cast => Whole(el::cast),
        Op::ReduceSum | Op::ReduceProd | Op::ReduceMax | Op::ReduceMin | Op::ReduceAll => Whole(whole(op)),
        Op::ReduceAny | Op::ArgMax | Op::ArgMin | Op::Reshape | Op::Broadcast => Whole(whole(op)),
        Op::Slice | Op::Index | Op::Gather | Op::Concat | Op::Matmul | Op::Const => Whole(whole(op)),
        Op::Put | Op::Dim | Op::ArgSort | Op::ArgTop | Op::Conv2d | Op::Transpose => Whole(whole(op)),
        Op::Range | Op::Cholesky | Op::TriangularSolve | Op::Solve | Op::Det => Whole(whole(op)),
        Op::Qr | Op::Eigh | Op::Svd => Whole(whole(op)),
        Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Host | Op::Check | Op::Leave => Acts,
        // Its meaning is the function's own.
        Op::Foreign => Acts,
    }
}

/// The row of an op that is not elementwise.
fn whole(op: Op) -> WholeFn {
    match op {
        Op::ReduceSum => reduce::sum,
        Op::ReduceProd => reduce::product,
        Op::ReduceMax => reduce::greatest,
        Op::ReduceMin => reduce::least,
        Op::ReduceAll => reduce::all,
        Op::ReduceAny => reduce::any,
        Op::ArgMax => reduce::arg_max,
        Op::ArgMin => reduce::arg_min,
        Op::ArgSort => reduce::arg_sort,
        Op::ArgTop => reduce::arg_top,
        Op::Reshape => moves::reshape,
        Op::Broadcast => moves::broadcast_to,
        Op::Transpose => moves::transpose,
        Op::Slice => moves::slice,
        Op::Index | Op::Gather => moves::gather,
        Op::Concat => moves::concat,
        Op::Put => put::put,
        Op::Matmul => contract::matmul,
        Op::Conv2d => contract::conv2d,
        Op::Cholesky => matrices::cholesky,
        Op::TriangularSolve => matrices::triangular_solve,
        Op::Solve => matrices::solve,
        Op::Det => matrices::det,
        Op::Qr => matrices::qr,
        Op::Eigh => matrices::eigh,
        Op::Svd => matrices::svd,
        Op::Const => source::constant,
        Op::Range => source::range,
        Op::Dim => source::dim,
        Op::Append => el::append,
        Op::Stop => el::same,
        Op::Length => el::length,
        Op::Upper => el::upper,
        Op::Lower => el::lower,
        Op::Neg | Op::Abs | Op::Sign | Op::Exp | Op::Expm1 | Op::Log | Op::Log1p | Op::Sqrt | Op::Rsqrt => {
            no_row
        }
        Op::Sin | Op::Cos | Op::Tan | Op::Atan | Op::Tanh | Op::Erf | Op::Floor | Op::Ceil | Op::Round => {
            no_row
        }
        Op::Not
        | Op::IsNan
        | Op::IsFinite
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::FloorDiv
        | Op::Mod => no_row,
        Op::Pow | Op::Max | Op::Min | Op::Atan2 | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr => no_row,
        Op::RandomBits => no_row,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Select | Op::Cast => no_row,
        Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Host | Op::Check | Op::Leave => no_row,
        Op::Foreign => no_row,
    }
}

fn no_row(attr: &Attr, _args: &[&Array]) -> Result<Array, EvalError> {
    Err(misused(attr))
}

/// The result of an op that gives one value of its operands alone.
///
/// # Errors
/// If it fails on these operands, or has regions or effects.
///
/// # Panics
/// If `infer` refuses the op on operands of these types.
pub fn apply(op: Op, attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let found = wrapped(op, attr, args)?;
    match attr.checked(op) {
        Some(step) => el::judge_overflow(step, args, found),
        None => Ok(found),
    }
}

/// The same where integers wrap.
fn wrapped(op: Op, attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    match row(op) {
        Row::Float(f) => Ok(el::unary(args[0], args[0].dtype, |x| Scalar::Float(f(x.to_f64())))),
        Row::Unary(f) => Ok(el::unary(args[0], args[0].dtype, f)),
        Row::Test(f) => Ok(el::unary(args[0], DType::Bool, |x| Scalar::Bool(f(x.to_f64())))),
        Row::Binary(f) => el::binary(args[0], args[1], args[0].dtype, f),
        Row::Compare(f) => {
            el::binary(args[0], args[1], DType::Bool, |_, x, y| Ok(Scalar::Bool(f(el::order(x, y)))))
        }
        Row::Whole(f) => f(attr, args),
        Row::Acts => Err(misused(attr)),
    }
}

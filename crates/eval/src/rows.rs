//! One row per op: what its elements, or the whole of it, are computed by.

use std::cmp::Ordering;

use gw_ir::{ArgOp, Attr, BinaryOp, CompareOp, MatrixOp, Op, PartOp, ReduceOp, StringOp, TestOp, UnaryOp};
use gw_types::{DType, Scalar};

use crate::fault::misused;
use crate::{
    Array, EvalError, complex, contract, elementwise as el, matrices, moves, put, random, reduce, source,
};

/// Computes whole arrays.
type WholeFn = fn(&Attr, &[&Array]) -> Result<Array, EvalError>;

/// Method by which an op is computed.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    /// A function of one floating number.
    Float(fn(f64) -> f64),
    /// A function of one element.
    Unary(fn(Scalar) -> Scalar),
    /// A question about one floating number.
    Test(fn(f64) -> bool),
    /// A function of two elements of a dtype.
    Binary(OfTwo),
    /// A question about the order of two elements; NaN has none.
    Compare(fn(Option<Ordering>) -> bool),
    /// A function of whole arrays.
    Whole(WholeFn),
    /// Runs regions or acts on the world: not a function.
    Acts,
}

/// The row of an op.
pub(crate) fn row(op: Op) -> Row {
    use Row::{Acts, Binary, Compare, Test, Whole};
    match op {
        Op::Unary(op) => of_one(op),
        Op::Part(PartOp::Real) => Whole(el::real),
        Op::Part(PartOp::Imag) => Whole(el::imag),
        Op::Complex => Whole(el::complex),
        Op::Test(TestOp::IsNan) => Test(f64::is_nan),
        Op::Test(TestOp::IsFinite) => Test(f64::is_finite),
        Op::Binary(op) => Binary(of_two(op)),
        Op::Compare(op) => Compare(of_order(op)),
        Op::String(StringOp::Append) => Whole(el::append),
        Op::String(StringOp::Length) => Whole(el::length),
        Op::String(StringOp::Upper) => Whole(el::upper),
        Op::String(StringOp::Lower) => Whole(el::lower),
        Op::Select => Whole(el::select),
        Op::Cast => Whole(el::cast),
        Op::Reduce(op) => Whole(fold(op)),
        Op::Arg(ArgOp::Max) => Whole(reduce::arg_max),
        Op::Arg(ArgOp::Min) => Whole(reduce::arg_min),
        Op::Arg(ArgOp::Sort) => Whole(reduce::arg_sort),
        Op::Arg(ArgOp::Top) => Whole(reduce::arg_top),
        Op::Reshape => Whole(moves::reshape),
        Op::Broadcast => Whole(moves::broadcast_to),
        Op::Sort => Whole(reduce::sort),
        Op::Transpose => Whole(moves::transpose),
        Op::Slice => Whole(moves::slice),
        Op::Index | Op::Gather => Whole(moves::gather),
        Op::Concat => Whole(moves::concat),
        Op::Put => Whole(put::put),
        Op::Matmul => Whole(contract::matmul),
        Op::Conv2d => Whole(contract::conv2d),
        Op::Matrix(op) => Whole(of_matrices(op)),
        Op::Const => Whole(source::constant),
        Op::Range => Whole(source::range),
        Op::Dim => Whole(source::dim),
        Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Host | Op::Check | Op::Leave => Acts,
        // Its meaning is the function's own.
        Op::Foreign => Acts,
    }
}

fn of_one(op: UnaryOp) -> Row {
    use Row::{Float, Unary, Whole};
    match op {
        UnaryOp::Neg => Unary(el::neg),
        UnaryOp::Abs => Unary(el::abs),
        UnaryOp::Sign => Unary(el::sign),
        UnaryOp::Exp => Float(libm::exp),
        UnaryOp::Expm1 => Float(libm::expm1),
        UnaryOp::Log => Float(libm::log),
        UnaryOp::Log2 => Float(libm::log2),
        UnaryOp::Log1p => Float(libm::log1p),
        UnaryOp::Sqrt => Float(f64::sqrt),
        UnaryOp::Rsqrt => Float(|x| 1.0 / x.sqrt()),
        UnaryOp::Sin => Float(libm::sin),
        UnaryOp::Cos => Float(libm::cos),
        UnaryOp::Tan => Float(libm::tan),
        UnaryOp::Atan => Float(libm::atan),
        UnaryOp::Asin => Float(libm::asin),
        UnaryOp::Acos => Float(libm::acos),
        UnaryOp::Sinh => Float(libm::sinh),
        UnaryOp::Asinh => Float(libm::asinh),
        UnaryOp::Tanh => Float(libm::tanh),
        UnaryOp::Erf => Float(libm::erf),
        UnaryOp::Floor => Float(f64::floor),
        UnaryOp::Ceil => Float(f64::ceil),
        UnaryOp::Round => Float(f64::round_ties_even),
        UnaryOp::Not => Unary(el::not),
        UnaryOp::Stop => Whole(el::same),
    }
}

/// Computes one element of two.
type OfTwo = fn(DType, Scalar, Scalar) -> Result<Scalar, EvalError>;

fn of_two(op: BinaryOp) -> OfTwo {
    match op {
        BinaryOp::Add => |_, x, y| Ok(el::arithmetic(x, y, i64::wrapping_add, |x, y| x + y)),
        BinaryOp::Sub => |_, x, y| Ok(el::arithmetic(x, y, i64::wrapping_sub, |x, y| x - y)),
        BinaryOp::Mul => |_, x, y| Ok(el::arithmetic(x, y, i64::wrapping_mul, |x, y| x * y)),
        BinaryOp::Div => |_, x, y| Ok(Scalar::Float(x.to_f64() / y.to_f64())),
        BinaryOp::FloorDiv => |_, x, y| el::floor_div(x, y),
        BinaryOp::Mod => |_, x, y| el::modulo(x, y),
        BinaryOp::Pow => |_, x, y| el::pow(x, y),
        BinaryOp::Max => |_, x, y| Ok(el::max(x, y)),
        BinaryOp::Min => |_, x, y| Ok(el::min(x, y)),
        BinaryOp::Atan2 => |_, y, x| Ok(Scalar::Float(libm::atan2(y.to_f64(), x.to_f64()))),
        BinaryOp::And => |_, x, y| Ok(Scalar::Int(x.to_i64() & y.to_i64())),
        BinaryOp::Or => |_, x, y| Ok(Scalar::Int(x.to_i64() | y.to_i64())),
        BinaryOp::Xor => |_, x, y| Ok(Scalar::Int(x.to_i64() ^ y.to_i64())),
        BinaryOp::Shl => el::shift_left,
        BinaryOp::Shr => el::shift_right,
        BinaryOp::RandomBits => |_, key, counter| Ok(random::bits(key, counter)),
    }
}

fn of_order(op: CompareOp) -> fn(Option<Ordering>) -> bool {
    match op {
        CompareOp::Eq => |order| order.is_some_and(Ordering::is_eq),
        CompareOp::Ne => |order| order.is_none_or(Ordering::is_ne),
        CompareOp::Lt => |order| order.is_some_and(Ordering::is_lt),
        CompareOp::Le => |order| order.is_some_and(Ordering::is_le),
        CompareOp::Gt => |order| order.is_some_and(Ordering::is_gt),
        CompareOp::Ge => |order| order.is_some_and(Ordering::is_ge),
    }
}

fn fold(op: ReduceOp) -> WholeFn {
    match op {
        ReduceOp::Sum => reduce::sum,
        ReduceOp::Prod => reduce::product,
        ReduceOp::Max => reduce::greatest,
        ReduceOp::Min => reduce::least,
        ReduceOp::All => reduce::all,
        ReduceOp::Any => reduce::any,
    }
}

fn of_matrices(op: MatrixOp) -> WholeFn {
    match op {
        MatrixOp::Cholesky => matrices::cholesky,
        MatrixOp::TriangularSolve => matrices::triangular_solve,
        MatrixOp::Solve => matrices::solve,
        MatrixOp::Det => matrices::det,
        MatrixOp::Qr => matrices::qr,
        MatrixOp::Eigh => matrices::eigh,
        MatrixOp::Svd => matrices::svd,
        MatrixOp::Fft => matrices::fft,
    }
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
    if args.first().is_some_and(|x| x.dtype.is_complex())
        && let Some(found) = of_complex(op, attr, args)
    {
        return found;
    }
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

/// The result of an op of complex numbers, if it computes with their parts.
fn of_complex(op: Op, attr: &Attr, args: &[&Array]) -> Option<Result<Array, EvalError>> {
    let dtype = args[0].dtype;
    match op {
        Op::Unary(UnaryOp::Stop) => None,
        Op::Unary(op) => {
            let to = if op == UnaryOp::Abs { dtype.part() } else { dtype };
            Some(Ok(el::unary(args[0], to, |z| complex::of_one(op, dtype, z).unwrap_or(z))))
        }
        Op::Test(TestOp::IsNan) => Some(Ok(el::unary(args[0], DType::Bool, |z| Scalar::Bool(z.is_nan())))),
        Op::Test(TestOp::IsFinite) => {
            let is_finite = |z: Scalar| Scalar::Bool(z.parts().into_iter().all(f64::is_finite));
            Some(Ok(el::unary(args[0], DType::Bool, is_finite)))
        }
        Op::Binary(op) => {
            let f = |dtype, x, y| Ok(complex::of_two(op, dtype, x, y).unwrap_or(x));
            Some(el::binary(args[0], args[1], dtype, f))
        }
        Op::Compare(op) => {
            let same = op == CompareOp::Eq;
            let f = |_, x: Scalar, y: Scalar| Ok(Scalar::Bool((x.parts() == y.parts()) == same));
            Some(el::binary(args[0], args[1], DType::Bool, f))
        }
        Op::Matmul => Some(contract::matmul_of_complex(attr, args)),
        Op::Part(_) | Op::Complex | Op::String(_) | Op::Select | Op::Foreign | Op::Cast | Op::Reduce(_) => {
            None
        }
        Op::Sort | Op::Arg(_) | Op::Matrix(_) | Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice => {
            None
        }
        Op::Index | Op::Gather | Op::Concat | Op::Put | Op::Conv2d | Op::Const | Op::Range | Op::Dim => None,
        Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Host | Op::Check | Op::Leave => None,
    }
}

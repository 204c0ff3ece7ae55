//! Complex numbers: arithmetic step by step in the precision of the parts, functions in double precision.

mod functions;
mod number;

use gw_ir::{BinaryOp, UnaryOp};
use gw_types::{DType, Scalar};

use number::{Complex, rounded};

/// `f(z)` of a complex number of a type, where there is such a function.
pub(crate) fn of_one(op: UnaryOp, dtype: DType, z: Scalar) -> Option<Scalar> {
    use functions as of;
    let z = Complex::of(z);
    let found = match op {
        UnaryOp::Neg => Complex::new(-z.re, -z.im),
        UnaryOp::Round => Complex::new(z.re.round_ties_even(), z.im.round_ties_even()),
        UnaryOp::Exp => of::exp(z),
        UnaryOp::Expm1 => of::expm1(z),
        UnaryOp::Log => of::log(z),
        UnaryOp::Log2 => of::log2(z),
        UnaryOp::Log1p => of::log1p(z),
        UnaryOp::Sqrt => of::sqrt(z),
        UnaryOp::Rsqrt => Complex::new(1.0, 0.0).over(of::sqrt(z), DType::C128),
        UnaryOp::Sin => of::sinh(z.turned()).turned_back(),
        UnaryOp::Cos => of::cos(z),
        UnaryOp::Tan => of::tanh(z.turned()).turned_back(),
        UnaryOp::Tanh => of::tanh(z),
        UnaryOp::Asinh => of::asin(z.turned()).turned_back(),
        UnaryOp::Atan => of::atanh(z.turned()).turned_back(),
        UnaryOp::Abs => return Some(Scalar::Float(of::size(z, dtype))),
        UnaryOp::Sign | UnaryOp::Erf | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Not | UnaryOp::Stop => {
            return None;
        }
        UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Sinh => return None,
    };
    Some(found.into())
}

/// `f(x, y)` of complex numbers of a type, where there is such a function.
pub(crate) fn of_two(op: BinaryOp, dtype: DType, x: Scalar, y: Scalar) -> Option<Scalar> {
    let [x, y] = [x, y].map(Complex::of);
    let in_parts = |re: f64, im: f64| Complex::new(rounded(dtype, re), rounded(dtype, im));
    let found = match op {
        BinaryOp::Add => in_parts(x.re + y.re, x.im + y.im),
        BinaryOp::Sub => in_parts(x.re - y.re, x.im - y.im),
        BinaryOp::Mul => x.times(y, dtype),
        BinaryOp::Div => x.over(y, dtype),
        BinaryOp::Pow => functions::pow(x, y),
        BinaryOp::FloorDiv | BinaryOp::Mod | BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => return None,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => return None,
        BinaryOp::RandomBits => return None,
    };
    Some(found.into())
}

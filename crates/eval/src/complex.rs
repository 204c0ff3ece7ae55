//! Complex numbers: arithmetic step by step in the precision of the parts, functions in double precision.

mod functions;

use gw_ir::{BinaryOp, UnaryOp};
use gw_types::{DType, Scalar};

/// A complex number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Complex {
    pub(crate) fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    pub(crate) fn of(scalar: Scalar) -> Self {
        let [re, im] = scalar.parts();
        Self { re, im }
    }

    /// `i z`
    fn turned(self) -> Self {
        Self::new(-self.im, self.re)
    }

    /// `-i z`
    fn turned_back(self) -> Self {
        Self::new(self.im, -self.re)
    }

    fn conj(self) -> Self {
        Self::new(self.re, -self.im)
    }

    /// The product where parts have the precision of a type.
    pub(crate) fn times(self, other: Self, dtype: DType) -> Self {
        let in_parts = |x: f64| rounded(dtype, x);
        let product = |x: f64, y: f64| in_parts(x * y);
        Self::new(
            in_parts(product(self.re, other.re) - product(self.im, other.im)),
            in_parts(product(self.re, other.im) + product(self.im, other.re)),
        )
    }

    /// The quotient by Smith's method, as NumPy computes it.
    fn over(self, other: Self, dtype: DType) -> Self {
        let r = |x: f64| rounded(dtype, x);
        let (a, b, c, d) = (self.re, self.im, other.re, other.im);
        if c.abs() >= d.abs() {
            if c == 0.0 && d == 0.0 {
                return Self::new(a / c.abs(), b / c.abs());
            }
            let ratio = r(d / c);
            let scale = r(1.0 / r(c + r(d * ratio)));
            return Self::new(r(r(a + r(b * ratio)) * scale), r(r(b - r(a * ratio)) * scale));
        }
        let ratio = r(c / d);
        let scale = r(1.0 / r(d + r(c * ratio)));
        Self::new(r(r(r(a * ratio) + b) * scale), r(r(r(b * ratio) - a) * scale))
    }
}

impl From<Complex> for Scalar {
    fn from(z: Complex) -> Scalar {
        Scalar::Complex(z.re, z.im)
    }
}

/// A number in the precision of the parts of a type.
pub(crate) fn rounded(dtype: DType, x: f64) -> f64 {
    if dtype == DType::C64 { f64::from(x as f32) } else { x }
}

/// `f(z)`, where that is a complex number.
pub(crate) fn of_one(op: UnaryOp, z: Scalar) -> Option<Scalar> {
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
        UnaryOp::Abs => return Some(Scalar::Float(of::abs(z))),
        UnaryOp::Sign | UnaryOp::Erf | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Not | UnaryOp::Stop => {
            return None;
        }
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

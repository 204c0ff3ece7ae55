//! Arithmetic of complex numbers, step by step in the precision of the parts.

use gw_types::{DType, Scalar};

/// A complex number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    pub(super) fn of(scalar: Scalar) -> Self {
        let [re, im] = scalar.parts();
        Self { re, im }
    }

    /// `i z`
    pub(super) fn turned(self) -> Self {
        Self::new(-self.im, self.re)
    }

    /// `-i z`
    pub(super) fn turned_back(self) -> Self {
        Self::new(self.im, -self.re)
    }

    pub(super) fn conj(self) -> Self {
        Self::new(self.re, -self.im)
    }

    /// The product where parts have the precision of a type.
    pub(super) fn times(self, other: Self, dtype: DType) -> Self {
        let in_parts = |x: f64| rounded(dtype, x);
        let product = |x: f64, y: f64| in_parts(x * y);
        Self::new(
            in_parts(product(self.re, other.re) - product(self.im, other.im)),
            in_parts(product(self.re, other.im) + product(self.im, other.re)),
        )
    }

    /// The quotient by Smith's method, as NumPy computes it.
    pub(super) fn over(self, other: Self, dtype: DType) -> Self {
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
pub(super) fn rounded(dtype: DType, x: f64) -> f64 {
    if dtype == DType::C64 { f64::from(x as f32) } else { x }
}

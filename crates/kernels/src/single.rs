//! Functions of single precision, each written once over the few [`Steps`] that every machine has: for one number in this
//! library, for a register of them in machine code. So a number has the same function wherever it is computed, to the last
//! bit.

use crate::angle::{self, Angle};
use crate::arc;
use crate::arcsine;
use crate::hyperbolic;
use crate::steps::{
    Precision, Reduced, Steps, asinh, expm1, log1p, parted, polynomial, power, signed, with_ends,
};

/// The functions that have a definition here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Single {
    /// `e^x`
    Exp,
    /// `e^x - 1`
    Expm1,
    /// `ln x`
    Log,
    /// `log₂ x`
    Log2,
    /// `ln (1 + x)`
    Log1p,
    /// Inverse hyperbolic sine.
    Asinh,
    /// Hyperbolic tangent.
    Tanh,
    /// Error function.
    Erf,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse tangent.
    Atan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Hyperbolic sine.
    Sinh,
}

impl Single {
    /// The function's steps.
    #[inline(always)]
    pub fn apply<S: Steps<f32>>(self, s: &mut S, x: S::Float) -> S::Float {
        match self {
            Single::Exp => exp(s, x),
            Single::Expm1 => {
                let parts = reduced(s, x, -20.0);
                expm1(s, x, parts)
            }
            Single::Log => log(s, x),
            Single::Log2 => log2(s, x),
            Single::Log1p => log1p(s, x, log),
            Single::Asinh => asinh(s, x, 1e9, log),
            Single::Tanh => tanh(s, x),
            Single::Erf => erf(s, x),
            Single::Sin => angle::single(s, Angle::Sin, x),
            Single::Cos => angle::single(s, Angle::Cos, x),
            Single::Tan => angle::single(s, Angle::Tan, x),
            Single::Atan => arc::atan(s, &arc::SINGLE, x),
            Single::Asin => arcsine::asin(s, &arcsine::SINGLE, x),
            Single::Acos => arcsine::acos(s, &arcsine::SINGLE, x),
            Single::Sinh => hyperbolic::sinh(s, &hyperbolic::SINGLE, x),
        }
    }
}

#[inline(always)]
fn exp<S: Steps<f32>>(s: &mut S, x: S::Float) -> S::Float {
    let parts = reduced(s, x, -104.0);
    power(s, parts)
}

/// Of a number that is taken for `low` if it is less.
#[inline(always)]
fn reduced<S: Steps<f32>>(s: &mut S, x: S::Float, low: f32) -> Reduced<S::Float> {
    // Beyond the bounds a function has its limits; NaN stays.
    let (low, high) = (s.real(low), s.real(89.0));
    let x = s.least(high, x);
    let x = s.greatest(low, x);
    let (log2_e, round) = (s.real(std::f32::consts::LOG2_E), s.real(f32::ROUND));
    let rounded = s.fma(x, log2_e, round);
    let n = s.sub(rounded, round);
    // x = n ln 2 + r with |r| ≤ 0.347; ln 2 in two parts, of which the first has few bits.
    let (first, second) = (s.real(-0.693_359_4), s.real(2.121_944_4e-4));
    let r = s.fma(n, first, x);
    let r = s.fma(n, second, r);
    let series = polynomial(
        s,
        r,
        &[1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5],
    );
    let square = s.mul(r, r);
    Reduced { rounded, n, near: s.fma(series, square, r) }
}

#[inline(always)]
fn log<S: Steps<f32>>(s: &mut S, x: S::Float) -> S::Float {
    s.usual(x, [f32::MIN_POSITIVE, f32::INFINITY]);
    let (e, f) = of_root(s, x);
    let (rest, square) = beyond_second(s, f);
    let (low, high, half) = (s.real(-2.121_944_4e-4), s.real(0.693_359_4), s.real(-0.5));
    let rest = s.fma(e, low, rest);
    let rest = s.fma(square, half, rest);
    let near = s.add(f, rest);
    let found = s.fma(e, high, near);
    with_ends(s, x, found)
}

#[inline(always)]
fn log2<S: Steps<f32>>(s: &mut S, x: S::Float) -> S::Float {
    s.usual(x, [f32::MIN_POSITIVE, f32::INFINITY]);
    let (e, f) = of_root(s, x);
    let (rest, square) = beyond_second(s, f);
    let (half, log2_e) = (s.real(-0.5), s.real(std::f32::consts::LOG2_E));
    let rest = s.fma(square, half, rest);
    let near = s.add(f, rest);
    let found = s.fma(near, log2_e, e);
    with_ends(s, x, found)
}

/// `e` and `f` of `x = (1 + f) 2^e` with `√½ ≤ 1 + f < √2`.
#[inline(always)]
fn of_root<S: Steps<f32>>(s: &mut S, x: S::Float) -> (S::Float, S::Float) {
    if s.is_quick() {
        return of_normal(s, x);
    }
    // Subnormal numbers are scaled to normal ones.
    let normal = s.real(f32::MIN_POSITIVE);
    let small = s.below(x, normal);
    let (wide, moved, straight) = (s.real(33_554_432.0), s.real(-25.0), s.real(0.0));
    let widened = s.mul(x, wide);
    let scaled = s.select(small, widened, x);
    let offset = s.select(small, moved, straight);
    let (e, f) = of_normal(s, scaled);
    (s.add(e, offset), f)
}

/// [`of_root`] of a normal number.
#[inline(always)]
fn of_normal<S: Steps<f32>>(s: &mut S, x: S::Float) -> (S::Float, S::Float) {
    let bits = s.bits(x);
    let root = s.int(std::f32::consts::FRAC_1_SQRT_2.pattern());
    let above = s.minus(bits, root);
    let e = s.right(above, 23);
    let exponent = s.left(e, 23);
    let m = s.minus(bits, exponent);
    let (m, e, one) = (s.float(m), s.number(e), s.real(1.0));
    (e, s.sub(m, one))
}

/// Difference of `ln (1 + f)` and `f - f² / 2`, and `f²`.
#[inline(always)]
fn beyond_second<S: Steps<f32>>(s: &mut S, f: S::Float) -> (S::Float, S::Float) {
    let series = polynomial(
        s,
        f,
        &[
            7.037_683_6e-2,
            -1.151_461e-1,
            1.167_699_9e-1,
            -1.242_014_1e-1,
            1.424_932_3e-1,
            -1.666_805_8e-1,
            2.000_071_5e-1,
            -2.499_999_4e-1,
            3.333_333e-1,
        ],
    );
    let square = s.mul(f, f);
    let cube = s.mul(square, f);
    (s.mul(series, cube), square)
}

#[inline(always)]
fn tanh<S: Steps<f32>>(s: &mut S, x: S::Float) -> S::Float {
    // h / (h + 1) of h = ½ (e^2|x| - 1), which is its own size near zero; from 9.02 on that is 1.
    let (size, sign) = parted(s, x);
    let end = s.real(9.5);
    let size = s.least(end, size);
    let (twice_log2_e, round) = (s.real(2.0 * std::f32::consts::LOG2_E), s.real(f32::ROUND));
    let rounded = s.fma(size, twice_log2_e, round);
    let n = s.sub(rounded, round);
    // |x| = n ½ ln 2 + r with |r| ≤ 0.174; what the rounding of ½ ln 2 leaves is nothing beside e^2|x|.
    let part = s.real(-0.5 * std::f32::consts::LN_2);
    let r = s.fma(n, part, size);
    let series =
        polynomial(s, r, &[4.438_610_4e-2, 1.338_601_9e-1, 3.333_394_8e-1, 6.666_618_6e-1, 9.999_999_4e-1]);
    let square = s.mul(r, r);
    let near = s.fma(series, square, r);
    // h = 2^n near + ½ (2^n - 1)
    let (bits, one) = (s.bits(rounded), s.real(1.0));
    let exponent = s.left(bits, 23);
    let unit = s.int(1f32.pattern());
    let power = s.plus(exponent, unit);
    let (power, half, minus_half) = (s.float(power), s.real(0.5), s.real(-0.5));
    let offset = s.fma(power, half, minus_half);
    let h = s.fma(near, power, offset);
    let below = s.add(h, one);
    let found = s.div(h, below);
    signed(s, found, sign)
}

#[inline(always)]
fn erf<S: Steps<f32>>(s: &mut S, x: S::Float) -> S::Float {
    let (size, sign) = parted(s, x);
    let square = s.mul(x, x);
    let series = polynomial(
        s,
        square,
        &[-5.631_427e-4, 4.917_55e-3, -2.671_130_6e-2, 1.128_017_8e-1, -3.761_232_5e-1, 1.283_791_2e-1],
    );
    let near = s.fma(series, x, x);
    // From 3.92 on it is 1; between 1 and there a polynomial around the middle.
    let (end, middle) = (s.real(3.92), s.real(2.25));
    let t = s.least(end, size);
    let t = s.sub(t, middle);
    let far = polynomial(
        s,
        t,
        &[
            -9.124_656e-6,
            4.841_465e-5,
            -3.361_34e-5,
            -3.299_258_5e-4,
            1.016_203_2e-3,
            -7.120_282e-4,
            -2.909_666e-3,
            1.067_874_2e-2,
            -1.908_300_4e-2,
            2.171_996_4e-2,
            -1.607_017_4e-2,
            7.142_607e-3,
            9.985_373e-1,
        ],
    );
    let one = s.real(1.0);
    let far = s.least(one, far);
    let is_near = s.below(size, one);
    let found = s.select(is_near, near, far);
    signed(s, found, sign)
}

//! Hyperbolic sine. With `x = n ln 2 + r` it is `(2^n - 2^-n) / 2 cosh r + (2^n + 2^-n) / 2 sinh r`, both of short series: no quotient,
//! and near zero, where n is 0, the series alone.

use crate::steps::{Precision, Steps, parted, series, signed};

/// Constants of one precision.
pub(crate) struct Constants<R, const COUNT: usize> {
    /// From this on it is infinity.
    end: R,
    log2_e: R,
    /// `-ln 2` in two parts; the first one times a small integer is a number.
    parts: [R; 2],
    /// `(sinh r - r) / r³` and `(cosh r - 1) / r²` as polynomials of `r²`.
    sine: [R; COUNT],
    cosine: [R; COUNT],
    /// [`Precision::ROUND`] and an n for which `2^-n` is nothing beside `2^n`.
    negligible: R,
}

pub(crate) const SINGLE: Constants<f32, 3> = Constants {
    end: 89.5,
    log2_e: std::f32::consts::LOG2_E,
    parts: [-0.693_359_4, 2.121_944_4e-4],
    sine: [0.166_666_67, 0.008_333_311, 1.989_108e-4],
    cosine: [0.5, 0.041_666_463, 0.001_393_373_1],
    negligible: 12_582_912.0 + 30.0,
};

pub(crate) const DOUBLE: Constants<f64, 5> = Constants {
    end: 710.7,
    log2_e: std::f64::consts::LOG2_E,
    parts: [-std::f64::consts::LN_2, -2.319_046_813_846_3e-17],
    sine: [
        0.166_666_666_666_666_69,
        0.008_333_333_333_330_039,
        0.000_198_412_698_631_717_57,
        2.755_726_827_690_569_6e-6,
        2.510_047_250_569_499_6e-8,
    ],
    cosine: [
        0.500_000_000_000_000_1,
        0.041_666_666_666_623_824,
        0.001_388_888_891_736_708_1,
        2.480_152_105_786_820_4e-5,
        2.762_020_159_103_154_7e-7,
    ],
    negligible: 6_755_399_441_055_744.0 + 60.0,
};

/// `sinh x`
#[inline(always)]
pub(crate) fn sinh<R: Precision, S: Steps<R>, const COUNT: usize>(
    s: &mut S,
    of: &Constants<R, COUNT>,
    x: S::Float,
) -> S::Float {
    let (size, sign) = parted(s, x);
    let (end, log2_e, round) = (s.real(of.end), s.real(of.log2_e), s.real(R::ROUND));
    let size = s.least(end, size);
    let rounded = s.fma(size, log2_e, round);
    let n = s.sub(rounded, round);
    let [first, second] = of.parts.map(|part| s.real(part));
    let r = s.fma(n, first, size);
    let r = s.fma(n, second, r);
    let square = s.mul(r, r);
    let (sine, cosine) = (series(s, square, of.sine), series(s, square, of.cosine));
    let cube = s.mul(square, r);
    let sine = s.fma(sine, cube, r);
    let cosine = s.mul(cosine, square);
    let (difference, sum) = powers(s, of, rounded);
    let rest = s.mul(sum, sine);
    let rest = s.fma(difference, cosine, rest);
    let half = s.add(difference, rest);
    let found = s.add(half, half);
    signed(s, found, sign)
}

/// `(2^n - 2^-n) / 4` and `(2^n + 2^-n) / 4`: half of `2^n` itself may be too large for a number.
#[inline(always)]
fn powers<R: Precision, S: Steps<R>, const COUNT: usize>(
    s: &mut S,
    of: &Constants<R, COUNT>,
    rounded: S::Float,
) -> (S::Float, S::Float) {
    let (quarter, negligible) = (s.int((R::BIAS - 2) << R::FRACTION), s.real(of.negligible));
    let bits = s.bits(rounded);
    let exponent = s.left(bits, R::FRACTION);
    let power = s.plus(exponent, quarter);
    let bounded = s.least(negligible, rounded);
    let bits = s.bits(bounded);
    let exponent = s.left(bits, R::FRACTION);
    let inverse = s.minus(quarter, exponent);
    let (power, inverse) = (s.float(power), s.float(inverse));
    (s.sub(power, inverse), s.add(power, inverse))
}

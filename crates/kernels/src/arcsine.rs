//! Inverse sine and cosine. Up to ½ a number has a short odd series; beyond, `asin x = π / 2 - 2 asin √((1 - x) / 2)`, whose root is at
//! most ½ again (Cody and Waite, "Software Manual for the Elementary Functions", 1980, chapter 10).

use crate::steps::{Precision, Steps, parted, series, signed};

/// Constants of one precision.
pub(crate) struct Constants<R, const COUNT: usize> {
    /// `(asin u - u) / u³` as a polynomial of `u²`, for a u up to ½.
    series: [R; COUNT],
    half: R,
    minus_two: R,
    /// A quarter of a turn and a half, each with what its rounding lost.
    quarter: [R; 2],
    turned: [R; 2],
}

pub(crate) const SINGLE: Constants<f32, 6> = Constants {
    series: [1.666_666_7e-1, 7.500_094e-2, 4.459_94e-2, 3.110_066_3e-2, 1.714_923_8e-2, 3.369_084_7e-2],
    half: 0.5,
    minus_two: -2.0,
    quarter: [std::f32::consts::FRAC_PI_2, -4.371_139e-8],
    turned: [std::f32::consts::PI, -8.742_278e-8],
};

pub(crate) const DOUBLE: Constants<f64, 13> = Constants {
    series: [
        0.166_666_666_666_666_69,
        0.074_999_999_999_984_33,
        0.044_642_857_146_355_43,
        0.030_381_944_138_531_247,
        0.022_372_172_942_149_89,
        0.017_352_392_720_869_973,
        0.013_971_212_973_552_933,
        0.011_479_177_415_184_906,
        0.010_322_814_350_185_78,
        0.005_457_506_718_640_358,
        0.017_400_879_442_694_02,
        -0.014_851_887_071_247_204,
        0.028_757_851_367_421_566,
    ],
    half: 0.5,
    minus_two: -2.0,
    quarter: [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17],
    turned: [std::f64::consts::PI, 1.224_646_799_147_353_2e-16],
};

/// The number or the root of which the series is taken.
struct Reduced<F, T> {
    /// The number is at most ½.
    near: T,
    u: F,
    /// `asin u - u`
    beyond: F,
}

#[inline(always)]
fn reduced<R: Precision, S: Steps<R>, const COUNT: usize>(
    s: &mut S,
    of: &Constants<R, COUNT>,
    size: S::Float,
) -> Reduced<S::Float, S::Test> {
    let half = s.real(of.half);
    let near = s.below(size, half);
    let square = s.mul(size, size);
    let part = s.mul(size, half);
    let part = s.sub(half, part);
    let root = s.root(part);
    let (u, t) = (s.select(near, size, root), s.select(near, square, part));
    let series = series(s, t, of.series);
    let cube = s.mul(u, t);
    Reduced { near, u, beyond: s.mul(series, cube) }
}

/// `asin x`; NaN beyond 1.
#[inline(always)]
pub(crate) fn asin<R: Precision, S: Steps<R>, const COUNT: usize>(
    s: &mut S,
    of: &Constants<R, COUNT>,
    x: S::Float,
) -> S::Float {
    let (size, sign) = parted(s, x);
    let parts = reduced(s, of, size);
    let ([quarter, rest], minus_two) = (of.quarter.map(|part| s.real(part)), s.real(of.minus_two));
    let twice = s.mul(parts.u, minus_two);
    let rest = s.fma(parts.beyond, minus_two, rest);
    let far = sum(s, quarter, twice, rest);
    let near = s.add(parts.u, parts.beyond);
    let found = s.select(parts.near, near, far);
    signed(s, found, sign)
}

/// `acos x`; NaN beyond 1.
#[inline(always)]
pub(crate) fn acos<R: Precision, S: Steps<R>, const COUNT: usize>(
    s: &mut S,
    of: &Constants<R, COUNT>,
    x: S::Float,
) -> S::Float {
    let ((size, sign), [zero, one, _]) = (parted(s, x), R::ENDS.map(|end| s.real(end)));
    let parts = reduced(s, of, size);
    let is_negative = s.below(x, zero);
    // x away from a quarter of a turn, or twice the root away from none or from a half.
    let [off, lost] = [0, 1].map(|at| {
        let [quarter, turned] = [of.quarter[at], of.turned[at]].map(|part| s.real(part));
        let far = s.select(is_negative, turned, zero);
        s.select(parts.near, quarter, far)
    });
    let (minus_two, sign_of_one) = (s.real(of.minus_two), s.int(!R::SIZE));
    let two = s.turn(minus_two, sign_of_one);
    let minus_one = s.turn(one, sign_of_one);
    let factor = s.select(parts.near, minus_one, two);
    let factor = s.turn(factor, sign);
    let away = s.mul(parts.u, factor);
    let rest = s.fma(parts.beyond, factor, lost);
    sum(s, off, away, rest)
}

/// `x + y + rest` of a small rest and an x that is 0 or not less than y.
#[inline(always)]
fn sum<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, y: S::Float, rest: S::Float) -> S::Float {
    let sum = s.add(x, y);
    let taken = s.sub(x, sum);
    let lost = s.add(taken, y);
    let rest = s.add(rest, lost);
    s.add(sum, rest)
}

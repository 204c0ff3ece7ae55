//! Sine, cosine and tangent: an angle less whole quarter turns is at most an eighth of a turn, where short polynomials do.
//!
//! A quarter turn is the sum of three numbers, so that what is left of a moderate angle is as precise as the angle.

use crate::steps::{Precision, Steps, parted, polynomial};

/// A function of an angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Angle {
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
}

impl Angle {
    /// Of an angle of double precision whose size is less than [`NEAR`] away from [`QUARTER`]: to the same bits as the function
    /// of all angles.
    #[inline(always)]
    pub fn one_off<S: Steps<f64>>(self, s: &mut S, x: S::Float) -> S::Float {
        let (size, sign) = parted(s, x);
        let [first, second, third] = QUARTERS.map(|part| s.real(part));
        let near = s.add(size, first);
        let r = s.add(near, second);
        let taken = s.sub(near, r);
        let tail = s.add(taken, second);
        let (tail, powers) = (s.add(tail, third), powers(s, r));
        match self {
            Angle::Sin => {
                let found = cosine(s, r, powers, Some(tail));
                s.turn(found, sign)
            }
            Angle::Cos => {
                let (found, minus) = (sine(s, r, powers, Some(tail)), s.int(!f64::SIZE));
                s.turn(found, minus)
            }
            Angle::Tan => {
                let (sine, cosine) = (sine(s, r, powers, Some(tail)), cosine(s, r, powers, Some(tail)));
                let (found, minus) = (s.div(cosine, sine), s.int(!f64::SIZE));
                let found = s.turn(found, minus);
                s.turn(found, sign)
            }
        }
    }

    /// Of an angle of double precision below [`NEAR`]: to the same bits as the function of all angles.
    #[inline(always)]
    pub fn near<S: Steps<f64>>(self, s: &mut S, x: S::Float) -> S::Float {
        match self {
            Angle::Sin => near_sine(s, x),
            Angle::Cos => {
                let powers = powers(s, x);
                cosine(s, x, powers, None)
            }
            Angle::Tan => {
                let powers = powers(s, x);
                let (sine, cosine) = (near_sine(s, x), cosine(s, x, powers, None));
                s.div(sine, cosine)
            }
        }
    }
}

/// Each step of a negative number is that of the positive one with the other sign, but for a sum that is zero.
#[inline(always)]
fn near_sine<S: Steps<f64>>(s: &mut S, x: S::Float) -> S::Float {
    let powers = powers(s, x);
    let found = sine(s, x, powers, None);
    let (size, zero) = (s.size(x), s.real(0.0));
    let any = s.below(zero, size);
    s.select(any, found, x)
}

/// Angles beyond are left to the C library.
const MOST_SINGLE: f32 = 100_000.0;
const MOST_DOUBLE: f64 = 1_000_000.0;

/// An angle of this size is less than half a quarter turn.
pub const NEAR: f64 = 0.785;
/// From an angle that is less than half a quarter turn away one quarter is taken off.
pub const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

/// The negative of a quarter turn of double precision, in three parts.
const QUARTERS: [f64; 3] = [-QUARTER, -6.123_233_995_384_61e-17, -3.521_559_865_183_2e-27];

/// Remainder of an angle, number of quarter turns in the last bits, and sign.
struct Rest<F, B> {
    size: F,
    rounded: F,
    quarters: F,
    sign: B,
}

#[inline(always)]
fn quarters<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, per_turn: R) -> Rest<S::Float, S::Bits> {
    let (size, sign) = parted(s, x);
    let (per_turn, round) = (s.real(per_turn), s.real(R::ROUND));
    let rounded = s.fma(size, per_turn, round);
    let quarters = s.sub(rounded, round);
    Rest { size, rounded, quarters, sign }
}

/// The angle's function of what is left, by how many quarter turns are off, with its sign.
#[inline(always)]
fn turned<R: Precision, S: Steps<R>>(
    s: &mut S,
    angle: Angle,
    rest: &Rest<S::Float, S::Bits>,
    sine: S::Float,
    cosine: S::Float,
) -> S::Float {
    let (bits, one) = (s.bits(rest.rounded), s.int(1));
    let bits = match angle {
        Angle::Sin | Angle::Tan => bits,
        Angle::Cos => s.plus(bits, one),
    };
    let odd = s.odd(bits);
    let found = s.select(odd, cosine, sine);
    let found = match angle {
        Angle::Sin | Angle::Cos => found,
        Angle::Tan => {
            let below = s.select(odd, sine, cosine);
            s.div(found, below)
        }
    };
    // Sine and cosine change their sign every other quarter, the tangent at each one.
    let to_sign = if R::DOUBLE { 63 } else { 31 };
    let sign = match angle {
        Angle::Sin | Angle::Cos => {
            let (sign, sign_bit) = (s.left(bits, to_sign - 1), s.int(!R::SIZE));
            s.both(sign, sign_bit)
        }
        Angle::Tan => s.left(bits, to_sign),
    };
    let sign = match angle {
        Angle::Sin | Angle::Tan => s.differ(sign, rest.sign),
        Angle::Cos => sign,
    };
    s.turn(found, sign)
}

/// Of single precision.
#[inline(always)]
pub(crate) fn single<S: Steps<f32>>(s: &mut S, angle: Angle, x: S::Float) -> S::Float {
    let rest = quarters(s, x, std::f32::consts::FRAC_2_PI);
    let parts = [-1.570_796_4, 4.371_139e-8, 1.715_124_5e-15];
    let r = parts.into_iter().fold(rest.size, |r, part| {
        let part = s.real(part);
        s.fma(rest.quarters, part, r)
    });
    let square = s.mul(r, r);
    let series = polynomial(s, square, &[-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1]);
    let cube = s.mul(square, r);
    let sine = s.fma(series, cube, r);
    let series = polynomial(s, square, &[2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2]);
    let (one, minus_half, fourth) = (s.real(1.0), s.real(-0.5), s.mul(square, square));
    let cosine = s.fma(square, minus_half, one);
    let cosine = s.fma(series, fourth, cosine);
    let found = turned(s, angle, &rest, sine, cosine);
    let most = s.real(MOST_SINGLE);
    let far = s.below(most, rest.size);
    s.beyond(far, angle, x, found)
}

/// Of double precision.
#[inline(always)]
pub(crate) fn double<S: Steps<f64>>(s: &mut S, angle: Angle, x: S::Float) -> S::Float {
    let rest = quarters(s, x, std::f64::consts::FRAC_2_PI);
    let [first, second, third] = QUARTERS.map(|part| s.real(part));
    // The product with the second part has no more bits than a number, so what the difference loses is a number, too.
    let near = s.fma(rest.quarters, first, rest.size);
    let r = s.fma(rest.quarters, second, near);
    let taken = s.sub(near, r);
    let tail = s.fma(rest.quarters, second, taken);
    let tail = s.fma(rest.quarters, third, tail);
    let powers = powers(s, r);
    let (sine, cosine) = (sine(s, r, powers, Some(tail)), cosine(s, r, powers, Some(tail)));
    let found = turned(s, angle, &rest, sine, cosine);
    let most = s.real(MOST_DOUBLE);
    let far = s.below(most, rest.size);
    s.beyond(far, angle, x, found)
}

/// `c0 + c1 x + … + c5 x^5`, in pairs that do not wait for each other.
#[inline(always)]
fn in_pairs<S: Steps<f64>>(s: &mut S, [x, square]: [S::Float; 2], c: [f64; 6]) -> S::Float {
    let [c0, c1, c2, c3, c4, c5] = c.map(|c| s.real(c));
    let (first, second, third) = (s.fma(c1, x, c0), s.fma(c3, x, c2), s.fma(c5, x, c4));
    let upper = s.fma(third, square, second);
    s.fma(upper, square, first)
}

/// The second and the fourth power.
#[inline(always)]
fn powers<S: Steps<f64>>(s: &mut S, r: S::Float) -> [S::Float; 2] {
    let square = s.mul(r, r);
    [square, s.mul(square, square)]
}

/// The sine of `r + tail`, or of `r`.
#[inline(always)]
fn sine<S: Steps<f64>>(s: &mut S, r: S::Float, powers: [S::Float; 2], tail: Option<S::Float>) -> S::Float {
    let square = powers[0];
    let series = in_pairs(
        s,
        powers,
        [
            -0.166_666_666_666_666_32,
            0.008_333_333_333_322_49,
            -0.000_198_412_698_298_579_5,
            2.755_731_370_707_006_8e-6,
            -2.505_076_025_340_686_3e-8,
            1.589_690_995_211_55e-10,
        ],
    );
    let cube = s.mul(square, r);
    let rest = match tail {
        None => s.mul(series, cube),
        Some(tail) => {
            // The derivative by `tail` is the cosine, of which two terms do.
            let minus_half = s.real(-0.5);
            let part = s.mul(square, minus_half);
            let bent = s.fma(part, tail, tail);
            s.fma(series, cube, bent)
        }
    };
    s.add(r, rest)
}

/// The cosine of `r + tail`, or of `r`.
#[inline(always)]
fn cosine<S: Steps<f64>>(s: &mut S, r: S::Float, powers: [S::Float; 2], tail: Option<S::Float>) -> S::Float {
    let ([square, fourth], minus_half, one) = (powers, s.real(-0.5), s.real(1.0));
    let series = in_pairs(
        s,
        powers,
        [
            0.041_666_666_666_666_6,
            -0.001_388_888_888_887_411,
            0.000_024_801_587_289_476_73,
            -2.755_731_435_139_066_3e-7,
            2.087_572_321_298_175e-9,
            -1.135_964_755_778_819_5e-11,
        ],
    );
    let most = s.fma(square, minus_half, one);
    let lost = s.sub(one, most);
    let lost = s.fma(square, minus_half, lost);
    let rest = match tail {
        None => s.fma(series, fourth, lost),
        Some(tail) => {
            let bent = s.fms(r, tail, lost);
            s.fms(series, fourth, bent)
        }
    };
    s.add(most, rest)
}

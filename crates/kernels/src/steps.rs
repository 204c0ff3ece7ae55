//! Steps of arithmetic that every machine has: functions made of them give the same bits everywhere.

use crate::angle::Angle;
use crate::division::floor_div_mod;

/// Single or double precision.
pub trait Precision: Copy + 'static {
    /// True if it is double precision.
    const DOUBLE: bool;
    /// Bits of a number behind its exponent.
    const FRACTION: u8;
    /// Bias of exponents.
    const BIAS: i64;
    /// All bits of a number but its sign.
    const SIZE: i64;
    /// Adding this rounds to the nearest integer, which then stands in the last bits.
    const ROUND: Self;
    /// 0, 1 and infinity.
    const ENDS: [Self; 3];
    /// `ln 2`
    const LN_2: Self;
    /// -1
    const MINUS_ONE: Self;
    /// Adding this rounds to the nearest sixteenth, whose count then stands in the last bits.
    const SIXTEENTHS: Self;
    /// Negative infinity, and the number that stands for none.
    const NONE: [Self; 2];
    /// The bits of a number.
    fn pattern(self) -> i64;
    /// The same number in double precision.
    fn widened(self) -> f64;
    /// Adding [`Precision::ROUND`] to less than this is exact to the integer.
    const WHOLE: Self;
    /// Result of the C library, for any angle.
    fn exact(self, angle: Angle) -> Self;
    /// Python's `x % y`, for any two numbers.
    fn rest(self, y: Self) -> Self;
}

impl Precision for f32 {
    const DOUBLE: bool = false;
    const FRACTION: u8 = 23;
    const BIAS: i64 = 127;
    const SIZE: i64 = i32::MAX as i64;
    const ROUND: f32 = 12_582_912.0;
    const ENDS: [f32; 3] = [0.0, 1.0, f32::INFINITY];
    const LN_2: f32 = std::f32::consts::LN_2;
    const MINUS_ONE: f32 = -1.0;
    const SIXTEENTHS: f32 = Self::ROUND / 16.0;
    const NONE: [f32; 2] = [f32::NEG_INFINITY, f32::from_bits(0xffc0_0000)];
    fn pattern(self) -> i64 {
        i64::from(self.to_bits())
    }
    fn widened(self) -> f64 {
        f64::from(self)
    }
    const WHOLE: f32 = 2_097_152.0;
    fn exact(self, angle: Angle) -> f32 {
        f64::from(self).exact(angle) as f32
    }
    fn rest(self, y: f32) -> f32 {
        f64::from(self).rest(f64::from(y)) as f32
    }
}

impl Precision for f64 {
    const DOUBLE: bool = true;
    const FRACTION: u8 = 52;
    const BIAS: i64 = 1023;
    const SIZE: i64 = i64::MAX;
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const ENDS: [f64; 3] = [0.0, 1.0, f64::INFINITY];
    const LN_2: f64 = std::f64::consts::LN_2;
    const MINUS_ONE: f64 = -1.0;
    const SIXTEENTHS: f64 = Self::ROUND / 16.0;
    const NONE: [f64; 2] = [f64::NEG_INFINITY, f64::from_bits(0xfff8_0000_0000_0000)];
    fn pattern(self) -> i64 {
        self.to_bits() as i64
    }
    fn widened(self) -> f64 {
        self
    }
    const WHOLE: f64 = 1_125_899_906_842_624.0;
    fn rest(self, y: f64) -> f64 {
        floor_div_mod(self, y).1
    }
    fn exact(self, angle: Angle) -> f64 {
        match angle {
            Angle::Sin => self.sin(),
            Angle::Cos => self.cos(),
            Angle::Tan => self.tan(),
        }
    }
}

/// A rule for arguments of which a function has limits, or a value that its steps would not give exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// 0 has -∞, a negative number none; ∞ and NaN have themselves.
    Logarithm,
    /// Likewise, and -∞ has ∞.
    LogarithmOfSize,
    /// 0 has 1.
    OneAtZero,
    /// 1 has 1.
    OneAtOne,
}

/// Operations that the functions are composed of: on numbers of one precision, one or as many as a register
/// has lanes.
pub trait Steps<R: Precision> {
    /// Numbers.
    type Float: Copy;
    /// Their bits, as integers of their width.
    type Bits: Copy;
    /// Of each number whether something holds.
    type Test: Copy;

    /// The same number in each lane.
    fn real(&mut self, value: R) -> Self::Float;
    /// The same bits in each lane: as many of the last ones as a number has.
    fn int(&mut self, value: i64) -> Self::Bits;
    /// `x + y`
    fn add(&mut self, x: Self::Float, y: Self::Float) -> Self::Float;
    /// `x - y`
    fn sub(&mut self, x: Self::Float, y: Self::Float) -> Self::Float;
    /// `x * y`
    fn mul(&mut self, x: Self::Float, y: Self::Float) -> Self::Float;
    /// `x / y`
    fn div(&mut self, x: Self::Float, y: Self::Float) -> Self::Float;
    /// `√x`
    fn root(&mut self, x: Self::Float) -> Self::Float;
    /// `x * y + z`, rounded once.
    fn fma(&mut self, x: Self::Float, y: Self::Float, z: Self::Float) -> Self::Float;
    /// `x < y`; false with NaN.
    fn below(&mut self, x: Self::Float, y: Self::Float) -> Self::Test;
    /// True if both are the same number; false with NaN.
    fn same(&mut self, x: Self::Float, y: Self::Float) -> Self::Test;
    /// The nearest integer; of two that are as near the even one.
    fn nearest(&mut self, x: Self::Float) -> Self::Float;
    /// The entry of a table of 16 or 32 numbers at the number in the last bits, which is less than 24.
    fn entry<const N: usize>(&mut self, table: &'static [R; N], at: Self::Bits) -> Self::Float;
    /// True if the last bit of an integer is set.
    fn odd(&mut self, x: Self::Bits) -> Self::Test {
        odd(self, x)
    }
    /// `x if test else y`
    fn select(&mut self, test: Self::Test, x: Self::Float, y: Self::Float) -> Self::Float;
    /// The bits of a number.
    fn bits(&mut self, x: Self::Float) -> Self::Bits;
    /// The number with these bits.
    fn float(&mut self, x: Self::Bits) -> Self::Float;
    /// `x + y`, wrapping.
    fn plus(&mut self, x: Self::Bits, y: Self::Bits) -> Self::Bits;
    /// `x - y`, wrapping.
    fn minus(&mut self, x: Self::Bits, y: Self::Bits) -> Self::Bits;
    /// Bitwise.
    fn both(&mut self, x: Self::Bits, y: Self::Bits) -> Self::Bits;
    /// Bitwise.
    fn either(&mut self, x: Self::Bits, y: Self::Bits) -> Self::Bits;
    /// Bitwise: one of both and not the other.
    fn differ(&mut self, x: Self::Bits, y: Self::Bits) -> Self::Bits;
    /// `x << by`
    fn left(&mut self, x: Self::Bits, by: u8) -> Self::Bits;
    /// `x >> by`, keeping the sign; of double precision only what has none.
    fn right(&mut self, x: Self::Bits, by: u8) -> Self::Bits;
    /// `found`; where `far` holds, what [`Precision::exact`] gives of `x`.
    fn beyond(&mut self, far: Self::Test, angle: Angle, x: Self::Float, found: Self::Float) -> Self::Float;

    /// `found`; where `far` holds, what [`Precision::rest`] gives of `x` and `y`. Lanes that are not far may be computed anew, by the same steps:
    /// subnormal numbers may be zeros in them.
    fn beyond_rest(
        &mut self,
        far: Self::Test,
        x: Self::Float,
        y: Self::Float,
        found: Self::Float,
    ) -> Self::Float;

    /// `x` without its sign.
    fn size(&mut self, x: Self::Float) -> Self::Float {
        let (bits, size) = (self.bits(x), self.int(R::SIZE));
        let bits = self.both(bits, size);
        self.float(bits)
    }

    /// `x` with the other sign where `sign` is set; no other bit of it is.
    fn turn(&mut self, x: Self::Float, sign: Self::Bits) -> Self::Float {
        let bits = self.bits(x);
        let bits = self.differ(bits, sign);
        self.float(bits)
    }

    /// The number that these bits are as a small integer.
    fn number(&mut self, x: Self::Bits) -> Self::Float {
        small_number(self, x)
    }

    /// `x if x < y else y`
    fn least(&mut self, x: Self::Float, y: Self::Float) -> Self::Float {
        let test = self.below(x, y);
        self.select(test, x, y)
    }

    /// `x if x > y else y`
    fn greatest(&mut self, x: Self::Float, y: Self::Float) -> Self::Float {
        let test = self.below(y, x);
        self.select(test, x, y)
    }

    /// `x * 2^n`, rounded once, for an x around 1 and an n that two exponents of normal numbers add up to; `rounded` is
    /// `ROUND + n`.
    fn scale(&mut self, x: Self::Float, _n: Self::Float, rounded: Self::Float) -> Self::Float {
        scaled(self, x, rounded, 0)
    }

    /// As [`Steps::scale`] by the greatest integer below an `n` in sixteenths; `rounded` is `SIXTEENTHS + n`.
    fn scale_sixteenths(&mut self, x: Self::Float, _n: Self::Float, rounded: Self::Float) -> Self::Float {
        scaled(self, x, rounded, 4)
    }

    /// True if numbers of which [`Steps::usual`] does not hold are computed elsewhere: other steps need not hold for them.
    fn is_quick(&self) -> bool {
        false
    }

    /// Asks that a number be at least the first of these bounds, which have no sign, and less than the second.
    fn usual(&mut self, _x: Self::Float, _bounds: [R; 2]) {}

    /// `x * y - z`, rounded once.
    fn fms(&mut self, x: Self::Float, y: Self::Float, z: Self::Float) -> Self::Float {
        let minus = self.int(!R::SIZE);
        let less = self.turn(z, minus);
        self.fma(x, y, less)
    }

    /// `found`, or what the rule has for such an `x`.
    fn limited(&mut self, limit: Limit, x: Self::Float, found: Self::Float) -> Self::Float {
        limited(self, limit, x, found)
    }
}

/// [`Steps::limited`], where no instruction gives it.
#[inline(always)]
pub fn limited<R: Precision, S: Steps<R> + ?Sized>(
    s: &mut S,
    limit: Limit,
    x: S::Float,
    found: S::Float,
) -> S::Float {
    let ([zero, one, infinity], [lowest, none]) =
        (R::ENDS.map(|end| s.real(end)), R::NONE.map(|end| s.real(end)));
    if let Limit::OneAtZero | Limit::OneAtOne = limit {
        let at = if limit == Limit::OneAtOne { one } else { zero };
        let is_one = s.same(x, at);
        return s.select(is_one, one, found);
    }
    let (finite, negative, is_zero) = (s.below(x, infinity), s.below(x, zero), s.same(x, zero));
    let found = s.select(finite, found, x);
    let found = s.select(negative, none, found);
    let found = s.select(is_zero, lowest, found);
    if limit == Limit::Logarithm {
        return found;
    }
    let is_lowest = s.same(x, lowest);
    s.select(is_lowest, infinity, found)
}

/// [`Steps::odd`], where no instruction gives it: the last bit becomes one of an exponent, which is that of 0 or of a small normal
/// number.
#[inline(always)]
pub fn odd<R: Precision, S: Steps<R> + ?Sized>(s: &mut S, x: S::Bits) -> S::Test {
    let to_exponent = if R::DOUBLE { 61 } else { 29 };
    let (last, last_bit, zero) = (s.left(x, to_exponent), s.int(1 << to_exponent), s.real(R::ENDS[0]));
    let last = s.both(last, last_bit);
    let last = s.float(last);
    s.below(zero, last)
}

/// [`Steps::number`], where no instruction gives it.
#[inline(always)]
pub fn small_number<R: Precision, S: Steps<R> + ?Sized>(s: &mut S, x: S::Bits) -> S::Float {
    let (bits, round) = (s.int(R::ROUND.pattern()), s.real(R::ROUND));
    let rounded = s.plus(x, bits);
    let rounded = s.float(rounded);
    s.sub(rounded, round)
}

/// [`Steps::scale`], where no instruction gives it, by an `n` in parts of two to the power of `shift`.
#[inline(always)]
pub fn scaled<R: Precision, S: Steps<R> + ?Sized>(
    s: &mut S,
    x: S::Float,
    rounded: S::Float,
    shift: u8,
) -> S::Float {
    // Each half of n is the exponent of a normal number, and only the second product is rounded.
    let bits = s.bits(rounded);
    let round = R::ROUND.pattern() - (i64::from(shift) << R::FRACTION);
    let to_twice = s.int(((2 * R::BIAS) << shift) - round);
    let twice = s.plus(bits, to_twice);
    let twice = if shift == 0 { twice } else { s.right(twice, shift) };
    let half = s.right(twice, 1);
    let rest = s.minus(twice, half);
    [half, rest].into_iter().fold(x, |x, biased| {
        let exponent = s.left(biased, R::FRACTION);
        let power = s.float(exponent);
        s.mul(x, power)
    })
}

/// The sum of `coefficients[k] x^(last - k)`.
#[inline(always)]
pub(crate) fn polynomial<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, coefficients: &[R]) -> S::Float {
    let first = s.real(coefficients[0]);
    coefficients[1..].iter().fold(first, |sum, &c| {
        let c = s.real(c);
        s.fma(sum, x, c)
    })
}

/// `c[0] + c[1] x + c[2] x^2 + …` of at most 32: neighbours are put together until one is left, so that few steps wait for each
/// other.
#[inline(always)]
pub(crate) fn series<R: Precision, S: Steps<R>, const COUNT: usize>(
    s: &mut S,
    x: S::Float,
    c: [R; COUNT],
) -> S::Float {
    let mut powers = [x; 5];
    for at in 1..5 {
        if COUNT > 1 << at {
            powers[at] = s.mul(powers[at - 1], powers[at - 1]);
        }
    }
    let (lower, upper) = (sixteen(s, &powers, &c, 0), sixteen(s, &powers, &c, 16));
    let sum = joined(s, powers[4], lower, upper);
    sum.unwrap_or(x)
}

/// The sum of what there is of two parts, the upper one times a power.
#[inline(always)]
fn joined<R: Precision, S: Steps<R>>(
    s: &mut S,
    power: S::Float,
    lower: Option<S::Float>,
    upper: Option<S::Float>,
) -> Option<S::Float> {
    match (lower, upper) {
        (Some(lower), Some(upper)) => Some(s.fma(upper, power, lower)),
        (lower, _) => lower,
    }
}

#[inline(always)]
fn sixteen<R: Precision, S: Steps<R>>(
    s: &mut S,
    powers: &[S::Float; 5],
    c: &[R],
    at: usize,
) -> Option<S::Float> {
    let (lower, upper) = (eight(s, powers, c, at), eight(s, powers, c, at + 8));
    joined(s, powers[3], lower, upper)
}

#[inline(always)]
fn eight<R: Precision, S: Steps<R>>(
    s: &mut S,
    powers: &[S::Float; 5],
    c: &[R],
    at: usize,
) -> Option<S::Float> {
    let (lower, upper) = (four(s, powers, c, at), four(s, powers, c, at + 4));
    joined(s, powers[2], lower, upper)
}

#[inline(always)]
fn four<R: Precision, S: Steps<R>>(
    s: &mut S,
    powers: &[S::Float; 5],
    c: &[R],
    at: usize,
) -> Option<S::Float> {
    let (lower, upper) = (two(s, powers, c, at), two(s, powers, c, at + 2));
    joined(s, powers[1], lower, upper)
}

#[inline(always)]
fn two<R: Precision, S: Steps<R>>(s: &mut S, powers: &[S::Float; 5], c: &[R], at: usize) -> Option<S::Float> {
    let [lower, upper] = [at, at + 1].map(|at| c.get(at).map(|&c| s.real(c)));
    joined(s, powers[0], lower, upper)
}

/// `x` without its sign, and its sign alone.
#[inline(always)]
pub(crate) fn parted<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float) -> (S::Float, S::Bits) {
    let (size, bits, sign) = (s.size(x), s.bits(x), s.int(!R::SIZE));
    (size, s.both(bits, sign))
}

/// A number without a sign gets one.
#[inline(always)]
pub(crate) fn signed<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, sign: S::Bits) -> S::Float {
    let bits = s.bits(x);
    let bits = s.either(bits, sign);
    s.float(bits)
}

/// A logarithm with its limits.
#[inline(always)]
pub(crate) fn with_ends<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, found: S::Float) -> S::Float {
    if s.is_quick() { found } else { s.limited(Limit::Logarithm, x, found) }
}

/// A number as `n ln 2 + r`.
pub(crate) struct Reduced<F> {
    /// `ROUND + n`
    pub(crate) rounded: F,
    pub(crate) n: F,
    /// `e^r - 1`
    pub(crate) near: F,
}

/// `e^x` of a number that is taken apart.
#[inline(always)]
pub(crate) fn power<R: Precision, S: Steps<R>>(s: &mut S, of: Reduced<S::Float>) -> S::Float {
    let one = s.real(R::ENDS[1]);
    let power = s.add(of.near, one);
    s.scale(power, of.n, of.rounded)
}

/// `e^x - 1` of a number that is taken apart, not less than what has -1.
#[inline(always)]
pub(crate) fn expm1<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, of: Reduced<S::Float>) -> S::Float {
    let (_, sign) = parted(s, x);
    // Twice 2^(n - 1) near + (2^(n - 1) - ½): 2^n itself may be too large for a number.
    let (bits, before) = (s.bits(of.rounded), s.int((R::BIAS - 1) << R::FRACTION));
    let exponent = s.left(bits, R::FRACTION);
    let power = s.plus(exponent, before);
    let (power, half) = (s.float(power), s.float(before));
    let past = s.sub(power, half);
    let halved = s.fma(of.near, power, past);
    let found = s.add(halved, halved);
    let (whole, one) = (s.size(of.n), s.real(R::ENDS[1]));
    let is_near = s.below(whole, one);
    let found = s.select(is_near, of.near, found);
    signed(s, found, sign)
}

/// `ln (1 + x)`, by the logarithm of the precision.
#[inline(always)]
pub(crate) fn log1p<R: Precision, S: Steps<R>>(
    s: &mut S,
    x: S::Float,
    log: impl Fn(&mut S, S::Float) -> S::Float,
) -> S::Float {
    let (_, sign) = parted(s, x);
    let [zero, one, infinity] = R::ENDS.map(|end| s.real(end));
    // ln (1 + x) = ln u + (1 + x - u) / u nearly, u being 1 + x rounded.
    let u = s.add(x, one);
    let back = s.sub(u, one);
    let lost = s.sub(x, back);
    let part = s.div(lost, u);
    let found = log(s, u);
    let (finite, positive) = (s.below(u, infinity), s.below(zero, u));
    let part = s.select(finite, part, zero);
    let part = s.select(positive, part, zero);
    let found = s.add(found, part);
    signed(s, found, sign)
}

/// `ln (|x| + √(x² + 1))` with the sign of `x`; from `end` on, where the root is `|x|`, it is `ln |x| + ln 2`.
#[inline(always)]
pub(crate) fn asinh<R: Precision, S: Steps<R>>(
    s: &mut S,
    x: S::Float,
    end: R,
    log: impl Fn(&mut S, S::Float) -> S::Float,
) -> S::Float {
    let (size, sign) = parted(s, x);
    let [zero, one, _] = R::ENDS.map(|end| s.real(end));
    let (end, ln_2) = (s.real(end), s.real(R::LN_2));
    let square = s.mul(size, size);
    let above = s.add(square, one);
    let root = s.root(above);
    let below = s.add(root, one);
    // |x| + x² / (1 + √(x² + 1)) keeps the digits of a small x.
    let part = s.div(square, below);
    let part = s.add(size, part);
    let near = s.below(size, end);
    let (of, more) = (s.select(near, part, size), s.select(near, zero, ln_2));
    let found = log1p(s, of, log);
    let found = s.add(found, more);
    signed(s, found, sign)
}

//! Powers in single precision: `2^(y log₂ |x|)` with a logarithm and a product of two numbers each, so that the exponent is known to
//! more bits than a number has.

use crate::single::of_root;
use crate::steps::{Precision, Steps, parted, polynomial};

/// `2 / ln 2` and ⅓, each with what its rounding lost.
const LOG2_E_TWICE: [f32; 2] = [2.885_39, 3.851_926e-8];
const THIRD: [f32; 2] = [0.333_333_34, -9.934_108e-9];

/// `(atanh z - z - z³ / 3) / z⁵` as a polynomial of `z²`.
const TAIL: [f32; 3] = [0.117_099_07, 0.142_735_42, 0.200_000_76];

/// `(2^r - 1) / r`
const POWER: [f32; 6] =
    [1.547_106_5e-4, 1.341_154_1e-3, 9.618_027e-3, 5.550_293e-2, 2.402_265e-1, 6.931_472_4e-1];

/// A sum of two numbers, of which the second one is less than the last place of the first.
type Pair<F> = (F, F);

/// `x^y` with the ends of the C library.
#[inline(always)]
pub(crate) fn pow<S: Steps<f32>>(s: &mut S, x: S::Float, y: S::Float) -> S::Float {
    let y = of_one(s, x, y);
    let (base, back) = parted(s, x);
    let exponent = log2(s, base);
    let product = times(s, exponent, y);
    let found = exp2(s, product);
    let found = of_unit(s, base, y, found);
    let found = of_zero(s, y, found);
    with_sign(s, x, back, y, found)
}

/// The exponent: 0 where the base is 1, whose powers are 1 even where the exponent is no number.
#[inline(always)]
fn of_one<S: Steps<f32>>(s: &mut S, x: S::Float, y: S::Float) -> S::Float {
    let (one, zero, least) = (s.real(1.0), s.real(0.0), s.real(f32::MIN_POSITIVE));
    let (size, from_one) = (s.size(y), s.sub(x, one));
    let (below, above) = (s.below(x, one), s.below(one, x));
    // 0, or NaN if that is the base: but the power is 1 for an exponent of 0.
    let is_zero = s.below(size, least);
    let other = s.mul(from_one, zero);
    let other = s.select(is_zero, y, other);
    let other = s.select(above, y, other);
    s.select(below, y, other)
}

/// `log₂ x` of a number that is not negative; of 0 and infinity the first part alone counts.
#[inline(always)]
fn log2<S: Steps<f32>>(s: &mut S, x: S::Float) -> Pair<S::Float> {
    let (e, f) = of_root(s, x);
    let z = quotient(s, f);
    let series = series(s, z);
    let natural = times_more(s, z, series);
    let (high, low) = scaled(s, natural, LOG2_E_TWICE);
    let (sum, rest) = added(s, e, high);
    let rest = s.add(rest, low);
    let (zero, infinity) = (s.real(0.0), s.real(f32::INFINITY));
    let (positive, finite, lowest) = (s.below(zero, x), s.below(x, infinity), s.real(f32::NEG_INFINITY));
    let sum = s.select(finite, sum, x);
    let is_nan = s.sub(x, x);
    let other = s.add(lowest, is_nan);
    let sum = s.select(positive, sum, other);
    let rest = s.select(finite, rest, zero);
    (sum, s.select(positive, rest, zero))
}

/// `f / (2 + f)`
#[inline(always)]
fn quotient<S: Steps<f32>>(s: &mut S, f: S::Float) -> Pair<S::Float> {
    let (one, two) = (s.real(1.0), s.real(2.0));
    let (base, base_rest) = added(s, two, f);
    let inverse = s.div(one, base);
    let z = s.mul(f, inverse);
    let minus = negative(s, z);
    let left = s.fma(minus, base, f);
    let left = s.fma(minus, base_rest, left);
    (z, s.mul(left, inverse))
}

/// `z² / 3 + z⁴ / 5 + …`
#[inline(always)]
fn series<S: Steps<f32>>(s: &mut S, z: Pair<S::Float>) -> Pair<S::Float> {
    let (square, square_rest) = product(s, z.0, z.0);
    let twice = s.add(z.1, z.1);
    let square_rest = s.fma(twice, z.0, square_rest);
    let tail = polynomial(s, square, &TAIL);
    let fourth = s.mul(square, square);
    let tail = s.mul(tail, fourth);
    let (third, rest) = scaled(s, (square, square_rest), THIRD);
    (third, s.add(rest, tail))
}

/// `z (1 + more)`
#[inline(always)]
fn times_more<S: Steps<f32>>(s: &mut S, z: Pair<S::Float>, more: Pair<S::Float>) -> Pair<S::Float> {
    let (high, low) = product(s, z.0, more.0);
    let low = s.fma(z.0, more.1, low);
    let low = s.fma(z.1, more.0, low);
    let (sum, rest) = added(s, z.0, high);
    let low = s.add(low, z.1);
    (sum, s.add(rest, low))
}

/// `log₂ x` times the exponent.
#[inline(always)]
fn times<S: Steps<f32>>(s: &mut S, x: Pair<S::Float>, y: S::Float) -> Pair<S::Float> {
    let (high, low) = product(s, x.0, y);
    let low = s.fma(x.1, y, low);
    // Beyond the exponents of numbers the first part decides; it may be infinite, and what it loses no number.
    let (end, zero) = (s.real(512.0), s.real(0.0));
    let size = s.size(high);
    let within = s.below(size, end);
    (high, s.select(within, low, zero))
}

/// `2^x`
#[inline(always)]
fn exp2<S: Steps<f32>>(s: &mut S, x: Pair<S::Float>) -> S::Float {
    let (low, high, round) = (s.real(-160.0), s.real(130.0), s.real(f32::ROUND));
    let bounded = s.least(high, x.0);
    let bounded = s.greatest(low, bounded);
    let rounded = s.add(bounded, round);
    let n = s.sub(rounded, round);
    let r = s.sub(bounded, n);
    let r = s.add(r, x.1);
    let series = polynomial(s, r, &POWER);
    let one = s.real(1.0);
    let near = s.fma(series, r, one);
    s.scale(near, n, rounded)
}

/// Powers of 1 and -1 have the size 1, infinite ones too.
#[inline(always)]
fn of_unit<S: Steps<f32>>(s: &mut S, base: S::Float, y: S::Float, found: S::Float) -> S::Float {
    let (one, zero, most) = (s.real(1.0), s.real(0.0), s.real(f32::MAX));
    let (below, above, size) = (s.below(base, one), s.below(one, base), s.size(y));
    let bounded = s.least(most, size);
    // 1, or NaN if the base or the exponent is that.
    let nothing = s.mul(bounded, zero);
    let unit = s.add(base, nothing);
    let other = s.select(above, found, unit);
    s.select(below, found, other)
}

/// Powers to 0 are 1.
#[inline(always)]
fn of_zero<S: Steps<f32>>(s: &mut S, y: S::Float, found: S::Float) -> S::Float {
    let (one, zero) = (s.real(1.0), s.real(0.0));
    let (below, above, other) = (s.below(y, zero), s.below(zero, y), s.add(one, y));
    let other = s.select(above, found, other);
    s.select(below, found, other)
}

/// Odd powers of a negative number are negative, those that are not whole are no numbers.
#[inline(always)]
fn with_sign<S: Steps<f32>>(s: &mut S, x: S::Float, back: S::Bits, y: S::Float, found: S::Float) -> S::Float {
    let (zero, nan, lowest) = (s.real(0.0), s.real(f32::NAN), s.real(f32::NEG_INFINITY));
    let (odd, broken) = parity(s, y);
    let bits = s.both(odd, back);
    let sign = s.float(bits);
    let sign = s.select(broken, zero, sign);
    let sign = s.bits(sign);
    let turned = s.turn(found, sign);
    let (negative, finite) = (s.below(x, zero), s.below(lowest, x));
    let other = s.select(broken, nan, turned);
    let other = s.select(finite, other, turned);
    s.select(negative, other, turned)
}

/// The sign bit where a whole number is odd, and whether a number is not whole.
#[inline(always)]
fn parity<S: Steps<f32>>(s: &mut S, y: S::Float) -> (S::Bits, S::Test) {
    let (zero, whole, even) = (s.real(0.0), s.real(8_388_608.0), s.real(16_777_216.0));
    let size = s.size(y);
    // From 2^23 on a number is whole, and below it the sum is, rounded: the last bit is that of an odd number.
    let (has_part, may_be_odd) = (s.below(size, whole), s.below(size, even));
    let rounded = s.add(size, whole);
    let back = s.sub(rounded, whole);
    let left = s.sub(back, size);
    let left = s.size(left);
    let left = s.select(has_part, left, zero);
    let rounded = s.select(has_part, rounded, size);
    let bits = s.bits(rounded);
    let odd = s.left(bits, 31);
    let odd = s.float(odd);
    let odd = s.select(may_be_odd, odd, zero);
    (s.bits(odd), s.below(zero, left))
}

/// `x y`, and what its rounding lost.
#[inline(always)]
fn product<S: Steps<f32>>(s: &mut S, x: S::Float, y: S::Float) -> Pair<S::Float> {
    let high = s.mul(x, y);
    let minus = negative(s, high);
    (high, s.fma(x, y, minus))
}

/// A sum of two numbers times one.
#[inline(always)]
fn scaled<S: Steps<f32>>(s: &mut S, x: Pair<S::Float>, by: [f32; 2]) -> Pair<S::Float> {
    let [factor, lost] = by.map(|part| s.real(part));
    let (high, low) = product(s, x.0, factor);
    let low = s.fma(x.0, lost, low);
    (high, s.fma(x.1, factor, low))
}

/// `x + y`, and what its rounding lost, for an x that is 0 or not less than y.
#[inline(always)]
fn added<S: Steps<f32>>(s: &mut S, x: S::Float, y: S::Float) -> Pair<S::Float> {
    let sum = s.add(x, y);
    let taken = s.sub(x, sum);
    (sum, s.add(taken, y))
}

#[inline(always)]
fn negative<S: Steps<f32>>(s: &mut S, x: S::Float) -> S::Float {
    let minus = s.int(!f32::SIZE);
    s.turn(x, minus)
}

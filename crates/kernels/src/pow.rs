//! Powers: `2^(y log₂ |x|)` with a logarithm and a product of two numbers each, so that the exponent is known to more bits than a
//! number has (as in Muller and others, "Handbook of Floating-Point Arithmetic", 2018, chapter 10).

use crate::steps::{Precision, Steps, parted, series, signed};

/// Constants of one precision.
pub(crate) struct Constants<R, const TAIL: usize, const POWER: usize> {
    /// `2 / ln 2` and ⅓, each with what its rounding lost.
    log2_e_twice: [R; 2],
    third: [R; 2],
    /// `(atanh z - z - z³ / 3) / z⁵` as a polynomial of `z²`.
    tail: [R; TAIL],
    /// `ln 2` with what its rounding lost, and `(2^r - 1 - r ln 2) / r²`.
    ln_2: [R; 2],
    power: [R; POWER],
    /// Exponents beyond these have the powers 0 and infinity.
    ends: [R; 2],
    /// Sizes of `y` beyond these have the powers of the ends, but where the logarithm is infinite, or 0.
    sizes: [R; 2],
    /// Logarithms for those of 0 and infinity: of great size also when they are multiplied with the first of the sizes.
    logarithms: [R; 2],
    lowest: R,
    nan: R,
    /// The least normal number, ½ and the greatest number below that.
    least: R,
    half: R,
    below_half: R,
    /// Adding this rounds half a number below it to the nearest integer.
    whole: R,
}

pub(crate) const SINGLE: Constants<f32, 3, 5> = Constants {
    log2_e_twice: [2.885_39, 3.851_926e-8],
    third: [0.333_333_34, -9.934_108e-9],
    tail: [0.200_000_76, 0.142_735_42, 0.117_099_07],
    ln_2: [std::f32::consts::LN_2, -1.904_654_2e-9],
    power: [2.402_265e-1, 5.550_381e-2, 9.618_103e-3, 1.338_132_2e-3, 1.544_490_1e-4],
    ends: [-160.0, 160.0],
    sizes: [7.888_609e-31, 1_099_511_627_776.0],
    logarithms: [-4.253_529_6e37, 4.253_529_6e37],
    lowest: f32::NEG_INFINITY,
    nan: f32::NAN,
    least: f32::MIN_POSITIVE,
    half: 0.5,
    below_half: 0.499_999_97,
    whole: 8_388_608.0,
};

pub(crate) const DOUBLE: Constants<f64, 8, 11> = Constants {
    log2_e_twice: [2.885_390_081_777_926_8, 4.071_054_748_186_206_6e-17],
    third: [0.333_333_333_333_333_3, 1.850_371_707_708_594e-17],
    tail: [
        0.2,
        0.142_857_142_857_146_85,
        0.111_111_111_108_263_83,
        0.090_909_091_680_499_24,
        0.076_922_974_435_035_9,
        0.066_674_043_994_061_7,
        0.058_530_632_322_816_99,
        0.058_621_635_304_233_734,
    ],
    ln_2: [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17],
    power: [
        0.240_226_506_959_100_72,
        0.055_504_108_664_821_6,
        0.009_618_129_107_628_479,
        0.001_333_355_814_641_691_6,
        0.000_154_035_303_933_759_03,
        1.525_273_382_986_708e-5,
        1.321_548_680_291_925_6e-6,
        1.017_806_242_697_692_4e-7,
        7.054_899_947_032_901e-9,
        4.454_964_371_269_296_7e-10,
        2.572_509_925_288_868_7e-11,
    ],
    ends: [-1100.0, 1100.0],
    sizes: [1.183_052_186_166_774_8e-271, 9_223_372_036_854_775_808.0],
    logarithms: [-1.071_508_607_186_267_3e301, 1.071_508_607_186_267_3e301],
    lowest: f64::NEG_INFINITY,
    nan: f64::NAN,
    least: f64::MIN_POSITIVE,
    half: 0.5,
    below_half: 0.499_999_999_999_999_94,
    whole: 4_503_599_627_370_496.0,
};

/// A sum of two numbers, of which the second one is less than the last place of the first.
type Pair<F> = (F, F);

/// `x^y` with the ends of C99, annex F.9.4.4. `of_root` takes a number apart into an exponent and a fraction, less 1.
#[inline(always)]
pub(crate) fn pow<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    of_root: impl Fn(&mut S, S::Float) -> (S::Float, S::Float),
    x: S::Float,
    y: S::Float,
) -> S::Float {
    let ((base, back), (size, sign)) = (parted(s, x), parted(s, y));
    let parts = of_root(s, base);
    let logarithm = log2(s, of, parts);
    let logarithm = with_ends(s, of, base, logarithm);
    let [low, high] = of.sizes.map(|end| s.real(end));
    let bounded = s.greatest(low, size);
    let bounded = s.least(high, bounded);
    let exponent = signed(s, bounded, sign);
    let product = times(s, of, logarithm, exponent);
    let found = exp2(s, of, product);
    let found = with_sign(s, of, (x, back), bounded, found);
    at_one(s, of, x, size, found)
}

/// A logarithm with those of zero and infinity, of which the first number alone counts; that of NaN is left to [`at_one`].
#[inline(always)]
fn with_ends<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    base: S::Float,
    found: Pair<S::Float>,
) -> Pair<S::Float> {
    let ([lowest, most], [zero, _, infinity]) =
        (of.logarithms.map(|end| s.real(end)), R::ENDS.map(|end| s.real(end)));
    let (finite, positive) = (s.below(base, infinity), s.below(zero, base));
    let sum = s.select(finite, found.0, most);
    (s.select(positive, sum, lowest), found.1)
}

/// `log₂ x` of a number `(1 + f) 2^e`.
#[inline(always)]
fn log2<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    (e, f): (S::Float, S::Float),
) -> Pair<S::Float> {
    let z = quotient(s, f);
    let beyond = beyond_first(s, of, z);
    let natural = times_more(s, z, beyond);
    let (high, low) = scaled(s, natural, of.log2_e_twice);
    let (sum, rest) = added(s, e, high);
    (sum, s.add(rest, low))
}

/// `f / (2 + f)`
#[inline(always)]
fn quotient<R: Precision, S: Steps<R>>(s: &mut S, f: S::Float) -> Pair<S::Float> {
    let one = s.real(R::ENDS[1]);
    let two = s.add(one, one);
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
fn beyond_first<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    z: Pair<S::Float>,
) -> Pair<S::Float> {
    let (square, square_rest) = product(s, z.0, z.0);
    let twice = s.add(z.1, z.1);
    let square_rest = s.fma(twice, z.0, square_rest);
    let tail = series(s, square, of.tail);
    let fourth = s.mul(square, square);
    let (third, rest) = scaled(s, (square, square_rest), of.third);
    (third, s.fma(tail, fourth, rest))
}

/// `z (1 + more)`
#[inline(always)]
fn times_more<R: Precision, S: Steps<R>>(
    s: &mut S,
    z: Pair<S::Float>,
    more: Pair<S::Float>,
) -> Pair<S::Float> {
    let (high, low) = product(s, z.0, more.0);
    let low = s.fma(z.0, more.1, low);
    let low = s.fma(z.1, more.0, low);
    let (sum, rest) = added(s, z.0, high);
    let low = s.add(low, z.1);
    (sum, s.add(rest, low))
}

/// `log₂ x` times the exponent.
#[inline(always)]
fn times<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    x: Pair<S::Float>,
    y: S::Float,
) -> Pair<S::Float> {
    let (high, low) = product(s, x.0, y);
    let low = s.fma(x.1, y, low);
    // Beyond the exponents of numbers the first part decides, and what it loses may be no number.
    let (size, [least, most], zero) = (s.size(high), of.ends.map(|end| s.real(end)), s.real(R::ENDS[0]));
    let within = s.below(size, most);
    let bounded = s.least(most, high);
    let bounded = s.greatest(least, bounded);
    (bounded, s.select(within, low, zero))
}

/// `2^x`
#[inline(always)]
fn exp2<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    x: Pair<S::Float>,
) -> S::Float {
    let round = s.real(R::ROUND);
    let rounded = s.add(x.0, round);
    let n = s.sub(rounded, round);
    let left = s.sub(x.0, n);
    let r = s.add(left, x.1);
    let beyond = series(s, r, of.power);
    let (one, [ln_2, ln_2_rest]) = (s.real(R::ENDS[1]), of.ln_2.map(|part| s.real(part)));
    let square = s.mul(r, r);
    let (first, lost) = product(s, r, ln_2);
    let lost = s.fma(r, ln_2_rest, lost);
    let lost = s.fma(beyond, square, lost);
    let back = s.sub(r, left);
    let rest = s.sub(x.1, back);
    let rest = s.mul(rest, ln_2);
    let rest = s.fma(rest, first, rest);
    let lost = s.add(lost, rest);
    let (near, rest) = added(s, one, first);
    let rest = s.add(rest, lost);
    let near = s.add(near, rest);
    s.scale(near, n, rounded)
}

/// Powers of 1 and powers to 0 are 1, also beside what is no number.
#[inline(always)]
fn at_one<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    x: S::Float,
    size: S::Float,
    found: S::Float,
) -> S::Float {
    let ([zero, one, _], least) = (R::ENDS.map(|end| s.real(end)), s.real(of.least));
    let (below, above) = (s.below(x, one), s.below(one, x));
    // Where subnormal numbers are taken for zeros, none is below the least number: so zero is what is not above zero, and of NaN the
    // sum is that.
    let (any, other) = (s.below(zero, size), s.add(size, one));
    let found = s.select(any, found, other);
    let (tiny, unit) = (s.below(size, least), s.select(any, x, one));
    let unit = s.select(tiny, unit, x);
    let other = s.select(above, found, unit);
    s.select(below, found, other)
}

/// Odd powers of a negative number are negative, those that are not whole are no numbers.
#[inline(always)]
fn with_sign<R: Precision, S: Steps<R>, const TAIL: usize, const POWER: usize>(
    s: &mut S,
    of: &Constants<R, TAIL, POWER>,
    (x, back): (S::Float, S::Bits),
    size: S::Float,
    found: S::Float,
) -> S::Float {
    let [zero, half, whole] = [R::ENDS[0], of.half, of.whole].map(|number| s.real(number));
    // From twice this on numbers are even; half a number is whole where it is, and ½ from there where it is odd.
    let halved = s.mul(size, half);
    let halved = s.least(whole, halved);
    let rounded = s.add(halved, whole);
    let rounded = s.sub(rounded, whole);
    let left = s.sub(halved, rounded);
    let (left, below_half) = (s.size(left), s.real(of.below_half));
    let odd = s.below(below_half, left);
    let back = s.float(back);
    let back = s.select(odd, back, zero);
    let back = s.bits(back);
    let turned = s.turn(found, back);
    let left = s.select(odd, zero, left);
    let broken = s.below(zero, left);
    let [lowest, nan] = [of.lowest, of.nan].map(|end| s.real(end));
    let (is_negative, is_finite) = (s.below(x, zero), s.below(lowest, x));
    let other = s.select(is_finite, nan, turned);
    let other = s.select(is_negative, other, turned);
    s.select(broken, other, turned)
}

/// `x y`, and what its rounding lost.
#[inline(always)]
fn product<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, y: S::Float) -> Pair<S::Float> {
    let high = s.mul(x, y);
    let minus = negative(s, high);
    (high, s.fma(x, y, minus))
}

/// A sum of two numbers times one.
#[inline(always)]
fn scaled<R: Precision, S: Steps<R>>(s: &mut S, x: Pair<S::Float>, by: [R; 2]) -> Pair<S::Float> {
    let [factor, lost] = by.map(|part| s.real(part));
    let (high, low) = product(s, x.0, factor);
    let low = s.fma(x.0, lost, low);
    (high, s.fma(x.1, factor, low))
}

/// `x + y`, and what its rounding lost, for an x that is 0 or not less than y.
#[inline(always)]
fn added<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, y: S::Float) -> Pair<S::Float> {
    let sum = s.add(x, y);
    let taken = s.sub(x, sum);
    (sum, s.add(taken, y))
}

#[inline(always)]
fn negative<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float) -> S::Float {
    let minus = s.int(!R::SIZE);
    s.turn(x, minus)
}

#[cfg(test)]
mod tests {
    use crate::one::double_pair;
    use crate::{DoublePair, Math, MathFloat};

    fn pow(x: f64, y: f64) -> f64 {
        // SAFETY: the address is that of such a function.
        let found = unsafe {
            std::mem::transmute::<*const u8, extern "C" fn(f64, f64) -> f64>(double_pair(DoublePair::Pow))
        };
        found(x, y)
    }

    /// The C library's power is within 0.6 units of the last place.
    #[track_caller]
    fn check(x: f64, y: f64, bound: u64) {
        let [found, wanted] = [pow(x, y), x.powf(y)];
        let apart =
            if found.is_nan() && wanted.is_nan() { 0 } else { found.to_bits().abs_diff(wanted.to_bits()) };
        assert!(apart <= bound, "{x:e} to the power of {y:e} is {found:e}, not {wanted:e}");
    }

    #[test]
    fn powers_of_doubles_are_near_those_of_the_library() {
        assert_eq!(Math::Pow.function(MathFloat::F64).address, double_pair(DoublePair::Pow));
        let sizes: Vec<f64> = (0..u64::MAX >> 1).step_by(9_000_000_000_000_011).map(f64::from_bits).collect();
        let moderate: Vec<f64> = (1..900).map(|i| 0.013 * f64::from(i)).collect();
        let large: Vec<f64> = (1..300).map(|i| 3.717 * f64::from(i)).collect();
        for x in sizes.iter().chain(&moderate) {
            for y in sizes.iter().chain(&moderate).chain(&large) {
                for (x, y) in [(*x, *y), (*x, -y), (-x, *y), (-x, -y)] {
                    check(x, y, 1);
                }
            }
        }
    }

    #[test]
    fn powers_of_doubles_have_the_ends_of_the_library() {
        let ends = [0.0, 1.0, 0.5, 2.0, 3.0, 5e-324, 1e-310, f64::MAX, f64::INFINITY, f64::NAN];
        let whole = [4_503_599_627_370_495.0, 9_007_199_254_740_991.0, 1.8e16, 4_503_599_627_370_495.5];
        let near = [1.0 + f64::EPSILON, 1.0 - f64::EPSILON, 0.499_999_999_999_999_94, 2.5];
        let ends: Vec<f64> = ends.into_iter().chain(whole).chain(near).flat_map(|x| [x, -x]).collect();
        for &x in &ends {
            for &y in &ends {
                check(x, y, 1);
                if matches!(x.powf(y), 0.0 | 1.0 | f64::INFINITY | f64::NEG_INFINITY) {
                    check(x, y, 0);
                }
            }
        }
    }

    #[test]
    fn powers_that_are_numbers_are_exact() {
        for base in 2..200u32 {
            let powers = (1..53).map_while(|power| Some((power, u64::from(base).checked_pow(power)?)));
            for (power, exact) in powers.filter(|(_, exact)| exact >> 53 == 0) {
                let exact = exact as f64;
                assert_eq!(pow(f64::from(base), f64::from(power)), exact, "{base} ** {power}");
                if f64::from(base).sqrt().fract() == 0.0 {
                    assert_eq!(pow(f64::from(base), 0.5), f64::from(base).sqrt());
                }
            }
        }
    }
}

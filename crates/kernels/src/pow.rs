//! Powers: `e^(y ln x)`, where the logarithm and its product with `y` are sums of two numbers, so that the exponent is known to more bits
//! than a number has (as in Muller and others, "Handbook of Floating-Point Arithmetic", 2018, chapters 10 and 11).
//!
//! A number `m 2^e` with `√½ ≤ m < √2` is multiplied by an inverse of few bits, `k / 16`, so that `r = m k / 16 - 1` is exact and at most 0.051:
//! `ln x = e ln 2 - ln (k / 16) + ln (1 + r)`, whose second part is in a table. The power is that of a sixteenth of an exponent, from
//! another table, times `e^r`.

use crate::steps::{Limit, Precision, Steps, signed};

/// Constants of one precision.
pub(crate) struct Constants<R: 'static, const LOG: usize, const POWER: usize> {
    /// Numbers below the least normal one are multiplied by the first of these powers of two; the second has its exponent.
    least: R,
    wide: [R; 2],
    /// `√½`
    root: R,
    /// `1 / m` to 1.1 parts of a hundred, as a polynomial.
    inverse: [R; 3],
    /// `ln 2` in two parts; whole multiples of the first are exact, also with an entry of the first table of logarithms added.
    ln_2: [R; 2],
    /// `-ln (k / 16)` in two parts, at the last four bits of `k`, for 11 to 23.
    logarithms: [[R; 16]; 2],
    /// `(ln (1 + r) - r + r² / 2) / r³`
    log: [R; LOG],
    /// Powers of `e` below and beyond these are 0 and infinity.
    ends: [R; 2],
    log2_e: R,
    /// `-ln 2` in two parts; multiples of a sixteenth of the first are exact.
    sixteenths: [R; 2],
    /// `2^(k / 16)`, and what its rounding lost, as a part of it.
    powers: [[R; 16]; 2],
    /// `(e^r - 1 - r) / r²`
    power: [R; POWER],
    /// ½ and -½
    halves: [R; 2],
}

pub(crate) static SINGLE: Constants<f32, 5, 2> = Constants {
    least: f32::MIN_POSITIVE,
    wide: [33_554_432.0, -25.0],
    root: std::f32::consts::FRAC_1_SQRT_2,
    inverse: [2.999_847, -2.909_091, 0.914_239_05],
    ln_2: [0.693_145_75, 1.428_606_8e-6],
    logarithms: [
        [
            0.0,
            -0.060_623_17,
            -0.117_782_59,
            -0.171_852_11,
            -0.223_144_53,
            -0.271_934_5,
            -0.318_450_93,
            -0.362_907_4,
            0.0,
            0.0,
            0.0,
            0.374_694_82,
            0.287_681_58,
            0.207_641_6,
            0.133_529_66,
            0.064_537_05,
        ],
        [
            0.0,
            -1.452_871_2e-6,
            -4.428_829_4e-7,
            1.854_889_8e-6,
            9.799_357e-7,
            7.937_937e-7,
            -2.803_384_2e-6,
            1.915_978_6e-6,
            0.0,
            0.0,
            0.0,
            -1.374_777_3e-6,
            4.928_619_4e-7,
            -2.236_784_2e-6,
            1.729_538_6e-6,
            1.472_797_7e-6,
        ],
    ],
    log: [0.333_333_34, -0.249_999_75, 0.199_999_76, -0.167_069_14, 0.143_214_91],
    ends: [-110.0, 110.0],
    log2_e: std::f32::consts::LOG2_E,
    sixteenths: [-0.693_115_23, -3.194_618_3e-5],
    powers: [
        [
            1.0,
            1.044_273_7,
            1.090_507_7,
            1.138_788_6,
            1.189_207_1,
            1.241_857_8,
            1.296_839_6,
            1.354_255_6,
            std::f32::consts::SQRT_2,
            1.476_826_2,
            1.542_210_8,
            1.610_490_3,
            1.681_792_9,
            1.756_252_2,
            1.834_008_1,
            1.915_206_6,
        ],
        [
            0.0,
            4.628_546_8e-8,
            -1.199_215_75e-8,
            4.729_782e-8,
            3.193_418e-8,
            3.621_057_2e-8,
            -3.099_072_3e-8,
            -7.475_213e-9,
            1.711_427_1e-8,
            -3.047_683_4e-8,
            5.233_334e-9,
            6.107_591_8e-9,
            -1.471_960_6e-8,
            -5.258_795e-9,
            -6.128_259_7e-9,
            5.140_609_3e-9,
        ],
    ],
    power: [0.500_009_8, 0.166_668_62],
    halves: [0.5, -0.5],
};

pub(crate) static DOUBLE: Constants<f64, 11, 6> = Constants {
    least: f64::MIN_POSITIVE,
    wide: [1.801_439_850_948_198_4e16, -54.0],
    root: std::f64::consts::FRAC_1_SQRT_2,
    inverse: [2.999_846_950_488_383_3, -2.909_090_909_090_909, 0.914_239_070_625_031_2],
    ln_2: [0.693_147_180_559_890_3, 5.497_923_018_708_371e-14],
    logarithms: [
        [
            0.0,
            -0.060_624_621_816_486_98,
            -0.117_783_035_656_43,
            -0.171_850_256_926_745_71,
            -0.223_143_551_314_251_45,
            -0.271_933_715_483_555_7,
            -0.318_453_731_118_552_24,
            -0.362_905_493_689_368_1,
            0.0,
            0.0,
            0.0,
            0.374_693_449_441_338_1,
            0.287_682_072_451_843_85,
            0.207_639_364_778_287_93,
            0.133_531_392_624_490_76,
            0.064_538_521_137_592_4,
        ],
        [
            0.0,
            5.213_620_639_136_504e-14,
            4.654_729_747_598_445e-14,
            8.649_239_607_212_071e-14,
            4.169_796_584_527_195e-14,
            -8.604_306_772_808_733e-14,
            1.762_543_131_217_266_2e-14,
            -3.670_856_971_634_938_3e-16,
            0.0,
            0.0,
            0.0,
            7.260_466_149_925_637e-14,
            -6.292_357_389_008_195e-14,
            -4.342_542_259_524_256_4e-14,
            3.185_973_634_907_833_4e-14,
            -2.122_560_804_480_999_7e-14,
        ],
    ],
    log: [
        0.333_333_333_333_333_3,
        -0.250_000_000_000_000_1,
        0.200_000_000_000_000_1,
        -0.166_666_666_665_992_6,
        0.142_857_142_856_513_7,
        -0.125_000_001_468_062_9,
        0.111_111_112_481_369_82,
        -0.099_998_695_338_886_4,
        0.090_907_873_172_092_35,
        -0.083_840_244_905_851_06,
        0.077_396_210_069_526_78,
    ],
    ends: [-760.0, 760.0],
    log2_e: std::f64::consts::LOG2_E,
    sixteenths: [-0.693_147_180_558_298_7, -1.646_594_958_289_708_2e-12],
    powers: [
        [
            1.0,
            1.044_273_782_427_413_8,
            1.090_507_732_665_257_7,
            1.138_788_634_756_691_6,
            1.189_207_115_002_721,
            1.241_857_812_073_484,
            1.296_839_554_651_009_6,
            1.354_255_546_936_892_7,
            std::f64::consts::SQRT_2,
            1.476_826_145_939_499_3,
            1.542_210_825_407_940_7,
            1.610_490_331_949_254_3,
            1.681_792_830_507_429,
            1.756_252_160_373_299_5,
            1.834_008_086_409_342_4,
            1.915_206_561_397_147_4,
        ],
        [
            0.0,
            8.189_317_638_195_514e-17,
            -2.793_911_485_951_573_3e-17,
            7.826_573_258_636_075e-17,
            3.348_462_333_625_152_4e-17,
            3.750_854_201_303_126_6e-17,
            1.957_258_529_311_203_6e-17,
            5.686_480_957_911_74e-17,
            -6.835_808_657_661_923e-17,
            -2.359_109_477_085_005_3e-17,
            5.154_830_117_078_678_3e-17,
            1.534_141_005_360_372_3e-17,
            4.875_160_526_227_061e-17,
            1.685_487_290_628_973e-17,
            1.790_126_907_604_513e-17,
            -5.545_065_618_639_427_4e-17,
        ],
    ],
    power: [
        0.500_000_000_000_000_1,
        0.166_666_666_666_666_69,
        0.041_666_666_663_594_906,
        0.008_333_333_332_992_026,
        0.001_388_906_345_677_259,
        0.000_198_414_638_053_782_12,
    ],
    halves: [0.5, -0.5],
};

/// A sum of two numbers, of which the second one is small beside the first.
type Pair<F> = (F, F);

/// `x^y` with the ends of C99, annex F.9.4.4.
#[inline(always)]
pub(crate) fn pow<R: Precision, S: Steps<R>, const LOG: usize, const POWER: usize>(
    s: &mut S,
    of: &'static Constants<R, LOG, POWER>,
    x: S::Float,
    y: S::Float,
) -> S::Float {
    let (base, sign) = base(s, of, x, y);
    let logarithm = log(s, of, base);
    let product = times(s, of, logarithm, y);
    let found = exp(s, of, product);
    let found = s.limited(Limit::OneAtOne, base, found);
    let found = s.limited(Limit::OneAtZero, y, found);
    signed(s, found, sign)
}

/// The number whose power is computed, and the sign of the result: to whole powers a negative number is positive, and odd ones have
/// its sign. To other powers it has no logarithm.
#[inline(always)]
fn base<R: Precision, S: Steps<R>, const LOG: usize, const POWER: usize>(
    s: &mut S,
    of: &'static Constants<R, LOG, POWER>,
    x: S::Float,
    y: S::Float,
) -> (S::Float, S::Bits) {
    let (half, zero) = (s.real(of.halves[0]), s.real(R::ENDS[0]));
    let halved = s.mul(y, half);
    let [is_whole, is_even] = [y, halved].map(|number| {
        let nearest = s.nearest(number);
        s.same(nearest, number)
    });
    let size = s.size(x);
    let base = s.select(is_whole, size, x);
    let bits = s.bits(base);
    let taken = s.turn(x, bits);
    let sign = s.select(is_even, zero, taken);
    (base, s.bits(sign))
}

/// `m` and `e` of a positive number.
#[inline(always)]
fn parts<R: Precision, S: Steps<R>, const LOG: usize, const POWER: usize>(
    s: &mut S,
    of: &'static Constants<R, LOG, POWER>,
    x: S::Float,
) -> (S::Float, S::Float) {
    let (least, [wide, moved], straight) =
        (s.real(of.least), of.wide.map(|part| s.real(part)), s.real(R::ENDS[0]));
    let small = s.below(x, least);
    let widened = s.mul(x, wide);
    let scaled = s.select(small, widened, x);
    let offset = s.select(small, moved, straight);
    // e is greater by BIAS while it is shifted, so that it has no sign.
    let bits = s.bits(scaled);
    let to_positive = s.int((R::BIAS << R::FRACTION) - of.root.pattern());
    let (above, bias) = (s.plus(bits, to_positive), s.int(R::BIAS));
    let biased = s.right(above, R::FRACTION);
    let e = s.minus(biased, bias);
    let exponent = s.left(e, R::FRACTION);
    let m = s.minus(bits, exponent);
    let (m, e) = (s.float(m), s.number(e));
    (m, s.add(e, offset))
}

/// `ln x`; of 0 and infinity the first part alone counts.
#[inline(always)]
fn log<R: Precision, S: Steps<R>, const LOG: usize, const POWER: usize>(
    s: &mut S,
    of: &'static Constants<R, LOG, POWER>,
    x: S::Float,
) -> Pair<S::Float> {
    let (m, e) = parts(s, of, x);
    let (round, minus_one) = (s.real(R::SIXTEENTHS), s.real(R::MINUS_ONE));
    let [c0, c1, c2] = of.inverse.map(|c| s.real(c));
    let inverse = s.fma(c2, m, c1);
    let inverse = s.fma(inverse, m, c0);
    let rounded = s.add(inverse, round);
    let inverse = s.sub(rounded, round);
    let r = s.fma(m, inverse, minus_one);
    let at = s.bits(rounded);
    let [first, second] = [0, 1].map(|part| {
        let (entry, ln_2) = (s.entry(&of.logarithms[part], at), s.real(of.ln_2[part]));
        s.fma(e, ln_2, entry)
    });
    // The first part is 0 or greater than r, and either is greater than r² / 2.
    let near = s.add(first, r);
    let taken = s.sub(near, first);
    let lost = s.sub(r, taken);
    let minus_half = s.real(of.halves[1]);
    let half = s.mul(r, minus_half);
    let sum = s.fma(half, r, near);
    let taken = s.sub(near, sum);
    let bent = s.fma(half, r, taken);
    let square = s.mul(r, r);
    let cube = s.mul(square, r);
    let tail = in_two(s, r, square, of.log);
    let low = s.add(lost, second);
    let low = s.add(low, bent);
    let low = s.fma(tail, cube, low);
    (s.limited(Limit::LogarithmOfSize, x, sum), low)
}

/// `ln x` times the exponent. Beyond the exponents of powers that are numbers the first part decides, and the second may be no number
/// before it is bounded.
#[inline(always)]
fn times<R: Precision, S: Steps<R>, const LOG: usize, const POWER: usize>(
    s: &mut S,
    of: &'static Constants<R, LOG, POWER>,
    x: Pair<S::Float>,
    y: S::Float,
) -> Pair<S::Float> {
    let high = s.mul(x.0, y);
    // The bounds keep what is no number, and replace it in the second part.
    let [least, most] = of.ends.map(|end| s.real(end));
    let high = s.least(most, high);
    let high = s.greatest(least, high);
    let low = s.fms(x.0, y, high);
    let low = s.fma(x.1, y, low);
    let (minus_one, one) = (s.real(R::MINUS_ONE), s.real(R::ENDS[1]));
    let low = s.least(low, one);
    (high, s.greatest(low, minus_one))
}

/// `e^x`
#[inline(always)]
fn exp<R: Precision, S: Steps<R>, const LOG: usize, const POWER: usize>(
    s: &mut S,
    of: &'static Constants<R, LOG, POWER>,
    x: Pair<S::Float>,
) -> S::Float {
    let (log2_e, round) = (s.real(of.log2_e), s.real(R::SIXTEENTHS));
    let sum = s.add(x.0, x.1);
    let rounded = s.fma(sum, log2_e, round);
    let n = s.sub(rounded, round);
    let [first, second] = of.sixteenths.map(|part| s.real(part));
    let r = s.fma(n, first, x.0);
    let low = s.fma(n, second, x.1);
    let r = s.add(r, low);
    let at = s.bits(rounded);
    let [power, lost] = [0, 1].map(|part| s.entry(&of.powers[part], at));
    let square = s.mul(r, r);
    let beyond = in_two(s, r, square, of.power);
    let near = s.add(r, lost);
    let near = s.fma(beyond, square, near);
    let found = s.fma(power, near, power);
    s.scale_sixteenths(found, n, rounded)
}

/// `c[0] + c[1] x + c[2] x² + …`: the even powers and the odd ones do not wait for each other.
#[inline(always)]
fn in_two<R: Precision, S: Steps<R>, const COUNT: usize>(
    s: &mut S,
    x: S::Float,
    square: S::Float,
    c: [R; COUNT],
) -> S::Float {
    let [even, odd] = [(COUNT - 1) & !1, (COUNT - 2) | 1].map(|last| {
        let first = s.real(c[last]);
        (2..=last).step_by(2).fold(first, |sum, down| {
            let c = s.real(c[last - down]);
            s.fma(sum, square, c)
        })
    });
    s.fma(odd, x, even)
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

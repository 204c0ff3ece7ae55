//! Functions of double precision, each written once over [`Steps`], as [`Single`](crate::Single)'s are.

use crate::angle::{self, Angle};
use crate::arc;
use crate::arcsine;
use crate::hyperbolic;
use crate::steps::{
    Precision, Reduced, Steps, asinh, expm1, log1p, parted, power, series, signed, with_ends,
};

/// The functions that have a definition here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Double {
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
    /// `x^3`, rounded once but for rare numbers.
    Cube,
}

impl Double {
    /// The function of an angle that it is, if it is one.
    pub fn angle(self) -> Option<Angle> {
        match self {
            Double::Sin => Some(Angle::Sin),
            Double::Cos => Some(Angle::Cos),
            Double::Tan => Some(Angle::Tan),
            Double::Exp | Double::Expm1 | Double::Log | Double::Log2 | Double::Log1p => None,
            Double::Asinh | Double::Tanh | Double::Erf | Double::Atan | Double::Cube => None,
            Double::Asin | Double::Acos | Double::Sinh => None,
        }
    }

    /// The function's steps.
    #[inline(always)]
    pub fn apply<S: Steps<f64>>(self, s: &mut S, x: S::Float) -> S::Float {
        match self {
            Double::Exp => exp(s, x),
            Double::Expm1 => {
                let parts = reduced(s, x, -40.0);
                expm1(s, x, parts)
            }
            Double::Log => log(s, x),
            Double::Log2 => log2(s, x),
            Double::Log1p => log1p(s, x, log),
            Double::Asinh => asinh(s, x, 1e17, log),
            Double::Tanh => tanh(s, x),
            Double::Erf => erf(s, x),
            Double::Sin => angle::double(s, Angle::Sin, x),
            Double::Cos => angle::double(s, Angle::Cos, x),
            Double::Tan => angle::double(s, Angle::Tan, x),
            Double::Atan => arc::atan(s, &arc::DOUBLE, x),
            Double::Asin => arcsine::asin(s, &arcsine::DOUBLE, x),
            Double::Acos => arcsine::acos(s, &arcsine::DOUBLE, x),
            Double::Sinh => hyperbolic::sinh(s, &hyperbolic::DOUBLE, x),
            Double::Cube => cube(s, x),
        }
    }
}

#[inline(always)]
fn exp<S: Steps<f64>>(s: &mut S, x: S::Float) -> S::Float {
    let parts = reduced(s, x, -746.0);
    power(s, parts)
}

/// Of a number that is taken for `low` if it is less.
#[inline(always)]
fn reduced<S: Steps<f64>>(s: &mut S, x: S::Float, low: f64) -> Reduced<S::Float> {
    // Beyond the bounds a function has its limits; NaN stays.
    let (low, high) = (s.real(low), s.real(710.0));
    let x = s.least(high, x);
    let x = s.greatest(low, x);
    let (log2_e, round) = (s.real(std::f64::consts::LOG2_E), s.real(f64::ROUND));
    let rounded = s.fma(x, log2_e, round);
    let n = s.sub(rounded, round);
    // x = n ln 2 + r with |r| ≤ 0.347; the first difference has no more bits than a number.
    let (first, second) = (s.real(-std::f64::consts::LN_2), s.real(-2.319_046_813_846_3e-17));
    let r = s.fma(n, first, x);
    let r = s.fma(n, second, r);
    let series = series(
        s,
        r,
        [
            0.5,
            0.166_666_666_666_666_7,
            0.041_666_666_666_666_67,
            0.008_333_333_333_326_12,
            0.001_388_888_888_888_373_7,
            0.000_198_412_698_748_739_75,
            2.480_158_732_558_584e-5,
            2.755_725_533_255_441e-6,
            2.755_727_359_479_941_3e-7,
            2.510_524_515_390_137e-8,
            2.091_470_706_961_235_5e-9,
        ],
    );
    let square = s.mul(r, r);
    Reduced { rounded, n, near: s.fma(series, square, r) }
}

/// With what both products lose by rounding.
#[inline(always)]
fn cube<S: Steps<f64>>(s: &mut S, x: S::Float) -> S::Float {
    let (size, sign) = parted(s, x);
    let (minus, infinity) = (s.int(!f64::SIZE), s.real(f64::INFINITY));
    let square = s.mul(size, size);
    let less = s.turn(square, minus);
    let lost_first = s.fma(size, size, less);
    let product = s.mul(square, size);
    let less = s.turn(product, minus);
    let lost = s.fma(square, size, less);
    let lost = s.fma(lost_first, size, lost);
    let found = s.add(product, lost);
    let finite = s.below(product, infinity);
    let found = s.select(finite, found, product);
    signed(s, found, sign)
}

#[inline(always)]
fn log<S: Steps<f64>>(s: &mut S, x: S::Float) -> S::Float {
    s.usual(x, [f64::MIN_POSITIVE, f64::INFINITY]);
    let (e, f) = of_root(s, x);
    let found = near_one(s, f, e);
    with_ends(s, x, found)
}

#[inline(always)]
fn log2<S: Steps<f64>>(s: &mut S, x: S::Float) -> S::Float {
    s.usual(x, [f64::MIN_POSITIVE, f64::INFINITY]);
    let (e, f) = of_root(s, x);
    let (zero, log2_e) = (s.real(0.0), s.real(std::f64::consts::LOG2_E));
    let natural = near_one(s, f, zero);
    let found = s.fma(natural, log2_e, e);
    with_ends(s, x, found)
}

/// `e` and `f` of `x = (1 + f) 2^e` with `√½ ≤ 1 + f < √2`.
#[inline(always)]
fn of_root<S: Steps<f64>>(s: &mut S, x: S::Float) -> (S::Float, S::Float) {
    if s.is_quick() {
        return of_normal(s, x);
    }
    // Subnormal numbers are scaled to normal ones.
    let normal = s.real(f64::MIN_POSITIVE);
    let small = s.below(x, normal);
    let (wide, moved, straight) = (s.real(18_014_398_509_481_984.0), s.real(-54.0), s.real(0.0));
    let widened = s.mul(x, wide);
    let scaled = s.select(small, widened, x);
    let offset = s.select(small, moved, straight);
    // e is greater by BIAS while it is shifted, so that it has no sign.
    let (e, f) = of_normal(s, scaled);
    (s.add(e, offset), f)
}

/// [`of_root`] of a normal number.
#[inline(always)]
fn of_normal<S: Steps<f64>>(s: &mut S, x: S::Float) -> (S::Float, S::Float) {
    let bits = s.bits(x);
    let to_positive = s.int((f64::BIAS << f64::FRACTION) - std::f64::consts::FRAC_1_SQRT_2.pattern());
    let (above, bias) = (s.plus(bits, to_positive), s.int(f64::BIAS));
    let biased = s.right(above, f64::FRACTION);
    let e = s.minus(biased, bias);
    let exponent = s.left(e, f64::FRACTION);
    let m = s.minus(bits, exponent);
    let (m, e, one) = (s.float(m), s.number(e), s.real(1.0));
    (e, s.sub(m, one))
}

/// `ln (1 + f) + e ln 2`, by an odd series of `f / (2 + f)`.
#[inline(always)]
fn near_one<S: Steps<f64>>(s: &mut S, f: S::Float, e: S::Float) -> S::Float {
    let (two, half) = (s.real(2.0), s.real(0.5));
    let below = s.add(two, f);
    let t = s.div(f, below);
    let square = s.mul(t, t);
    let series = series(
        s,
        square,
        [
            0.666_666_666_666_673_5,
            0.399_999_999_994_094_2,
            0.285_714_287_436_623_9,
            0.222_221_984_321_497_84,
            0.181_835_721_616_180_5,
            0.153_138_376_992_093_73,
            0.147_981_986_051_165_86,
        ],
    );
    let rest = s.mul(series, square);
    let half_f = s.mul(f, half);
    let part = s.mul(half_f, f);
    let rest = s.add(part, rest);
    // The last bits of ln 2 with what is small, its first ones, which times e are a number, with what is not.
    let (low, high) = (s.real(1.908_214_929_270_587_7e-10), s.real(0.693_147_180_369_123_8));
    let low = s.mul(e, low);
    let rest = s.fma(t, rest, low);
    let near = s.sub(part, rest);
    let near = s.sub(near, f);
    let high = s.mul(e, high);
    s.sub(high, near)
}

#[inline(always)]
fn tanh<S: Steps<f64>>(s: &mut S, x: S::Float) -> S::Float {
    let (size, sign) = parted(s, x);
    let square = s.mul(x, x);
    // Near zero x + x^3 p / q, elsewhere 1 - 2 / (e^2|x| + 1): one quotient does for both.
    let above =
        series(s, square, [-1_614.687_684_417_084_5, -99.287_723_100_191_86, -0.964_399_179_425_052_2]);
    let below =
        series(s, square, [4_844.063_053_251_255, 2_235.488_390_601_004_5, 112.811_678_491_632_93, 1.0]);
    let cube = s.mul(square, size);
    let above = s.mul(above, cube);
    let twice = s.add(size, size);
    let power = exp(s, twice);
    let (one, minus_two, limit) = (s.real(1.0), s.real(-2.0), s.real(0.625));
    let power = s.add(power, one);
    let is_near = s.below(size, limit);
    let (above, below) = (s.select(is_near, above, minus_two), s.select(is_near, below, power));
    let (part, whole) = (s.div(above, below), s.select(is_near, size, one));
    let found = s.add(whole, part);
    signed(s, found, sign)
}

#[inline(always)]
fn erf<S: Steps<f64>>(s: &mut S, x: S::Float) -> S::Float {
    let (size, sign) = parted(s, x);
    // From 6 on it is 1.
    let (end, one, two) = (s.real(6.0), s.real(1.0), s.real(2.0));
    let size = s.least(end, size);
    let square = s.mul(size, size);
    let near = series(
        s,
        square,
        [
            0.128_379_167_095_512_6,
            -0.376_126_389_031_837_5,
            0.112_837_916_709_548_79,
            -0.026_866_170_645_076_792,
            0.005_223_977_624_818_014_5,
            -0.000_854_832_698_083_379,
            0.000_120_553_311_116_427_1,
            -1.492_559_526_683_118_2e-5,
            1.646_100_048_412_136_8e-6,
            -1.635_031_270_105_469_5e-7,
            1.465_977_527_404_743_6e-8,
            -1.137_284_885_679_167_4e-9,
            5.957_176_147_748_911e-11,
        ],
    );
    let near = s.fma(near, size, size);
    // 1 - e^-x^2 h, h being a series of (x - 2) / (x + 2).
    let (above, below) = (s.sub(size, two), s.add(size, two));
    let t = s.div(above, below);
    let far = series(
        s,
        t,
        [
            0.255_395_676_310_505_75,
            -0.427_185_847_413_957_9,
            0.241_658_194_242_469_87,
            -0.078_978_581_015_852_53,
            0.003_732_892_403_492_24,
            0.006_997_461_747_753_573,
            -0.000_847_143_198_076_042_4,
            -0.000_981_977_320_813_102_2,
            4.355_420_245_270_59e-5,
            0.000_174_366_972_329_468_64,
            2.754_312_818_566_672e-5,
            -2.764_730_544_361_005_3e-5,
            -1.406_753_269_458_205_8e-5,
            1.820_143_195_975_009e-6,
            3.917_059_299_925_389e-6,
        ],
    );
    let minus_one = s.real(-1.0);
    let power = s.mul(square, minus_one);
    let power = exp(s, power);
    let far = s.mul(far, power);
    let far = s.sub(one, far);
    let is_near = s.below(size, one);
    let found = s.select(is_near, near, far);
    signed(s, found, sign)
}

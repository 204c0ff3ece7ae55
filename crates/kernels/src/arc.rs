//! Inverse tangents: of a number, and the angle of a vector.

use crate::steps::{Precision, Steps, parted, polynomial, signed};

/// Constants of one precision.
pub(crate) struct Constants<R: 'static> {
    /// The tangents of an eighth of half a turn and of three.
    ends: [R; 2],
    /// A quarter of half a turn, and what its rounding lost.
    quarter: [R; 2],
    /// Numbers of them: -2, -1, 0 and 2.
    counts: [R; 4],
    /// `(atan z - z) / z³` as a polynomial of `z²`, for a z up to the first of the ends.
    series: &'static [R],
    /// The greatest number.
    most: R,
    /// Sizes between these are taken as they are, greater ones times the first of the scales, less ones times the second.
    bounds: [R; 2],
    scales: [R; 2],
}

pub(crate) const SINGLE: Constants<f32> = Constants {
    ends: [0.414_213_57, 2.414_213_7],
    quarter: [std::f32::consts::FRAC_PI_4, -2.185_569_4e-8],
    counts: [-2.0, -1.0, 0.0, 2.0],
    series: &[8.053_744_5e-2, -1.387_768_6e-1, 1.997_771_1e-1, -3.333_295e-1],
    most: f32::MAX,
    bounds: [1e37, 1e-30],
    scales: [0.0625, 1_125_899_906_842_624.0],
};

pub(crate) const DOUBLE: Constants<f64> = Constants {
    ends: [0.414_213_562_373_095_03, 2.414_213_562_373_095],
    quarter: [std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17],
    counts: [-2.0, -1.0, 0.0, 2.0],
    series: &[
        0.015_209_594_422_790_336,
        -0.033_488_661_711_098_5,
        0.045_041_589_895_353_88,
        -0.052_185_541_606_177_49,
        0.058_770_450_437_612_184,
        -0.066_662_291_290_958_82,
        0.076_922_829_191_206_87,
        -0.090_909_081_516_18,
        0.111_111_110_883_740_87,
        -0.142_857_142_853_911_55,
        0.199_999_999_999_976_95,
        -0.333_333_333_333_333_26,
    ],
    most: f64::MAX,
    bounds: [1e307, 1e-290],
    scales: [0.0625, 1.267_650_600_228_229_4e30],
};

/// `atan x`
#[inline(always)]
pub(crate) fn atan<R: Precision, S: Steps<R>>(s: &mut S, of: &Constants<R>, x: S::Float) -> S::Float {
    let (size, sign) = parted(s, x);
    let (one, most) = (s.real(R::ENDS[1]), s.real(of.most));
    let size = s.least(most, size);
    let ends = of.ends.map(|end| s.real(end));
    let (less, more, turned) = (s.sub(size, one), s.add(size, one), s.real(R::MINUS_ONE));
    let lost = if R::DOUBLE {
        // From 2 on the sum with 1 is exact.
        let back = s.sub(more, one);
        s.sub(size, back)
    } else {
        s.real(R::ENDS[0])
    };
    let found = angle(s, of, &Vector { above: size, along: one, less, more, turned, ends }, lost, None);
    signed(s, found, sign)
}

/// The angle of the vector `(x, y)`, as the C library has it at zeros and infinities.
#[inline(always)]
pub(crate) fn atan2<R: Precision, S: Steps<R>>(
    s: &mut S,
    of: &Constants<R>,
    y: S::Float,
    x: S::Float,
) -> S::Float {
    let ((above, sign), (along, back)) = (parted(s, y), parted(s, x));
    if s.is_quick() {
        let [large, small] = of.bounds;
        [above, along].into_iter().for_each(|size| s.usual(size, [small, large]));
        let found = turned_angle(s, of, above, along, back);
        return signed(s, found, sign);
    }
    let ([zero, one, infinity], most) = (R::ENDS.map(|end| s.real(end)), s.real(of.most));
    // 0 times each, or NaN.
    let nothing = [above, along].map(|size| {
        let bounded = s.least(most, size);
        s.mul(bounded, zero)
    });
    let greater = s.greatest(above, along);
    let (finite, positive) = (s.below(greater, infinity), s.below(zero, greater));
    let scale = scale(s, of, greater);
    let [above, along] = [above, along].map(|size| {
        let is_less = s.below(size, infinity);
        let end = s.select(is_less, zero, one);
        let scaled = s.mul(size, scale);
        s.select(finite, scaled, end)
    });
    let along = s.select(positive, along, one);
    let found = turned_angle(s, of, above, along, back);
    let found = nothing.into_iter().fold(found, |found, nothing| s.add(found, nothing));
    signed(s, found, sign)
}

/// A power of two by which sizes become such that their sums and the inverses of these are normal numbers.
#[inline(always)]
fn scale<R: Precision, S: Steps<R>>(s: &mut S, of: &Constants<R>, greater: S::Float) -> S::Float {
    let ([large, small], [less, more]) = (of.bounds.map(|end| s.real(end)), of.scales.map(|by| s.real(by)));
    let (is_large, is_small, one) = (s.below(large, greater), s.below(greater, small), s.real(R::ENDS[1]));
    let scale = s.select(is_small, more, one);
    s.select(is_large, less, scale)
}

/// The angle of a vector of two sizes, the first one across; of its mirror image across if `back` has the sign bit.
#[inline(always)]
fn turned_angle<R: Precision, S: Steps<R>>(
    s: &mut S,
    of: &Constants<R>,
    above: S::Float,
    along: S::Float,
    back: S::Bits,
) -> S::Float {
    let ends = of.ends.map(|end| {
        let end = s.real(end);
        s.mul(end, along)
    });
    let minus = s.int(!R::SIZE);
    let (less, more, turned) = (s.sub(above, along), s.add(above, along), s.turn(along, minus));
    let lost = sum_loses(s, above, along, more);
    angle(s, of, &Vector { above, along, less, more, turned, ends }, lost, Some(back))
}

/// A vector of two sizes: their difference and sum, the second turned round, and sizes of the first at which the angle is an eighth of half
/// a turn and three.
struct Vector<F> {
    above: F,
    along: F,
    less: F,
    more: F,
    turned: F,
    ends: [F; 2],
}

/// From tan ⅛ of half a turn on an angle is that of `(y - x) / (y + x)` and an eighth of a turn more, from tan ⅜ on that of `-x / y`
/// and a quarter more: so the tangent of what is left is less than 0.415.
/// A whole number of quarters of half a turn is part of the sum that is rounded, and has no rounding of its own.
#[inline(always)]
fn angle<R: Precision, S: Steps<R>>(
    s: &mut S,
    of: &Constants<R>,
    side: &Vector<S::Float>,
    lost: S::Float,
    back: Option<S::Bits>,
) -> S::Float {
    let case = Case { small: s.below(side.above, side.ends[0]), medium: s.below(side.above, side.ends[1]) };
    let zero = s.real(R::ENDS[0]);
    let across = case.choose(s, side.above, side.less, side.turned);
    let base = case.choose(s, side.along, side.more, side.above);
    // Of one number in single precision a quotient that is rounded once is within two units of the last place.
    let exact = R::DOUBLE || back.is_some();
    let (t, excess) = if exact {
        let lost = case.choose(s, zero, lost, zero);
        quotient(s, across, base, lost)
    } else {
        (s.div(across, base), zero)
    };
    let square = s.mul(t, t);
    let series = polynomial(s, square, of.series);
    let cube = s.mul(square, t);
    let part = if exact { s.fms(series, cube, excess) } else { s.mul(series, cube) };
    let off = quarters_off(s, of, &case, back);
    let [t, part] = [t, part].map(|of| back.map_or(of, |back| s.turn(of, back)));
    let [quarter, lost] = of.quarter.map(|part| s.real(part));
    let rest = s.fma(off, lost, part);
    let near = s.add(t, rest);
    s.fma(off, quarter, near)
}

/// Sides of a vector of which one is small beside the other, neither is, or the other is where neither holds.
struct Case<T> {
    small: T,
    medium: T,
}

impl<T: Copy> Case<T> {
    #[inline(always)]
    fn choose<R: Precision, S: Steps<R, Test = T>>(
        &self,
        s: &mut S,
        small: S::Float,
        medium: S::Float,
        other: S::Float,
    ) -> S::Float {
        let later = s.select(self.medium, medium, other);
        s.select(self.small, small, later)
    }
}

/// The number of quarters of half a turn that are off: if the vector points back, as many more than two as there would be less.
#[inline(always)]
fn quarters_off<R: Precision, S: Steps<R>>(
    s: &mut S,
    of: &Constants<R>,
    case: &Case<S::Test>,
    back: Option<S::Bits>,
) -> S::Float {
    let [two_less, one_less, none, two] = of.counts.map(|count| s.real(count));
    let past = case.choose(s, two_less, one_less, none);
    let past = back.map_or(past, |back| s.turn(past, back));
    s.add(two, past)
}

/// The rounding error of the sum of two numbers.
#[inline(always)]
fn sum_loses<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, y: S::Float, sum: S::Float) -> S::Float {
    let of_y = s.sub(sum, x);
    let of_x = s.sub(sum, of_y);
    let (x, y) = (s.sub(x, of_x), s.sub(y, of_y));
    s.add(x, y)
}

/// `x / (y + lost)`, and what its rounding is greater by.
#[inline(always)]
fn quotient<R: Precision, S: Steps<R>>(
    s: &mut S,
    x: S::Float,
    y: S::Float,
    lost: S::Float,
) -> (S::Float, S::Float) {
    let one = s.real(R::ENDS[1]);
    let inverse = s.div(one, y);
    let found = s.mul(x, inverse);
    let above = s.fms(found, y, x);
    let above = s.fma(found, lost, above);
    (found, s.mul(above, inverse))
}

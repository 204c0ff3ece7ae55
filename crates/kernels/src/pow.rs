//! Powers: `e^(y ln x)`, where the logarithm and its product with `y` are sums of two numbers, so that the exponent is known to more bits
//! than a number has (as in Muller and others, "Handbook of Floating-Point Arithmetic", 2018, chapters 10 and 11).
//!
//! A number `m 2^e` with `√½ ≤ m < √2` is multiplied by an inverse `c` of few bits, `k / 16` or `k / 32`, so that `r = m c - 1` is exact and small:
//! `ln x = e ln 2 - ln c + ln (1 + r)`, whose second part is in a table. The power is that of a sixteenth of an exponent, from
//! another table, times `e^r`.

use crate::power_tables::Constants;
use crate::steps::{Limit, Precision, Steps, signed};

/// A sum of two numbers, of which the second one is small beside the first.
type Pair<F> = (F, F);

/// `x^y` with the ends of C99, annex F.9.4.4.
#[inline(always)]
pub(crate) fn pow<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
    x: S::Float,
    y: S::Float,
) -> S::Float {
    if s.is_quick() {
        return usual_pow(s, of, x, y);
    }
    let (base, sign) = base(s, of, x, y);
    let (sum, low) = log(s, of, base);
    let sum = s.limited(Limit::LogarithmOfSize, base, sum);
    let product = times(s, of, (sum, low), y);
    let found = exp(s, of, product);
    let found = s.limited(Limit::OneAtOne, base, found);
    let found = s.limited(Limit::OneAtZero, y, found);
    signed(s, found, sign)
}

/// `x^y` of a positive normal number, where the power is one, too.
#[inline(always)]
fn usual_pow<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
    x: S::Float,
    y: S::Float,
) -> S::Float {
    s.usual(x, [of.least, R::ENDS[2]]);
    let logarithm = log(s, of, x);
    let high = s.mul(logarithm.0, y);
    let size = s.size(high);
    s.usual(size, [R::ENDS[0], of.ends[1]]);
    let low = times_low(s, logarithm, y, high);
    exp(s, of, (high, low))
}

/// The number whose power is computed, and the sign of the result: to whole powers a negative number is positive, and odd ones have
/// its sign. To other powers it has no logarithm.
#[inline(always)]
fn base<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
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
fn parts<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
    x: S::Float,
) -> (S::Float, S::Float) {
    if s.is_quick() {
        return normal_parts(s, of, x);
    }
    let (least, [wide, moved], straight) =
        (s.real(of.least), of.wide.map(|part| s.real(part)), s.real(R::ENDS[0]));
    let small = s.below(x, least);
    let widened = s.mul(x, wide);
    let scaled = s.select(small, widened, x);
    let offset = s.select(small, moved, straight);
    let (m, e) = normal_parts(s, of, scaled);
    (m, s.add(e, offset))
}

/// `m` and `e` of a normal number.
#[inline(always)]
fn normal_parts<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
    x: S::Float,
) -> (S::Float, S::Float) {
    // e is greater by BIAS while it is shifted, so that it has no sign.
    let bits = s.bits(x);
    let to_positive = s.int((R::BIAS << R::FRACTION) - of.root.pattern());
    let (above, bias) = (s.plus(bits, to_positive), s.int(R::BIAS));
    let biased = s.right(above, R::FRACTION);
    let e = s.minus(biased, bias);
    let exponent = s.left(e, R::FRACTION);
    let m = s.minus(bits, exponent);
    (s.float(m), s.number(e))
}

/// `ln x` of a positive number.
#[inline(always)]
fn log<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
    x: S::Float,
) -> Pair<S::Float> {
    let (m, e) = parts(s, of, x);
    let (round, minus_one) = (s.real(of.grid), s.real(R::MINUS_ONE));
    let last = s.real(of.inverse[INVERSE - 1]);
    let inverse = of.inverse[..INVERSE - 1].iter().rev().fold(last, |sum, &c| {
        let c = s.real(c);
        s.fma(sum, m, c)
    });
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
    (sum, low)
}

/// `ln x` times the exponent. Beyond the exponents of powers that are numbers the first part decides, and the second may be no number
/// before it is bounded.
#[inline(always)]
fn times<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
    x: Pair<S::Float>,
    y: S::Float,
) -> Pair<S::Float> {
    let high = s.mul(x.0, y);
    // The bounds keep what is no number, and replace it in the second part.
    let [least, most] = of.ends.map(|end| s.real(end));
    let high = s.least(most, high);
    let high = s.greatest(least, high);
    let low = times_low(s, x, y, high);
    let (minus_one, one) = (s.real(R::MINUS_ONE), s.real(R::ENDS[1]));
    let low = s.least(low, one);
    (high, s.greatest(low, minus_one))
}

/// A product without its first part.
#[inline(always)]
fn times_low<R: Precision, S: Steps<R>>(
    s: &mut S,
    x: Pair<S::Float>,
    y: S::Float,
    high: S::Float,
) -> S::Float {
    let low = s.fms(x.0, y, high);
    s.fma(x.1, y, low)
}

/// `e^x`
#[inline(always)]
fn exp<
    R: Precision,
    S: Steps<R>,
    const INVERSE: usize,
    const N: usize,
    const LOG: usize,
    const POWER: usize,
>(
    s: &mut S,
    of: &'static Constants<R, INVERSE, N, LOG, POWER>,
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

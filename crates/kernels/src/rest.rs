//! Python's `x % y` of floats, exact in lanes wherever the quotient is small enough to be rounded to an integer.

use crate::steps::{Precision, Steps, parted, signed};

/// `x % y`: the difference of `x` and the multiple of `y` next to it is exact, and where its sign is the other one the next
/// multiple counts.
#[inline(always)]
pub(crate) fn rest<R: Precision, S: Steps<R>>(s: &mut S, x: S::Float, y: S::Float) -> S::Float {
    let [zero, one, infinity] = R::ENDS.map(|end| s.real(end));
    let (round, most) = (s.real(R::ROUND), s.real(R::WHOLE));
    let quotient = s.div(x, y);
    let rounded = s.add(quotient, round);
    let minus = s.sub(round, rounded);
    let left = s.fma(minus, y, x);
    let (size, sign) = parted(s, y);
    let turned = s.turn(left, sign);
    let (moved, is_other) = (s.add(left, y), s.below(turned, zero));
    let found = s.select(is_other, moved, left);
    let found = s.size(found);
    let found = signed(s, found, sign);
    // Of an infinite divisor the quotient says nothing, and NaN is not below any bound.
    let (finite, quotient) = (s.below(size, infinity), s.size(quotient));
    let quotient = s.select(finite, quotient, infinity);
    let is_small = s.below(quotient, most);
    let other = s.select(is_small, zero, one);
    let far = s.below(zero, other);
    s.beyond_rest(far, x, y, found)
}

//! Integer division as Python means it, without a division instruction where the divisor is known.

use gw_runtime::Report;

use crate::loops::{Binary, Compare, Range, SHORT, Stmt, Ty, Unary, Var};
use crate::lower::context::{Lower, Rest};

impl Lower<'_> {
    /// `x // y`; a zero divisor fails, the least integer by -1 wraps.
    pub(in crate::lower) fn floor_div(&mut self, x: Var, y: Var) -> Var {
        match self.b.known(y) {
            Some(-1) => self.b.unary(Unary::Neg, x),
            Some(divisor) if divisor > 0 => self.divide_by(x, divisor),
            Some(_) | None => {
                self.divisor_is_not_zero(y, Report::ZeroDivision);
                let out = self.by_halves(Binary::ShortDiv, x, y, Self::floored_quotient);
                let [of, by] = [x, y].map(|var| self.b.range(var));
                if of.is_natural() && by.is_natural() {
                    self.b.bound(out, Range { least: 0, most: of.most });
                }
                out
            }
        }
    }

    /// `x % y`, with the sign of `y`; a zero divisor fails.
    pub(in crate::lower) fn modulo(&mut self, x: Var, y: Var) -> Var {
        let ty = self.b.ty(x);
        match self.b.known(y) {
            Some(-1 | 1) => self.b.int(ty, 0),
            Some(divisor) if self.b.range(x).is_in(Range { least: 0, most: divisor - 1 }) => x,
            Some(divisor) if divisor > 0 && divisor.count_ones() == 1 => {
                let mask = self.b.int(ty, divisor - 1);
                self.b.binary(Binary::And, x, mask)
            }
            Some(divisor) if divisor > 0 => {
                let quotient = self.divide_by(x, divisor);
                let product = self.b.mul(quotient, y);
                let rest = self.b.sub(x, product);
                self.b.bound(rest, Range { least: 0, most: divisor - 1 });
                self.rests.insert(rest, Rest::Known { of: x, divisor });
                rest
            }
            Some(_) | None => {
                self.divisor_is_not_zero(y, Report::ZeroRemainder);
                let out = self.by_halves(Binary::ShortRest, x, y, Self::floored_rest);
                let Range { least, most } = self.b.range(y);
                self.b.bound(
                    out,
                    Range { least: (least.saturating_add(1)).min(0), most: (most.saturating_sub(1)).max(0) },
                );
                out
            }
        }
    }

    /// `x == y`; whether a rest is zero needs no quotient by a known divisor, and no correction after another.
    pub(in crate::lower) fn equal(&mut self, x: Var, y: Var) -> Var {
        match self.rest(x, y) {
            Some(Rest::Known { of, divisor }) => self.is_multiple(of, divisor),
            Some(Rest::Cut(rest)) => self.b.compare(Compare::Eq, rest, y),
            None => self.b.compare(Compare::Eq, x, y),
        }
    }

    /// Remainder that `x == y` compares with zero, if it does that.
    pub(in crate::lower) fn rest(&self, x: Var, y: Var) -> Option<Rest> {
        if self.b.known(y) == Some(0) { self.rests.get(&x).copied() } else { None }
    }

    /// True if a known positive divisor, no power of two, divides `x`. To multiply by the inverse of an odd
    /// divisor takes its multiples, and nothing else, to the quotients `-most..=most`, those that are not
    /// negative to `0..=most`.
    fn is_multiple(&mut self, x: Var, divisor: i64) -> Var {
        let ty = self.b.ty(x);
        let odd = divisor >> divisor.trailing_zeros();
        let most = (i64::MAX >> (64 - ty.bits())) / odd;
        let inverse = inverse(odd);
        let inverse = if ty == Ty::I32 { i64::from(inverse as i32) } else { inverse };
        let [inverse, most, all, natural] =
            [inverse, most, 2 * most + 1, most + 1].map(|value| self.b.int(ty, value));
        let quotient = self.b.mul(x, inverse);
        let multiple = if self.b.range(x).is_natural() {
            self.b.compare(Compare::Below, quotient, natural)
        } else {
            let shifted = self.b.add(quotient, most);
            self.b.compare(Compare::Below, shifted, all)
        };
        if odd == divisor {
            return multiple;
        }
        let [mask, zero] = [divisor / odd - 1, 0].map(|value| self.b.int(ty, value));
        let low = self.b.binary(Binary::And, x, mask);
        let even = self.b.compare(Compare::Eq, low, zero);
        self.b.and(multiple, even)
    }

    fn divisor_is_not_zero(&mut self, y: Var, fails: Report) {
        let zero = self.b.int(self.b.ty(y), 0);
        let ok = self.b.compare(Compare::Ne, y, zero);
        self.guard(ok, fails, Vec::new());
    }

    /// Result for two words, of which hardly any is negative or longer than its lower half: such are divided
    /// as halves, which takes a machine less time, and cut as they should be floored.
    fn by_halves(&mut self, short: Binary, x: Var, y: Var, words: fn(&mut Self, Var, Var) -> Var) -> Var {
        if [x, y].into_iter().all(|var| self.b.range(var).is_in(SHORT)) {
            return self.b.binary(short, x, y);
        }
        if self.b.ty(x) != Ty::I64 || self.b.known(y).is_some() {
            return words(self, x, y);
        }
        let most = self.b.word(i64::from(i32::MAX));
        let either = self.b.binary(Binary::Or, x, y);
        let test = self.b.compare(Compare::Below, most, either);
        self.b.open();
        let given = words(self, x, y);
        let then = self.b.close(vec![given]);
        self.b.open();
        let given = self.b.binary(short, x, y);
        let otherwise = self.b.close(vec![given]);
        let out = self.b.fresh(Ty::I64);
        self.b.push(Stmt::If { test, cold: true, then, otherwise, outs: vec![out] });
        out
    }

    fn floored_quotient(&mut self, x: Var, y: Var) -> Var {
        let (quotient, rest, divisor) = self.truncated(x, y);
        let (ty, wrong) = (self.b.ty(x), self.signs_differ(rest, divisor));
        let correction = self.b.convert(ty, wrong);
        let quotient = self.b.sub(quotient, correction);
        if self.b.known(y).is_some() {
            return quotient;
        }
        let minus = self.b.int(ty, -1);
        let negated = self.b.unary(Unary::Neg, x);
        let by_minus = self.b.compare(Compare::Eq, y, minus);
        self.b.select(by_minus, negated, quotient)
    }

    fn floored_rest(&mut self, x: Var, y: Var) -> Var {
        let (_, rest, divisor) = self.truncated(x, y);
        let wrong = self.signs_differ(rest, divisor);
        let zero = self.b.int(self.b.ty(x), 0);
        let correction = self.b.select(wrong, divisor, zero);
        let floored = self.b.add(rest, correction);
        self.rests.insert(floored, Rest::Cut(rest));
        floored
    }

    /// Quotient cut toward zero, rest, and the divisor that was used: 1 in place of -1, with which the machine could trap.
    fn truncated(&mut self, x: Var, y: Var) -> (Var, Var, Var) {
        let ty = self.b.ty(x);
        let divisor = match self.b.known(y) {
            Some(0) => self.b.int(ty, 1),
            Some(_) => y,
            None => {
                let [one, minus] = [1, -1].map(|value| self.b.int(ty, value));
                let by_minus = self.b.compare(Compare::Eq, y, minus);
                self.b.select(by_minus, one, y)
            }
        };
        let (quotient, rest) = self.cut(x, divisor);
        (quotient, rest, divisor)
    }

    /// Quotient cut toward zero, and rest; the divisor is neither 0 nor -1.
    fn cut(&mut self, x: Var, divisor: Var) -> (Var, Var) {
        let quotient = self.b.binary(Binary::Div, x, divisor);
        let product = self.b.mul(quotient, divisor);
        (quotient, self.b.sub(x, product))
    }

    /// True if a remainder is not zero and has the other sign than its divisor.
    fn signs_differ(&mut self, rest: Var, divisor: Var) -> Var {
        let zero = self.b.int(self.b.ty(rest), 0);
        let signs = self.b.binary(Binary::Xor, rest, divisor);
        let differ = self.b.compare(Compare::Lt, signs, zero);
        let any = self.b.compare(Compare::Ne, rest, zero);
        self.b.and(any, differ)
    }

    /// `x // divisor` for a known positive divisor: a shift, or the upper half of a product. A negative `x` goes through
    /// its complement, which floors instead of cutting.
    fn divide_by(&mut self, x: Var, divisor: i64) -> Var {
        let ty = self.b.ty(x);
        if divisor.count_ones() == 1 {
            let shift = self.b.int(ty, i64::from(divisor.trailing_zeros()));
            return self.b.binary(Binary::Sar, x, shift);
        }
        if self.b.range(x).is_natural() {
            return self.natural_divided(x, divisor);
        }
        let most = self.b.int(ty, ty.bits() - 1);
        let sign = self.b.binary(Binary::Sar, x, most);
        let natural = self.b.binary(Binary::Xor, x, sign);
        let quotient = self.natural_divided(natural, divisor);
        let floored = self.b.binary(Binary::Xor, quotient, sign);
        let Range { least, most } = self.b.range(x);
        self.b.bound(floored, Range { least: least.div_euclid(divisor), most: most.div_euclid(divisor) });
        floored
    }

    /// `natural // divisor` for a known positive divisor, no power of two.
    fn natural_divided(&mut self, natural: Var, divisor: i64) -> Var {
        let ty = self.b.ty(natural);
        let (factor, bits) = reciprocal(divisor, ty);
        let quotient = if ty == Ty::I32 && self.of_arrays {
            let factor = self.b.int(ty, i64::from(factor as i32));
            let high = self.b.binary(Binary::MulHigh, natural, factor);
            let shift = self.b.int(ty, bits - 1);
            self.b.binary(Binary::Shr, high, shift)
        } else if ty == Ty::I32 {
            let wide = self.b.convert(Ty::I64, natural);
            let factor = self.b.word(factor);
            let product = self.b.mul(wide, factor);
            let shift = self.b.word(31 + bits);
            let quotient = self.b.binary(Binary::Shr, product, shift);
            self.b.convert(Ty::I32, quotient)
        } else {
            let factor = self.b.word(factor);
            let high = self.b.binary(Binary::MulHigh, natural, factor);
            let shift = self.b.word(bits - 1);
            self.b.binary(Binary::Shr, high, shift)
        };
        let most = self.b.range(natural).most;
        self.b.bound(quotient, Range { least: 0, most: most.max(0) / divisor });
        quotient
    }
}

/// Inverse of an odd number modulo 2^64; each step doubles the bits that are right.
fn inverse(odd: i64) -> i64 {
    (0..5).fold(odd, |found, _| found.wrapping_mul(2i64.wrapping_sub(odd.wrapping_mul(found))))
}

/// `⌈2^(width - 1 + bits) / divisor⌉` with the least `bits` such that `divisor <= 2^bits`: the product of a natural
/// number below `2^(width - 1)` with it, shifted right by `width - 1 + bits`, is the floored quotient.
fn reciprocal(divisor: i64, ty: Ty) -> (i64, i64) {
    let divisor = divisor.unsigned_abs();
    let bits = i64::from(divisor.next_power_of_two().trailing_zeros());
    let power = 1u128 << (ty.bits() - 1 + bits);
    (power.div_ceil(u128::from(divisor)) as i64, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_divide() {
        let numbers32 = [0i64, 1, 2, 6, 7, 99, 1 << 30, i64::from(i32::MAX) - 1, i64::from(i32::MAX)];
        let numbers64 = [0i64, 1, 5, 1 << 40, i64::MAX / 3, i64::MAX - 1, i64::MAX];
        for divisor in [3, 5, 6, 7, 10, 641, 1_000_003, i64::from(i32::MAX)] {
            for number in numbers32 {
                let (factor, bits) = reciprocal(divisor, Ty::I32);
                let quotient = (number as u64).wrapping_mul(factor as u64) >> (31 + bits);
                assert_eq!(quotient as i64, number / divisor, "{number} / {divisor}");
            }
            for number in numbers64 {
                let (factor, bits) = reciprocal(divisor, Ty::I64);
                let high = (u128::from(number as u64) * u128::from(factor as u64)) >> 64;
                assert_eq!((high as i64) >> (bits - 1), number / divisor, "{number} / {divisor}");
            }
        }
        let (factor, bits) = reciprocal(i64::MAX, Ty::I64);
        let high = (u128::from(i64::MAX as u64) * u128::from(factor as u64)) >> 64;
        assert_eq!((high as i64) >> (bits - 1), 1);
    }
}

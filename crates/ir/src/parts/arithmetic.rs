//! Products, quotients, sizes and roots, step by step as the reference interpreter computes them.

use gw_types::DType;

use super::{Parts, Split};
use crate::{BinaryOp, CompareOp, UnaryOp, ValueId};

impl Split<'_> {
    pub(super) fn product(&mut self, [a, b]: Parts, [c, d]: Parts) -> Parts {
        let [ac, bd] = [self.times(a, c), self.times(b, d)];
        let [ad, bc] = [self.times(a, d), self.times(b, c)];
        [self.minus(ac, bd), self.plus(ad, bc)]
    }

    /// By Smith's method: the lesser part of the divisor is divided by the greater.
    pub(super) fn quotient(&mut self, [a, b]: Parts, [c, d]: Parts) -> Parts {
        let [size_c, size_d] = [self.abs(c), self.abs(d)];
        let real_leads = self.is(CompareOp::Ge, size_c, size_d);
        let greater = self.select(real_leads, c, d);
        let lesser = self.select(real_leads, d, c);
        let ratio = self.over(lesser, greater);
        let rest = self.times(lesser, ratio);
        let divisor = self.plus(greater, rest);
        let scale = self.into(1.0, divisor);
        let [first, second] = [self.select(real_leads, a, b), self.select(real_leads, b, a)];
        let along = self.times(second, ratio);
        let re = self.plus(first, along);
        // b - a·ratio, or b·ratio - a.
        let across = self.times(first, ratio);
        let less = self.minus(second, across);
        let across = self.minus(across, second);
        let im = self.select(real_leads, less, across);
        let [re, im] = [self.times(re, scale), self.times(im, scale)];
        let [is_c, is_d] = [size_c, size_d].map(|size| self.is_to(CompareOp::Eq, size, 0.0));
        let by_zero = self.and(is_c, is_d);
        let endless = [self.over(a, size_c), self.over(b, size_c)];
        self.choose(by_zero, endless, [re, im])
    }

    /// The greater and the lesser of the sizes of both parts; if either is NaN, that of the imaginary part and that of the real one.
    pub(super) fn sizes(&mut self, [re, im]: Parts) -> [ValueId; 2] {
        let [x, y] = [self.abs(re), self.abs(im)];
        let real_leads = self.is(CompareOp::Ge, x, y);
        [self.select(real_leads, x, y), self.select(real_leads, y, x)]
    }

    /// `√(re² + im²)` in the precision of the parts. Those whose squares leave the range of numbers are taken times a power of two,
    /// and the root by its inverse.
    pub(super) fn size(&mut self, [re, im]: Parts) -> ValueId {
        let [size_re, size_im] = [self.abs(re), self.abs(im)];
        let real_leads = self.is(CompareOp::Ge, size_re, size_im);
        let most = self.select(real_leads, size_re, size_im);
        let dtype = self.dtype(re);
        let [down, up] = if dtype == DType::F32 { [70, 90] } else { [600, 600] };
        let [high, low] = if dtype == DType::F32 { [60, -50] } else { [500, -450] };
        let large = self.is_to(CompareOp::Ge, most, 2f64.powi(high));
        let small = self.is_to(CompareOp::Lt, most, 2f64.powi(low));
        let scale = self.by_end(dtype, [large, small], [-down, up]);
        let [x, y] = [re, im].map(|part| {
            let part = self.times(part, scale);
            self.times(part, part)
        });
        let sum = self.plus(x, y);
        let root = self.of_one(UnaryOp::Sqrt, sum);
        let back = self.by_end(dtype, [large, small], [down, -up]);
        let size = self.times(root, back);
        let endless = self.is_endless([re, im]);
        let infinity = self.number(dtype, f64::INFINITY);
        self.select(endless, infinity, size)
    }

    /// A power of two: the first where numbers are large, the second where they are small, else 1.
    fn by_end(&mut self, dtype: DType, [large, small]: [ValueId; 2], powers: [i32; 2]) -> ValueId {
        let [at_large, at_small, one] =
            [powers[0], powers[1], 0].map(|power| self.number(dtype, 2f64.powi(power)));
        let scale = self.select(small, at_small, one);
        self.select(large, at_large, scale)
    }

    /// True where a part is infinite.
    pub(super) fn is_endless(&mut self, [re, im]: Parts) -> ValueId {
        let [x, y] = [self.is_infinite(re), self.is_infinite(im)];
        self.or(x, y)
    }

    /// The same number in double precision.
    pub(super) fn wide(&mut self, z: Parts) -> Parts {
        z.map(|part| self.converted(part, DType::F64))
    }

    /// The root on the right of the imaginary axis, with the sign of the imaginary part; in double precision.
    pub(super) fn root(&mut self, [x, y]: Parts) -> Parts {
        let [most, _] = self.sizes([x, y]);
        let large = self.is_to(CompareOp::Ge, most, 4e307);
        let small = self.is_to(CompareOp::Lt, most, 1e-290);
        let [quarter, one] = [self.number(DType::F64, 0.25), self.number(DType::F64, 1.0)];
        let [up, down] = [2f64.powi(108), 2f64.powi(-54)].map(|number| self.number(DType::F64, number));
        let scale = self.select(small, up, one);
        let scale = self.select(large, quarter, scale);
        let [u, v] = [self.times(x, scale), self.times(y, scale)];
        let [size_u, size_v] = [self.abs(u), self.abs(v)];
        let size = self.size([u, v]);
        let sum = self.plus(size_u, size);
        let half = self.scaled(sum, 0.5);
        let root = self.of_one(UnaryOp::Sqrt, half);
        let twice = self.scaled(root, 2.0);
        let other = self.over(size_v, twice);
        let right = self.is_to(CompareOp::Ge, u, 0.0);
        let [re, im] = [self.select(right, root, other), self.select(right, other, root)];
        let two = self.number(DType::F64, 2.0);
        let back = self.select(small, down, one);
        let back = self.select(large, two, back);
        let [re, im] = [self.times(re, back), self.times(im, back)];
        let im = self.with_sign(im, y);
        self.root_at_ends([x, y], [re, im])
    }

    /// The root, where it is not that of zero or of a number with infinite parts.
    fn root_at_ends(&mut self, [x, y]: Parts, found: Parts) -> Parts {
        let none = self.minus(y, y);
        let zero = self.number(DType::F64, 0.0);
        let infinity = self.number(DType::F64, f64::INFINITY);
        let right = self.is_to(CompareOp::Gt, x, 0.0);
        let [size_x, size_none] = [self.abs(x), self.abs(none)];
        let re = self.select(right, x, size_none);
        let im = self.select(right, none, size_x);
        let im = self.with_sign(im, y);
        let [x_ends, y_ends] = [self.is_infinite(x), self.is_infinite(y)];
        let found = self.choose(x_ends, [re, im], found);
        let found = self.choose(y_ends, [infinity, y], found);
        let is_zero = self.both_zero([x, y]);
        self.choose(is_zero, [zero, y], found)
    }

    pub(super) fn both_zero(&mut self, z: Parts) -> ValueId {
        let [x, y] = z.map(|part| self.is_to(CompareOp::Eq, part, 0.0));
        self.and(x, y)
    }

    /// A number in double precision to the power of another.
    pub(super) fn power(&mut self, x: Parts, y: Parts) -> Parts {
        let dtype = self.dtype(x[0]);
        let (x, y) = (self.wide(x), self.wide(y));
        let log = self.logarithm(x);
        let exponent = self.product(y, log);
        let general = self.exponential(exponent);
        let found = self.whole_power(x, y, general);
        let [zero, one] = [self.number(DType::F64, 0.0), self.number(DType::F64, 1.0)];
        let none = self.number(DType::F64, f64::NAN);
        let of_zero = self.both_zero(x);
        let above = self.is_to(CompareOp::Gt, y[0], 0.0);
        let end = self.choose(above, [zero, zero], [none, none]);
        let found = self.choose(of_zero, end, found);
        let by_zero = self.both_zero(y);
        let found = self.choose(by_zero, [one, zero], found);
        found.map(|part| self.converted(part, dtype))
    }

    /// Small whole powers by squaring, where the exponent is such; the others as they are.
    fn whole_power(&mut self, x: Parts, y: Parts, general: Parts) -> Parts {
        let size = self.abs(y[0]);
        let floor = self.of_one(UnaryOp::Floor, size);
        let is_whole = self.is(CompareOp::Eq, size, floor);
        let [is_small, is_real] =
            [self.is_to(CompareOp::Lt, size, 100.0), self.is_to(CompareOp::Eq, y[1], 0.0)];
        let both = self.and(is_whole, is_small);
        let is_whole = self.and(both, is_real);
        let [zero, one] = [self.number(DType::F64, 0.0), self.number(DType::F64, 1.0)];
        let (mut power, mut square, mut left) = ([one, zero], x, size);
        for bit in 0..7 {
            let two = self.number(DType::F64, 2.0);
            let odd = self.of_two(BinaryOp::Mod, left, two);
            let is_odd = self.is_to(CompareOp::Ge, odd, 1.0);
            let more = self.product(power, square);
            power = self.choose(is_odd, more, power);
            let half = self.scaled(left, 0.5);
            left = self.of_one(UnaryOp::Floor, half);
            if bit < 6 {
                square = self.product(square, square);
            }
        }
        let over = self.quotient([one, zero], power);
        let below = self.is_to(CompareOp::Lt, y[0], 0.0);
        let power = self.choose(below, over, power);
        self.choose(is_whole, power, general)
    }
}

//! Functions of complex numbers of double precision, with the branch cuts, signed zeros and infinities of C99 (annex G).

use std::f64::consts::{FRAC_PI_2, LN_2};

use gw_types::DType;

use super::{Parts, Split};
use crate::{BinaryOp, CompareOp, Node, UnaryOp, ValueId};

impl Split<'_> {
    /// A function, computed in double precision.
    pub(super) fn function(&mut self, op: UnaryOp, node: &Node) {
        let z = self.split(node.args[0]);
        let dtype = self.dtype(z[0]);
        let z = self.wide(z);
        let found = match op {
            UnaryOp::Exp => self.exponential(z),
            UnaryOp::Expm1 => self.expm1(z),
            UnaryOp::Log => self.logarithm(z),
            UnaryOp::Log2 => self.logarithm(z).map(|part| self.divided(part, LN_2)),
            UnaryOp::Log1p => self.log1p(z),
            UnaryOp::Sqrt => self.root(z),
            UnaryOp::Rsqrt => {
                let root = self.root(z);
                let one = self.number(DType::F64, 1.0);
                let zero = self.number(DType::F64, 0.0);
                self.quotient([one, zero], root)
            }
            UnaryOp::Sin => self.turned(z, Self::sinh),
            UnaryOp::Cos => self.cos(z),
            UnaryOp::Tan => self.turned(z, Self::tanh),
            UnaryOp::Tanh => self.tanh(z),
            UnaryOp::Asinh => self.turned(z, Self::asin),
            UnaryOp::Atan => self.turned(z, Self::atanh),
            UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Round | UnaryOp::Stop => return,
            UnaryOp::Erf | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Not => return,
            UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Sinh => return,
        };
        let parts = found.map(|part| self.converted(part, dtype));
        self.gives(node, parts);
    }

    /// `-i f(i z)`
    fn turned(&mut self, [x, y]: Parts, f: fn(&mut Self, Parts) -> Parts) -> Parts {
        let minus = self.neg(y);
        let [re, im] = f(self, [minus, x]);
        [im, self.neg(re)]
    }

    fn divided(&mut self, x: ValueId, number: f64) -> ValueId {
        let number = self.number(DType::F64, number);
        self.over(x, number)
    }

    fn cos_sin(&mut self, y: ValueId) -> [ValueId; 2] {
        [UnaryOp::Cos, UnaryOp::Sin].map(|op| self.of_one(op, y))
    }

    pub(super) fn exponential(&mut self, [x, y]: Parts) -> Parts {
        let [cos, sin] = self.cos_sin(y);
        let size = self.of_one(UnaryOp::Exp, x);
        let found = [self.times(size, cos), self.times(size, sin)];
        let large = self.is_to(CompareOp::Gt, x, 700.0);
        let halves = self.by_halves(x, [cos, sin], 1.0);
        let found = self.choose(large, halves, found);
        let found = self.exponential_at_ends([x, y], found);
        let real = self.is_to(CompareOp::Eq, y, 0.0);
        self.choose(real, [size, y], found)
    }

    /// `e^x` times each, without what overflows on the way.
    fn by_halves(&mut self, x: ValueId, factors: [ValueId; 2], scale: f64) -> Parts {
        let half = self.scaled(x, 0.5);
        let half = self.of_one(UnaryOp::Exp, half);
        factors.map(|factor| {
            let once = self.scaled(half, scale);
            let once = self.times(once, factor);
            self.times(half, once)
        })
    }

    fn exponential_at_ends(&mut self, [x, y]: Parts, found: Parts) -> Parts {
        let [finite, endless] = [self.is_finite(y), self.is_infinite(x)];
        let not_finite = self.not(finite);
        let at_end = self.and(endless, not_finite);
        let below = self.is_to(CompareOp::Lt, x, 0.0);
        let [zero, none] = [0.0, f64::NAN].map(|number| self.number(DType::F64, number));
        let end = [self.select(below, zero, x), self.select(below, zero, none)];
        self.choose(at_end, end, found)
    }

    fn expm1(&mut self, [x, y]: Parts) -> Parts {
        let half = self.scaled(y, 0.5);
        let half = self.of_one(UnaryOp::Sin, half);
        let twice = self.scaled(half, 2.0);
        let versine = self.times(twice, half);
        let less = self.of_one(UnaryOp::Expm1, x);
        let cos = self.of_one(UnaryOp::Cos, y);
        let small = self.times(less, cos);
        let small = self.minus(small, versine);
        let [re, im] = self.exponential([x, y]);
        let re = self.more(re, -1.0);
        let size = self.abs(x);
        let is_small = self.is_to(CompareOp::Lt, size, 1.0);
        [self.select(is_small, small, re), im]
    }

    /// Half of `ln (1 + (a + c) a + b²)`, or of what else stands there.
    fn half_log1p(&mut self, a: ValueId, b: ValueId, c: ValueId) -> ValueId {
        let product = self.times(a, c);
        let square = self.times(b, b);
        let sum = self.plus(product, square);
        let log = self.of_one(UnaryOp::Log1p, sum);
        self.scaled(log, 0.5)
    }

    pub(super) fn logarithm(&mut self, [x, y]: Parts) -> Parts {
        let [most, least] = self.sizes([x, y]);
        let [less, more] = [self.more(most, -1.0), self.more(most, 1.0)];
        let near = self.half_log1p(less, least, more);
        // A quarter of a large number has a size that does not overflow.
        let large = self.is_to(CompareOp::Ge, most, 4e307);
        let [quarter, one, zero, more] =
            [0.25, 1.0, 0.0, 2.0 * LN_2].map(|number| self.number(DType::F64, number));
        let scale = self.select(large, quarter, one);
        let scaled = [self.times(x, scale), self.times(y, scale)];
        let size = self.size(scaled);
        let far = self.of_one(UnaryOp::Log, size);
        let more = self.select(large, more, zero);
        let far = self.plus(far, more);
        let [low, high] = [self.is_to(CompareOp::Gt, most, 0.5), self.is_to(CompareOp::Lt, most, 2.0)];
        let is_near = self.and(low, high);
        [self.select(is_near, near, far), self.of_two(BinaryOp::Atan2, y, x)]
    }

    fn log1p(&mut self, [x, y]: Parts) -> Parts {
        let above = self.more(x, 1.0);
        let [far, angle] = self.logarithm([above, y]);
        let twice = self.more(x, 2.0);
        let near = self.half_log1p(x, y, twice);
        let [size_x, size_y] = [self.abs(x), self.abs(y)];
        let [low, high] = [size_x, size_y].map(|size| self.is_to(CompareOp::Lt, size, 0.5));
        let is_near = self.and(low, high);
        [self.select(is_near, near, far), angle]
    }

    /// The hyperbolic sine and cosine of a real number.
    fn sinh_cosh(&mut self, x: ValueId) -> [ValueId; 2] {
        let size = self.abs(x);
        let less = self.of_one(UnaryOp::Expm1, size);
        let whole = self.more(less, 1.0);
        let ratio = self.over(less, whole);
        let sinh = self.plus(less, ratio);
        let sinh = self.scaled(sinh, 0.5);
        let endless = self.is_to(CompareOp::Eq, less, f64::INFINITY);
        let sinh = self.select(endless, less, sinh);
        let back = self.into(1.0, whole);
        let cosh = self.plus(whole, back);
        let cosh = self.scaled(cosh, 0.5);
        [self.with_sign(sinh, x), cosh]
    }

    fn sinh(&mut self, [x, y]: Parts) -> Parts {
        let [cos, sin] = self.cos_sin(y);
        let [sinh, cosh] = self.sinh_cosh(x);
        let found = [self.times(sinh, cos), self.times(cosh, sin)];
        let size = self.abs(x);
        let [re, im] = self.by_halves(size, [cos, sin], 0.5);
        let is_low = self.is_to(CompareOp::Lt, x, 0.0);
        let minus = self.neg(re);
        let re = self.select(is_low, minus, re);
        let large = self.is_large(size);
        let found = self.choose(large, [re, im], found);
        let zero = self.is_to(CompareOp::Eq, x, 0.0);
        let endless = self.is_infinite(x);
        let zero = self.or(zero, endless);
        let finite = self.is_finite(y);
        let wild = self.not(finite);
        let zero = self.and(zero, wild);
        let real = self.is_to(CompareOp::Eq, y, 0.0);
        [self.select(zero, x, found[0]), self.select(real, y, found[1])]
    }

    /// True of finite numbers whose exponential is about to overflow.
    fn is_large(&mut self, size: ValueId) -> ValueId {
        let large = self.is_to(CompareOp::Gt, size, 700.0);
        let finite = self.is_finite(size);
        self.and(large, finite)
    }

    fn cos(&mut self, [x, y]: Parts) -> Parts {
        let [cos, sin] = self.cos_sin(x);
        let [sinh, cosh] = self.sinh_cosh(y);
        let found = [self.times(cos, cosh), self.times(sin, sinh)];
        let size = self.abs(y);
        let [re, im] = self.by_halves(size, [cos, sin], 0.5);
        let is_low = self.is_to(CompareOp::Lt, y, 0.0);
        let minus = self.neg(im);
        let im = self.select(is_low, minus, im);
        let large = self.is_large(size);
        let [re, im] = self.choose(large, [re, im], found);
        let [none, real] = [x, y].map(|part| self.is_to(CompareOp::Eq, part, 0.0));
        let finite = self.is_finite(x);
        let wild = self.not(finite);
        let endless = self.is_infinite(y);
        let endless = self.and(endless, wild);
        let infinity = self.number(DType::F64, f64::INFINITY);
        let re = self.select(endless, infinity, re);
        let wild = self.and(real, wild);
        let im = self.select(wild, y, im);
        let one = self.number(DType::F64, 1.0);
        let sign = self.with_sign(one, y);
        let zero = self.times(x, sign);
        let im = self.select(none, zero, im);
        [re, self.neg(im)]
    }

    /// By Kahan's formula.
    fn tanh(&mut self, [x, y]: Parts) -> Parts {
        let [cos, sin] = self.cos_sin(y);
        let t = self.over(sin, cos);
        let [s, _] = self.sinh_cosh(x);
        let [tt, ss] = [self.times(t, t), self.times(s, s)];
        let [beta, rho] = [self.more(tt, 1.0), self.more(ss, 1.0)];
        let rho = self.of_one(UnaryOp::Sqrt, rho);
        let below = self.times(beta, ss);
        let below = self.more(below, 1.0);
        let above = self.times(beta, rho);
        let above = self.times(above, s);
        let found = [self.over(above, below), self.over(t, below)];
        let size = self.abs(x);
        let one = self.number(DType::F64, 1.0);
        let sign = self.with_sign(one, x);
        let far = self.neg(size);
        let far = self.of_one(UnaryOp::Exp, far);
        let product = self.times(sin, cos);
        let im = self.scaled(product, 4.0);
        let im = self.times(im, far);
        let im = self.times(im, far);
        let large = self.is_to(CompareOp::Ge, size, 22.0);
        let (finite, none) = (self.is_finite(y), self.number(DType::F64, f64::NAN));
        let re = self.select(finite, sign, none);
        let found = self.choose(large, [re, im], found);
        self.tanh_at_ends([x, y], [product, sign], found)
    }

    fn tanh_at_ends(&mut self, [x, y]: Parts, [product, sign]: [ValueId; 2], found: Parts) -> Parts {
        let [zero, none] = [0.0, f64::NAN].map(|number| self.number(DType::F64, number));
        let finite = self.is_finite(y);
        let way = self.select(finite, product, y);
        let end = self.with_sign(zero, way);
        let endless = self.is_infinite(x);
        let found = self.choose(endless, [sign, end], found);
        let wild = self.not(finite);
        let is_zero = self.is_to(CompareOp::Eq, x, 0.0);
        let at_zero = self.and(is_zero, wild);
        let found = self.choose(at_zero, [x, none], found);
        let is_none = self.is(CompareOp::Ne, x, x);
        let real = self.is_to(CompareOp::Eq, y, 0.0);
        let both = self.and(is_none, real);
        self.choose(both, [x, y], found)
    }

    /// By Kahan's formula.
    fn asin(&mut self, [x, y]: Parts) -> Parts {
        let [less, more] = [self.less_from(1.0, x), self.more(x, 1.0)];
        let minus = self.neg(y);
        let [below, above] = [self.root([less, minus]), self.root([more, y])];
        let [re, _] = self.product(below, above);
        let conj = [below[0], self.neg(below[1])];
        let [_, im] = self.product(conj, above);
        let found = [self.of_two(BinaryOp::Atan2, x, re), self.of_one(UnaryOp::Asinh, im)];
        let infinity = self.number(DType::F64, f64::INFINITY);
        let [across, along] = [self.direction(x), self.direction(y)];
        let along = self.abs(along);
        let end = [self.of_two(BinaryOp::Atan2, across, along), self.with_sign(infinity, y)];
        let endless = self.is_endless([x, y]);
        let found = self.choose(endless, end, found);
        let at_zero = self.is_zero_beside_none([x, y]);
        self.choose(at_zero, [x, y], found)
    }

    /// The direction of a part of a number that is infinite: of one that is finite none.
    fn direction(&mut self, part: ValueId) -> ValueId {
        let [zero, one] = [0.0, 1.0].map(|number| self.number(DType::F64, number));
        let endless = self.is_infinite(part);
        let size = self.select(endless, one, zero);
        let size = self.with_sign(size, part);
        let is_none = self.is(CompareOp::Ne, part, part);
        self.select(is_none, part, size)
    }

    /// True of numbers whose real part is zero and whose imaginary part is NaN.
    fn is_zero_beside_none(&mut self, [x, y]: Parts) -> ValueId {
        let [zero, none] = [self.is_to(CompareOp::Eq, x, 0.0), self.is(CompareOp::Ne, y, y)];
        self.and(zero, none)
    }

    fn atanh(&mut self, [x, y]: Parts) -> Parts {
        let size = self.abs(x);
        let [less, more] = [self.less_from(1.0, size), self.more(size, 1.0)];
        let [square, yy] = [self.times(less, less), self.times(y, y)];
        let below = self.plus(square, yy);
        let four = self.scaled(size, 4.0);
        let ratio = self.over(four, below);
        let log = self.of_one(UnaryOp::Log1p, ratio);
        let re = self.scaled(log, 0.25);
        // Near 1 the square of the distance is no number that is more than zero, the distance is.
        let apart = self.size([less, y]);
        let apart = self.of_one(UnaryOp::Log, apart);
        let near = self.neg(apart);
        let near = self.more(near, LN_2);
        let near = self.scaled(near, 0.5);
        let is_near = self.is_to(CompareOp::Lt, below, 1e-280);
        let re = self.select(is_near, near, re);
        let along = self.times(less, more);
        let along = self.minus(along, yy);
        let across = self.scaled(y, 2.0);
        let angle = self.of_two(BinaryOp::Atan2, across, along);
        let im = self.scaled(angle, 0.5);
        let distance = self.size([x, y]);
        let far = self.over(size, distance);
        let far = self.over(far, distance);
        let right = self.number(DType::F64, FRAC_PI_2);
        let right = self.with_sign(right, y);
        let is_far = self.is_to(CompareOp::Gt, distance, 1e10);
        let [re, im] = self.choose(is_far, [far, right], [re, im]);
        let is_none = self.is(CompareOp::Ne, y, y);
        let (zero, angle) = (self.number(DType::F64, 0.0), self.select(is_none, y, right));
        let endless = self.is_endless([x, y]);
        let [re, im] = self.choose(endless, [zero, angle], [re, im]);
        let re = self.with_sign(re, x);
        let at_zero = self.is_zero_beside_none([x, y]);
        self.choose(at_zero, [x, y], [re, im])
    }
}

//! Elementwise ops on numbers in variables.

use gw_ir::{Attr, BinaryOp, CompareOp, KnownPower, Node, Op, StringOp, TestOp, UnaryOp};
use gw_kernels::{Half, Math, MathFloat, pow_i32, pow_i64, random_bits};
use gw_runtime::Report;
use gw_types::DType;

use super::context::{Lower, Lowers, Rest, broken};
use crate::loops::{Binary, Callee, Compare, Field, Ty, Unary, Var};

impl Lower<'_> {
    /// One element of an elementwise op; `to` is the type of its result.
    pub(super) fn apply(&mut self, op: impl Into<Op>, to: Ty, args: &[Var]) -> Lowers<Var> {
        let op = op.into();
        Ok(match (op, args) {
            (Op::Unary(op), &[x]) => self.of_one(op, to, x),
            (Op::Test(op), &[x]) => self.test(op, x),
            (Op::Cast, &[x]) => self.b.convert(to, x),
            (Op::String(op), &[x]) => return self.of_string(op, to, x),
            (Op::Binary(op), &[x, y]) => self.of_two(op, to, x, y),
            (Op::Compare(op), &[x, y]) => self.compare(op, x, y),
            (Op::Select, &[test, x, y]) => self.b.select(test, x, y),
            (op, args) => {
                return Err(broken(format!("`{}` does not take {} operands", op.text(), args.len())));
            }
        })
    }

    /// One element of an elementwise node; `to` is the type of its result.
    pub(super) fn apply_node(&mut self, node: &Node, to: Ty, args: &[Var]) -> Lowers<Var> {
        match (node.checked(), args) {
            (None, _) if node.op == Op::Foreign => self.foreign(node, to, args),
            (None, &[x, y]) if self.graph.ty(node.args[0]).dtype == DType::Str => {
                self.of_strings(node.op, to, x, y)
            }
            (None, &[x]) if node.op == Op::Cast => Ok(self.cast(node, x)),
            (None, _) => self.apply(node.op, to, args),
            (Some(step), _) if self.is_narrow(node) => self.checked_narrow(node, step, args),
            (Some(step), _) => {
                // An op of two has another guard, which comes before that of its overflow, or a sum that the flag belongs to.
                let comes_first = matches!(node.op, Op::Binary(_));
                let result = if comes_first { Some(self.apply(node.op, to, args)?) } else { None };
                let bound = self.check_overflow(node, step, args);
                let result = result.map_or_else(|| self.apply(node.op, to, args), Ok)?;
                bound.into_iter().for_each(|bound| self.b.bound(result, bound));
                Ok(result)
            }
        }
    }

    /// An element in another type; between half precision and others kernels convert.
    fn cast(&mut self, node: &Node, x: Var) -> Var {
        let [from, to] = [node.args[0], node.results[0]].map(|value| self.graph.ty(value).dtype);
        let single = self.b.ty(x) == Ty::F32;
        let ty = Ty::of(to);
        let kernel = match (half(from), half(to)) {
            (Some(half), None) => half.to_single(),
            (None, Some(half)) if single => half.from_single(),
            (None, Some(half)) => half.from_double(),
            (Some(_), Some(_)) | (None, None) => return self.b.convert(ty, x),
        };
        let word = self.b.convert(self.b.ty(x).register(), x);
        let found = self.b.call(ty.register(), Callee::Kernel(kernel), vec![word]);
        self.b.convert(ty, found)
    }

    /// One element of what a function gives that the process was given.
    fn foreign(&mut self, node: &Node, to: Ty, args: &[Var]) -> Lowers<Var> {
        let Attr::Foreign(call) = &node.attr else {
            return Err(broken("a function of numbers is not named"));
        };
        let function = gw_runtime::declared(call.number);
        let function = function.ok_or_else(|| broken("a function of numbers was not declared"))?;
        Ok(self.b.call(to, Callee::Kernel(function), args.to_vec()))
    }

    /// Strings are made and ordered by the runtime; whether they are equal their words say.
    fn of_strings(&mut self, op: Op, to: Ty, x: Var, y: Var) -> Lowers<Var> {
        if op == StringOp::Append.into() {
            let context = self.b.field(Field::Context);
            return Ok(self.b.call(to, Callee::Append, vec![context, x, y]));
        }
        let Op::Compare(order) = op else { return self.apply(op, to, &[x, y]) };
        if order.is_equality() {
            return self.apply(op, to, &[x, y]);
        }
        let order_of_both = self.b.call(Ty::I64, Callee::Order, vec![x, y]);
        let zero = self.b.word(0);
        Ok(self.compare(order, order_of_both, zero))
    }

    /// A function of one string.
    fn of_string(&mut self, op: StringOp, to: Ty, x: Var) -> Lowers<Var> {
        match op {
            StringOp::Length => Ok(self.b.call(to, Callee::Length, vec![x])),
            StringOp::Upper => Ok(self.made(Callee::Upper, x)),
            StringOp::Lower => Ok(self.made(Callee::Lower, x)),
            StringOp::Append => Err(broken("`append` takes two strings")),
        }
    }

    fn of_one(&mut self, op: UnaryOp, to: Ty, x: Var) -> Var {
        match op {
            UnaryOp::Stop => x,
            UnaryOp::Neg => self.b.unary(Unary::Neg, x),
            UnaryOp::Abs => self.b.unary(Unary::Abs, x),
            UnaryOp::Sign => self.sign(x),
            UnaryOp::Exp => self.math(Math::Exp, &[x]),
            UnaryOp::Expm1 => self.math(Math::Expm1, &[x]),
            UnaryOp::Log => self.math(Math::Log, &[x]),
            UnaryOp::Log2 => self.math(Math::Log2, &[x]),
            UnaryOp::Log1p => self.math(Math::Log1p, &[x]),
            UnaryOp::Sin => self.math(Math::Sin, &[x]),
            UnaryOp::Cos => self.math(Math::Cos, &[x]),
            UnaryOp::Tan => self.math(Math::Tan, &[x]),
            UnaryOp::Atan => self.math(Math::Atan, &[x]),
            UnaryOp::Asin => self.math(Math::Asin, &[x]),
            UnaryOp::Acos => self.math(Math::Acos, &[x]),
            UnaryOp::Sinh => self.math(Math::Sinh, &[x]),
            UnaryOp::Asinh => self.math(Math::Asinh, &[x]),
            UnaryOp::Tanh => self.math(Math::Tanh, &[x]),
            UnaryOp::Erf => self.math(Math::Erf, &[x]),
            UnaryOp::Sqrt => self.b.unary(Unary::Sqrt, x),
            UnaryOp::Rsqrt => {
                let (root, one) = (self.b.unary(Unary::Sqrt, x), self.b.real(to, 1.0));
                self.b.binary(Binary::Div, one, root)
            }
            UnaryOp::Floor => self.b.unary(Unary::Floor, x),
            UnaryOp::Ceil => self.b.unary(Unary::Ceil, x),
            UnaryOp::Round => self.b.unary(Unary::Nearest, x),
            UnaryOp::Not => self.b.unary(Unary::Not, x),
        }
    }

    fn test(&mut self, op: TestOp, x: Var) -> Var {
        match op {
            TestOp::IsNan => self.b.compare(Compare::Ne, x, x),
            TestOp::IsFinite => {
                let (size, limit) = (self.b.unary(Unary::Abs, x), self.b.real(self.b.ty(x), f64::INFINITY));
                self.b.compare(Compare::Lt, size, limit)
            }
        }
    }

    /// A string that is made of another.
    fn made(&mut self, callee: Callee, x: Var) -> Var {
        let context = self.b.field(Field::Context);
        self.b.call(Ty::I64, callee, vec![context, x])
    }

    fn of_two(&mut self, op: BinaryOp, to: Ty, x: Var, y: Var) -> Var {
        match op {
            BinaryOp::Add => self.b.add(x, y),
            BinaryOp::Sub => self.b.sub(x, y),
            BinaryOp::Mul => self.b.mul(x, y),
            BinaryOp::Div => self.b.binary(Binary::Div, x, y),
            BinaryOp::FloorDiv if to.is_float() => self.math(Math::FloorDiv, &[x, y]),
            BinaryOp::FloorDiv => self.floor_div(x, y),
            BinaryOp::Mod if to.is_float() => self.math(Math::Mod, &[x, y]),
            BinaryOp::Mod => self.modulo(x, y),
            BinaryOp::Pow => self.power(x, y),
            BinaryOp::Atan2 => self.math(Math::Atan2, &[x, y]),
            BinaryOp::Max => self.extreme(Compare::Ge, x, y),
            BinaryOp::Min => self.extreme(Compare::Le, x, y),
            BinaryOp::And => self.b.and(x, y),
            BinaryOp::Or => self.b.or(x, y),
            BinaryOp::Xor => self.b.binary(Binary::Xor, x, y),
            BinaryOp::Shl => self.shift_left(x, y),
            BinaryOp::Shr => self.shift_right(x, y),
            BinaryOp::RandomBits => self.b.call(to, Callee::Kernel(random_bits()), vec![x, y]),
        }
    }

    fn compare(&mut self, op: CompareOp, x: Var, y: Var) -> Var {
        match op {
            CompareOp::Eq => self.equal(x, y),
            CompareOp::Ne => self.differ(x, y),
            CompareOp::Lt => self.b.compare(Compare::Lt, x, y),
            CompareOp::Le => self.b.compare(Compare::Le, x, y),
            CompareOp::Gt => self.b.compare(Compare::Gt, x, y),
            CompareOp::Ge => self.b.compare(Compare::Ge, x, y),
        }
    }

    /// `x != y`; a rest of a division is tested for divisibility.
    fn differ(&mut self, x: Var, y: Var) -> Var {
        match self.rest(x, y) {
            Some(Rest::Known { .. }) => {
                let equal = self.equal(x, y);
                self.b.unary(Unary::Not, equal)
            }
            Some(Rest::Cut(rest)) => self.b.compare(Compare::Ne, rest, y),
            None => self.b.compare(Compare::Ne, x, y),
        }
    }

    fn math(&mut self, math: Math, args: &[Var]) -> Var {
        let ty = self.b.ty(args[0]);
        let float = if ty == Ty::F32 { MathFloat::F32 } else { MathFloat::F64 };
        self.b.call(ty, Callee::Kernel(math.function(float)), args.to_vec())
    }

    /// A constant of any number type.
    pub(super) fn number(&mut self, ty: Ty, value: i64) -> Var {
        if ty.is_float() { self.b.real(ty, value as f64) } else { self.b.int(ty, value) }
    }

    /// -1, 0 or 1; NaN of NaN, and 0 of -0.
    fn sign(&mut self, x: Var) -> Var {
        let ty = self.b.ty(x);
        let [zero, one, minus] = [0, 1, -1].map(|value| self.number(ty, value));
        let (above, below) = (self.b.compare(Compare::Gt, x, zero), self.b.compare(Compare::Lt, x, zero));
        let natural = self.b.add(x, zero);
        let rest = self.b.select(below, minus, natural);
        self.b.select(above, one, rest)
    }

    /// The first of equals; NaN if either is.
    pub(super) fn extreme(&mut self, better: Compare, x: Var, y: Var) -> Var {
        let mut first = self.b.compare(better, x, y);
        if self.b.ty(x).is_float() {
            let nan = self.b.compare(Compare::Ne, x, x);
            first = self.b.or(first, nan);
        }
        self.b.select(first, x, y)
    }

    fn power(&mut self, x: Var, y: Var) -> Var {
        let ty = self.b.ty(x);
        if ty.is_float() {
            return self.real_power(x, y);
        }
        if self.b.known(y) == Some(2) {
            return self.b.mul(x, x);
        }
        let zero = self.b.int(ty, 0);
        let ok = self.b.compare(Compare::Ge, y, zero);
        self.guard(ok, Report::NegativePower, Vec::new());
        let function = if ty == Ty::I32 { pow_i32() } else { pow_i64() };
        self.b.call(ty, Callee::Kernel(function), vec![x, y])
    }

    /// A power of floats; some that are often meant have shorter ways.
    fn real_power(&mut self, x: Var, y: Var) -> Var {
        let ty = self.b.ty(x);
        let Some(way) = self.b.known_real(y).and_then(KnownPower::of) else {
            return self.math(Math::Pow, &[x, y]);
        };
        match way {
            KnownPower::Itself => x,
            KnownPower::Square => self.b.mul(x, x),
            KnownPower::Cube if ty == Ty::F32 => {
                // Two roundings, which the page allows; a double's cube is that of Python's numbers.
                let square = self.b.mul(x, x);
                self.b.mul(square, x)
            }
            KnownPower::Cube => self.math(Math::Cube, &[x]),
            KnownPower::Root => self.root(x),
            KnownPower::Reciprocal => self.reciprocal(x),
            KnownPower::ReciprocalRoot => {
                let root = self.root(x);
                self.reciprocal(root)
            }
        }
    }

    fn reciprocal(&mut self, x: Var) -> Var {
        let one = self.b.real(self.b.ty(x), 1.0);
        self.b.binary(Binary::Div, one, x)
    }

    /// `x ** 0.5`, which is no negative zero, and of the negative numbers is one of infinity.
    fn root(&mut self, x: Var) -> Var {
        let ty = self.b.ty(x);
        let [zero, most, least] = [0.0, f64::INFINITY, f64::NEG_INFINITY].map(|end| self.b.real(ty, end));
        let root = self.b.unary(Unary::Sqrt, x);
        let root = self.b.add(root, zero);
        let is_least = self.b.compare(Compare::Eq, x, least);
        self.b.select(is_least, most, root)
    }

    /// Guards against a negative amount.
    fn shift_amount(&mut self, y: Var) {
        let zero = self.b.int(self.b.ty(y), 0);
        let ok = self.b.compare(Compare::Ge, y, zero);
        self.guard(ok, Report::NegativeShift, Vec::new());
    }

    fn shift_left(&mut self, x: Var, y: Var) -> Var {
        self.shift_amount(y);
        let ty = self.b.ty(x);
        let (width, zero) = (self.b.int(ty, ty.bits()), self.b.int(ty, 0));
        let inside = self.b.compare(Compare::Below, y, width);
        let shifted = self.b.binary(Binary::Shl, x, y);
        self.b.select(inside, shifted, zero)
    }

    fn shift_right(&mut self, x: Var, y: Var) -> Var {
        self.shift_amount(y);
        let ty = self.b.ty(x);
        let (width, most) = (self.b.int(ty, ty.bits()), self.b.int(ty, ty.bits() - 1));
        let inside = self.b.compare(Compare::Below, y, width);
        let amount = self.b.select(inside, y, most);
        self.b.binary(Binary::Sar, x, amount)
    }
}

/// The type of half precision that an element type is.
fn half(dtype: DType) -> Option<Half> {
    match dtype {
        DType::F16 => Some(Half::F16),
        DType::BF16 => Some(Half::BF16),
        DType::Bool | DType::F32 | DType::F64 | DType::C64 | DType::C128 | DType::Str => None,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => None,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => None,
    }
}

//! Elementwise ops on numbers in variables.

use gw_base::Broken;
use gw_ir::{Attr, Node, Op};
use gw_kernels::{Math, MathFloat, pow_i32, pow_i64, random_bits};
use gw_runtime::Report;
use gw_types::DType;

use super::context::{Lower, Lowers, Rest, broken};
use crate::loops::{Binary, Callee, Compare, Field, Ty, Unary, Var};

impl Lower<'_> {
    /// One element of an elementwise op; `to` is the type of its result.
    pub(super) fn apply(&mut self, op: Op, to: Ty, args: &[Var]) -> Lowers<Var> {
        match *args {
            [x] => self.of_one(op, to, x),
            [x, y] => self.of_two(op, to, x, y),
            [test, x, y] if op == Op::Select => Ok(self.b.select(test, x, y)),
            _ => Err(broken(format!("`{}` does not take {} operands", op.text(), args.len()))),
        }
    }

    /// One element of an elementwise node; `to` is the type of its result.
    pub(super) fn apply_node(&mut self, node: &Node, to: Ty, args: &[Var]) -> Lowers<Var> {
        match (node.checked(), args) {
            (None, _) if node.op == Op::Foreign => self.foreign(node, to, args),
            (None, &[x, y]) if self.graph.ty(node.args[0]).dtype == DType::Str => {
                self.of_strings(node.op, to, x, y)
            }
            (None, _) => self.apply(node.op, to, args),
            (Some(step), _) => {
                let result = if comes_first(node.op) { Some(self.apply(node.op, to, args)?) } else { None };
                let bound = self.check_overflow(node, step, args);
                let result = result.map_or_else(|| self.apply(node.op, to, args), Ok)?;
                bound.into_iter().for_each(|bound| self.b.bound(result, bound));
                Ok(result)
            }
        }
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
        if op == Op::Append {
            let context = self.b.field(Field::Context);
            return Ok(self.b.call(to, Callee::Append, vec![context, x, y]));
        }
        let orders =
            [(Op::Lt, Compare::Lt), (Op::Le, Compare::Le), (Op::Gt, Compare::Gt), (Op::Ge, Compare::Ge)];
        match orders.into_iter().find(|(order, _)| *order == op) {
            Some((_, compare)) => {
                let order = self.b.call(Ty::I64, Callee::Order, vec![x, y]);
                let zero = self.b.word(0);
                Ok(self.b.compare(compare, order, zero))
            }
            None => self.apply(op, to, &[x, y]),
        }
    }

    fn of_one(&mut self, op: Op, to: Ty, x: Var) -> Lowers<Var> {
        let no = || Err(not_of(op, 1));
        Ok(match op {
            Op::Stop => x,
            Op::Neg => self.b.unary(Unary::Neg, x),
            Op::Abs => self.b.unary(Unary::Abs, x),
            Op::Sign => self.sign(x),
            Op::Exp => self.math(Math::Exp, &[x]),
            Op::Expm1 => self.math(Math::Expm1, &[x]),
            Op::Log => self.math(Math::Log, &[x]),
            Op::Log1p => self.math(Math::Log1p, &[x]),
            Op::Sin => self.math(Math::Sin, &[x]),
            Op::Cos => self.math(Math::Cos, &[x]),
            Op::Tan => self.math(Math::Tan, &[x]),
            Op::Atan => self.math(Math::Atan, &[x]),
            Op::Tanh => self.math(Math::Tanh, &[x]),
            Op::Erf => self.math(Math::Erf, &[x]),
            Op::Sqrt => self.b.unary(Unary::Sqrt, x),
            Op::Rsqrt => {
                let (root, one) = (self.b.unary(Unary::Sqrt, x), self.b.real(to, 1.0));
                self.b.binary(Binary::Div, one, root)
            }
            Op::Floor => self.b.unary(Unary::Floor, x),
            Op::Ceil => self.b.unary(Unary::Ceil, x),
            Op::Round => self.b.unary(Unary::Nearest, x),
            Op::Not => self.b.unary(Unary::Not, x),
            Op::IsNan => self.b.compare(Compare::Ne, x, x),
            Op::IsFinite => {
                let (size, limit) = (self.b.unary(Unary::Abs, x), self.b.real(self.b.ty(x), f64::INFINITY));
                self.b.compare(Compare::Lt, size, limit)
            }
            Op::Cast => self.b.convert(to, x),
            Op::Length => self.b.call(to, Callee::Length, vec![x]),
            Op::Upper => self.made(Callee::Upper, x),
            Op::Lower => self.made(Callee::Lower, x),
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::FloorDiv | Op::Mod | Op::Pow | Op::Max | Op::Min => {
                return no();
            }
            Op::Atan2 | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Select | Op::Append => {
                return no();
            }
            Op::RandomBits | Op::Foreign => return no(),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => return no(),
            Op::ReduceSum
            | Op::ReduceProd
            | Op::ReduceMax
            | Op::ReduceMin
            | Op::ReduceAll
            | Op::ReduceAny => return no(),
            Op::ArgMax | Op::ArgMin | Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Index => {
                return no();
            }
            Op::Gather | Op::Concat | Op::Put | Op::Matmul | Op::Const | Op::Range | Op::Dim => return no(),
            Op::ArgSort | Op::ArgTop | Op::Conv2d | Op::Host => return no(),
            Op::Cholesky | Op::TriangularSolve | Op::Solve | Op::Det | Op::Qr | Op::Eigh | Op::Svd => {
                return no();
            }
            Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Check | Op::Leave => return no(),
        })
    }

    /// A string that is made of another.
    fn made(&mut self, callee: Callee, x: Var) -> Var {
        let context = self.b.field(Field::Context);
        self.b.call(Ty::I64, callee, vec![context, x])
    }

    fn of_two(&mut self, op: Op, to: Ty, x: Var, y: Var) -> Lowers<Var> {
        let no = || Err(not_of(op, 2));
        Ok(match op {
            Op::Add => self.b.add(x, y),
            Op::Sub => self.b.sub(x, y),
            Op::Mul => self.b.mul(x, y),
            Op::Div => self.b.binary(Binary::Div, x, y),
            Op::FloorDiv if to.is_float() => self.math(Math::FloorDiv, &[x, y]),
            Op::FloorDiv => self.floor_div(x, y),
            Op::Mod if to.is_float() => self.math(Math::Mod, &[x, y]),
            Op::Mod => self.modulo(x, y),
            Op::Pow => self.power(x, y),
            Op::Atan2 => self.math(Math::Atan2, &[x, y]),
            Op::Max => self.extreme(Compare::Ge, x, y),
            Op::Min => self.extreme(Compare::Le, x, y),
            Op::And => self.b.and(x, y),
            Op::Or => self.b.or(x, y),
            Op::Xor => self.b.binary(Binary::Xor, x, y),
            Op::Shl => self.shift_left(x, y),
            Op::Shr => self.shift_right(x, y),
            Op::RandomBits => self.b.call(to, Callee::Kernel(random_bits()), vec![x, y]),
            Op::Eq => self.equal(x, y),
            Op::Ne => self.differ(x, y),
            Op::Lt => self.b.compare(Compare::Lt, x, y),
            Op::Le => self.b.compare(Compare::Le, x, y),
            Op::Gt => self.b.compare(Compare::Gt, x, y),
            Op::Ge => self.b.compare(Compare::Ge, x, y),
            Op::Neg | Op::Abs | Op::Sign | Op::Exp | Op::Expm1 | Op::Log | Op::Log1p => return no(),
            Op::Sqrt | Op::Rsqrt | Op::Sin | Op::Cos | Op::Tan | Op::Atan | Op::Tanh => return no(),
            Op::Erf | Op::Floor | Op::Ceil | Op::Round | Op::Stop => return no(),
            Op::Not | Op::IsNan | Op::IsFinite | Op::Select | Op::Cast | Op::Append => return no(),
            Op::ReduceSum
            | Op::ReduceProd
            | Op::ReduceMax
            | Op::ReduceMin
            | Op::ReduceAll
            | Op::ReduceAny => return no(),
            Op::ArgMax | Op::ArgMin | Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Index => {
                return no();
            }
            Op::Gather | Op::Concat | Op::Put | Op::Matmul | Op::Const | Op::Range | Op::Dim => return no(),
            Op::ArgSort | Op::ArgTop | Op::Conv2d | Op::Length | Op::Upper | Op::Lower => return no(),
            Op::Host | Op::Foreign => return no(),
            Op::Cholesky | Op::TriangularSolve | Op::Solve | Op::Det | Op::Qr | Op::Eigh | Op::Svd => {
                return no();
            }
            Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Check | Op::Leave => return no(),
        })
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
        if self.b.known(y) == Some(2) || self.b.known_real(y) == Some(2.0) {
            return self.b.mul(x, x);
        }
        let ty = self.b.ty(x);
        if ty.is_float() {
            return self.real_power(x, y);
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
        match self.b.known_real(y) {
            Some(3.0) if ty == Ty::F32 => {
                // Two roundings, which the page allows; a double's cube is that of Python's numbers.
                let square = self.b.mul(x, x);
                self.b.mul(square, x)
            }
            Some(3.0) => self.math(Math::Cube, &[x]),
            Some(0.5) => self.root(x),
            Some(power @ (-0.5 | -1.0)) => {
                let (one, below) = (self.b.real(ty, 1.0), if power == -1.0 { x } else { self.root(x) });
                self.b.binary(Binary::Div, one, below)
            }
            Some(_) | None => self.math(Math::Pow, &[x, y]),
        }
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

/// True if a checked op has another guard, which comes before that of its overflow, or a sum that its flag belongs to.
fn comes_first(op: Op) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::Mul | Op::FloorDiv | Op::Pow | Op::Shl)
}

fn not_of(op: Op, operands: usize) -> Broken {
    broken(format!("`{}` does not compute an element from {operands} operands", op.text()))
}

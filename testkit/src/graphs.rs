//! Random programs: legal graphs with branches, loops and effects that always end, made from a string of choices.
//!
//! A float that backends may compute differently in its last digits never decides anything: it is not compared, rounded,
//! cast to an integer or printed, so that the programs come to the same on every backend, up to these digits.
//!
//! The choices are bytes, so that a property test that fails shrinks to a short string of small bytes, and that to a
//! small program. When they run out, every further choice is the first.

mod put;

use std::collections::HashSet;

use gw_eval::Array;
use gw_ir::{
    ArgOp, Attr, AxisSlice, BinaryOp, Bound, Builder, CheckKind, Class, CompareOp, DimArg, Exact, Graph,
    HostCall, HostType, Literal, Needs, Op, PartOp, Piece, PrintFormat, ReduceOp, Stream, StringOp, TestOp,
    UnaryOp, ValueId,
};
use gw_types::{DType, Dim, DimVar, Kind, Scalar, Shape, TensorType, Texts};

/// A program with inputs for it.
#[derive(Debug)]
pub struct Program {
    /// Legal.
    pub graph: Graph,
    /// As many as it has parameters, and of their types.
    pub inputs: Vec<Array>,
}

/// The program that these choices make.
pub fn program(choices: &[u8]) -> Program {
    let mut maker = Maker {
        choices: choices.iter(),
        b: Builder::new("random"),
        seen: Vec::new(),
        vague: HashSet::new(),
        depth: 0,
        texts: Texts::default(),
    };
    let inputs = maker.params();
    maker.statements(12);
    let count = 1 + maker.choose(3);
    let results = (0..count).map(|_| maker.any()).collect();
    Program { graph: maker.b.finish(results), inputs }
}

struct Maker<'a> {
    choices: std::slice::Iter<'a, u8>,
    b: Builder,
    /// The values that the open region sees, innermost last.
    seen: Vec<ValueId>,
    /// Floats that differ in their last digits from backend to backend.
    vague: HashSet<ValueId>,
    depth: usize,
    /// Keeps the strings that are chosen.
    texts: Texts,
}

const STRINGS: [&[u8]; 8] =
    [b"", b"a", b"b", b"ab", b"\xff", b"\0", b"a string of its own", b"a string of another"];

/// Ops of one operand.
fn of_one() -> Vec<Op> {
    let strings = [StringOp::Upper, StringOp::Length].map(Op::String);
    let tests = TestOp::ALL.iter().copied().map(Op::Test);
    let parts = PartOp::ALL.iter().copied().map(Op::Part);
    UnaryOp::ALL.iter().copied().map(Op::Unary).chain(tests).chain(parts).chain(strings).collect()
}

/// Ops of two operands. A division by zero would end most graphs: divisions have divisors of their own.
fn of_two() -> Vec<Op> {
    let numbers = BinaryOp::ALL.iter().copied().filter(|op| op.needs() != Needs::NotZero).map(Op::Binary);
    let orders = CompareOp::ALL.iter().copied().map(Op::Compare);
    numbers.chain(orders).chain([StringOp::Append.into(), Op::Complex]).collect()
}

/// True of ops of which floats may differ in their last digits.
fn is_approximate(op: Op) -> bool {
    op.exact() != Exact::Always
}

/// True of ops that hand such digits on and no more.
fn passes(op: Op) -> bool {
    const PASSING: &[Op] = &[
        Op::Unary(UnaryOp::Neg),
        Op::Unary(UnaryOp::Abs),
        Op::Unary(UnaryOp::Sqrt),
        Op::Binary(BinaryOp::Add),
        Op::Binary(BinaryOp::Sub),
        Op::Binary(BinaryOp::Mul),
        Op::Binary(BinaryOp::Max),
        Op::Binary(BinaryOp::Min),
        Op::Select,
        Op::Complex,
        Op::Part(PartOp::Real),
        Op::Part(PartOp::Imag),
        Op::Reduce(ReduceOp::Max),
        Op::Reduce(ReduceOp::Min),
        Op::Dim,
    ];
    op.class() == Class::Move || PASSING.contains(&op)
}

impl Maker<'_> {
    fn choose(&mut self, count: usize) -> usize {
        self.choices.next().map_or(0, |&byte| usize::from(byte) % count)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let at = self.choose(from.len());
        from[at]
    }

    fn any(&mut self) -> ValueId {
        let at = self.choose(self.seen.len());
        self.seen[self.seen.len() - 1 - at]
    }

    fn any_type(&mut self) -> TensorType {
        let value = self.any();
        self.b.ty(value).clone()
    }

    /// A seen value for which something holds, the innermost more likely.
    fn any_that(&mut self, holds: impl Fn(&TensorType) -> bool) -> Option<ValueId> {
        let fitting: Vec<_> = self.seen.iter().rev().copied().filter(|&v| holds(self.b.ty(v))).collect();
        (!fitting.is_empty()).then(|| self.pick(&fitting))
    }

    fn params(&mut self) -> Vec<Array> {
        let length = [2, 1, 0, 3][self.choose(4)];
        let var = self.b.fresh_dim();
        let count = 1 + self.choose(4);
        (0..count).map(|_| self.param(var, length)).collect()
    }

    fn param(&mut self, var: DimVar, length: usize) -> Array {
        let numbers = [DType::I64, DType::F32, DType::Bool, DType::I32, DType::F64];
        let narrow =
            [DType::I8, DType::U8, DType::I16, DType::U16, DType::U32, DType::U64, DType::F16, DType::BF16];
        let complex = [DType::C64, DType::C128];
        let dtype = match self.choose(12) {
            11 => DType::Str,
            8 => self.pick(&complex),
            9..=10 => self.pick(&narrow),
            _ => self.pick(&numbers),
        };
        let dims = [vec![], vec![Dim::Var(var)], vec![Dim::Fixed(3)], vec![Dim::Fixed(2), Dim::Fixed(3)]];
        let dims = dims[self.choose(4)].clone();
        let lengths: Vec<usize> = dims.iter().map(|dim| dim.fixed().unwrap_or(length)).collect();
        let param = self.b.param(TensorType::new(dtype, Shape(dims)));
        let name = ["x", "y", "z", "t"][self.choose(4)];
        self.b.name(param, name);
        self.seen.push(param);
        let count = lengths.iter().product();
        let elements: Vec<Scalar> = (0..count).map(|_| self.scalar(dtype)).collect();
        Array::new(dtype, lengths, elements)
    }

    fn scalar(&mut self, dtype: DType) -> Scalar {
        let odd = [0.5, f64::NAN, f64::INFINITY, -0.0, 1e30, -2.5];
        match (dtype.kind(), self.choose(8)) {
            (Kind::Bool, n) => Scalar::Bool(n % 2 == 1),
            (Kind::Float, 7) => Scalar::Float(odd[self.choose(6)]),
            (Kind::Float, n) => Scalar::Float(n as f64 - 2.0),
            (Kind::Int, 7) => Scalar::Int([i64::from(i32::MAX), i64::MIN, 255, -129][self.choose(4)]),
            (Kind::Int, n) => Scalar::Int(n as i64 - 2),
            (Kind::Complex, 7) => Scalar::Complex(odd[self.choose(6)], odd[self.choose(6)]),
            (Kind::Complex, n) => Scalar::Complex(n as f64 - 2.0, self.choose(4) as f64 - 1.0),
            (Kind::Text, n) => Scalar::Text(self.texts.make(STRINGS[n])),
        }
    }

    fn constant(&mut self, dtype: DType, value: Scalar) -> ValueId {
        self.b.constant(Literal::scalar(dtype, value))
    }

    fn statements(&mut self, most: usize) {
        let count = self.choose(most + 1);
        (0..count).for_each(|_| self.statement());
    }

    fn statement(&mut self) {
        match self.choose(20) {
            0 => self.literal(),
            1 | 2 => self.unary(),
            3..=6 => self.binary(),
            7 => self.divide(),
            8 => self.select(),
            9 => self.cast(),
            10 => self.reduce(),
            11 => self.moved(),
            12 => self.effect(),
            13 => self.positions(),
            14 | 15 => self.put(),
            _ if self.depth == 3 => self.binary(),
            16 | 17 => self.cond(),
            _ => self.while_(),
        }
    }

    /// Adds the op if the operands fit it.
    fn op(&mut self, op: impl Into<Op>, attr: Attr, args: &[ValueId]) {
        let op = op.into();
        let vague = args.iter().any(|arg| self.vague.contains(arg));
        let to_float = op == Op::Cast && matches!(attr, Attr::To(to) if to.is_fractional());
        let passes = to_float || passes(op) || is_approximate(op);
        if vague && !passes {
            return;
        }
        let attr = self.checked(op, attr, args);
        if let Ok(value) = self.b.op(op, attr, args) {
            self.see(value, vague || is_approximate(op));
        }
    }

    /// Integer scalars are checked for overflow as often as they wrap.
    fn checked(&mut self, op: Op, attr: Attr, args: &[ValueId]) -> Attr {
        let scalars = args.iter().all(|&arg| self.b.ty(arg).is_scalar() && self.b.ty(arg).dtype.is_number());
        let integers = scalars && args.iter().all(|&arg| self.b.ty(arg).dtype.is_int());
        if let Attr::To(dtype) = attr {
            let checks = scalars && dtype.is_int() && self.choose(2) == 1;
            return if checks { Attr::ToChecked(dtype) } else { attr };
        }
        let may = attr == Attr::None && integers && op.arithmetic().is_some();
        if may && self.choose(2) == 1 { Attr::Checked } else { attr }
    }

    fn see(&mut self, value: ValueId, vague: bool) {
        self.seen.push(value);
        let dtype = self.b.ty(value).dtype;
        if vague && (dtype.is_fractional()) {
            self.vague.insert(value);
        }
    }

    fn literal(&mut self) {
        let dtype = self.pick(DType::ALL);
        let lengths: Vec<usize> = [vec![], vec![3], vec![1], vec![2, 3]][self.choose(4)].clone();
        let count = lengths.iter().product();
        let elements: Vec<Scalar> = (0..count).map(|_| self.scalar(dtype)).collect();
        let value = self.b.constant(Literal::from_scalars(dtype, lengths, &elements));
        self.seen.push(value);
    }

    fn unary(&mut self) {
        let (op, x) = (self.pick(&of_one()), self.any());
        self.op(op, Attr::None, &[x]);
    }

    fn binary(&mut self) {
        let (op, x) = (self.pick(&of_two()), self.any());
        let dtype = self.b.ty(x).dtype;
        let y = self.any_that(|ty| ty.dtype == dtype).unwrap_or(x);
        let y = if op == Op::Binary(BinaryOp::Pow) && dtype.is_int() {
            self.constant(dtype, Scalar::Int(3))
        } else {
            y
        };
        self.op(op, Attr::None, &[x, y]);
    }

    /// By what is seldom zero.
    fn divide(&mut self) {
        let (op, x) = (self.pick(&[Op::Binary(BinaryOp::FloorDiv), Op::Binary(BinaryOp::Mod)]), self.any());
        let dtype = self.b.ty(x).dtype;
        let y = match (dtype.is_int(), self.choose(8)) {
            (true, 0) => self.any_that(|ty| ty.dtype == dtype).unwrap_or(x),
            (_, n) => self.constant(dtype, Scalar::Int(n as i64 + 1)),
        };
        self.op(op, Attr::None, &[x, y]);
    }

    fn select(&mut self) {
        let (Some(test), x) = (self.any_that(|ty| ty.dtype == DType::Bool), self.any()) else { return };
        let dtype = self.b.ty(x).dtype;
        let y = self.any_that(|ty| ty.dtype == dtype).unwrap_or(x);
        self.op(Op::Select, Attr::None, &[test, x, y]);
    }

    fn cast(&mut self) {
        let (x, dtype) = (self.any(), self.pick(DType::ALL));
        self.op(Op::Cast, Attr::To(dtype), &[x]);
    }

    fn reduce(&mut self) {
        let (op, x) = (self.pick(ReduceOp::ALL), self.any());
        let rank = self.b.ty(x).rank();
        let axes: Vec<usize> = (0..rank).filter(|_| self.choose(2) == 0).collect();
        let keep = self.choose(2) == 1;
        self.op(op, Attr::Axes { axes, keep }, &[x]);
    }

    fn moved(&mut self) {
        let Some(x) = self.any_that(|ty| ty.rank() > 0) else { return };
        let rank = self.b.ty(x).rank();
        let axis = self.choose(rank);
        match self.choose(6) {
            0 => self.op(Op::Transpose, Attr::Perm((0..rank).rev().collect()), &[x]),
            1 => self.op(Op::Reshape, Attr::Dims(vec![DimArg::Rest]), &[x]),
            2 => self.slice(x, axis),
            3 => {
                let dims = self.b.ty(x).shape.0.iter().map(|dim| dim.fixed().map(DimArg::Fixed));
                let Some(dims) = [Some(DimArg::Fixed(2))].into_iter().chain(dims).collect() else { return };
                self.op(Op::Broadcast, Attr::Dims(dims), &[x]);
            }
            4 => {
                let dtype = self.b.ty(x).dtype;
                let y = self.any_that(|ty| ty.dtype == dtype).unwrap_or(x);
                self.op(Op::Concat, Attr::Axis(axis), &[x, y]);
            }
            _ => self.matmul(x),
        }
    }

    fn slice(&mut self, x: ValueId, axis: usize) {
        let mut slices = vec![AxisSlice::ALL; self.b.ty(x).rank()];
        let bounds = [Bound::Open, Bound::Fixed(1), Bound::Fixed(-1), Bound::Arg(1)];
        let (start, stop) = (self.pick(&bounds), self.pick(&bounds));
        slices[axis] = AxisSlice { start, stop, step: self.pick(&[1, -1, 2]) };
        let at = self.any_that(|ty| *ty == TensorType::scalar(DType::I64));
        let at = at.unwrap_or_else(|| self.constant(DType::I64, Scalar::Int(1)));
        self.op(Op::Slice, Attr::Slices(slices), &[x, at]);
    }

    fn matmul(&mut self, x: ValueId) {
        let dtype = self.b.ty(x).dtype;
        let Some(y) = self.any_that(|ty| ty.dtype == dtype && ty.rank() > 1) else { return };
        let (transpose_x, transpose_y) = (self.choose(2) == 1, self.choose(2) == 0);
        self.op(Op::Matmul, Attr::Matmul { transpose_x, transpose_y }, &[x, y]);
    }

    fn positions(&mut self) {
        let Some(x) = self.any_that(|ty| ty.rank() > 0) else { return };
        let axis = self.choose(self.b.ty(x).rank());
        match self.choose(5) {
            0 => {
                let at = self.pick(&[0, -1, 1]);
                let i = self.constant(DType::I64, Scalar::Int(at));
                self.op(Op::Index, Attr::Axis(axis), &[x, i]);
            }
            1 => self.op(Op::Dim, Attr::Axis(axis), &[x]),
            2 => self.op(ArgOp::Max, Attr::Axis(axis), &[x]),
            3 => {
                let count = self.choose(4);
                self.op(ArgOp::Top, Attr::Count(count), &[x]);
            }
            _ => {
                let Some(i) = self.any_that(|ty| ty.dtype.is_int()) else { return };
                self.op(Op::Gather, Attr::Axis(axis), &[x, i]);
            }
        }
    }

    fn effect(&mut self) {
        let x = self.any();
        if self.vague.contains(&x) {
            return;
        }
        let text =
            |at| vec![Piece::Text("x = ".to_owned()), Piece::Operand(at), Piece::Text("\n".to_owned())];
        let format = |at| PrintFormat { pieces: text(at), stream: Stream::Stdout, summarize: Some(3) };
        let what = self.choose(5);
        if what == 1 {
            return self.host_call(x);
        }
        if what > 0 {
            let _nothing = self.b.effect(Op::Print, Attr::Print(format(0)), &[x]);
            return;
        }
        if let Some(ok) = self.any_that(|ty| *ty == TensorType::scalar(DType::Bool)) {
            let attr = Attr::Check { kind: CheckKind::Assertion, message: format(1), limit: false };
            let _nothing = self.b.effect(Op::Check, attr, &[ok, x]);
        }
    }

    /// Function 0 of [`crate::host`] gives its arguments back, 1 the first one twice.
    fn host_call(&mut self, x: ValueId) {
        let number = usize::from(self.choose(4) == 0).min(self.b.ty(x).rank());
        let mut args = vec![x];
        if number == 0 && self.choose(2) == 0 {
            args.push(self.any());
        }
        let mut gives = Vec::with_capacity(args.len());
        for &arg in &args {
            let TensorType { dtype, shape } = self.b.ty(arg).clone();
            let known = shape.0.iter().map(|dim| dim.fixed().filter(|_| self.choose(8) > 0));
            gives.push(HostType { dtype, lengths: known.collect() });
        }
        if number == 1 {
            gives[0].lengths[0] = None;
        }
        let vague = args.iter().any(|arg| self.vague.contains(arg));
        let call = HostCall { number, name: "host".to_owned(), gives };
        let given = self.b.host_call(call, &args).expect("any operands fit");
        given.into_iter().for_each(|value| self.see(value, vague));
    }

    /// A bool scalar, from what is seen.
    fn test(&mut self) -> ValueId {
        if let Some(test) = self.any_that(|ty| *ty == TensorType::scalar(DType::Bool)) {
            return test;
        }
        let at = self.choose(2) == 1;
        self.constant(DType::Bool, Scalar::Bool(at))
    }

    /// Runs `make` in a region of its own and closes it with values of these types.
    fn region(
        &mut self,
        types: &[TensorType],
        make: impl FnOnce(&mut Self) -> Vec<ValueId>,
    ) -> gw_ir::RegionId {
        let outside = self.seen.len();
        self.b.open();
        self.depth += 1;
        let mut results = make(self);
        for ty in &types[results.len()..] {
            let result = self.any_that(|seen| seen == ty).expect("a value of this type is seen outside");
            results.push(result);
        }
        self.depth -= 1;
        self.seen.truncate(outside);
        self.b.close(results)
    }

    fn cond(&mut self) {
        let test = self.test();
        let count = 1 + self.choose(3);
        let types: Vec<TensorType> = (0..count).map(|_| self.any_type()).collect();
        let regions = [0, 1].map(|_| {
            self.region(&types, |maker| {
                maker.statements(4);
                Vec::new()
            })
        });
        let results = self.b.cond(test, regions, types);
        results.into_iter().for_each(|result| self.see(result, true));
    }

    /// Counts up to 4, and stops earlier if a bool says so.
    fn while_(&mut self) {
        let zero = self.constant(DType::I64, Scalar::Int(0));
        let count = self.choose(4);
        let mut init = vec![zero];
        init.extend((0..count).map(|_| self.any()));
        let types: Vec<TensorType> = init.iter().map(|&v| self.b.ty(v).clone()).collect();
        let limit = self.choose(5) as i64;
        let bool_ = [TensorType::scalar(DType::Bool)];
        let test = self.region(&bool_, |maker| {
            let params: Vec<ValueId> = types.iter().map(|ty| maker.b.param(ty.clone())).collect();
            params.iter().for_each(|&param| maker.see(param, true));
            maker.statements(2);
            let limit = maker.constant(DType::I64, Scalar::Int(limit));
            let more = maker.b.op(CompareOp::Lt, Attr::None, &[params[0], limit]).expect("both are i64");
            let stop = maker.test();
            let both = maker.b.op(BinaryOp::And, Attr::None, &[more, stop]).expect("both are bool");
            vec![if maker.choose(2) == 0 { more } else { both }]
        });
        let body = self.region(&types, |maker| {
            let params: Vec<ValueId> = types.iter().map(|ty| maker.b.param(ty.clone())).collect();
            params.iter().for_each(|&param| maker.see(param, true));
            maker.statements(5);
            let one = maker.constant(DType::I64, Scalar::Int(1));
            vec![maker.b.op(BinaryOp::Add, Attr::None, &[params[0], one]).expect("both are i64")]
        });
        let results = self.b.while_(&init, [test, body], types);
        results.into_iter().for_each(|result| self.see(result, true));
    }
}

#[cfg(test)]
mod tests;

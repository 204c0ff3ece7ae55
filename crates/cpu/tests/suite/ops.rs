//! Every op, alone and with a consumer that its loops may be fused into, over dtypes and classes of shapes, does
//! natively what it does in the reference interpreter. Lengths are known in one sweep and variables in the other.

use crate::support;
use gw_eval::Array;
use gw_ir::text::print;
use gw_ir::{
    ArgOp, Attr, AxisSlice, BinaryOp, Bound, Builder, Class, CompareOp, DimArg, Graph, Keep, Literal, Op,
    PartOp, Piece, Place, PrintFormat, ReduceOp, Stream, ValueId, Windows,
};
use gw_types::{DType, Dim, Kind, Scalar, Shape, TensorType, Texts};

/// One call of an op: what it says, and what its operands are.
pub(crate) struct Case {
    pub(crate) op: Op,
    pub(crate) attr: Attr,
    pub(crate) operands: Vec<Array>,
}

/// Elements that are likely to be got wrong, the same ones for the same seed.
struct Numbers(u64, Texts);

impl Numbers {
    fn new(seed: u64) -> Self {
        Self(seed, Texts::default())
    }

    fn next(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % count
    }

    fn scalar(&mut self, dtype: DType) -> Scalar {
        let ints =
            [0, 1, -1, 2, 3, -7, 7, 5, 64, -33, i64::from(i32::MIN), i64::from(i32::MAX), i64::MIN, i64::MAX];
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let floats = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, 0.3, -0.1, 7.5, 1e30, inf, nan, -80.0, 2.0];
        let usual = |n: usize, least: usize| n.min(least);
        match dtype.kind() {
            Kind::Text => {
                let strings = ["", "a", "b", "\0", "seven b", "eight by", "a string of its own"];
                let chosen = strings[self.next(strings.len())];
                Scalar::Text(self.1.make(chosen.as_bytes()))
            }
            Kind::Bool => Scalar::Bool(self.next(2) == 1),
            Kind::Int => Scalar::Int(ints[usual(self.next(ints.len() * 2), ints.len() - 1)]),
            Kind::Float => Scalar::Float(floats[self.next(floats.len())]),
            Kind::Complex => {
                Scalar::Complex(floats[self.next(floats.len())], floats[self.next(floats.len())])
            }
        }
    }

    fn array(&mut self, dtype: DType, lengths: &[usize]) -> Array {
        let count = lengths.iter().product();
        let elements: Vec<Scalar> = (0..count).map(|_| self.scalar(dtype)).collect();
        Array::new(dtype, lengths.to_vec(), elements)
    }
}

/// Use of the op's result.
#[derive(Clone, Copy)]
enum Then {
    Nothing,
    /// It is an operand of another elementwise op.
    Choose,
    /// It is cast and summed.
    Sum,
    /// It is turned and joined with itself.
    Move,
}

/// The graph of one case; `None` if the operands do not fit the op.
fn graph(case: &Case, variable: bool, then: Then) -> Option<Graph> {
    let mut b = Builder::new("case");
    let mut args = Vec::new();
    for operand in &case.operands {
        let dims =
            operand.lengths.iter().map(|&n| if variable { Dim::Var(b.fresh_dim()) } else { Dim::Fixed(n) });
        let dims = dims.collect();
        args.push(b.param(TensorType::new(operand.dtype, Shape(dims))));
    }
    let result = b.op(case.op, case.attr.clone(), &args).ok()?;
    let mut results = vec![consumed(&mut b, result, then)];
    let format = PrintFormat { pieces: vec![Piece::Operand(0)], stream: Stream::Stdout, summarize: Some(2) };
    if matches!(then, Then::Nothing) {
        b.effect(Op::Print, Attr::Print(format), &[result]).ok()?;
    }
    results.extend(args.first());
    Some(b.finish(results))
}

fn consumed(b: &mut Builder, result: ValueId, then: Then) -> ValueId {
    let ty = b.ty(result).clone();
    let rank = ty.rank();
    let made = match then {
        Then::Nothing => return result,
        Then::Choose => {
            let yes = b.op(CompareOp::Eq, Attr::None, &[result, result]).expect("equal types");
            let other = b.constant(Literal::scalar(ty.dtype, Scalar::Int(1)));
            b.op(Op::Select, Attr::None, &[yes, result, other])
        }
        Then::Sum => {
            let number = match ty.dtype.is_number() {
                true => result,
                false => b.op(CompareOp::Eq, Attr::None, &[result, result]).expect("equal types"),
            };
            let part =
                ty.dtype.is_complex().then(|| b.op(PartOp::Imag, Attr::None, &[number]).expect("complex"));
            let number = part.unwrap_or(number);
            let wide = b.op(Op::Cast, Attr::To(DType::F64), &[number]).expect("a number");
            b.op(ReduceOp::Sum, Attr::Axes { axes: (0..rank).skip(1).collect(), keep: true }, &[wide])
        }
        Then::Move if rank == 0 => return result,
        Then::Move => {
            let turned =
                b.op(Op::Transpose, Attr::Perm((0..rank).rev().collect()), &[result]).expect("an order");
            b.op(Op::Concat, Attr::Axis(0), &[turned, turned])
        }
    };
    made.expect("the consumer fits")
}

#[track_caller]
pub(crate) fn check(case: &Case) -> usize {
    let mut ran = 0;
    // Arithmetic in a register of another type meets no loops of its own.
    let is_cast = case.operands.iter().any(|operand| operand.dtype.register() != operand.dtype);
    for variable in [false, true] {
        let consumers = [Then::Nothing, Then::Sum, Then::Choose, Then::Move];
        let count = match (is_cast, variable) {
            (true, true) => 0,
            (false, false) => 4,
            (true, false) | (false, true) => 2,
        };
        for &then in &consumers[..count] {
            let Some(graph) = graph(case, variable, then) else { continue };
            ran += 1;
            if let Err(difference) = support::compare(&graph, &case.operands) {
                panic!("{difference}\n{}{:?}\n{}", print(&graph), case.operands, gw_cpu::dump_loops(&graph));
            }
        }
    }
    ran
}

const PAIRS: &[[&[usize]; 2]] = &[
    [&[], &[]],
    [&[3], &[3]],
    [&[5], &[]],
    [&[2, 3], &[3]],
    [&[2, 1], &[1, 3]],
    [&[0], &[1]],
    [&[2, 3, 4], &[3, 1]],
    [&[1, 1], &[2, 2]],
    [&[2], &[3]],
    [&[9], &[9]],
    [&[3, 10], &[10]],
    [&[3, 7], &[3, 1]],
];

#[test]
fn elementwise_ops() {
    let mut numbers = Numbers::new(7);
    for &op in Op::ALL.iter().filter(|op| op.class() == Class::Elementwise && **op != Op::Cast) {
        let mut ran = 0;
        for &dtype in DType::ALL {
            let few = dtype.register() != dtype || dtype.is_complex();
            for [x, y] in PAIRS.iter().step_by(if few { 3 } else { 1 }) {
                let dtypes = if op == Op::Select { [DType::Bool, dtype] } else { [dtype, dtype] };
                let mut operands = vec![numbers.array(dtypes[0], x), numbers.array(dtypes[1], y)];
                operands.truncate(op.operands().len());
                if op == Op::Select {
                    operands.push(numbers.array(dtype, x));
                }
                ran += check(&Case { op, attr: Attr::None, operands });
            }
        }
        assert!(ran > 0 || op == Op::Foreign, "{} was never run", op.text());
    }
}

#[test]
fn checked_arithmetic() {
    let mut numbers = Numbers::new(18);
    let checked = |op: &&Op| op.arithmetic().is_some();
    for &op in Op::ALL.iter().filter(checked) {
        for dtype in [DType::I32, DType::I64, DType::I8, DType::U16, DType::U32] {
            for _ in 0..20 {
                let operands = (0..op.operands().len()).map(|_| numbers.array(dtype, &[])).collect();
                check(&Case { op, attr: Attr::Checked, operands });
            }
        }
    }
    for &from in DType::ALL {
        for to in [DType::I32, DType::I64] {
            for _ in 0..8 {
                let operands = vec![numbers.array(from, &[])];
                check(&Case { op: Op::Cast, attr: Attr::ToChecked(to), operands });
            }
        }
    }
}

#[test]
fn checked_arithmetic_with_known_numbers() {
    let mut choices = Numbers::new(19);
    let ends = |dtype| if dtype == DType::I32 { i64::from(i32::MAX) } else { i64::MAX };
    for dtype in [DType::I32, DType::I64] {
        for &op in BinaryOp::ALL.iter().filter(|&&op| Op::Binary(op).arithmetic().is_some()) {
            let most = ends(dtype);
            for known in [1, -1, 2, -2, 3, -3, 7, 9, 31, 63, most, -most - 1, most / 3, -most / 3] {
                let others = [0, 1, -1, 2, -2, most, -most - 1, most - 1, most / 3, most / 3 + 1, -most / 3];
                for other in others.into_iter().chain([most / 7, most / 7 + 1, most / 2 + 1, -most / 2 - 1]) {
                    if choices.next(8) > 0 {
                        continue;
                    }
                    for left in [false, true] {
                        let mut b = Builder::new("checked");
                        let param = b.param(TensorType::scalar(dtype));
                        let known = b.constant(Literal::scalar(dtype, Scalar::Int(known)));
                        let args = if left { [known, param] } else { [param, known] };
                        let result = b.op(op, Attr::Checked, &args).expect("integers");
                        let graph = b.finish(vec![result]);
                        let input = Array::scalar(dtype, Scalar::Int(other));
                        let compared = support::compare(&graph, &[input]);
                        compared.unwrap_or_else(|e| panic!("{e}\n{}of {other}", print(&graph)));
                    }
                }
            }
        }
    }
}

#[test]
fn casts() {
    let mut numbers = Numbers::new(8);
    for &from in DType::ALL {
        for &to in DType::ALL {
            for lengths in [&[][..], &[40], &[0]] {
                let operands = vec![numbers.array(from, lengths)];
                check(&Case { op: Op::Cast, attr: Attr::To(to), operands });
            }
        }
    }
}

#[test]
fn divisions_by_known_numbers() {
    let mut numbers = Numbers::new(9);
    for dtype in [DType::I32, DType::I64] {
        for divisor in
            [1, -1, 2, -2, 3, 7, -7, 10, 64, 641, 1 << 20, i64::from(i32::MAX), i64::from(i32::MIN), 0]
        {
            for op in [Op::Binary(BinaryOp::FloorDiv), Op::Binary(BinaryOp::Mod)] {
                let x = numbers.array(dtype, &[50]);
                let mut b = Builder::new("divide");
                let param = b.param(TensorType::new(dtype, Shape::fixed(&[50])));
                let divisor = b.constant(Literal::scalar(dtype, Scalar::Int(divisor)));
                let result = b.op(op, Attr::None, &[param, divisor]).expect("integers");
                let graph = b.finish(vec![result]);
                support::compare(&graph, &[x]).unwrap_or_else(|e| panic!("{e}\n{}", print(&graph)));
            }
        }
    }
}

#[test]
fn reductions() {
    let mut numbers = Numbers::new(10);
    for &op in Op::ALL.iter().filter(|op| op.class() == Class::Reduce) {
        let mut ran = 0;
        for &dtype in DType::ALL {
            for lengths in [&[][..], &[7], &[0], &[2, 3], &[3, 0], &[0, 3], &[2, 3, 4], &[1, 5]] {
                let x = numbers.array(dtype, lengths);
                for axes in 0..1usize << lengths.len() {
                    let axes: Vec<usize> = (0..lengths.len()).filter(|axis| axes >> axis & 1 == 1).collect();
                    let attrs = match (op, &axes[..]) {
                        (Op::Arg(ArgOp::Max | ArgOp::Min), &[axis]) => vec![Attr::Axis(axis)],
                        (Op::Arg(ArgOp::Max | ArgOp::Min), _) => vec![],
                        (Op::Arg(ArgOp::Sort), &[]) => vec![Attr::None],
                        (Op::Arg(ArgOp::Top), &[]) => [0, 1, 2, 4].map(Attr::Count).to_vec(),
                        (Op::Arg(ArgOp::Sort | ArgOp::Top), _) => vec![],
                        _ => [true, false].map(|keep| Attr::Axes { axes: axes.clone(), keep }).to_vec(),
                    };
                    for attr in attrs {
                        ran += check(&Case { op, attr, operands: vec![x.clone()] });
                    }
                }
            }
        }
        assert!(ran > 0, "{} was never run", op.text());
    }
}

#[test]
fn moves_without_arguments() {
    let mut numbers = Numbers::new(11);
    for &dtype in DType::ALL {
        let x = numbers.array(dtype, &[2, 3, 4]);
        let bound = [Bound::Open, Bound::Fixed(1), Bound::Fixed(-1), Bound::Fixed(-9), Bound::Fixed(9)];
        let mut attrs = vec![];
        for start in bound {
            for stop in bound {
                for step in [1, 2, -1, -2, i64::MAX, i64::MIN + 1] {
                    let by = AxisSlice { start, stop, step };
                    attrs.push((Op::Slice, Attr::Slices(vec![AxisSlice::ALL, AxisSlice::ALL, by])));
                }
            }
        }
        for perm in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1], [2, 1, 0]] {
            attrs.push((Op::Transpose, Attr::Perm(perm.to_vec())));
        }
        for dims in [&[24][..], &[6, 4], &[1, 2, 12, 1], &[5]] {
            attrs.push((Op::Reshape, Attr::Dims(dims.iter().map(|&n| DimArg::Fixed(n)).collect())));
        }
        attrs.push((Op::Reshape, Attr::Dims(vec![DimArg::Fixed(3), DimArg::Rest])));
        attrs.push((Op::Reshape, Attr::Dims(vec![DimArg::Fixed(5), DimArg::Rest])));
        attrs.push((Op::Dim, Attr::Axis(1)));
        for (op, attr) in attrs {
            check(&Case { op, attr, operands: vec![x.clone()] });
        }
        for lengths in [&[][..], &[1], &[3], &[2, 1], &[4]] {
            let attr = Attr::Dims([2, 2, 3].map(DimArg::Fixed).to_vec());
            check(&Case { op: Op::Broadcast, attr, operands: vec![numbers.array(dtype, lengths)] });
        }
    }
}

#[test]
fn moves_with_arguments() {
    let mut numbers = Numbers::new(12);
    let word = |i: i64| Array::scalar(DType::I64, Scalar::Int(i));
    for dtype in [DType::F32, DType::Bool, DType::I64, DType::C64, DType::C128] {
        let x = numbers.array(dtype, &[3, 4]);
        for i in [0, 2, -1, -3, 3, -4, i64::MIN] {
            check(&Case { op: Op::Index, attr: Attr::Axis(0), operands: vec![x.clone(), word(i)] });
            check(&Case { op: Op::Index, attr: Attr::Axis(1), operands: vec![x.clone(), word(i)] });
            let row = numbers.array(dtype, &[3]);
            check(&Case { op: Op::Index, attr: Attr::Axis(0), operands: vec![row, word(i)] });
            let by =
                AxisSlice { start: Bound::Arg(1), stop: Bound::Arg(2), step: if i < 0 { -1 } else { 2 } };
            let attr = Attr::Slices(vec![AxisSlice::ALL, by]);
            check(&Case { op: Op::Slice, attr, operands: vec![x.clone(), word(i), word(1)] });
            let attr = Attr::Dims(vec![DimArg::Arg(1), DimArg::Rest]);
            check(&Case { op: Op::Reshape, attr, operands: vec![x.clone(), word(i)] });
            let attr = Attr::Dims(vec![DimArg::Arg(1), DimArg::Fixed(3), DimArg::Fixed(4)]);
            check(&Case { op: Op::Broadcast, attr, operands: vec![x.clone(), word(i.min(5))] });
        }
        for indices in [&[][..], &[2], &[0], &[2, 2]] {
            for axis in [0, 1] {
                let count = indices.iter().product();
                let elements = (0..count).map(|i: usize| Scalar::Int([0, -1, 2, 1][i % 4]));
                let indices = Array::new(DType::I32, indices.to_vec(), elements.collect::<Vec<_>>());
                check(&Case { op: Op::Gather, attr: Attr::Axis(axis), operands: vec![x.clone(), indices] });
            }
        }
        for axis in [0, 1] {
            let parts: Vec<Array> = match axis {
                0 => [[1, 4], [0, 4], [2, 4]].map(|lengths| numbers.array(dtype, &lengths)).to_vec(),
                _ => [[3, 2], [3, 1], [3, 5]].map(|lengths| numbers.array(dtype, &lengths)).to_vec(),
            };
            let operands = [vec![x.clone()], parts].concat();
            check(&Case { op: Op::Concat, attr: Attr::Axis(axis), operands });
        }
    }
}

#[test]
fn stores() {
    let mut numbers = Numbers::new(17);
    let word = |i: i64| Array::scalar(DType::I64, Scalar::Int(i));
    let words = |elements: &[i64]| {
        let scalars: Vec<Scalar> = elements.iter().map(|&i| Scalar::Int(i)).collect();
        Array::new(DType::I64, vec![elements.len()], scalars)
    };
    let from = |start: Bound, stop: Bound, step: i64| Place::Slice(AxisSlice { start, stop, step });
    let all = Place::Slice(AxisSlice::ALL);
    let ways = [
        (DType::F32, Keep::Sum),
        (DType::I32, Keep::Product),
        (DType::I64, Keep::Least),
        (DType::F64, Keep::Greatest),
        (DType::C64, Keep::Sum),
        (DType::C128, Keep::Sum),
    ];
    for (dtype, keep) in ways {
        for keep in [Keep::Last, keep] {
            let mut put = |places: [Place; 2], lengths: &[usize], indices: &[Array]| {
                let mut operands = vec![numbers.array(dtype, &[3, 4]), numbers.array(dtype, lengths)];
                operands.extend(indices.iter().cloned());
                check(&Case { op: Op::Put, attr: Attr::Places { places: places.to_vec(), keep }, operands });
            };
            for i in [0, 2, -1, -3, 3, -4, i64::MIN] {
                put([Place::At(2), all], &[4], &[word(i)]);
                put([all, Place::At(2)], &[3], &[word(i)]);
                put([Place::At(2), Place::At(3)], &[], &[word(i), word(1)]);
                put([all, from(Bound::Arg(2), Bound::Open, 2)], &[3, 1], &[word(i)]);
                put([from(Bound::Open, Bound::Arg(2), -1), all], &[], &[word(i)]);
                put([all, from(Bound::Arg(2), Bound::Open, 1)], &[2], &[word(i)]);
            }
            put([Place::At(2), all], &[4, 4], &[words(&[2, 0, 2, -1])]);
            put([Place::At(2), Place::At(3)], &[4], &[words(&[2, 0, 2, -1]), words(&[1, 1, 1, -4])]);
            put([from(Bound::Fixed(1), Bound::Open, 1), Place::At(2)], &[5, 2], &[words(&[0, 3, 0, 0, 1])]);
            put([Place::At(2), Place::At(3)], &[2], &[words(&[0, 1]), word(3)]);
            put([Place::At(2), all], &[1], &[words(&[])]);
            put([Place::At(2), all], &[], &[words(&[0, 3])]);
        }
    }
}

#[test]
fn ranges() {
    for dtype in [DType::I32, DType::I64] {
        for [start, stop, step] in [
            [0, 5, 1],
            [5, 0, -2],
            [0, 5, -1],
            [3, 3, 1],
            [-2, 9, 3],
            [0, 1, 0],
            [7, -8, i64::MIN],
            [0, 3, i64::MAX],
        ] {
            let operands = [start, stop, step].map(|i| Array::scalar(dtype, Scalar::Int(i))).to_vec();
            check(&Case { op: Op::Range, attr: Attr::None, operands });
        }
    }
}

#[test]
fn convolutions() {
    let mut numbers = Numbers::new(14);
    let shapes: &[[[usize; 4]; 2]] = &[
        [[2, 5, 6, 3], [3, 2, 3, 4]],
        [[1, 4, 20, 2], [1, 3, 2, 17]],
        [[2, 1, 1, 1], [2, 2, 1, 1]],
        [[0, 3, 3, 1], [1, 1, 1, 2]],
        [[1, 3, 0, 2], [1, 1, 2, 2]],
        [[1, 3, 3, 0], [2, 2, 0, 3]],
        [[1, 3, 3, 2], [0, 2, 2, 1]],
        [[1, 3, 3, 2], [2, 2, 3, 1]],
    ];
    let windows = [
        ([1, 1], [[0; 2]; 2], [1, 1]),
        ([2, 1], [[1, 0], [1, 2]], [1, 2]),
        ([1, 3], [[0, 3], [9, 1]], [2, 1]),
    ];
    let windows = windows.map(|(strides, padding, dilations)| Windows { strides, padding, dilations });
    for dtype in [DType::F32, DType::F64] {
        for operands in shapes {
            for windows in windows {
                let small = operands.map(|lengths| {
                    let count = lengths.iter().product();
                    let elements = (0..count).map(|_| Scalar::Int(numbers.next(7) as i64 - 3));
                    let elements: Vec<Scalar> = elements.collect();
                    Array::new(dtype, lengths.to_vec(), elements)
                });
                check(&Case { op: Op::Conv2d, attr: Attr::Windows(windows), operands: small.to_vec() });
            }
        }
    }
}

#[test]
fn products_of_matrices() {
    let mut numbers = Numbers::new(13);
    let shapes: &[[&[usize]; 2]] = &[
        [&[2, 3], &[3, 4]],
        [&[1, 1], &[1, 1]],
        [&[2, 0], &[0, 2]],
        [&[0, 2], &[2, 3]],
        [&[5, 1, 2, 3], &[2, 3, 2]],
        [&[17, 19], &[19, 23]],
        [&[2, 3], &[4, 5]],
    ];
    for dtype in [DType::F32, DType::F64, DType::I32, DType::I64, DType::C64, DType::C128] {
        for [x, y] in shapes {
            for turned in 0..4 {
                let turn = |lengths: &[usize], turned: bool| {
                    let mut lengths = lengths.to_vec();
                    let rank = lengths.len();
                    if turned {
                        lengths.swap(rank - 1, rank - 2);
                    }
                    lengths
                };
                let (transpose_x, transpose_y) = (turned & 1 == 1, turned & 2 == 2);
                let mut small = |lengths: Vec<usize>| {
                    let count = lengths.iter().product();
                    let elements = (0..count).map(|_| Scalar::Int(numbers.next(7) as i64 - 3));
                    let elements: Vec<Scalar> = elements.collect();
                    Array::new(dtype, lengths, elements)
                };
                let operands = vec![small(turn(x, transpose_x)), small(turn(y, transpose_y))];
                check(&Case { op: Op::Matmul, attr: Attr::Matmul { transpose_x, transpose_y }, operands });
            }
        }
    }
}

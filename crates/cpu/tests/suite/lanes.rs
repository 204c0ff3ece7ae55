//! A number has the same function wherever it is computed: alone, in a register of lanes, behind the last whole register.

use gw_cpu::Registers;
use gw_eval::Array;
use gw_ir::{Attr, BinaryOp, Builder, Class, CompareOp, Graph, Literal, Op, ReduceOp, UnaryOp};
use gw_runtime::{Buffer, Denormals, Executable};
use gw_types::{DType, Dim, Kind, Scalar, Shape, TensorType, Text};

use crate::support;

/// The op on parameters of these shapes, and then something that it is fused with.
fn graph(op: Op, dtype: DType, dims: &[Dim]) -> Option<Graph> {
    let mut b = Builder::new("f");
    let dtypes = [if op == Op::Select { DType::Bool } else { dtype }, dtype, dtype];
    let params: Vec<_> = dtypes[..op.operands().len()]
        .iter()
        .map(|&dtype| b.param(TensorType::new(dtype, Shape(dims.to_vec()))))
        .collect();
    let attr = if op == Op::Cast { Attr::To(DType::F32) } else { Attr::None };
    let result = b.op(op, attr, &params).ok()?;
    let again = b.op(Op::Select, Attr::None, &[result, result, params[0]]).ok();
    Some(b.finish([Some(result), again].into_iter().flatten().collect()))
}

fn numbers(dtype: DType, count: usize, seed: usize) -> Array {
    let ints = [0, 1, -1, 2, 3, 7, 31, 5, 100, 12];
    let floats = [0.0, -0.0, 1.0, -1.0, 0.3, 0.7, -2.5, 1e-41, 88.0, -90.0, 1e30, f64::INFINITY, f64::NAN];
    let scalar = |i: usize| match dtype.kind() {
        Kind::Bool => Scalar::Bool(i % 3 == 1),
        Kind::Int => Scalar::Int(ints[i % ints.len()]),
        Kind::Float => Scalar::Float(floats[i % floats.len()]),
        Kind::Complex => Scalar::Complex(floats[i % floats.len()], floats[i / 2 % floats.len()]),
        Kind::Text => Scalar::Text(Text::EMPTY),
    };
    Array::new(dtype, vec![count], (0..count).map(|i| scalar(i * (2 * seed + 1) + seed)).collect::<Vec<_>>())
}

/// The results' elements, bit by bit but for those of NaN; `None` if the run fails.
fn run(code: &Executable, inputs: &[Array]) -> Option<Vec<Vec<Option<u64>>>> {
    let buffers: Vec<Buffer> = inputs.iter().map(support::buffer).collect();
    let results = code.run(&buffers, &mut support::Recorder::default()).ok()?;
    let bits = |scalar: Scalar| match scalar {
        Scalar::Float(x) if x.is_nan() => None,
        Scalar::Float(x) => Some(x.to_bits()),
        Scalar::Int(_) | Scalar::Nat(_) | Scalar::Bool(_) => Some(scalar.to_i64() as u64),
        Scalar::Complex(re, im) if re.is_nan() || im.is_nan() => None,
        Scalar::Complex(re, im) => Some(re.to_bits() ^ im.to_bits().rotate_left(1)),
        Scalar::Text(text) => Some(text.word()),
    };
    Some(results.iter().map(|result| result.scalars().map(bits).collect()).collect())
}

/// A graph's code for all kinds of registers, and that of the second tier.
fn codes(graph: &Graph) -> Vec<Executable> {
    let registers = [Registers::UpTo512, Registers::UpTo256, Registers::UpTo128];
    let codes = registers.map(|registers| gw_cpu::compile_for(graph, registers).expect("compiles"));
    let second = support::llvm()
        .map(|llvm| gw_cpu::compile_by(llvm, graph, gw_cpu::Sharing::WorthIt).expect("compiles"));
    codes.into_iter().chain(second).collect()
}

/// Runs an op on arrays of this length, in every kind of code, and on each of their elements alone.
fn check(op: Op, dtype: DType, count: usize) -> usize {
    let Some(alone) = graph(op, dtype, &[]) else { return 0 };
    let alone = gw_cpu::compile(&alone).expect("compiles");
    let array = graph(op, dtype, &[Dim::Fixed(count)]).expect("as alone");
    let dtypes = [if op == Op::Select { DType::Bool } else { dtype }, dtype, dtype];
    let operands: Vec<Array> = (0..op.operands().len()).map(|at| numbers(dtypes[at], count, at)).collect();
    for code in codes(&array) {
        // Numbers alone are no arrays of single precision.
        let code = code.with_denormals(Some(Denormals::Keep));
        let Some(found) = run(&code, &operands) else { return 0 };
        for i in 0..count {
            let one: Vec<Array> = operands.iter().map(|x| Array::scalar(x.dtype, x.elements[i])).collect();
            let wanted = run(&alone, &one).expect("as in the array");
            let found: Vec<_> = found.iter().map(|result| vec![result[i]]).collect();
            assert_eq!(found, wanted, "{} of {one:?} in {code:?}", op.text());
        }
    }
    count
}

#[test]
fn elements_are_computed_as_numbers_are() {
    let mut ran = 0;
    for &op in Op::ALL.iter().filter(|op| op.class() == Class::Elementwise) {
        for &dtype in DType::ALL {
            ran += check(op, dtype, 7) + check(op, dtype, 53) + check(op, dtype, 77);
        }
    }
    assert!(ran > 1000);
}

/// An array with zeros of the same sign in place of subnormal numbers.
fn flushed(array: &Array) -> Array {
    let one = |&scalar: &Scalar| match scalar {
        Scalar::Float(x) if x.abs() < f64::from(f32::MIN_POSITIVE) => Scalar::Float(0.0_f64.copysign(x)),
        Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) | Scalar::Float(_) | Scalar::Text(_) => scalar,
        Scalar::Complex(..) => scalar,
    };
    Array::new(array.dtype, array.lengths.clone(), array.elements.iter().map(one).collect::<Vec<_>>())
}

/// Numbers around the least that has all its digits.
fn tiny(count: usize, seed: usize) -> Array {
    let floats = [1e-41, -1e-41, 1.5e-38, -1.2e-38, 1e-20, 0.25, -0.5, 3e-39, 1.0, 1.176e-38, -0.0, 3.0];
    let scalar = |i: usize| Scalar::Float(floats[i % floats.len()]);
    Array::new(
        DType::F32,
        vec![count],
        (0..count).map(|i| scalar(i * (2 * seed + 1) + seed)).collect::<Vec<_>>(),
    )
}

#[test]
fn subnormal_numbers_are_zeros_where_a_graph_flushes() {
    for op in [
        Op::Binary(BinaryOp::Add),
        Op::Binary(BinaryOp::Sub),
        Op::Binary(BinaryOp::Mul),
        Op::Binary(BinaryOp::Div),
    ] {
        for count in [7, 53] {
            let graph = graph(op, DType::F32, &[Dim::Fixed(count)]).expect("numbers");
            let operands = [tiny(count, 0), tiny(count, 1)];
            let (zeros, exact): (Vec<_>, _) =
                (operands.iter().map(flushed).collect(), codes(&graph).remove(0));
            let exact = exact.with_denormals(Some(Denormals::Keep));
            let result = exact.run(
                &zeros.iter().map(support::buffer).collect::<Vec<_>>(),
                &mut support::Recorder::default(),
            );
            let result = support::array(&result.expect("runs")[0]);
            let wanted: Vec<_> = flushed(&result).elements;
            for code in codes(&graph) {
                let code = code.with_denormals(Some(Denormals::Flush));
                let given: Vec<Buffer> = operands.iter().map(support::buffer).collect();
                let found = code.run(&given, &mut support::Recorder::default()).expect("runs");
                let found: Vec<_> = found[0].scalars().collect();
                let same = |(x, y): (&Scalar, &Scalar)| {
                    x.to_f64().to_bits() == y.to_f64().to_bits() || x.to_f64().is_nan()
                };
                assert!(found.iter().zip(&wanted).all(same), "{}: {found:?} for {wanted:?}", op.text());
            }
        }
    }
}

#[test]
fn graphs_of_double_precision_keep_subnormal_numbers() {
    let graph = graph(Op::Binary(BinaryOp::Mul), DType::F64, &[Dim::Fixed(3)]).expect("numbers");
    let [x, half] = [1e-310, 0.5].map(|x| Array::new(DType::F64, vec![3], vec![Scalar::Float(x); 3]));
    for code in codes(&graph) {
        let code = code.with_denormals(Some(Denormals::Flush));
        assert_eq!(
            run(&code, &[x.clone(), half.clone()]).expect("runs")[0],
            vec![Some(5e-311_f64.to_bits()); 3]
        );
    }
}

/// The graph that reduces parameters of these lengths, known or not, after a step that may run in lanes.
fn reduction(op: Op, dtype: DType, lengths: &[usize], axes: &[usize], known: bool) -> Graph {
    let mut b = Builder::new("f");
    let dims = lengths.iter().map(|&n| if known { Dim::Fixed(n) } else { Dim::Var(b.fresh_dim()) });
    let dims = dims.collect();
    let x = b.param(TensorType::new(dtype, Shape(dims)));
    let twice = b.op(BinaryOp::Add, Attr::None, &[x, x]).expect("numbers");
    let attr = Attr::Axes { axes: axes.to_vec(), keep: false };
    let result = b.op(op, attr, &[twice]).expect("numbers");
    b.finish(vec![result])
}

#[test]
fn rows_are_taken_together_in_one_order() {
    let shapes: &[(&[usize], &[usize])] = &[
        (&[0], &[0]),
        (&[15], &[0]),
        (&[64], &[0]),
        (&[131], &[0]),
        (&[3, 80], &[1]),
        (&[80, 3], &[0]),
        (&[5, 70], &[0, 1]),
        (&[2, 67, 66], &[0, 2]),
    ];
    for op in [Op::Reduce(ReduceOp::Sum), Op::Reduce(ReduceOp::Max), Op::Reduce(ReduceOp::Min)] {
        for dtype in [DType::F32, DType::F64] {
            for &(lengths, axes) in shapes {
                for (known, with_nan) in [(true, false), (false, false), (true, true)] {
                    let graph = reduction(op, dtype, lengths, axes, known);
                    let count = lengths.iter().product();
                    let tame = |i: usize| Scalar::Float(((i * 37) % 101) as f64 * 0.37 - 11.0);
                    let input = match with_nan {
                        true => numbers(dtype, count, 3).elements,
                        false => (0..count).map(tame).collect(),
                    };
                    let input = [Array::new(dtype, lengths.to_vec(), input)];
                    let given: Vec<_> = codes(&graph).iter().map(|code| run(code, &input)).collect();
                    let same = given.windows(2).all(|two| two[0] == two[1]);
                    assert!(same, "{} of {lengths:?} over {axes:?}: {given:?}", op.text());
                    support::compare(&graph, &input).unwrap_or_else(|wrong| panic!("{}: {wrong}", op.text()));
                }
            }
        }
    }
}

/// The graph that reduces what an op on the same operand gives, where it gives floats.
fn reduced(op: Op, reduce: Op, dtype: DType, count: usize) -> Option<Graph> {
    let mut b = Builder::new("f");
    let x = b.param(TensorType::new(dtype, Shape(vec![Dim::Fixed(count)])));
    let result = b.op(op, Attr::None, &vec![x; op.operands().len()]).ok()?;
    if b.ty(result).dtype.kind() != Kind::Float {
        return None;
    }
    let result = b.op(reduce, Attr::Axes { axes: vec![0], keep: false }, &[result]).ok()?;
    Some(b.finish(vec![result]))
}

#[test]
fn what_every_op_gives_is_taken_together() {
    let positive = |i: usize| Scalar::Float(((i * 37) % 101) as f64 * 0.07 + 0.1);
    let mut ran = 0;
    for &op in Op::ALL.iter().filter(|op| op.class() == Class::Elementwise) {
        for reduce in [Op::Reduce(ReduceOp::Sum), Op::Reduce(ReduceOp::Max), Op::Reduce(ReduceOp::Min)] {
            for dtype in [DType::F32, DType::F64] {
                let Some(graph) = reduced(op, reduce, dtype, 131) else { continue };
                let input = [Array::new(dtype, vec![131], (0..131).map(positive).collect::<Vec<_>>())];
                let given: Vec<_> = codes(&graph).iter().map(|code| run(code, &input)).collect();
                let same = given.windows(2).all(|two| two[0] == two[1]);
                assert!(same, "{} of {}: {given:?}", reduce.text(), op.text());
                support::compare(&graph, &input).unwrap_or_else(|wrong| panic!("{}: {wrong}", op.text()));
                ran += 1;
            }
        }
    }
    assert!(ran > 100);
}

/// An op on a parameter, alone and summed up.
fn alone_and_summed(op: Op, dtype: DType, count: usize) -> Graph {
    let mut b = Builder::new("f");
    let x = b.param(TensorType::new(dtype, Shape(vec![Dim::Fixed(count)])));
    let result = b.op(op, Attr::None, &[x]).expect("floats");
    let scaled = b.op(BinaryOp::Mul, Attr::None, &[x, result]).expect("floats");
    let sum = b.op(ReduceOp::Sum, Attr::Axes { axes: vec![0], keep: false }, &[scaled]).expect("floats");
    b.finish(vec![result, sum])
}

#[test]
fn angles_that_are_left_to_the_library_may_stand_anywhere() {
    let tame = |i: usize| ((i * 37) % 101) as f64 * 17.3 - 880.0;
    for op in [Op::Unary(UnaryOp::Sin), Op::Unary(UnaryOp::Cos)] {
        for dtype in [DType::F32, DType::F64] {
            for (count, far) in
                [(5, 2), (100, 101), (100, 0), (100, 41), (100, 98), (131, 64), (141, 139), (143, 142)]
            {
                let graph = alone_and_summed(op, dtype, count);
                let element = |i: usize| Scalar::Float(if i == far { 1.25e9 } else { tame(i) });
                let input = [Array::new(dtype, vec![count], (0..count).map(element).collect::<Vec<_>>())];
                let given: Vec<_> = codes(&graph).iter().map(|code| run(code, &input)).collect();
                let same = given.windows(2).all(|two| two[0] == two[1]);
                assert!(same, "{} of {count}, {far}: {given:?}", op.text());
                support::compare(&graph, &input).unwrap_or_else(|wrong| panic!("{}: {wrong}", op.text()));
            }
        }
    }
}

#[test]
fn pairs_of_ends_give_what_they_give_alone() {
    let ends = [0.0, 0.5, 1.0, 2.0, 3.0, 1e-35, 1e35, 8_388_609.0, 1.7e7, f64::INFINITY, f64::NAN];
    let all: Vec<f64> = ends.into_iter().chain(ends.map(|end| -end)).collect();
    let count = all.len() * all.len();
    for op in [BinaryOp::Pow, BinaryOp::Atan2] {
        for dtype in [DType::F32, DType::F64] {
            let mut b = Builder::new("f");
            let ty = TensorType::new(dtype, Shape(vec![Dim::Fixed(count)]));
            let [x, y] = [b.param(ty.clone()), b.param(ty)];
            let result = b.op(op, Attr::None, &[x, y]).expect("floats");
            let graph = b.finish(vec![result]);
            let column = |of: &dyn Fn(usize) -> usize| {
                let element = |i: usize| Scalar::Float(all[of(i)]);
                Array::new(dtype, vec![count], (0..count).map(element).collect::<Vec<_>>())
            };
            let input = [column(&|i| i / all.len()), column(&|i| i % all.len())];
            let given: Vec<_> = codes(&graph).iter().map(|code| run(code, &input)).collect();
            assert!(given.windows(2).all(|two| two[0] == two[1]), "{} of {dtype:?}", Op::from(op).text());
            support::compare(&graph, &input)
                .unwrap_or_else(|wrong| panic!("{}: {wrong}", Op::from(op).text()));
        }
    }
}

/// A graph of an op, and of a function of what it gives.
fn and_its_logarithm(op: Op, dtype: DType, count: usize) -> Graph {
    let mut b = Builder::new("f");
    let ty = TensorType::new(dtype, Shape(vec![Dim::Fixed(count)]));
    let params: Vec<_> = op.operands().iter().map(|_| b.param(ty.clone())).collect();
    let result = b.op(op, Attr::None, &params).expect("floats");
    let size = b.op(UnaryOp::Abs, Attr::None, &[result]).expect("floats");
    let logarithm = b.op(UnaryOp::Log, Attr::None, &[size]).expect("floats");
    b.finish(vec![result, logarithm])
}

#[test]
fn numbers_that_are_not_usual_may_stand_anywhere() {
    let ops = [UnaryOp::Log, UnaryOp::Log2, UnaryOp::Log1p, UnaryOp::Asinh].map(Op::Unary);
    let ops = ops.into_iter().chain([BinaryOp::Pow, BinaryOp::Atan2].map(Op::Binary));
    let rare = [0.0, -0.0, -2.5, -3.0, 1e-41, 1e-310, 1e38, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let usual = |i: usize| ((i * 37) % 101 + 1) as f64 * 0.0371;
    for (op, dtype) in ops.flat_map(|op| [(op, DType::F32), (op, DType::F64)]) {
        let graph = and_its_logarithm(op, dtype, 67);
        let codes = codes(&graph);
        for at in [0, 7, 8, 31, 48, 63, 64, 66] {
            for (number, of) in rare.into_iter().flat_map(|number| [(number, 0), (number, 1)]) {
                let column = |operand: usize| {
                    let element =
                        |i: usize| if i == at && operand == of { number } else { usual(i + operand) };
                    let elements = (0..67).map(|i| Scalar::Float(element(i)));
                    Array::new(dtype, vec![67], elements.collect::<Vec<_>>())
                };
                let input: Vec<Array> = (0..op.operands().len()).map(column).collect();
                let given: Vec<_> = codes.iter().map(|code| run(code, &input)).collect();
                let same = given.windows(2).all(|two| two[0] == two[1]);
                assert!(same, "{} of {dtype:?} with {number} at {at}", op.text());
            }
        }
    }
}

/// Graph of so many values that all of them wait for the last one, functions among them where there are such;
/// and its sum and greatest.
fn crowded(dtype: DType, count: usize, values: usize) -> Graph {
    let mut b = Builder::new("f");
    let x = b.param(TensorType::new(dtype, Shape(vec![Dim::Fixed(count)])));
    let factor = b.param(TensorType::new(dtype, Shape(Vec::new())));
    let mut op = |op: Op, args: &[_]| b.op(op, Attr::None, args).expect("numbers");
    let (mut found, mut number) = (x, factor);
    for at in 0..values {
        number = op(Op::Binary(BinaryOp::Add), &[number, factor]);
        let value = op(Op::Binary(BinaryOp::Mul), &[x, number]);
        found = op(
            [
                Op::Binary(BinaryOp::Sub),
                Op::Binary(BinaryOp::Min),
                Op::Binary(BinaryOp::Add),
                Op::Binary(BinaryOp::Max),
            ][at % 4],
            &[value, found],
        );
        let function = [
            Op::Unary(UnaryOp::Sin),
            Op::Unary(UnaryOp::Log1p),
            Op::Unary(UnaryOp::Erf),
            Op::Unary(UnaryOp::Tanh),
            Op::Unary(UnaryOp::Exp),
            Op::Unary(UnaryOp::Abs),
            Op::Unary(UnaryOp::Floor),
        ][(at + values) % 7];
        if at % 3 == 0 && dtype.kind() == Kind::Float {
            found = op(function, &[found]);
        }
    }
    let mut results = vec![found];
    for reduce in [Op::Reduce(ReduceOp::Sum), Op::Reduce(ReduceOp::Max)] {
        results.push(b.op(reduce, Attr::Axes { axes: vec![0], keep: false }, &[found]).expect("numbers"));
    }
    b.finish(results)
}

#[test]
fn values_that_find_no_register_are_kept_in_memory() {
    for dtype in [DType::F32, DType::F64, DType::I32, DType::I64] {
        for values in [5, 9, 12, 15, 17, 20, 22, 25, 28, 40, 100] {
            let count = 131 + values % 5;
            let graph = crowded(dtype, count, values);
            let number = |i: usize| (i * 37 % 101) as i64 - 50;
            let scalar = |i: usize| match dtype.kind() {
                Kind::Float => Scalar::Float(number(i) as f64 * 0.017),
                Kind::Int | Kind::Bool | Kind::Complex | Kind::Text => Scalar::Int(number(i)),
            };
            let array = Array::new(dtype, vec![count], (0..count).map(scalar).collect::<Vec<_>>());
            let input = [array, Array::scalar(dtype, scalar(7))];
            let given: Vec<_> = codes(&graph).iter().map(|code| run(code, &input)).collect();
            let same = given.windows(2).all(|two| two[0] == two[1]);
            assert!(same && given[0].is_some(), "{dtype:?} {count} {values}: {given:?}");
        }
    }
}

/// Bools that come in, are combined with comparisons, choose, become numbers, and go out.
fn masks(dtype: DType, count: usize) -> Graph {
    let mut b = Builder::new("f");
    let mut param = |dtype| b.param(TensorType::new(dtype, Shape(vec![Dim::Fixed(count)])));
    let (x, y, alive, other) = (param(dtype), param(dtype), param(DType::Bool), param(DType::Bool));
    let mut op = |op: Op, args: &[_]| b.op(op, Attr::None, args).expect("fits");
    let less = op(CompareOp::Lt.into(), &[x, y]);
    let both = op(BinaryOp::And.into(), &[less, alive]);
    let one = op(BinaryOp::Xor.into(), &[both, other]);
    let not = op(UnaryOp::Not.into(), &[one]);
    let chosen = op(Op::Select, &[not, x, y]);
    let sum = op(BinaryOp::Add.into(), &[chosen, x]);
    let number = b.op(Op::Cast, Attr::To(dtype), &[both]).expect("fits");
    let counted = b.op(BinaryOp::Sub, Attr::None, &[sum, number]).expect("fits");
    b.finish(vec![both, one, not, sum, counted])
}

#[test]
fn bools_are_masks_in_every_width() {
    for dtype in [DType::F32, DType::F64, DType::I32, DType::I64] {
        for count in [1, 8, 31, 100] {
            let graph = masks(dtype, count);
            let dtypes = [dtype, dtype, DType::Bool, DType::Bool];
            let inputs: Vec<Array> =
                dtypes.iter().enumerate().map(|(at, &dtype)| numbers(dtype, count, at)).collect();
            let wanted = gw_eval::run(&graph, &inputs).expect("runs").results;
            let buffers: Vec<Buffer> = wanted.iter().map(support::buffer).collect();
            for code in codes(&graph) {
                let code = code.with_denormals(Some(Denormals::Keep));
                let results = code.run(
                    &inputs.iter().map(support::buffer).collect::<Vec<_>>(),
                    &mut support::Recorder::default(),
                );
                for (found, wanted) in results.expect("runs").iter().zip(&buffers) {
                    let [found, wanted] = [found, wanted]
                        .map(|buffer| buffer.scalars().map(|s| format!("{s:?}")).collect::<Vec<_>>());
                    assert_eq!(found, wanted, "{dtype:?} {count} in {code:?}");
                }
            }
        }
    }
}

/// Integers by a number that is known: quotients, rests, whether it divides them, and shifts.
fn divided(dtype: DType, divisor: i64, count: usize) -> Graph {
    let mut b = Builder::new("f");
    let x = b.param(TensorType::new(dtype, Shape(vec![Dim::Fixed(count)])));
    let [by, zero, three] = [divisor, 0, 3].map(|n| b.constant(Literal::scalar(dtype, Scalar::Int(n))));
    let mut op = |op: Op, args: &[_]| b.op(op, Attr::None, args).expect("fits");
    let quotient = op(BinaryOp::FloorDiv.into(), &[x, by]);
    let rest = op(BinaryOp::Mod.into(), &[x, by]);
    let divides = op(CompareOp::Eq.into(), &[rest, zero]);
    let natural = op(BinaryOp::And.into(), &[x, quotient]);
    let again = op(BinaryOp::Mod.into(), &[natural, by]);
    let shifted = [BinaryOp::Shl, BinaryOp::Shr].map(|shift| op(shift.into(), &[x, three]));
    b.finish(vec![quotient, rest, divides, again, shifted[0], shifted[1]])
}

#[test]
fn known_numbers_divide_in_every_width() {
    let edges = [i64::from(i32::MIN), i64::from(i32::MIN) + 1, i64::from(i32::MAX), -1, 0, 1, -7, 7, 20, -21];
    for dtype in [DType::I32, DType::I64] {
        for divisor in [1, 2, 3, 5, 7, 10, 64, 641, 1_000_003, i64::from(i32::MAX)] {
            for count in [10, 67] {
                let graph = divided(dtype, divisor, count);
                let number =
                    |at: usize| edges[at % edges.len()].wrapping_sub((at / edges.len()) as i64 * 977);
                let input = Array::new(dtype, vec![count], (0..count).map(|at| Scalar::Int(number(at))));
                let wanted = gw_eval::run(&graph, std::slice::from_ref(&input)).expect("runs").results;
                for code in codes(&graph) {
                    let results = code.run(&[support::buffer(&input)], &mut support::Recorder::default());
                    for (found, wanted) in results.expect("runs").iter().zip(&wanted) {
                        let found = support::array(found);
                        assert!(found.same_as(wanted), "{dtype:?} by {divisor} in {code:?}: {found:?}");
                    }
                }
            }
        }
    }
}

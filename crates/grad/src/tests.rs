//! Derivatives against finite differences, the first and the second, in float64, by the reference interpreter.

use gw_eval::{Array, run};
use gw_ir::text::parse;
use gw_ir::{Attr, Builder, Graph, NodeId, Op, ValueId, verify};
use gw_types::{DType, Scalar};

use super::*;

/// What the derivatives of a graph are taken of: the sum of the squares of all that it returns.
fn with_total(graph: Graph) -> (Builder, ValueId) {
    let results = graph.results().to_vec();
    let mut b = Builder::resume(graph);
    let floats: Vec<_> = results.into_iter().filter(|&v| b.ty(v).dtype.is_float()).collect();
    let total = sum_of_squares(&mut b, &floats);
    (b, total)
}

fn sum_of_squares(b: &mut Builder, values: &[ValueId]) -> ValueId {
    let mut total = b.constant(gw_ir::Literal::scalar(DType::F64, Scalar::Float(0.0)));
    for &value in values {
        let square = b.op(Op::Mul, Attr::None, &[value, value]).expect("floats");
        let axes = (0..b.ty(value).rank()).collect();
        let sum = b.op(Op::ReduceSum, Attr::Axes { axes, keep: false }, &[square]).expect("floats");
        total = b.op(Op::Add, Attr::None, &[total, sum]).expect("floats");
    }
    total
}

fn floats_of(b: &Builder) -> Vec<ValueId> {
    let graph = b.graph();
    graph.params().iter().copied().filter(|&v| graph.ty(v).dtype.is_float()).collect()
}

/// The derivatives of a value by the parameters that are floats.
fn derivatives(b: &mut Builder, target: ValueId) -> Result<Vec<Option<ValueId>>, Stop> {
    let sources: Vec<_> =
        floats_of(b).into_iter().map(|value| Source { value, since: gw_base::Id::new(0) }).collect();
    let dtype = b.ty(target).dtype;
    let one = b.constant(gw_ir::Literal::scalar(dtype, Scalar::Float(1.0)));
    let everything = |_: NodeId| true;
    gradient(b, &Ask { targets: &[(target, one)], sources: &sources, recorded: &everything })
}

/// A graph, and the derivatives of its total: its own results are the total, then those.
fn derived(graph: Graph) -> (Graph, Graph) {
    let (mut b, total) = with_total(graph);
    let first = derivatives(&mut b, total).expect("a derivative");
    let first: Vec<_> = first.into_iter().flatten().collect();
    let results = std::iter::once(total).chain(first.iter().copied()).collect();
    let mut again = Builder::resume(b.finish(results));
    let second_total = sum_of_squares(&mut again, &first);
    let first_graph = Builder::resume(again.graph().clone()).finish({
        let mut all = vec![total];
        all.extend(&first);
        all
    });
    let second = derivatives(&mut again, second_total).expect("a second derivative");
    let results = std::iter::once(second_total).chain(second.into_iter().flatten()).collect();
    (first_graph, again.finish(results))
}

fn total_of(graph: &Graph, inputs: &[Array]) -> f64 {
    run(graph, inputs).unwrap_or_else(|error| panic!("{error:?}")).results[0].first().to_f64()
}

/// Compares what a graph says of its own first result's derivatives with finite differences of that.
#[track_caller]
fn compare(graph: &Graph, inputs: &[Array], tolerance: f64) {
    verify(graph, "grad").unwrap_or_else(|broken| panic!("{broken}\n{}", gw_ir::text::print(graph)));
    let found = run(graph, inputs).unwrap_or_else(|error| panic!("{error:?}")).results;
    let mut found = found[1..].iter();
    for at in (0..inputs.len()).filter(|&at| inputs[at].dtype.is_float()) {
        let Some(slopes) = found.next() else { return };
        assert_eq!(slopes.lengths, inputs[at].lengths, "a derivative has the shape of its source");
        for element in 0..inputs[at].elements.len() {
            let moved = |by: f64| {
                let mut inputs = inputs.to_vec();
                let old = inputs[at].elements[element].to_f64();
                inputs[at].elements[element] = Scalar::Float(old + by);
                total_of(graph, &inputs)
            };
            const STEP: f64 = 1e-5;
            let wanted = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let got = slopes.elements[element].to_f64();
            let scale = wanted.abs().max(got.abs()).max(1.0);
            assert!(
                (wanted - got).abs() <= tolerance * scale,
                "by input {at}, element {element}: {got}, finite differences {wanted}\n{}",
                gw_ir::text::print(graph)
            );
        }
    }
}

/// Derivatives of a graph at these inputs.
#[track_caller]
fn check(text: &str, inputs: &[Array]) {
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let (first, second) = derived(graph);
    compare(&first, inputs, 1e-5);
    compare(&second, inputs, 1e-5);
}

/// Numbers between 0.3 and 1.7 that are all different.
fn floats(lengths: &[usize]) -> Array {
    let count: usize = lengths.iter().product();
    let number = |at: usize| Scalar::Float(0.3 + 1.4 * ((at as f64 + 1.0) * 0.618_033_988_7).fract());
    Array::new(DType::F64, lengths.to_vec(), (0..count).map(number))
}

fn integers(lengths: &[usize], numbers: &[i64]) -> Array {
    Array::new(DType::I64, lengths.to_vec(), numbers.iter().map(|&n| Scalar::Int(n)))
}

#[test]
fn elementwise_ops_of_one_operand() {
    const OPS: [&str; 17] = [
        "neg",
        "abs",
        "exp",
        "expm1",
        "log",
        "log1p",
        "sqrt",
        "rsqrt",
        "sin",
        "cos",
        "tan",
        "atan",
        "tanh",
        "erf",
        "sign",
        "floor",
        "stop_gradient",
    ];
    for op in OPS {
        let text =
            format!("func @f(%x: f64[3]) -> (f64[3], f64[3]) {{ %1 = {op} %x : f64[3] return %1, %x }}");
        if op == "stop_gradient" {
            let (first, _) = derived(parse(&text).expect("legal"));
            let found = run(&first, &[floats(&[3])]).expect("it runs").results;
            let twice = |x: &Scalar| Scalar::Float(2.0 * x.to_f64());
            assert_eq!(found[1].elements, floats(&[3]).elements.iter().map(twice).collect::<Vec<_>>());
        } else {
            check(&text, &[floats(&[3])]);
        }
    }
}

#[test]
fn elementwise_ops_of_two_operands() {
    for op in ["add", "sub", "mul", "div", "mod", "pow", "max", "min", "atan2", "floor_div"] {
        for (x, y, out) in [("[3]", "[3]", "[3]"), ("[2,1]", "[3]", "[2,3]"), ("[]", "[2]", "[2]")] {
            let text = format!(
                "func @f(%x: f64{x}, %y: f64{y}) -> (f64{out}, f64{x}, f64{y}) {{
                   %1 = {op} %x, %y : f64{out} return %1, %x, %y }}"
            );
            let lengths = |text: &str| -> Vec<usize> {
                text.trim_matches(['[', ']']).split(',').filter_map(|n| n.parse().ok()).collect()
            };
            let mut second = floats(&lengths(y));
            second.elements.iter_mut().for_each(|n| *n = Scalar::Float(n.to_f64() * 0.77 + 0.05));
            check(&text, &[floats(&lengths(x)), second]);
        }
    }
}

#[test]
fn lengths_that_are_known_at_run_time() {
    let text = "func @f(%x: f64[?0], %y: f64[?1]) -> (f64[?2]) { %1 = mul %x, %y : f64[?2] return %1 }";
    check(text, &[floats(&[3]), floats(&[3])]);
    check(text, &[floats(&[1]), floats(&[3])]);
    check(text, &[floats(&[3]), floats(&[1])]);
    let text = "func @f(%x: f64[?0,2], %y: f64[?0,2]) -> (f64[2], f64[?0,2]) {
      %1 = mul %x, %y : f64[?0,2] %2 = reduce_sum %1 axes=[0] : f64[2] %3 = mul %2, %x : f64[?0,2]
      return %2, %3 }";
    check(text, &[floats(&[3, 2]), floats(&[3, 2])]);
}

#[test]
fn select_and_casts() {
    check(
        "func @f(%c: bool[3], %x: f64[3], %y: f64[]) -> (f64[3]) {
          %1 = select %c, %x, %y : f64[3]
          %2 = cast %1 to=f32 : f32[3]
          %3 = cast %2 to=f64 : f64[3]
          %4 = mul %3, %1 : f64[3]
          %5 = sub %4, %3 : f64[3]
          %6 = cast %x to=i64 : i64[3]
          %7 = cast %6 to=f64 : f64[3]
          %8 = mul %7, %1 : f64[3]
          return %8
        }",
        &[Array::new(DType::Bool, vec![3], [true, false, true].map(Scalar::Bool)), floats(&[3]), floats(&[])],
    );
}

#[test]
fn reductions() {
    for op in ["reduce_sum", "reduce_prod", "reduce_max", "reduce_min"] {
        for (attr, out) in [("axes=[0]", "[3]"), ("axes=[1] keep", "[2,1]"), ("axes=[0,1]", "[]")] {
            let text =
                format!("func @f(%x: f64[2,3]) -> (f64{out}) {{ %1 = {op} %x {attr} : f64{out} return %1 }}");
            check(&text, &[floats(&[2, 3])]);
        }
        let text =
            format!("func @f(%x: f64[?0,?1]) -> (f64[?0]) {{ %1 = {op} %x axes=[1] : f64[?0] return %1 }}");
        check(&text, &[floats(&[2, 3])]);
    }
    let text = "func @f(%x: f64[4]) -> (f64[]) { %1 = reduce_prod %x axes=[0] : f64[] return %1 }";
    for zeros in 1..3 {
        let mut x = floats(&[4]);
        x.elements[..zeros].fill(Scalar::Float(0.0));
        let (first, second) = derived(parse(text).expect("legal"));
        compare(&first, &[x.clone()], 1e-7);
        compare(&second, &[x], 1e-5);
    }
}

#[test]
fn moves() {
    let check_one = |params: &str, line: &str, out: &str, inputs: &[Array]| {
        check(&format!("func @f(%x: {params}) -> ({out}) {{ %1 = {line} : {out} return %1 }}"), inputs);
    };
    check_one("f64[2,3]", "reshape %x dims=[3,2]", "f64[3,2]", &[floats(&[2, 3])]);
    check_one("f64[?0,3]", "reshape %x dims=[-1]", "f64[?1]", &[floats(&[2, 3])]);
    check_one("f64[2,1]", "broadcast %x dims=[2,2,3]", "f64[2,2,3]", &[floats(&[2, 1])]);
    check_one("f64[2,3,1]", "transpose %x perm=[2,0,1]", "f64[1,2,3]", &[floats(&[2, 3, 1])]);
    check_one("f64[5,2]", "slice %x at=[-2::-2,1:]", "f64[2,1]", &[floats(&[5, 2])]);
    check_one("f64[?0], %n: i64[]", "slice %x, %n at=[@1:]", "f64[?1]", &[floats(&[5]), integers(&[], &[2])]);
    check_one(
        "f64[4,2], %i: i64[]",
        "index %x, %i axis=1",
        "f64[4]",
        &[floats(&[4, 2]), integers(&[], &[-1])],
    );
    check_one(
        "f64[2,3], %i: i64[2,2]",
        "gather %x, %i axis=1",
        "f64[2,2,2]",
        &[floats(&[2, 3]), integers(&[2, 2], &[0, 2, -1, 2])],
    );
    check_one(
        "f64[2,2], %y: f64[2,1]",
        "concat %x, %y, %x axis=1",
        "f64[2,5]",
        &[floats(&[2, 2]), floats(&[2, 1])],
    );
    check_one("f64[?0], %y: f64[?1]", "concat %x, %y, %x axis=0", "f64[?2]", &[floats(&[2]), floats(&[3])]);
}

#[test]
fn stores() {
    let check_one = |params: &str, line: &str, out: &str, inputs: &[Array]| {
        check(
            &format!("func @f(%x: {params}) -> ({out}) {{ %1 = put %x, %v{line} : {out} return %1 }}"),
            inputs,
        );
    };
    for keep in ["", " keep=sum"] {
        let at = |places: &str| format!("{places}{keep}");
        let (x, v) = (floats(&[4, 3]), floats(&[3]));
        check_one(
            "f64[4,3], %v: f64[3], %i: i64[]",
            &at(", %i at=[@2,:]"),
            "f64[4,3]",
            &[x.clone(), v, integers(&[], &[-2])],
        );
        let v = floats(&[2, 2]);
        check_one("f64[4,3], %v: f64[2,2]", &at(" at=[1:3,::2]"), "f64[4,3]", &[x.clone(), v]);
        let v = floats(&[3, 4]);
        check_one(
            "f64[4,3], %v: f64[3,4], %i: i64[3]",
            &at(", %i at=[:,@2]"),
            "f64[4,3]",
            &[x.clone(), v, integers(&[3], &[2, 0, 2])],
        );
        let v = floats(&[3]);
        let indices = [integers(&[3], &[1, -1, 1]), integers(&[3], &[2, 0, 2])];
        let inputs = [vec![x.clone(), v], indices.to_vec()].concat();
        check_one(
            "f64[4,3], %v: f64[3], %i: i64[3], %j: i64[3]",
            &at(", %i, %j at=[@2,@3]"),
            "f64[4,3]",
            &inputs,
        );
        let inputs = [vec![x, floats(&[])], indices.to_vec()].concat();
        check_one(
            "f64[4,3], %v: f64[], %i: i64[3], %j: i64[3]",
            &at(", %i, %j at=[@2,@3]"),
            "f64[4,3]",
            &inputs,
        );
    }
}

#[test]
fn products() {
    for (tx, ty) in [(false, false), (true, false), (false, true), (true, true)] {
        let lengths = |swap: bool, m: usize, n: usize| if swap { [n, m] } else { [m, n] };
        let ([a, b], [c, d]) = (lengths(tx, 2, 3), lengths(ty, 3, 4));
        let word = |said: bool, word: &str| if said { word.to_owned() } else { String::new() };
        let attr = word(tx, " transpose_x") + &word(ty, " transpose_y");
        let text = format!(
            "func @f(%x: f64[{a},{b}], %y: f64[5,{c},{d}]) -> (f64[5,2,4]) {{
               %1 = matmul %x, %y{attr} : f64[5,2,4] return %1 }}"
        );
        check(&text, &[floats(&[a, b]), floats(&[5, c, d])]);
    }
}

#[test]
fn convolutions() {
    let shapes = [([2, 5, 4, 3], [3, 2, 3, 2]), ([1, 6, 6, 1], [2, 3, 1, 2])];
    let windows = [
        ("[1,1] padding=[0,0,0,0] dilations=[1,1]", [1usize, 1], [0usize, 0, 0, 0], [1usize, 1]),
        ("[2,1] padding=[1,1,0,1] dilations=[1,1]", [2, 1], [1, 1, 0, 1], [1, 1]),
        ("[2,3] padding=[0,2,3,0] dilations=[2,1]", [2, 3], [0, 2, 3, 0], [2, 1]),
    ];
    for (x, f) in shapes {
        for (text, strides, padding, dilations) in &windows {
            let count = |axis: usize| {
                let [before, after] = [padding[2 * axis], padding[2 * axis + 1]];
                (x[axis + 1] + before + after - (f[axis] - 1) * dilations[axis] - 1) / strides[axis] + 1
            };
            let out = format!("f64[{},{},{},{}]", x[0], count(0), count(1), f[3]);
            let [xs, fs] = [x, f].map(|n| n.map(|n| n.to_string()).join(","));
            let text = format!(
                "func @f(%x: f64[{xs}], %y: f64[{fs}]) -> ({out}) {{ %1 = conv2d %x, %y strides={text} : {out} return %1 }}"
            );
            let (first, _) = derived(parse(&text).unwrap_or_else(|error| panic!("{error}")));
            compare(&first, &[floats(&x), floats(&f)], 1e-6);
        }
    }
}

#[test]
fn branches() {
    let text = "func @f(%c: bool[], %x: f64[3], %y: f64[], %z: f64[3]) -> (f64[3], f64[]) {
      %7, %8 = cond %c : (f64[3], f64[]) {
        %1 = sin %x : f64[3]
        %2 = mul %1, %y : f64[3]
        %3 = reduce_sum %2 axes=[0] : f64[]
        %4 = mul %3, %2 : f64[3]
        yield %4, %3
      } else {
        %1 = mul %z, %x : f64[3]
        yield %1, %y
      }
      return %7, %8
    }";
    for c in [true, false] {
        let c = Array::new(DType::Bool, vec![], [Scalar::Bool(c)]);
        check(text, &[c, floats(&[3]), floats(&[]), floats(&[3])]);
    }
}

/// A loop of so many turns, with a branch and a captured tensor.
const LOOP: &str = "func @f(%n: i64[], %x: f64[2], %w: f64[2]) -> (f64[2], f64[]) {
  %0 = const 0 : i64[]
  %1 = const 0.5 : f64[]
  %2, %3, %4 = while (%i = %0, %a = %x, %s = %1) : (i64[], f64[2], f64[]) {
    %5 = lt %i, %n : bool[]
    yield %5
  } do {
    %6 = mul %a, %w : f64[2]
    %7 = sin %6 : f64[2]
    %8 = index %w, %0 axis=0 : f64[]
    %9 = mul %s, %8 : f64[]
    %10 = gt %i, %0 : bool[]
    %11 = cond %10 : (f64[2]) {
      %12 = mul %7, %s : f64[2]
      yield %12
    } else {
      %13 = add %7, %a : f64[2]
      yield %13
    }
    %14 = reduce_sum %11 axes=[0] : f64[]
    %15 = add %9, %14 : f64[]
    %16 = const 1 : i64[]
    %17 = add %i, %16 : i64[]
    yield %17, %11, %15
  }
  return %3, %4
}";

#[test]
fn loops_that_count() {
    for turns in 0..4 {
        check(LOOP, &[integers(&[], &[turns]), floats(&[2]), floats(&[2])]);
    }
}

/// A network whose weights are shared by all turns.
const NETWORK: &str = "func @f(%n: i64[], %h: f64[2,3], %w: f64[3,3], %v: f64[3,3]) -> (f64[2,3]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2, %3 = while (%i = %0, %a = %h) : (i64[], f64[2,3]) {
    %4 = lt %i, %n : bool[]
    yield %4
  } do {
    %5 = matmul %a, %w : f64[2,3]
    %6 = matmul %a, %v transpose_y : f64[2,3]
    %7 = tanh %5 : f64[2,3]
    %8 = add %7, %6 : f64[2,3]
    %9 = matmul %8, %w transpose_y : f64[2,3]
    %10 = sin %9 : f64[2,3]
    %11 = add %i, %1 : i64[]
    yield %11, %10
  }
  return %3
}";

#[test]
fn loops_that_share_weights() {
    for turns in 0..3 {
        check(NETWORK, &[integers(&[], &[turns]), floats(&[2, 3]), floats(&[3, 3]), floats(&[3, 3])]);
    }
}

#[test]
fn loops_that_do_not_count() {
    let text = "func @f(%x: f64[]) -> (f64[], f64[]) {
      %1 = const 0.0 : f64[]
      %2, %3 = while (%s = %1, %a = %x) : (f64[], f64[]) {
        %4 = const 1.0 : f64[]
        %5 = gt %a, %4 : bool[]
        yield %5
      } do {
        %6 = const 0.5 : f64[]
        %7 = mul %a, %6 : f64[]
        %8 = mul %7, %7 : f64[]
        %9 = add %s, %8 : f64[]
        yield %9, %7
      }
      return %2, %3
    }";
    for x in [0.4, 1.3, 9.1] {
        check(text, &[Array::scalar(DType::F64, Scalar::Float(x))]);
    }
}

#[test]
fn loops_in_loops() {
    let text = "func @f(%n: i64[], %x: f64[?0]) -> (f64[?0]) {
      %0 = const 0 : i64[]
      %1 = const 1 : i64[]
      %2, %3 = while (%i = %0, %a = %x) : (i64[], f64[?0]) {
        %5 = lt %i, %n : bool[]
        yield %5
      } do {
        %6, %7 = while (%j = %0, %b = %a) : (i64[], f64[?0]) {
          %8 = le %j, %i : bool[]
          yield %8
        } do {
          %9 = mul %b, %x : f64[?0]
          %10 = cos %9 : f64[?0]
          %11 = add %10, %a : f64[?0]
          %12 = add %j, %1 : i64[]
          yield %12, %11
        }
        %16 = mul %7, %a : f64[?0]
        %13 = exp %16 : f64[?0]
        %14 = sin %13 : f64[?0]
        %15 = add %i, %1 : i64[]
        yield %15, %14
      }
      return %3
    }";
    check(text, &[integers(&[], &[3]), floats(&[2])]);
}

#[test]
fn loops_in_branches_and_lists() {
    let text = "func @f(%c: bool[], %x: f64[3], %n: i64[]) -> (f64[?1]) {
      %0 = const 0 : i64[]
      %1 = const 1 : i64[]
      %e = const [] : f64[0]
      %2 = cond %c : (f64[?1]) {
        %3, %4, %5 = while (%i = %0, %l = %e, %a = %0) : (i64[], f64[?2], i64[]) {
          %6 = lt %i, %n : bool[]
          yield %6
        } do {
          %7 = index %x, %i axis=0 : f64[]
          %8 = mul %7, %7 : f64[]
          %9 = reshape %8 dims=[1] : f64[1]
          %10 = concat %l, %9 axis=0 : f64[?3]
          %11 = add %i, %1 : i64[]
          yield %11, %10, %a
        }
        yield %4
      } else {
        yield %e
      }
      return %2
    }";
    for c in [true, false] {
        let c = Array::new(DType::Bool, vec![], [Scalar::Bool(c)]);
        check(text, &[c, floats(&[3]), integers(&[], &[3])]);
    }
}

#[test]
fn functions_that_call_themselves() {
    let text = "func @f(%n: i64[], %x: f64[]) -> (f64[]) {
      %1 = call @power %n, %x : f64[]
      return %1
    }
    func @power(%n: i64[], %x: f64[]) -> (f64[]) {
      %0 = const 0 : i64[]
      %1 = eq %n, %0 : bool[]
      %2 = cond %1 : (f64[]) {
        %3 = const 1.0 : f64[]
        yield %3
      } else {
        %4 = const 1 : i64[]
        %5 = sub %n, %4 : i64[]
        %6 = sin %x : f64[]
        %7 = call @power %5, %6 : f64[]
        %8 = mul %7, %x : f64[]
        yield %8
      }
      return %2
    }";
    check(text, &[integers(&[], &[4]), floats(&[])]);
}

//! Each op.

use super::*;

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

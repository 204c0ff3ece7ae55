//! Texts that read back, and texts that are none.

use super::*;
use expect_test::{Expect, expect};

/// A text in the form in which it is printed.
#[track_caller]
fn check(text: &str) {
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(print(&graph), text.trim_start());
}

#[track_caller]
fn check_error(text: &str, expected: Expect) {
    expected.assert_eq(&parse(text).expect_err("not a graph").to_string());
}

#[track_caller]
fn check_op(params: &str, line: &str, ty: &str) {
    check(&format!("func @f({params}) -> ({ty}) {{\n  %1 = {line} : {ty}\n  return %1\n}}\n"));
}

#[test]
fn a_loop_shows_its_carries_once() {
    check(
        "
func @collatz(%n: i64[]) -> (i64[]) {
  %1 = const 0 : i64[]
  %2, %steps = while (%3 = %n, %steps.2 = %1) : (i64[], i64[]) {
    %4 = const 1 : i64[]
    %5 = ne %3, %4 : bool[]
    yield %5
  } do {
    %6 = const 2 : i64[]
    %7 = floor_div %3, %6 : i64[]
    %8 = const 1 : i64[]
    %steps.3 = add %steps.2, %8 : i64[]
    yield %7, %steps.3
  }
  return %steps
}
",
    );
}

#[test]
fn a_loop_shows_types_where_they_differ() {
    check(
        "
func @widen(%x: f32[3]) -> (f32[?0]) {
  %1 = while (%2: f32[?1] = %x) : (f32[?0]) {
    %3 = const true : bool[]
    yield %3
  } do (%4: f32[?2]) {
    %5 = concat %4, %4 axis=0 : f32[?3]
    yield %5
  }
  return %1
}
",
    );
}

#[test]
fn branches_and_effects() {
    check(
        "
func @outer.f(%x: f32[], %t: bool[]) -> () {
  %1 = cond %t : (f32[]) {
    print %x text=\"{{0}} is {0!r}\\n\" to=stdout summarize=3
    yield %x
  } else {
    check %t, %x kind=ValueError text=\"no {1}\" to=stderr
    %2 = neg %x : f32[]
    yield %2
  }
  return
}
",
    );
}

#[test]
fn attributes_read_back() {
    check_op("%x: f32[4,?0]", "reduce_sum %x axes=[0] keep", "f32[1,?0]");
    check_op("%x: f32[4,?0]", "reduce_max %x axes=[0,1]", "f32[]");
    check_op("%x: f32[4,5], %i: i64[]", "slice %x, %i at=[1:-1:2,@1:]", "f32[1,?0]");
    check_op("%x: f32[4,5]", "slice %x at=[:,::-1]", "f32[4,5]");
    check_op("%x: f32[4,5], %i: i64[]", "reshape %x, %i dims=[2,@1,-1]", "f32[2,?0,?1]");
    check_op("%x: f32[4,5]", "transpose %x perm=[1,0]", "f32[5,4]");
    check_op("%x: f32[4,5]", "matmul %x, %x transpose_y", "f32[4,4]");
    check_op("%x: f32[4,5]", "cast %x to=i64", "i64[4,5]");
    check_op("%x: f32[4,5], %i: i32[]", "index %x, %i axis=1", "f32[4]");
}

#[test]
fn literals_read_back_exactly() {
    check_op("", "const 1.5e-45", "f64[]");
    check_op("", "const [0.1, -0.0, inf, -inf, nan, nan_ffc00001]", "f32[6]");
    check_op("", "const [[1, 2], [3, -4]]", "i32[2,2]");
    check_op("", "const [[], []]", "bool[2,0]");
    check_op("", "const []", "bool[0,3]");
    check_op("", "const -9223372036854775808", "i64[]");
    let dump = format!("const 0x{}", "0001".repeat(1000));
    check_op("", &dump, "bool[2000]");
}

#[test]
fn values_keep_the_users_names() {
    let text = "func @f(%x: i32[]) -> (i32[]) {\n  %x.2 = neg %x : i32[]\n  return %x.2\n}\n";
    let graph = parse(text).expect("a graph");
    assert_eq!(graph.values[graph.results()[0]].name.as_deref(), Some("x"));
    assert_eq!(print(&graph), text);
}

#[test]
fn bare_variables_are_their_own() {
    let text = "func @f(%x: i32[?], %y: i32[?]) -> () { # two lengths\n return }";
    let expected = "func @f(%x: i32[?0], %y: i32[?1]) -> () {\n  return\n}\n";
    assert_eq!(print(&parse(text).expect("a graph")), expected);
}

#[test]
fn dead_nodes_are_not_printed() {
    let mut graph =
        parse("func @f(%x: i32[]) -> (i32[]) { %1 = neg %x : i32[] return %x }").expect("a graph");
    let body = graph.body;
    graph.regions[body].nodes.clear();
    assert_eq!(print(&graph), "func @f(%x: i32[]) -> (i32[]) {\n  return %x\n}\n");
    assert_eq!(graph.compact().nodes.len(), 0);
}

#[test]
fn names_that_are_none_are_quoted() {
    check("func @\"<lambda>\"() -> () {\n  return\n}\n");
}

#[test]
fn errors_name_the_line() {
    check_error(
        "func @f() -> () {\n  %1 = foo\n}",
        expect!["line 2: the name of an op is wanted, not `foo`"],
    );
    check_error("func @f() -> () {\n  return %1\n}", expect!["line 3: `%1` is not defined"]);
    check_error(
        "func @f(%x: f32[], %y: i32[]) -> (f32[]) {\n  %1 = add %x, %y : f32[]\n  return %1\n}",
        expect!["line 4: add.c1: cannot add float32 and int32, in `add` NodeId(0)"],
    );
    check_error(
        "func @f() -> () {\n  %1 = const [1, 2] : i32[3]",
        expect!["line 2: a literal has not as many elements as [3] wants"],
    );
    check_error("func @f() -> () {\n  %1 = const 1.5 : i32[]", expect!["line 2: `1.5` is not a i32"]);
    check_error("func @f(%x: f32", expect!["line 1: `[` is wanted, not the end"]);
}

#[test]
fn one_op_on_literals() {
    let (op, attr, operands) = parse_call("slice [1.0, 2.0]:f32, 1:i64 at=[@1:]").expect("an op");
    assert_eq!((op.text(), operands.len()), ("slice", 2));
    assert_eq!(attrs::write(&attr), "at=[@1:]");
    assert_eq!(parse_call("const [1, 2]:i32").expect("an op").2, []);
}

#[test]
fn places_are_comments() {
    let mut b = crate::Builder::new("f");
    let x = b.param("f32[]".parse().expect("a type"));
    b.set_place(Some(gw_base::Loc { column: 4, ..gw_base::Loc::of_line("f.py", 3) }));
    let y = b.op(crate::Op::Unary(crate::UnaryOp::Exp), crate::Attr::None, &[x]).expect("fits");
    let graph = b.finish(vec![y]);
    let text = print_with_places(&graph);
    assert_eq!(text, "func @f(%1: f32[]) -> (f32[]) {\n  %2 = exp %1 : f32[]  # f.py:3:5\n  return %2\n}\n");
    assert_eq!(print(&parse(&text).expect("a graph")), print(&graph));
}

#[test]
fn each_line_has_the_node_that_begins_in_it() {
    let text = "func @f(%x: bool[]) -> (i64[]) {
  %1 = cond %x : (i64[]) {
    %2 = const 1 : i64[]
    yield %2
  } else {
    %3 = call @g : i64[]
    yield %3
  }
  return %1
}
func @g() -> (i64[]) {
  %1 = const 2 : i64[]
  return %1
}
";
    let graph = parse(text).expect("a graph");
    let lines = print_lines(&graph);
    assert_eq!(lines.iter().map(|(line, _)| format!("{line}\n")).collect::<String>(), text);
    let op = |node: &Option<crate::NodeId>| node.map_or("", |node| graph.nodes[node].op.text());
    let ops: Vec<&str> = lines.iter().map(|(_, node)| op(node)).collect();
    assert_eq!(ops, ["", "cond", "const", "", "", "call", "", "", "", "", "", "const", "", ""]);
}

#[test]
fn a_function_may_have_a_way_back_of_its_own() {
    let text = "
func @clipped(%x: f32[]) -> (f32[]) {
  %1 = const 1.0 : f32[]
  %2 = call @f %x, %1, %x : f32[]
  return %2
}
func @f(%1: f32[], %2: f32[], %3: f32[]) -> (f32[]) back @f_2 {
  return %3
}
func @f_2(%1: f32[], %2: f32[]) -> (f32[]) {
  %3 = min %1, %2 : f32[]
  return %3
}
";
    check(text);
    assert_eq!(print(&parse(text).expect("a graph").compact()), text.trim_start());
    check_error(
        &text.replace("func @f_2(%1: f32[], %2: f32[])", "func @f_2(%1: f32[2], %2: f32[2])"),
        expect!["line 13: arguments of a way back: f32[] where f32[2] is wanted"],
    );
}

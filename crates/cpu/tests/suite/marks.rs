//! Marks for the profiler: each loop is under the node that it computes.

use expect_test::{Expect, expect};
use gw_base::Id;

/// Compares the lines that do something, each behind the operation that it is under.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let lines = gw_cpu::loops_of_nodes(&graph).expect("a legal graph");
    let works = |line: &&(Option<gw_ir::NodeId>, String)| {
        ["for ", "while", "store ", "call ", "tanh"].iter().any(|word| line.1.contains(word))
    };
    let shown = lines.iter().filter(works).map(|(node, line)| {
        let op = node.map_or("", |node| graph.nodes[node].op.text());
        format!("{op}: {}\n", line.trim())
    });
    expected.assert_eq(&shown.collect::<String>());
}

#[test]
fn fused_operations_are_under_the_last_of_them() {
    check(
        "func @f(%x: f64[4,5]) -> (f64[4]) {
  %1 = tanh %x : f64[4,5]
  %2 = reduce_sum %1 axes=[1] : f64[4]
  %3 = add %2, %2 : f64[4]
  return %3
}",
        expect![[r#"
            reduce_sum: for %11 < %3
            reduce_sum: for %15 < %4 carry %13 = %12
            reduce_sum: %20: f64 = tanh_f64(%19)
            reduce_sum: store %9[%11] = %14
            add: for %27 < %3
            add: store %26[%27] = %29
            add: store %23[%1] = %26
            add: store %30[%1] = %3
        "#]],
    );
}

#[test]
fn a_loop_has_the_marks_of_its_body() {
    check(
        "func @f(%n: i64[]) -> (i64[]) {
  %0 = const 0 : i64[]
  %1, %2 = while (%i = %0, %k = %n) : (i64[], i64[]) {
    %3 = lt %i, %n : bool[]
    yield %3
  } do {
    %4 = const 1 : i64[]
    %5 = add %i, %4 : i64[]
    %6 = mul %k, %5 : i64[]
    yield %5, %6
  }
  return %2
}",
        expect![[r#"
            while: while carry %4 = %1, %6 = %3, %10 = %9
            while: store %8[%1] = %11
            while: store %25[%1] = %7
        "#]],
    );
}

#[test]
fn lines_are_those_of_the_dump() {
    let text = "func @f(%x: f64[4]) -> (f64[4]) {\n  %1 = exp %x : f64[4]\n  return %1\n}";
    let graph = gw_ir::text::parse(text).expect("a graph");
    let marked = gw_cpu::loops_of_nodes(&graph).expect("a legal graph");
    let lines: Vec<&str> = marked.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(lines.join("\n") + "\n", gw_cpu::dump_loops(&graph));
    assert!(marked.iter().all(|(node, _)| node.is_none_or(|node| node.index() < graph.nodes.len())));
}

//! Transfers for the calls of a graph.

use expect_test::{Expect, expect};
use gw_ir::Attr;
use gw_ir::text::parse;

use super::{Step, partition};

#[track_caller]
fn check(text: &str, expected: Expect) {
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut out = String::new();
    show(&graph, &partition(&graph), 0, &mut out);
    expected.assert_eq(&out);
}

fn show(graph: &gw_ir::Graph, steps: &[Step], indent: usize, out: &mut String) {
    for step in steps {
        let pad = "  ".repeat(indent);
        match step {
            Step::Call(call) => {
                let Attr::Host(host) = &graph.nodes[call.node].attr else { unreachable!() };
                let sent: Vec<_> = call.sent.iter().map(|(at, depth)| format!("{at} in {depth}")).collect();
                let line =
                    format!("{pad}{}: send [{}], receive {:?}\n", host.name, sent.join(", "), call.received);
                out.push_str(&line);
            }
            Step::Loop(_, body) => {
                out.push_str(&format!("{pad}loop\n"));
                show(graph, body, indent + 1, out);
            }
            Step::Branch(_, [then, orelse]) => {
                out.push_str(&format!("{pad}if\n"));
                show(graph, then, indent + 1, out);
                out.push_str(&format!("{pad}else\n"));
                show(graph, orelse, indent + 1, out);
            }
        }
    }
}

#[test]
fn parameters_constants_and_results_of_the_host_are_not_sent() {
    check(
        "func @f(%x: f64[]) -> (f64[]) {
          %one = const 1.0 : f64[]
          %1 = host_call %x, %one name=\"g\" number=0 gives=[f64[]] : f64[]
          %2 = host_call %1 name=\"h\" number=1 gives=[f64[]] : f64[]
          return %2
        }",
        expect![[r#"
            g: send [], receive []
            h: send [], receive []
        "#]],
    );
}

#[test]
fn what_the_graph_computes_is_sent_once_and_what_it_needs_received() {
    check(
        "func @f(%x: f64[]) -> (f64[]) {
          %y = mul %x, %x : f64[]
          %1, %2 = host_call %y name=\"g\" number=0 gives=[f64[],f64[]] : f64[], f64[]
          %3 = host_call %y, %2 name=\"h\" number=1 gives=[f64[]] : f64[]
          %4 = add %1, %y : f64[]
          return %4
        }",
        expect![[r#"
            g: send [0 in 0], receive [0]
            h: send [], receive []
        "#]],
    );
}

#[test]
fn a_loop_that_a_counter_ends_is_run_by_both_sides() {
    check(
        "func @f(%x: f64[], %y: f64[]) -> (f64[]) {
          %zero = const 0 : i64[]
          %ten = const 10 : i64[]
          %z = mul %y, %y : f64[]
          %i, %s = while (%k = %zero, %v = %x) : (i64[], f64[]) {
            %more = lt %k, %ten : bool[]
            yield %more
          } do {
            %1 = host_call %k, %v, %z name=\"g\" number=0 gives=[f64[]] : f64[]
            %w = add %v, %1 : f64[]
            %one = const 1 : i64[]
            %next = add %k, %one : i64[]
            yield %next, %w
          }
          host_call %i, %s name=\"end\" number=1 gives=[]
          return %s
        }",
        expect![[r#"
            loop
              g: send [1 in 1, 2 in 0], receive [0]
            end: send [1 in 0], receive []
        "#]],
    );
}

#[test]
fn what_the_host_decides_is_one_bool_each_time() {
    check(
        "func @f(%x: f64[]) -> (f64[]) {
          %s, %on = while (%v = %x, %go = %true) : (f64[], bool[]) {
            yield %go
          } do {
            %stop = host_call name=\"pressed\" number=0 gives=[bool[]] : bool[]
            %more = not %stop : bool[]
            %w = cond %stop : (f64[]) {
              yield %v
            } else {
              %2 = add %v, %v : f64[]
              host_call %2 name=\"note\" number=1 gives=[]
              yield %2
            }
            yield %w, %more
          }
          return %s
        }"
        .replace("%s, %on = while", "%true = const true : bool[]\n          %s, %on = while")
        .as_str(),
        expect![[r#"
            loop
              pressed: send [], receive [0]
              if
              else
                note: send [0 in 1], receive []
        "#]],
    );
}

#[test]
fn a_state_that_only_the_host_uses_stays_there() {
    check(
        "func @f(%n: i64[]) -> (f64[]) {
          %zero = const 0 : i64[]
          %first = host_call name=\"begin\" number=0 gives=[f64[]] : f64[]
          %i, %s = while (%k = %zero, %v = %first) : (i64[], f64[]) {
            %more = lt %k, %n : bool[]
            yield %more
          } do {
            %1 = host_call %v name=\"step\" number=1 gives=[f64[]] : f64[]
            %one = const 1 : i64[]
            %next = add %k, %one : i64[]
            yield %next, %1
          }
          return %s
        }",
        expect![[r#"
            begin: send [], receive []
            loop
              step: send [], receive []
        "#]],
    );
}

#[test]
fn a_number_that_a_loop_computes_is_sent() {
    check(
        "func @f(%n: i64[]) -> (i64[]) {
          %ten = const 100 : i64[]
          %x = while (%v = %n) : (i64[]) {
            %more = lt %v, %ten : bool[]
            yield %more
          } do {
            %two = const 2 : i64[]
            %one = const 1 : i64[]
            %d = mul %v, %two : i64[]
            %w = add %d, %one : i64[]
            host_call %w name=\"say\" number=0 gives=[]
            yield %w
          }
          return %x
        }",
        expect![[r#"
            loop
              say: send [0 in 1], receive []
        "#]],
    );
}

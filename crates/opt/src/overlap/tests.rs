//! Graphs before and after work is taken out of them.

use rustc_hash::FxHashMap;

use expect_test::{Expect, expect};
use gw_ir::text::{parse, print};
use gw_ir::{Attr, Graph, Op, ValueId, verify};

use super::overlap;

/// The graph without the work, and the work; the graph as it was if there is none.
#[track_caller]
fn check(before: &str, after: Expect) {
    let graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
    let (rest, overlapped) = overlap(&graph).unwrap_or((graph, Vec::new()));
    let all: Vec<_> = std::iter::once(&rest).chain(&overlapped).collect();
    all.iter().for_each(|graph| verify(graph, "beside").expect("legal"));
    let texts = all.iter().map(|graph| print(graph).replace(&gw_base::FIRST_OVERLAP.to_string(), "begin"));
    let texts = texts.map(|text| text.replace(&(gw_base::FIRST_OVERLAP + 1).to_string(), "finish"));
    after.assert_eq(&texts.collect::<Vec<_>>().join("\n"));
}

#[test]
fn products_before_and_behind_a_call_are_taken_out() {
    check(
        "func @f(%x: f64[], %m: f64[200,200]) -> (f64[], f64[200,200], f64[200,200]) {
          %1 = matmul %m, %m : f64[200,200]
          %2 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %3 = matmul %1, %m : f64[200,200]
          %4 = mul %3, %2 : f64[200,200]
          return %2, %1, %4
        }",
        expect![[r#"
            func @f(%x: f64[], %m: f64[200,200]) -> (f64[], f64[200,200], f64[200,200]) {
              host_call %m name="g" number=begin gives=[]
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2, %3 = host_call name="g" number=finish gives=[f64[200,200],f64[200,200]] : f64[200,200], f64[200,200]
              %4 = mul %3, %1 : f64[200,200]
              return %1, %2, %4
            }

            func @f(%1: f64[200,200]) -> (f64[200,200], f64[200,200]) {
              %2 = matmul %1, %1 : f64[200,200]
              %3 = matmul %2, %1 : f64[200,200]
              return %2, %3
            }
        "#]],
    );
}

#[test]
fn what_the_call_waits_for_stays() {
    check(
        "func @f(%m: f64[200,200]) -> (f64[200,200]) {
          %1 = matmul %m, %m : f64[200,200]
          %2 = host_call %1 name=\"g\" number=0 gives=[f64[200,200]] : f64[200,200]
          %3 = matmul %2, %m : f64[200,200]
          return %3
        }",
        expect![[r#"
            func @f(%m: f64[200,200]) -> (f64[200,200]) {
              %1 = matmul %m, %m : f64[200,200]
              %2 = host_call %1 name="g" number=0 gives=[f64[200,200]] : f64[200,200]
              %3 = matmul %2, %m : f64[200,200]
              return %3
            }
        "#]],
    );
}

#[test]
fn nothing_that_fails_moves() {
    check(
        "func @f(%x: f64[], %m: f64[200,200], %n: i64[200,200]) -> (f64[], f64[200,200], i64[200,200]) {
          %1 = matmul %m, %m : f64[200,200]
          %2 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %3 = floor_div %n, %n : i64[200,200]
          %4 = host_call %2 name=\"g\" number=0 gives=[f64[]] : f64[]
          return %4, %1, %3
        }",
        expect![[r#"
            func @f(%x: f64[], %m: f64[200,200], %n: i64[200,200]) -> (f64[], f64[200,200], i64[200,200]) {
              host_call %m name="g" number=begin gives=[]
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2 = floor_div %n, %n : i64[200,200]
              %3 = host_call %1 name="g" number=0 gives=[f64[]] : f64[]
              %4 = host_call name="g" number=finish gives=[f64[200,200]] : f64[200,200]
              return %3, %4, %2
            }

            func @f(%1: f64[200,200]) -> (f64[200,200]) {
              %2 = matmul %1, %1 : f64[200,200]
              return %2
            }
        "#]],
    );
}

#[test]
fn work_goes_on_beside_all_calls_up_to_its_first_reader() {
    check(
        "func @f(%x: f64[], %m: f64[200,200]) -> (f64[], f64[200,200]) {
          %1 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %2 = matmul %m, %m : f64[200,200]
          %3 = host_call %1 name=\"g\" number=0 gives=[f64[]] : f64[]
          %4 = matmul %2, %m : f64[200,200]
          %5 = host_call %3 name=\"g\" number=0 gives=[f64[]] : f64[]
          %6 = mul %4, %5 : f64[200,200]
          %7 = host_call %5 name=\"g\" number=0 gives=[f64[]] : f64[]
          return %7, %6
        }",
        expect![[r#"
            func @f(%x: f64[], %m: f64[200,200]) -> (f64[], f64[200,200]) {
              host_call %m name="g" number=begin gives=[]
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2 = host_call %1 name="g" number=0 gives=[f64[]] : f64[]
              %3 = host_call %2 name="g" number=0 gives=[f64[]] : f64[]
              %4 = host_call name="g" number=finish gives=[f64[200,200]] : f64[200,200]
              %5 = mul %4, %3 : f64[200,200]
              %6 = host_call %3 name="g" number=0 gives=[f64[]] : f64[]
              return %6, %5
            }

            func @f(%1: f64[200,200]) -> (f64[200,200]) {
              %2 = matmul %1, %1 : f64[200,200]
              %3 = matmul %2, %1 : f64[200,200]
              return %3
            }
        "#]],
    );
}

#[test]
fn work_on_what_a_call_gives_goes_on_beside_the_next_ones() {
    check(
        "func @f(%x: f64[200,200]) -> (f64[200,200], f64[200,200], f64[200,200]) {
          %1 = host_call %x name=\"g\" number=0 gives=[f64[200,200]] : f64[200,200]
          %2 = host_call %x name=\"g\" number=0 gives=[f64[200,200]] : f64[200,200]
          %3 = host_call %x name=\"g\" number=0 gives=[f64[200,200]] : f64[200,200]
          %4 = matmul %1, %1 : f64[200,200]
          %5 = matmul %2, %4 : f64[200,200]
          %6 = matmul %3, %3 : f64[200,200]
          return %4, %5, %6
        }",
        expect![[r#"
            func @f(%x: f64[200,200]) -> (f64[200,200], f64[200,200], f64[200,200]) {
              %1 = host_call %x name="g" number=0 gives=[f64[200,200]] : f64[200,200]
              host_call %1 name="g" number=begin gives=[]
              %2 = host_call %x name="g" number=0 gives=[f64[200,200]] : f64[200,200]
              %3 = host_call name="g" number=finish gives=[f64[200,200]] : f64[200,200]
              host_call %2, %3 name="g" number=9223372036854775809 gives=[]
              %4 = host_call %x name="g" number=0 gives=[f64[200,200]] : f64[200,200]
              %5 = matmul %4, %4 : f64[200,200]
              %6 = host_call name="g" number=9223372036854775810 gives=[f64[200,200]] : f64[200,200]
              return %3, %6, %5
            }

            func @f(%1: f64[200,200]) -> (f64[200,200]) {
              %2 = matmul %1, %1 : f64[200,200]
              return %2
            }

            func @f(%1: f64[200,200], %2: f64[200,200]) -> (f64[200,200]) {
              %3 = matmul %1, %2 : f64[200,200]
              return %3
            }
        "#]],
    );
}

#[test]
fn brief_nodes_go_with_their_readers() {
    check(
        "func @f(%x: f64[], %m: f64[200,200], %v: f64[]) -> (f64[200,200]) {
          %1 = host_call %x name=\"g\" number=0 gives=[f64[200,200]] : f64[200,200]
          %2 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %3 = mul %v, %v : f64[]
          %4 = mul %1, %3 : f64[200,200]
          %5 = matmul %4, %4 : f64[200,200]
          %6 = mul %5, %2 : f64[200,200]
          return %6
        }",
        expect![[r#"
            func @f(%x: f64[], %m: f64[200,200], %v: f64[]) -> (f64[200,200]) {
              %1 = host_call %x name="g" number=0 gives=[f64[200,200]] : f64[200,200]
              host_call %v, %1 name="g" number=begin gives=[]
              %2 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %3 = host_call name="g" number=finish gives=[f64[200,200]] : f64[200,200]
              %4 = mul %3, %2 : f64[200,200]
              return %4
            }

            func @f(%1: f64[], %2: f64[200,200]) -> (f64[200,200]) {
              %3 = mul %1, %1 : f64[]
              %4 = mul %2, %3 : f64[200,200]
              %5 = matmul %4, %4 : f64[200,200]
              return %5
            }
        "#]],
    );
}

#[test]
fn a_loop_that_calls_the_host_has_work_beside_it() {
    check(
        "func @f(%x: f64[], %m: f64[200,200], %n: i64[]) -> (f64[], f64[200,200]) {
          %zero = const 0 : i64[]
          %1, %2 = while (%i = %zero, %y: f64[] = %x) : (i64[], f64[]) {
            %3 = lt %i, %n : bool[]
            yield %3
          } do {
            %4 = host_call %y name=\"g\" number=0 gives=[f64[]] : f64[]
            %one = const 1 : i64[]
            %5 = add %i, %one : i64[]
            yield %5, %4
          }
          %6 = matmul %m, %m : f64[200,200]
          return %2, %6
        }",
        expect![[r#"
            func @f(%x: f64[], %m: f64[200,200], %n: i64[]) -> (f64[], f64[200,200]) {
              %zero = const 0 : i64[]
              host_call %m name="" number=begin gives=[]
              %1, %2 = while (%i = %zero, %y = %x) : (i64[], f64[]) {
                %3 = lt %i, %n : bool[]
                yield %3
              } do {
                %4 = host_call %y name="g" number=0 gives=[f64[]] : f64[]
                %one = const 1 : i64[]
                %5 = add %i, %one : i64[]
                yield %5, %4
              }
              %6 = host_call name="" number=finish gives=[f64[200,200]] : f64[200,200]
              return %2, %6
            }

            func @f(%1: f64[200,200]) -> (f64[200,200]) {
              %2 = matmul %1, %1 : f64[200,200]
              return %2
            }
        "#]],
    );
}

#[test]
fn loops_are_taken_out_with_the_literals_that_they_read() {
    check(
        "func @f(%x: f64[], %v: f64[640], %n: i64[]) -> (f64[], f64[640]) {
          %zero = const 0 : i64[]
          %1 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %2, %3 = while (%i = %zero, %y: f64[640] = %v) : (i64[], f64[640]) {
            %3 = lt %i, %n : bool[]
            yield %3
          } do {
            %4 = mul %y, %v : f64[640]
            %one = const 1 : i64[]
            %5 = add %i, %one : i64[]
            yield %5, %4
          }
          return %1, %3
        }",
        expect![[r#"
            func @f(%x: f64[], %v: f64[640], %n: i64[]) -> (f64[], f64[640]) {
              %zero = const 0 : i64[]
              host_call %v, %n name="g" number=begin gives=[]
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2 = host_call name="g" number=finish gives=[f64[640]] : f64[640]
              return %1, %2
            }

            func @f(%1: f64[640], %2: i64[]) -> (f64[640]) {
              %zero = const 0 : i64[]
              %3, %4 = while (%i = %zero, %y = %1) : (i64[], f64[640]) {
                %5 = lt %i, %2 : bool[]
                yield %5
              } do {
                %6 = mul %y, %1 : f64[640]
                %one = const 1 : i64[]
                %7 = add %i, %one : i64[]
                yield %7, %6
              }
              return %4
            }
        "#]],
    );
}

#[test]
fn what_is_little_stays() {
    check(
        "func @f(%x: f64[], %v: f64[64]) -> (f64[], f64[64]) {
          %1 = host_call %x name=\"g\" number=0 gives=[f64[]] : f64[]
          %2 = mul %v, %v : f64[64]
          return %1, %2
        }",
        expect![[r#"
            func @f(%x: f64[], %v: f64[64]) -> (f64[], f64[64]) {
              %1 = host_call %x name="g" number=0 gives=[f64[]] : f64[]
              %2 = mul %v, %v : f64[64]
              return %1, %2
            }
        "#]],
    );
}

/// Graphs of calls and products over values drawn at random mean the same without their work.
#[test]
fn random_orders_of_calls_and_products_keep_their_values() {
    let mut overlapped = 0;
    for seed in 0..200 {
        let graph = parse(&drawn(seed)).unwrap_or_else(|error| panic!("{error}"));
        let Some((rest, work)) = overlap(&graph) else { continue };
        std::iter::once(&rest).chain(&work).for_each(|graph| verify(graph, "overlap").expect("legal"));
        overlapped += 1;
        assert_eq!(meaning(&rest, &work), meaning(&graph, &[]), "seed {seed}");
    }
    assert!(overlapped > 120, "{overlapped}");
}

/// A graph of 14 nodes: a third calls, a third products, the rest brief or able to fail.
fn drawn(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let ty = "f64[200,200]";
    let mut text = format!("func @f(%0: {ty}, %n: i64[]) -> ({ty}, {ty}, i64[]) {{\n");
    let mut integers = vec!["%n".to_owned()];
    let mut values = vec!["%0".to_owned()];
    for at in 1..15 {
        let mut one = || values[draw(values.len())].clone();
        let (a, b) = (one(), one());
        let (n, new) = (integers[draw(integers.len())].clone(), format!("%{at}"));
        let (line, is_integer) = match draw(6) {
            0 | 1 => (format!("{new} = host_call {a}, {n} name=\"g\" number=0 gives=[{ty}] : {ty}"), false),
            2 | 3 => (format!("{new} = matmul {a}, {b} : {ty}"), false),
            4 => (format!("{new} = mul {n}, {n} : i64[]"), true),
            _ => (format!("{new} = floor_div {n}, {n} : i64[]"), true),
        };
        text += &format!("{line}\n");
        if is_integer { integers.push(new) } else { values.push(new) }
    }
    let [first, second] = [0, 1].map(|back| values[values.len().saturating_sub(1 + back)].clone());
    text + &format!("return {first}, {second}, {}\n}}", integers[integers.len() - 1])
}

/// The results and the calls of the host as terms over the parameters, with what the work gives in place of its ends.
fn meaning(graph: &Graph, work: &[Graph]) -> Vec<String> {
    let params = (0..graph.regions[graph.body].params.len()).map(|at| format!("p{at}"));
    terms(graph, params.collect(), work)
}

fn terms(graph: &Graph, params: Vec<String>, work: &[Graph]) -> Vec<String> {
    let body = &graph.regions[graph.body];
    let mut known: FxHashMap<ValueId, String> = body.params.iter().copied().zip(params).collect();
    let mut begun: FxHashMap<usize, Vec<String>> = FxHashMap::default();
    let mut calls = Vec::new();
    for node in body.nodes.iter().map(|&id| &graph.nodes[id]) {
        let args: Vec<String> = node.args.iter().map(|arg| known[arg].clone()).collect();
        let number = if let Attr::Host(call) = &node.attr { Some(call.number) } else { None };
        let past = number.and_then(|number| number.checked_sub(gw_base::FIRST_OVERLAP));
        let given = match past {
            Some(past) if past % 2 == 0 => {
                begun.insert(past / 2, terms(&work[past / 2], args, &[]));
                Vec::new()
            }
            Some(past) => begun.remove(&(past / 2)).expect("it was begun"),
            None if node.op == Op::Host => {
                calls.push(format!("call {}", args.join(" ")));
                vec![format!("answer {}", calls.len())]
            }
            None => vec![format!("({:?} {})", node.op, args.join(" "))],
        };
        known.extend(node.results.iter().copied().zip(given));
    }
    assert!(begun.is_empty(), "all work that begins is finished");
    body.results.iter().map(|result| known[result].clone()).chain(calls).collect()
}

//! Loops that a branch ends before they count: `if x[i] > c: break`, then `i += 1`. Their fast version leaves at that turn.

use crate::support;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Scalar};

/// A sum of elements up to the first that is greater than `%c`, from `%from` on and below `%to`; `stopped` is the flag at first.
fn graph(arms: &str, turn: &str, stopped: bool) -> Graph {
    let text = format!(
        "func @f(%a: i64[40], %from: i64[], %to: i64[], %c: i64[]) -> (i64[], i64[], bool[], i64[40]) {{
  %one = const 1 : i64[]
  %yes = const true : bool[]
  %first = const {stopped} : bool[]
  %begins = lt %from, %to : bool[]
  %i, %p, %q, %r, %o = while (%j = %from, %x = %a, %s = %first, %d = %one, %on = %begins) :
      (i64[], i64[40], bool[], i64[], bool[]) {{
    yield %on
  }} do {{
    %e = index %x, %j axis=0 : i64[]
    %t = gt %e, %c : bool[]
{turn}    %stop, %next, %sum = cond %t : (bool[], i64[], i64[]) {{
{arms}    }}
    %more = lt %next, %to : bool[]
    %n = not %stop : bool[]
    %goes = and %n, %more : bool[]
    yield %next, %u, %stop, %sum, %goes
  }}
  return %i, %r, %q, %p
}}"
    );
    gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const READS: &str = "    %u = put %x, %one, %one at=[@2] : i64[40]\n";
const STORES: &str = "    %u = put %x, %d, %j at=[@2] : i64[40]\n";

const BREAKS: [&str; 3] = [
    "      yield %yes, %j, %d
    } else {
      %k = add %j, %one : i64[]
      %m = add %d, %e : i64[]
      yield %s, %k, %m
",
    "      %away = sub %d, %e : i64[]
      yield %yes, %j, %away
    } else {
      %k = add %j, %one : i64[]
      %m = mul %d, %e checked : i64[]
      yield %s, %k, %m
",
    "      yield %yes, %j, %d
    } else {
      %k = add %j, %one : i64[]
      yield %s, %k, %k
",
];

#[test]
fn a_loop_is_left_where_a_branch_ends_it() {
    let number = |n: i64| Array::scalar(DType::I64, Scalar::Int(n));
    for (arms, turn, stopped) in
        BREAKS.into_iter().flat_map(|arms| [(arms, READS, false), (arms, READS, true), (arms, STORES, false)])
    {
        let graph = graph(arms, turn, stopped);
        for great in [0, 1, 5, 38, 39, 40] {
            for [from, to] in [[0, 40], [0, 1], [3, 9], [5, 5], [7, 2], [0, 41], [-3, 20]] {
                let element = |i: i64| Scalar::Int(if i == great { 1_000 } else { i % 7 - 3 });
                let inputs = [
                    Array::new(DType::I64, vec![40], (0..40).map(element)),
                    number(from),
                    number(to),
                    number(100),
                ];
                support::compare(&graph, &inputs).unwrap_or_else(|differ| {
                    panic!("{great} {from} {to}: {differ}\n{}", gw_cpu::dump_loops(&graph))
                });
            }
        }
    }
}

#[test]
fn a_turn_that_reads_has_a_version_without_checks() {
    for arms in &BREAKS[..2] {
        let text = gw_cpu::dump_loops(&graph(arms, READS, false));
        assert!(text.contains("leave unless"), "{text}");
    }
}

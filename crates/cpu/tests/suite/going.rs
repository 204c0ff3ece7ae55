//! Loops that go on by a test of data beside their counter's: they are left at the turn behind which it fails.

use crate::support;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Scalar};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Length of the arrays.
const LENGTH: i64 = 23;

/// Course of the counter: its step, the comparison with the limit, and where it begins and ends.
#[derive(Debug, Clone, Copy)]
struct Count {
    step: &'static str,
    order: &'static str,
    ends: [i64; 2],
}

const UP: Count = Count { step: "add %j, %one", order: "lt %next, %to", ends: [0, LENGTH - 1] };
const DOWN: Count = Count { step: "sub %j, %one", order: "ge %next, %to", ends: [LENGTH - 2, 0] };

/// Where the tests of data stand beside the counter's.
const GOINGS: [&str; 11] = [
    "    %t = le %d, %c0 : bool[]\n    %more = and %count, %t : bool[]\n",
    "    %t = le %d, %c0 : bool[]\n    %more = and %t, %count : bool[]\n",
    "    %t = gt %d, %c0 : bool[]\n    %n = not %t : bool[]\n    %more = and %n, %count : bool[]\n",
    "    %t = gt %d, %c0 : bool[]\n    %k = not %count : bool[]\n    %n = or %t, %k : bool[]\n    %more = not %n : bool[]\n",
    "    %more = cond %count : (bool[]) {
      %n = index %u, %next axis=0 : i64[]
      %t = le %n, %c0 : bool[]
      yield %t
    } else {
      yield %no
    }
",
    "    %t = le %d, %c0 : bool[]
    %more = cond %t : (bool[]) {
      yield %count
    } else {
      yield %no
    }
",
    "    %t = gt %d, %c0 : bool[]
    %more = cond %t : (bool[]) {
      yield %no
    } else {
      %n = index %b, %next axis=0 : i64[]
      %s = le %n, %c0 : bool[]
      %m = and %count, %s : bool[]
      yield %m
    }
",
    "    %t = cond %count : (bool[]) {
      %n = index %b, %next axis=0 : i64[]
      %w = index %u, %n axis=0 : i64[]
      %s = le %w, %c0 : bool[]
      yield %s
    } else {
      yield %no
    }
    %q = le %d, %two : bool[]
    %more = and %t, %q : bool[]
",
    "    %more = cond %count : (bool[]) {
      %t = le %d, %c0 : bool[]
      %m = cond %t : (bool[]) {
        %n = index %u, %next axis=0 : i64[]
        %s = le %n, %c0 : bool[]
        yield %s
      } else {
        yield %no
      }
      yield %m
    } else {
      yield %no
    }
",
    "    %t = le %d, %c0 : bool[]
    %more = cond %t : (bool[]) {
      %five = const 5 : i64[]
      %n = index %u, %five axis=0 : i64[]
      %s = le %n, %c0 : bool[]
      %m = and %s, %count : bool[]
      %twenty = const 20 : i64[]
      %soon = lt %d, %twenty : bool[]
      %w = and %m, %soon : bool[]
      yield %w
    } else {
      yield %no
    }
",
    "    %t = le %d, %c0 : bool[]
    %more = cond %t : (bool[]) {
      %n = index %u, %one axis=0 : i64[]
      %s = le %n, %c0 : bool[]
      %m = and %count, %s : bool[]
      yield %m
    } else {
      yield %no
    }
",
];

/// Turns that make `%u` of the array and `%d` of the number.
const TURNS: [&str; 6] = [
    "    %e = index %x, %j axis=0 : i64[]
    %u = put %x, %e, %beside at=[@2] : i64[23]
    %d = add %c, %one : i64[]
",
    "    %d = index %x, %j axis=0 : i64[]
    %u = put %x, %two, %j at=[@2] : i64[23]
",
    "    %e = index %b, %j axis=0 : i64[]
    %d = add %c, %e checked : i64[]
    %u = put %x, %d, %j at=[@2] : i64[23]
",
    "    %e = index %x, %j axis=0 : i64[]
    %f = index %x, %beside axis=0 : i64[]
    %g = lt %e, %f : bool[]
    %u = cond %g : (i64[23]) {
      %v = put %x, %e, %beside at=[@2] : i64[23]
      %w = put %v, %f, %j at=[@2] : i64[23]
      yield %w
    } else {
      yield %x
    }
    %d = max %e, %f : i64[]
",
    "    %e = index %b, %j axis=0 : i64[]
    %f = index %x, %e axis=0 : i64[]
    %u = put %x, %c, %e at=[@2] : i64[23]
    %d = add %f, %e checked : i64[]
",
    "    %e = index %x, %one axis=0 : i64[]
    %u = put %x, %c, %j at=[@2] : i64[23]
    %d = add %e, %c : i64[]
",
];

fn graph(count: Count, turn: &str, going: &str) -> Graph {
    let begins = count.order.replace("%next", "%from");
    let beside = count.step.replace("sub", "ad").replace("add", "sub").replace("ad ", "add ");
    let Count { step, order, .. } = count;
    let text = format!(
        "func @f(%a: i64[23], %b: i64[23], %from: i64[], %to: i64[], %c0: i64[]) -> (i64[23], i64[], i64[]) {{
  %one = const 1 : i64[]
  %two = const 2 : i64[]
  %no = const false : bool[]
  %begins = {begins} : bool[]
  %i, %p, %q, %o = while (%j = %from, %x = %a, %c = %c0, %on = %begins) : (i64[], i64[23], i64[], bool[]) {{
    yield %on
  }} do {{
    %next = {step} : i64[]
    %beside = {beside} : i64[]
{turn}    %count = {order} : bool[]
{going}    yield %next, %u, %d, %more
  }}
  return %p, %i, %q
}}"
    );
    gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs a graph with random elements from -`wide` to `wide`; one of them is `odd`.
fn agree(graph: &Graph, ends: [i64; 2], seed: u64, wide: i64, odd: i64) -> Result<(), String> {
    let mut state = seed;
    let mut random = |most: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64 % most
    };
    let number = |n: i64| Array::scalar(DType::I64, Scalar::Int(n));
    let at = random(LENGTH);
    let mut numbers = || {
        let element = |i: i64| if i == at { odd } else { random(2 * wide + 1) - wide };
        let elements = (0..LENGTH).map(element).map(Scalar::Int).collect::<Vec<_>>();
        Array::new(DType::I64, vec![LENGTH as usize], elements)
    };
    let inputs = [numbers(), numbers(), number(ends[0]), number(ends[1]), number(wide / 2)];
    support::compare(graph, &inputs).map_err(|e| format!("{e}\n{inputs:?}\n{}", gw_cpu::dump_loops(graph)))
}

/// The loops there are: with numbers from turn to turn, with tests.
fn loops(graph: &Graph) -> String {
    let kind = |line: &str| match line.trim_start() {
        word if word.starts_with("for ") => Some(if word.contains(" carry ") { 'f' } else { 'l' }),
        word => word.starts_with("while ").then_some('w'),
    };
    gw_cpu::dump_loops(graph).lines().filter_map(kind).collect()
}

#[test]
fn tests_of_data_end_turns() {
    for count in [UP, DOWN] {
        for (at, going) in GOINGS.iter().enumerate() {
            let graph = graph(count, TURNS[0], going);
            // A test that has a check of its own is none of a turn that stores.
            let wanted = if at == 7 { "w" } else { "fw" };
            assert_eq!(loops(&graph), wanted, "{at} {}", gw_cpu::dump_loops(&graph));
            for seed in 0..6 {
                agree(&graph, count.ends, seed, 9, 3).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }
}

#[test]
fn an_element_that_the_test_has_read_is_carried() {
    let graph = graph(DOWN, TURNS[0], GOINGS[4]);
    let dumped = gw_cpu::dump_loops(&graph);
    let turn = dumped.split("for ").nth(1).and_then(|rest| rest.split("leave").next()).unwrap_or("");
    assert_eq!(turn.matches("load").count(), 1, "{dumped}");
}

#[test]
fn limits_may_be_made_in_the_turn() {
    let constant = "    %t = le %d, %c0 : bool[]
    %more = cond %t : (bool[]) {
      %n = index %u, %one axis=0 : i64[]
      %s = le %n, %c0 : bool[]
      %twenty = const 20 : i64[]
      %soon = lt %next, %twenty : bool[]
      %m = and %s, %soon : bool[]
      yield %m
    } else {
      yield %no
    }
";
    let chosen = "    %t = le %d, %c0 : bool[]
    %end = cond %t : (i64[]) {
      %n = index %u, %one axis=0 : i64[]
      yield %n
    } else {
      yield %to
    }
    %more = lt %next, %end : bool[]
";
    for going in [constant, chosen] {
        for turn in TURNS {
            let graph = graph(UP, turn, going);
            for seed in 0..4 {
                agree(&graph, UP.ends, seed, 22, 3).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }
}

#[test]
fn counters_at_the_ends_of_their_type_run_as_they_are() {
    for (count, ends) in
        [(UP, [i64::MAX - 2, i64::MAX]), (DOWN, [i64::MIN + 2, i64::MIN]), (UP, [-3, i64::MAX])]
    {
        let graph = graph(count, TURNS[1], GOINGS[0]);
        agree(&graph, ends, 1, 9, 3).unwrap_or_else(|e| panic!("{e}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(4), ..ProptestConfig::default() })]

    #[test]
    fn loops_with_tests_of_data_agree(
        (step, order) in prop::sample::select(vec![
            ("add %j, %one", "lt %next, %to"),
            ("add %one, %j", "le %next, %to"),
            ("add %j, %two", "gt %to, %next"),
            ("sub %j, %one", "gt %next, %to"),
            ("sub %j, %two", "le %to, %next"),
            ("sub %j, %one", "lt %next, %to"),
        ]),
        turn in prop::sample::select(TURNS.to_vec()),
        going in prop::sample::select(GOINGS.to_vec()),
        ends in prop::array::uniform2(-2 * LENGTH..LENGTH + 2),
        seed in any::<u64>(),
        wide in prop::sample::select(vec![1, 9, 22, 30]),
        odd in prop::sample::select(vec![0, i64::MAX, i64::MIN, -9]),
    ) {
        // A counter that goes away from its limit would wrap before it ends.
        let ends = if order == "lt %next, %to" && step.starts_with("sub") { [0, -1] } else { ends };
        let graph = graph(Count { step, order, ends }, turn, going);
        let optimized = gw_opt::optimize(graph.clone()).expect("no bug");
        for graph in [&graph, &optimized] {
            agree(graph, ends, seed, wide, odd).map_err(TestCaseError::fail)?;
        }
    }
}

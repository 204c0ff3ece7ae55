//! Loops whose turns carry the greatest or the least number so far, and loops whose indices are cut from floats.

use crate::support;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Scalar};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Length of the arrays, of which enough turns are run for a record to be rare.
const LENGTH: i64 = 150;

/// Numbers that are unlike others.
const ODD: [f64; 8] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 5e-324, 9.3e18, -9.3e18];

fn numbers(seed: u64, odd: usize) -> Array {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as usize
    };
    let mut element =
        || if odd > 0 && random() % odd == 0 { ODD[random() % ODD.len()] } else { (random() % 150) as f64 };
    let elements = (0..LENGTH).map(|_| Scalar::Float(element())).collect::<Vec<_>>();
    Array::new(DType::F64, vec![LENGTH as usize], elements)
}

fn agree(text: &str, seed: u64, odd: usize, to: i64) -> Result<(), String> {
    let graph: Graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let inputs = [numbers(seed, odd), Array::scalar(DType::I64, Scalar::Int(to))];
    support::compare(&graph, &inputs).map_err(|e| format!("{e}\n{inputs:?}\n{}", gw_cpu::dump_loops(&graph)))
}

/// The turn of a bubble sort, by this comparison; `first` and `second` are stored where it holds.
fn bubble(compare: &str, first: &str, second: &str) -> String {
    format!(
        "func @f(%a: f64[150], %to: i64[]) -> (f64[150], i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %begins = lt %zero, %to : bool[]
  %i, %p, %o = while (%j = %zero, %x = %a, %on = %begins) : (i64[], f64[150], bool[]) {{
    yield %on
  }} do {{
    %next = add %j, %one : i64[]
    %e = index %x, %j axis=0 : f64[]
    %f = index %x, %next axis=0 : f64[]
    %t = {compare} : bool[]
    %u = cond %t : (f64[150]) {{
      %v = put %x, {first}, %j at=[@2] : f64[150]
      %w = put %v, {second}, %next at=[@2] : f64[150]
      yield %w
    }} else {{
      yield %x
    }}
    %more = lt %next, %to : bool[]
    yield %next, %u, %more
  }}
  return %p, %i
}}"
    )
}

/// The extreme of an array so far, chosen like this.
fn extreme(compare: &str, chosen: &str) -> String {
    format!(
        "func @f(%a: f64[150], %to: i64[]) -> (f64[150], f64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %begins = lt %zero, %to : bool[]
  %first = index %a, %zero axis=0 : f64[]
  %i, %p, %q, %o = while (%j = %zero, %x = %a, %c = %first, %on = %begins) : (i64[], f64[150], f64[], bool[]) {{
    yield %on
  }} do {{
    %next = add %j, %one : i64[]
    %e = index %x, %j axis=0 : f64[]
    %t = {compare} : bool[]
    %d = select %t, {chosen} : f64[]
    %u = put %x, %d, %j at=[@2] : f64[150]
    %more = lt %next, %to : bool[]
    yield %next, %u, %d, %more
  }}
  return %p, %q
}}"
    )
}

/// Numbers counted in bins, whose indices are cut from floats that have been found to be finite or no NaN.
fn bins(test: &str) -> String {
    format!(
        "func @f(%a: f64[150], %to: i64[]) -> (i64[150], i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %least = const -150 : i64[]
  %length = const 150 : i64[]
  %limit = const 9.223372036854776e18 : f64[]
  %b = cast %a to=i64 : i64[150]
  %begins = lt %zero, %to : bool[]
  %i, %p, %o = while (%j = %zero, %x = %b, %on = %begins) : (i64[], i64[150], bool[]) {{
    yield %on
  }} do {{
    %next = add %j, %one : i64[]
    %e = index %a, %j axis=0 : f64[]
    %same = eq %e, %e : bool[]
    check %same kind=ValueError text=\"no number\" to=stderr
    %size = abs %e : f64[]
    %small = lt %size, %limit : bool[]
    {test}
    %k = cast %e to=i64 : i64[]
    %below = lt %k, %length : bool[]
    %above = ge %k, %least : bool[]
    %in = and %below, %above : bool[]
    check %in kind=IndexError text=\"out of range\" to=stderr
    %n = index %x, %k axis=0 : i64[]
    %m = add %n, %one checked : i64[]
    %u = put %x, %m, %k at=[@2] : i64[150]
    %more = lt %next, %to : bool[]
    yield %next, %u, %more
  }}
  return %p, %i
}}"
    )
}

const SMALL: &str = "check %small kind=OverflowError limit text=\"too large\" to=stderr";

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, rng_seed: RngSeed::Fixed(6), ..ProptestConfig::default() })]

    #[test]
    fn records_agree(
        compare in prop::sample::select(vec!["gt A, B", "ge A, B", "lt A, B", "le B, A"]),
        swapped in any::<bool>(),
        turned in any::<bool>(),
        seed in any::<u64>(),
        odd in prop::sample::select(vec![0, 3, 60]),
        to in prop::sample::select(vec![1, 2, 63, 64, 65, 148, 149]),
    ) {
        let of = |a: &str, b: &str| compare.replace('A', a).replace('B', b);
        let (first, second) = if swapped { ("%f", "%e") } else { ("%e", "%f") };
        agree(&bubble(&of("%e", "%f"), first, second), seed, odd, to).map_err(TestCaseError::fail)?;
        let chosen = if swapped { "%e, %c" } else { "%c, %e" };
        let test = if turned { of("%e", "%c") } else { of("%c", "%e") };
        agree(&extreme(&test, chosen), seed, odd, to + 1).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn indices_cut_from_floats_agree(
        checks in any::<bool>(),
        seed in any::<u64>(),
        odd in prop::sample::select(vec![0, 100, 400]),
        to in prop::sample::select(vec![1, 64, 150, 151]),
    ) {
        agree(&bins(if checks { SMALL } else { "" }), seed, odd, to).map_err(TestCaseError::fail)?;
    }
}

#[test]
fn a_number_that_is_no_index_when_cut_has_one_check() {
    let graph: Graph = gw_ir::text::parse(&bins(SMALL)).expect("a program");
    let dumped = gw_cpu::dump_loops(&graph);
    let turn = dumped.split("for ").last().and_then(|rest| rest.split("next").next()).unwrap_or("");
    assert_eq!((turn.matches("abs").count(), turn.matches("leave").count()), (0, 3), "{dumped}");
}

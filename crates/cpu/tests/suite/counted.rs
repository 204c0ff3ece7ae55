//! Loops whose turns can be counted run without checks, and in lanes where their turns do not depend on each other.

use crate::support;
use gw_eval::Array;
use gw_ir::Graph;
use gw_types::{DType, Scalar};

/// A loop over `%i` from `%from` below `%to` by `%step`, whose body leaves what it makes of `%x`, `f64[40]`, in `%u`.
fn loop_of(body: &str) -> String {
    format!(
        "func @f(%a: f64[40], %b: f64[40], %from: i64[], %to: i64[], %by: i64[]) -> (f64[40], i64[]) {{
  %one = const 1 : i64[]
  %two = const 2 : i64[]
  %half = const 0.5 : f64[]
  %wide = max %by, %one : i64[]
  %begins = lt %from, %to : bool[]
  %i, %p, %o = while (%j = %from, %x = %a, %on = %begins) : (i64[], f64[40], bool[]) {{
    yield %on
  }} do {{
{body}
    %more = lt %next, %to : bool[]
    yield %next, %u, %more
  }}
  return %p, %i
}}"
    )
}

fn parsed(text: &str) -> Graph {
    gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs such a loop, over arrays of known and of unknown lengths. Machine code and interpreter agree, with and without lanes; `loops` says
/// which loops there are.
#[track_caller]
fn check(body: &str, loops: &str) {
    let known = loop_of(body);
    let unknown = known.replace("%b: f64[40]", "%b: f64[?1]").replace("f64[40]", "f64[?0]");
    check_text(&known, loops, &[1, 9, 40]);
    check_text(&unknown, loops, &[9]);
}

#[track_caller]
fn check_text(text: &str, loops: &str, steps: &[i64]) {
    let graph = parsed(text);
    let dumped = gw_cpu::dump_loops(&graph);
    let kind = |line: &str| {
        let word = line.trim_start();
        let is_for = word.starts_with("for ") && !word.contains(" carry ");
        if is_for {
            Some('l')
        } else if word.starts_with("for ") {
            Some('f')
        } else {
            word.starts_with("while ").then_some('w')
        }
    };
    assert_eq!(dumped.lines().filter_map(kind).collect::<String>(), loops, "{dumped}");
    let numbers = |first: i64| {
        let elements = (first..first + 40).map(|i| Scalar::Float(i as f64 * 0.75));
        Array::new(DType::F64, vec![40], elements.collect::<Vec<_>>())
    };
    let number = |n: i64| Array::scalar(DType::I64, Scalar::Int(n));
    let ends = [-40, 0, 1, 19, 39, 41, (1 << 31) - 3, (1 << 31) + 2, i64::MIN, i64::MAX];
    for from in ends {
        for to in ends.into_iter().filter(|&to| i128::from(to) - i128::from(from) < 100) {
            for &by in steps {
                let inputs = [numbers(1), numbers(10), number(from), number(to), number(by)];
                support::compare(&graph, &inputs)
                    .unwrap_or_else(|e| panic!("{from} {to} {by}: {e}\n{dumped}"));
            }
        }
    }
}

const NEXT: &str = "    %next = add %j, %one : i64[]\n";

#[test]
fn turns_that_are_independent_run_in_lanes() {
    let body = "    %e = index %x, %j axis=0 : f64[]
    %d = index %b, %j axis=0 : f64[]
    %m = mul %d, %half : f64[]
    %s = add %e, %m : f64[]
    %u = put %x, %s, %j at=[@2] : f64[40]
";
    check(&format!("{NEXT}{body}"), "lw");
}

#[test]
fn what_a_turn_reads_of_another_one_is_read_in_time() {
    for (read, loops) in
        [("sub %j, %one", "fw"), ("add %j, %one", "lfw"), ("add %j, %by", "lfw"), ("sub %by, %j", "fw")]
    {
        let body = format!(
            "    %at = {read} : i64[]
    %e = index %x, %at axis=0 : f64[]
    %s = mul %e, %half : f64[]
    %u = put %x, %s, %j at=[@2] : f64[40]
"
        );
        check(&format!("{NEXT}{body}"), loops);
    }
}

#[test]
fn one_element_for_all_turns_is_read_in_each() {
    let body = "    %e = index %x, %by axis=0 : f64[]
    %s = mul %e, %half : f64[]
    %u = put %x, %s, %j at=[@2] : f64[40]
";
    check(&format!("{NEXT}{body}"), "lfw");
}

#[test]
fn an_element_that_each_turn_stores_is_carried() {
    let body = "    %e = index %x, %by axis=0 : f64[]
    %d = index %b, %j axis=0 : f64[]
    %m = mul %e, %half : f64[]
    %s = add %d, %m : f64[]
    %u = put %x, %s, %by at=[@2] : f64[40]
";
    let body = format!("{NEXT}{body}");
    check(&body, "fw");
    let dumped = gw_cpu::dump_loops(&parsed(&loop_of(&body)));
    let turn: Vec<&str> = dumped
        .lines()
        .skip_while(|line| !line.contains(" for "))
        .take_while(|line| !line.contains("next "))
        .collect();
    assert_eq!(turn.iter().filter(|line| line.contains("load")).count(), 1, "{dumped}");
}

#[test]
fn turns_with_wide_steps_run_without_checks() {
    let body = "    %u = put %x, %half, %j at=[@2] : f64[40]
    %next = add %j, %wide checked : i64[]
";
    check(body, "fw");
}

#[test]
fn branches_that_store_in_several_places_stay() {
    let body = "    %e = index %x, %j axis=0 : f64[]
    %low = lt %e, %half : bool[]
    %u = cond %low : (f64[40]) {
      %v = put %x, %half, %j at=[@2] : f64[40]
      yield %v
    } else {
      %k = floor_div %j, %two : i64[]
      %w = put %x, %e, %k at=[@2] : f64[40]
      yield %w
    }
";
    check(&format!("{NEXT}{body}"), "fw");
}

#[test]
fn branches_check_before_they_store() {
    let checked = "      %n = cast %e to=i64 : i64[]
      %m = mul %n, %by checked : i64[]
      %d = cast %m to=f64 : f64[]
";
    let stored = "      %v = put %x, %half, %j at=[@2] : f64[40]
";
    for (arm, given, loops) in
        [(format!("{checked}{stored}"), "%v", "lw"), (format!("{stored}{checked}"), "%v", "w")]
    {
        let body = format!(
            "    %e = index %x, %j axis=0 : f64[]
    %low = lt %half, %e : bool[]
    %u, %w = cond %low : (f64[40], f64[]) {{
{arm}      yield {given}, %d
    }} else {{
      yield %x, %e
    }}
"
        );
        check(&format!("{NEXT}{body}"), loops);
    }
}

#[test]
fn what_nothing_is_known_of_is_left_at_its_turn() {
    let body = "    %e = index %x, %j axis=0 : f64[]
    %k = cast %e to=i64 : i64[]
    %u = put %x, %half, %k at=[@2] : f64[40]
";
    check(&format!("{NEXT}{body}"), "fw");
}

#[test]
fn indices_of_32_bits_grow_as_those_of_64() {
    let steps = [
        ("add %n, %three", "lw"),
        ("sub %last, %n", "fw"),
        ("add %n, %far", "lw"),
        ("neg %n", "fw"),
        ("mul %n, %three", "fw"),
    ];
    for (step, loops) in steps {
        for checked in ["", " checked"] {
            let checked = if step.starts_with("neg") { "" } else { checked };
            let body = format!(
                "    %three = const 3 : i32[]
    %last = const 39 : i32[]
    %far = const -2147483645 : i32[]
    %n = cast %j to=i32 : i32[]
    %m = {step}{checked} : i32[]
    %k = cast %m to=i64 : i64[]
    %e = index %b, %k axis=0 : f64[]
    %s = mul %e, %half : f64[]
    %u = put %x, %s, %j at=[@2] : f64[40]
"
            );
            check(&format!("{NEXT}{body}"), loops);
        }
    }
}

#[test]
fn comparisons_of_32_bits_hold_in_all_turns() {
    for test in ["lt %n, %last", "ge %n, %least", "eq %n, %last"] {
        let body = format!(
            "    %least = const -7 : i32[]
    %last = const 39 : i32[]
    %n = cast %j to=i32 : i32[]
    %t = {test} : bool[]
    check %t kind=ValueError text=\"beyond\" to=stderr
    %u = put %x, %half, %j at=[@2] : f64[40]
"
        );
        let loops = if test.starts_with("eq") { "fw" } else { "lw" };
        check(&format!("{NEXT}{body}"), loops);
    }
}

/// The loop IR of counts of the turns in which 3, or else 5, divides a number.
fn dump_of_choices(number: &str, steps: &str) -> String {
    let text = format!(
        "func @f(%n: i64[], %seed: i64[]) -> (i64[], i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %two = const 2 : i64[]
  %three = const 3 : i64[]
  %five = const 5 : i64[]
  %mask = const 1021 : i64[]
  %begins = lt %zero, %n : bool[]
  %i, %c, %d, %r, %o = while (%j = %zero, %x = %zero, %y = %zero, %s = %seed, %on = %begins) : (i64[], i64[], i64[], i64[], bool[]) {{
    yield %on
  }} do {{
    %next = add %j, %one : i64[]
    %drawn = mod %s, %mask : i64[]
{steps}
    %left = mod {number}, %three : i64[]
    %is = eq %left, %zero : bool[]
    %u, %w = cond %is : (i64[], i64[]) {{
      %more = add %x, %one : i64[]
      yield %more, %y
    }} else {{
      %rest = mod {number}, %five : i64[]
      %also = eq %rest, %zero : bool[]
      %v = cond %also : (i64[]) {{
        %some = add %y, %two : i64[]
        yield %some
      }} else {{
        yield %y
      }}
      yield %x, %v
    }}
    %step = mul %drawn, %five : i64[]
    %t = add %step, %three : i64[]
    %goes = lt %next, %n : bool[]
    yield %next, %u, %w, %t, %goes
  }}
  return %c, %d
}}"
    );
    let graph: Graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for n in [0, 1, 7, 100] {
        let inputs = [n, 5].map(|n| Array::scalar(DType::I64, Scalar::Int(n)));
        support::compare(&graph, &inputs).unwrap_or_else(|differ| panic!("{n}: {differ}"));
    }
    gw_cpu::dump_loops(&graph)
}

#[test]
fn branches_by_the_counter_stay() {
    let is_branch = |line: &str| line.trim_start().starts_with("if ");
    let branches = |text: &str| {
        let of_for = text.split("for ").nth(1).and_then(|text| text.split("while ").next());
        of_for.unwrap_or_default().lines().filter(|line| is_branch(line)).count()
    };
    let (by_counter, by_data) = (dump_of_choices("%next", ""), dump_of_choices("%drawn", ""));
    assert!(branches(&by_counter) > 0, "{by_counter}");
    // Each product reads the one before twice: the way to the counter is looked at once.
    let squares = |first: &str| {
        let of = |at: usize| if at == 0 { first.to_owned() } else { format!("%q{}", at - 1) };
        let square = |at: usize| format!("    %q{at} = mul {of}, {of} : i64[]", of = of(at));
        dump_of_choices("%q59", &(0..60).map(square).collect::<Vec<_>>().join("\n"))
    };
    let by_squares = squares("%next");
    assert!(branches(&by_squares) > 0, "{by_squares}");
    assert_eq!(branches(&by_data), 0, "{by_data}");
    assert!(squares("%drawn").contains("while "));
}

#[test]
fn the_conditions_of_a_long_turn_do_not_multiply() {
    let lines = |stores: usize| {
        let name = |at| if at == stores { "%u".to_owned() } else { format!("%x{at}") };
        let step = |at| {
            let (of, made) = (if at == 0 { "%x".to_owned() } else { name(at) }, name(at + 1));
            format!(
                "    %e{at} = index {of}, %j axis=0 : f64[]
    %s{at} = add %e{at}, %half : f64[]
    {made} = put {of}, %s{at}, %j at=[@2] : f64[40]\n"
            )
        };
        let steps: String = (0..stores).map(step).collect();
        gw_cpu::dump_loops(&parsed(&loop_of(&format!("{NEXT}{steps}")))).lines().count()
    };
    let [few, many, most] = [8, 16, 32].map(lines);
    assert!(most - many <= 2 * (many - few) + 16, "{few} {many} {most}");
}

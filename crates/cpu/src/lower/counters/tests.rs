//! Facts that graphs of loops give about their carries.

use super::*;

/// Checks what is said of each carry of the only loop: `c` for a counter, `f` for a flag, `-` for nothing.
#[track_caller]
fn check(carries: &str, test: &str, body: &str, expected: &str) {
    let text = format!(
        "func @f(%n: i64[]) -> (i64[]) {{
  %no = const false : bool[]
  %yes = const true : bool[]
  %minus = const -1 : i64[]
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %two = const 2 : i64[]
  %r, %s, %t = while ({carries}) : (i64[], bool[], bool[]) {{
{test}
  }} do {{
{body}
  }}
  return %r
}}"
    );
    let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (_, node) = graph.nodes.iter().find(|(_, node)| node.op == Op::While).expect("a loop");
    let said = (0..3).map(|at| match (counts_up(&graph, node, at), ends_the_loop(&graph, node, at)) {
        (true, _) => 'c',
        (false, true) => 'f',
        (false, false) => '-',
    });
    assert_eq!(said.collect::<String>(), expected, "{text}");
}

const BODY: &str = "%j = add %i, %one : i64[]
%b = eq %j, %two : bool[]
%a = lt %j, %n : bool[]
%c = not %b : bool[]
%d = and %c, %a : bool[]
yield %j, %b, %d";

#[test]
fn a_test_that_is_carried_bounds_counters_and_ends_flags() {
    check("%i = %zero, %stop = %no, %on = %yes", "yield %on", BODY, "cf-");
}

#[test]
fn a_test_at_the_head_does_so_too() {
    let test = "%1 = gt %n, %i : bool[]\n    yield %1";
    check("%i = %one, %stop = %no, %on = %yes", test, BODY, "c--");
    let test = "%1 = not %stop : bool[]\n    yield %1";
    check("%i = %zero, %stop = %no, %on = %yes", test, BODY, "-f-");
}

#[test]
fn what_may_wrap_or_become_less_is_no_counter() {
    check("%i = %minus, %stop = %yes, %on = %yes", "yield %on", BODY, "c--");
    for (what, instead) in [("add %i, %one", "add %i, %two"), ("add %i, %one", "sub %i, %one")] {
        let body = BODY.replace(what, instead);
        check("%i = %n, %stop = %no, %on = %yes", "yield %on", &body, "-f-");
    }
    let up_to_most = BODY.replace("lt %j, %n", "le %j, %n");
    check("%i = %zero, %stop = %no, %on = %yes", "yield %on", &up_to_most, "-f-");
    let either = BODY.replace("and %c, %a", "or %c, %a");
    check("%i = %zero, %stop = %no, %on = %yes", "yield %on", &either, "---");
}

#[test]
fn checked_sums_and_products_of_natural_numbers_are_natural() {
    let said = |next: &str| {
        let text = format!(
            "func @f(%n: i64[], %t: bool[]) -> (i64[]) {{
  %zero = const 0 : i64[]
  %two = const 2 : i64[]
  %r, %s = while (%i = %zero, %on = %t) : (i64[], bool[]) {{
yield %on
  }} do {{
%h = floor_div %i, %two : i64[]
%k = mul %i, %i checked : i64[]
%l = add %k, %h checked : i64[]
%j = {next} : i64[]
yield %j, %t
  }}
  return %r
}}"
        );
        let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (_, node) = graph.nodes.iter().find(|(_, node)| node.op == Op::While).expect("a loop");
        stays_natural(&graph, node, 0)
    };
    for natural in ["select %t, %l, %h", "mod %n, %two", "mul %l, %l checked", "shr %l, %n"] {
        assert!(said(natural), "{natural}");
    }
    for other in ["mul %i, %i", "sub %l, %two checked", "add %i, %n checked", "floor_div %l, %n"] {
        assert!(!said(other), "{other}");
    }
}

#[test]
fn what_grows_by_little_drifts() {
    let said = |body: &str| {
        let text = format!(
            "func @f(%n: i64[], %t: bool[]) -> (i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %many = const 9 : i64[]
  %r, %s = while (%i = %zero, %on = %t) : (i64[], bool[]) {{
yield %on
  }} do {{
{body}
yield %j, %t
  }}
  return %r
}}"
        );
        let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (_, node) = graph.nodes.iter().find(|(_, node)| node.op == Op::While).expect("a loop");
        drifts(&graph, node, 0)
    };
    let inner = "%j, %o = while (%k = %i, %p = %t) : (i64[], bool[]) {
  yield %p
} do {
  %m = sub %k, %one checked : i64[]
  %q = select %t, %m, %zero : i64[]
  yield %q, %t
}";
    let chosen = "%k = select %t, %one, %zero : i64[]\n%j = add %i, %k checked : i64[]";
    let asked = "%k = cast %t to=i64 : i64[]\n%j = add %i, %k checked : i64[]";
    for drifting in ["%j = add %one, %i checked : i64[]", inner, chosen, asked] {
        assert!(said(drifting), "{drifting}");
    }
    let sum = inner.replace("%m = sub %k, %one", "%m = add %k, %k");
    let far = chosen.replace("%one, %zero", "%one, %many");
    for other in
        ["%j = add %i, %many : i64[]", "%j = sub %one, %i : i64[]", "%j = add %i, %n : i64[]", &sum, &far]
    {
        assert!(!said(other), "{other}");
    }
}

#[test]
fn what_goes_one_way_is_never_on_the_other_side() {
    let said = |body: &str| {
        let text = format!(
            "func @f(%n: i64[], %t: bool[]) -> (i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %minus = const -2 : i64[]
  %many = const 9 : i64[]
  %r, %s = while (%i = %n, %p = %t) : (i64[], bool[]) {{
yield %p
  }} do {{
{body}
yield %j, %t
  }}
  return %r
}}"
        );
        let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (_, node) = graph.nodes.iter().find(|(_, node)| node.op == Op::While).expect("a loop");
        let body = &graph.regions[node.regions[1]];
        [false, true].map(|down| goes_one_way(&graph, body.results[0], body.params[0], down, CHOICES))
    };
    assert_eq!(said("%j = sub %i, %one checked : i64[]"), [false, true]);
    assert_eq!(said("%j = add %minus, %i : i64[]"), [false, true]);
    assert_eq!(said("%j = sub %i, %minus : i64[]"), [true, false]);
    assert_eq!(said("%j = select %t, %i, %i : i64[]"), [true, true]);
    assert_eq!(said("%k = add %i, %one : i64[]\n    %j = select %t, %k, %i : i64[]"), [true, false]);
    assert_eq!(said("%k = select %t, %one, %zero : i64[]\n    %j = add %i, %k : i64[]"), [true, false]);
    assert_eq!(said("%k = select %t, %minus, %zero : i64[]\n    %j = add %i, %k : i64[]"), [false, true]);
    assert_eq!(said("%k = select %t, %minus, %one : i64[]\n    %j = sub %i, %k : i64[]"), [false, false]);
    for other in ["add %i, %many", "sub %one, %i", "add %i, %n", "select %t, %i, %zero"] {
        assert_eq!(said(&format!("%j = {other} : i64[]")), [false, false], "{other}");
    }
}

#[test]
fn both_sides_of_an_and_hold() {
    let text = "func @f(%i: i64[], %t: bool[]) -> (bool[]) {
  %no = const false : bool[]
  %zero = const 0 : i64[]
  %five = const 5 : i64[]
  %a = ge %i, %zero : bool[]
  %b = cond %a : (bool[]) {
%c = lt %i, %five : bool[]
%d = select %t, %c, %no : bool[]
yield %d
  } else {
%e = const false : bool[]
yield %e
  }
  return %b
}";
    let graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let body = &graph.regions[graph.body];
    let (i, b) = (body.params[0], body.results[0]);
    let range = all_of(&graph, b).map(|part| compared(&graph, part, i)).fold(Range::of(Ty::I64), Range::and);
    assert_eq!(range, Range { least: 0, most: 4 });
    let a = graph.nodes[graph.definer(b).expect("a cond")].args[0];
    assert_eq!(compared_not(&graph, a, i), Range { most: -1, ..Range::of(Ty::I64) });
}

#[test]
fn a_counter_may_stay() {
    let body = |next: &str| {
        BODY.replace("%a = lt %j", &format!("{next}\n    %a = lt %k")).replace("yield %j,", "yield %k,")
    };
    let carries = "%i = %zero, %stop = %no, %on = %yes";
    check(carries, "yield %on", &body("%k = select %b, %i, %j : i64[]"), "cf-");
    let by = |step: &str| body(&format!("%s = select %b, %one, {step} : i64[]\n    %k = add %i, %s : i64[]"));
    check(carries, "yield %on", &by("%zero"), "cf-");
    check(carries, "yield %on", &by("%two"), "-f-");
    check(carries, "yield %on", &body("%k = select %b, %n, %j : i64[]"), "-f-");
    let arms = |other: &str| {
        format!("%k = cond %b : (i64[]) {{\n      yield {other}\n    }} else {{\n      yield %j\n    }}")
    };
    check(carries, "yield %on", &body(&arms("%i")), "cf-");
    check(carries, "yield %on", &body(&arms("%two")), "-f-");
}

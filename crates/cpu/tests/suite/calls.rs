//! Functions that call themselves: in machine code as in the reference interpreter.

use crate::support::{self, Recorder, compare};
use gw_eval::Array;
use gw_ir::Graph;
use gw_runtime::{Buffer, Failure};
use gw_types::{DType, Scalar};

fn graph(text: &str) -> Graph {
    gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn int(value: i64) -> Array {
    Array::scalar(DType::I64, Scalar::Int(value))
}

fn floats(elements: &[f64]) -> Array {
    Array::new(DType::F64, vec![elements.len()], elements.iter().map(|&x| Scalar::Float(x)))
}

#[track_caller]
fn check(text: &str, inputs: &[Array]) {
    let plain = graph(text);
    compare(&plain, inputs).unwrap_or_else(|error| panic!("{error}"));
    let optimized = gw_opt::optimize(plain).unwrap_or_else(|(pass, broken)| panic!("{pass}: {broken}"));
    compare(&optimized, inputs).unwrap_or_else(|error| panic!("optimized: {error}"));
}

#[test]
fn many_numbers_of_all_types_are_returned() {
    let text = "func @main(%n: i64[]) -> (i64[], f64[], bool[], i32[], f32[], i64[]) {
  %a, %b, %c, %d, %e, %f = call @many %n : i64[], f64[], bool[], i32[], f32[], i64[]
  return %a, %b, %c, %d, %e, %f
}
func @many(%n: i64[]) -> (i64[], f64[], bool[], i32[], f32[], i64[]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %more = gt %n, %zero : bool[]
  %a, %b, %c, %d, %e, %f = cond %more : (i64[], f64[], bool[], i32[], f32[], i64[]) {
    %m = sub %n, %one : i64[]
    %a, %b, %c, %d, %e, %f = call @many %m : i64[], f64[], bool[], i32[], f32[], i64[]
    %g = cast %n to=f64 : f64[]
    %h = add %b, %g : f64[]
    %i = not %c : bool[]
    %j = cast %n to=i32 : i32[]
    %k = sub %d, %j : i32[]
    %l = cast %h to=f32 : f32[]
    %o = mul %a, %f : i64[]
    yield %f, %h, %i, %k, %l, %o
  } else {
    %x = const 2 : i64[]
    %y = const 0.5 : f64[]
    %z = const true : bool[]
    %u = const 7 : i32[]
    %v = const 1.5 : f32[]
    yield %x, %y, %z, %u, %v, %x
  }
  return %a, %b, %c, %d, %e, %f
}";
    for n in 0..6 {
        check(text, &[int(n)]);
    }
}

/// Each call keeps arrays while it makes two others.
const TREE: &str = "func @main(%x: f64[?0], %n: i64[]) -> (f64[?1], i64[]) {
  %y, %k = call @tree %x, %n : f64[?1], i64[]
  return %y, %k
}
func @tree(%x: f64[?2], %n: i64[]) -> (f64[?3], i64[]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %leaf = le %n, %zero : bool[]
  %y, %k = cond %leaf : (f64[?3], i64[]) {
    yield %x, %one
  } else {
    %m = sub %n, %one : i64[]
    %half = const 0.5 : f64[]
    %less = mul %x, %half : f64[?2]
    %more = add %x, %half : f64[?2]
    %left, %i = call @tree %less, %m : f64[?4], i64[]
    %right, %j = call @tree %more, %m : f64[?5], i64[]
    %both = concat %left, %less axis=0 : f64[?6]
    %top = slice %right at=[:1] : f64[?7]
    %all = concat %both, %top axis=0 : f64[?8]
    %count = add %i, %j : i64[]
    yield %all, %count
  }
  return %y, %k
}";

#[test]
fn each_call_has_memory_of_its_own() {
    for n in 0..5 {
        check(TREE, &[floats(&[1.0, -2.0, 3.5]), int(n)]);
    }
}

#[test]
fn calls_stand_in_loops_and_loops_in_functions() {
    let text = "func @main(%x: f64[3], %n: i64[]) -> (f64[3]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %i, %y = while (%j = %zero, %z = %x) : (i64[], f64[3]) {
    %more = lt %j, %n : bool[]
    yield %more
  } do {
    %next = add %j, %one : i64[]
    %w = call @sum %z, %j : f64[3]
    yield %next, %w
  }
  return %y
}
func @sum(%x: f64[3], %n: i64[]) -> (f64[3]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %end = le %n, %zero : bool[]
  %r = cond %end : (f64[3]) {
    yield %x
  } else {
    %m = sub %n, %one : i64[]
    %k, %y = while (%j = %zero, %z = %x) : (i64[], f64[3]) {
      %more = lt %j, %n : bool[]
      yield %more
    } do {
      %next = add %j, %one : i64[]
      %half = const 0.5 : f64[]
      %w = put %z, %half, %one at=[@2] : f64[3]
      %v = call @sum %w, %m : f64[3]
      %u = add %v, %z : f64[3]
      yield %next, %u
    }
    yield %y
  }
  return %r
}";
    for n in 0..4 {
        check(text, &[floats(&[1.0, 2.0, 3.0]), int(n)]);
    }
}

#[test]
fn failures_and_prints_inside_are_those_of_the_graph() {
    let text = "func @main(%n: i64[], %d: i64[]) -> (i64[]) {
  %r = call @down %n, %d : i64[]
  return %r
}
func @down(%n: i64[], %d: i64[]) -> (i64[]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  print %n text=\"{0} \" to=stdout
  %end = le %n, %zero : bool[]
  %r = cond %end : (i64[]) {
    %q = floor_div %one, %d : i64[]
    yield %q
  } else {
    %m = sub %n, %one : i64[]
    %e = sub %d, %one : i64[]
    %q = call @down %m, %e : i64[]
    print %n text=\"back {0} \" to=stdout
    yield %q
  }
  return %r
}";
    check(text, &[int(3), int(4)]);
    check(text, &[int(4), int(4)]);
}

const FOREVER: &str = "func @main(%n: i64[]) -> (i64[]) {
  %r = call @both %n : i64[]
  return %r
}
func @both(%n: i64[]) -> (i64[]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %end = eq %n, %zero : bool[]
  %r = cond %end : (i64[]) {
    yield %one
  } else {
    %m = sub %n, %one : i64[]
    %a = call @both %m : i64[]
    %b = call @both %m : i64[]
    %c = add %a, %b : i64[]
    yield %c
  }
  return %r
}";

fn failure(n: i64, host: &mut Recorder) -> Failure {
    let executable = gw_cpu::compile(&graph(FOREVER)).expect("compiles");
    let input: Buffer = support::buffer(&int(n));
    executable.run(&[&input], host).expect_err("fails").failure
}

#[test]
fn endless_calls_can_be_interrupted() {
    let mut host = Recorder { stop_at: Some(3), ..Recorder::default() };
    let failure = failure(200, &mut host);
    assert!(matches!(failure, Failure::Interrupted), "{failure:?}");
    assert_eq!(host.polls, 3);
}

#[test]
fn the_end_of_the_stack_is_a_failure() {
    let failure = failure(-1, &mut Recorder::default());
    assert!(matches!(failure, Failure::Recursion), "{failure:?}");
}

/// A loop knows of its counter that it is not negative: that is said of a variable of its function, and of none of another.
#[test]
fn what_a_loop_says_of_its_numbers_ends_with_its_function() {
    let lines = |line: fn(usize) -> String| (0..40).map(line).collect::<String>();
    let less = lines(|at| format!("  %x{} = sub %x{at}, %one : i64[]\n", at + 1));
    let divided = lines(|at| {
        let next = at + 1;
        format!(
            "  %q{next} = floor_div %x{next}, %seven : i64[]\n  %s{next} = add %s{at}, %q{next} : i64[]\n"
        )
    });
    let text = format!(
        "func @main(%n: i64[]) -> (i64[], i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %seven = const 7 : i64[]
  %yes = const true : bool[]
  %i, %sum, %on = while (%j = %zero, %rests = %zero, %go = %yes) : (i64[], i64[], bool[]) {{
    yield %go
  }} do {{
    %rest = mod %j, %seven : i64[]
    %taken = add %rests, %rest : i64[]
    %next = add %j, %one : i64[]
    %more = lt %next, %n : bool[]
    yield %next, %taken, %more
  }}
  %other = call @other %n : i64[]
  return %sum, %other
}}
func @other(%x0: i64[]) -> (i64[]) {{
  %one = const 1 : i64[]
  %seven = const 7 : i64[]
  %s0 = const 0 : i64[]
{less}{divided}  return %s40
}}"
    );
    check(&text, &[int(9)]);
}

/// A function that counts down to zero, by calls that stand last; `ends`: by a test at its beginning, or in two places.
fn counting_down(ends: &str) -> Graph {
    let text = format!(
        "func @main(%n: i64[], %x: f64[3]) -> (i64[], f64[3]) {{
  %zero = const 0 : i64[]
  %r, %y = call @f %n, %zero, %x : i64[], f64[3]
  return %r, %y
}}
func @f(%n: i64[], %sum: i64[], %x: f64[3]) -> (i64[], f64[3]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %three = const 3 : i64[]
  %end = eq %n, %zero : bool[]
  %r, %y = cond %end : (i64[], f64[3]) {{
    yield %sum, %x
  }} else {{
    {ends}
    %less = sub %n, %one : i64[]
    %rest = mod %n, %three : i64[]
    %more = add %sum, %rest checked : i64[]
    %r, %y = call @f %less, %more, %x : i64[], f64[3]
    yield %r, %y
    {}
  }}
  return %r, %y
}}",
        if ends.is_empty() { "" } else { "} yield %a, %b" }
    );
    gw_opt::optimize(graph(&text)).unwrap_or_else(|(pass, broken)| panic!("{pass}: {broken}"))
}

/// Behind something that may fail there is another end.
const LATER: &str = "%q = floor_div %three, %n : i64[]
    %small = eq %q, %three : bool[]
    %a, %b = cond %small : (i64[], f64[3]) {
      %doubled = add %x, %x : f64[3]
      yield %q, %doubled
    } else {";

#[test]
fn calls_that_stand_last_are_turns() {
    for ends in ["", LATER] {
        let graph = counting_down(ends);
        for n in [0, 1, 2, 3, 70, 1000] {
            compare(&graph, &[int(n), floats(&[1.0, -2.0, 0.5])]).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn tests_that_come_first_end_a_loop() {
    let text = "func @main(%n: i64[], %x: f64[3]) -> (f64[3]) {
  %r = call @f %n, %x : f64[3]
  return %r
}
func @f(%n: i64[], %x: f64[3]) -> (f64[3]) {
  %zero = const 0 : i64[]
  %end = eq %n, %zero : bool[]
  %r = cond %end : (f64[3]) {
    print %n text=\"{0}\" to=stdout
    %y = neg %x : f64[3]
    yield %y
  } else {
    %one = const 1 : i64[]
    %less = sub %n, %one : i64[]
    %greatest = reduce_max %x axes=[0] : f64[]
    %ten = const 10.0 : f64[]
    %small = lt %greatest, %ten : bool[]
    %s = cond %small : (f64[3]) {
      %twice = add %x, %x : f64[3]
      %rest = call @f %less, %twice : f64[3]
      yield %rest
    } else {
      print %x text=\"{0}\" to=stdout
      %k = cast %less to=f64 : f64[]
      %z = mul %x, %k : f64[3]
      yield %z
    }
    yield %s
  }
  return %r
}";
    for n in 0..6 {
        check(text, &[int(n), floats(&[1.5, -2.0, 0.5])]);
    }
}

#[test]
fn the_host_is_asked_while_calls_that_stand_last_are_counted() {
    let most = 10 * (1 << 20) - 1;
    for ends in ["", LATER] {
        let compiled = gw_cpu::compile(&counting_down(ends)).expect("no bug");
        let run = |n: i64, host: &mut Recorder| {
            let inputs = [int(n), floats(&[1.0, -2.0, 0.5])].map(|array| support::buffer(&array));
            compiled
                .run(&inputs.iter().collect::<Vec<&Buffer>>(), host)
                .map(|_| ())
                .map_err(|error| error.failure)
        };
        assert!(run(most, &mut Recorder::default()).is_ok());
        let failure = run(most + 2, &mut Recorder::default());
        assert!(matches!(failure, Err(Failure::Recursion)), "{failure:?}");
        let mut host = Recorder { stop_at: Some(3), ..Recorder::default() };
        let failure = run(-1, &mut host);
        assert!(matches!(failure, Err(Failure::Interrupted)), "{failure:?}");
        assert_eq!(host.polls, 3);
    }
}

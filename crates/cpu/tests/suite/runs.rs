//! Effects of runs: they fail with a place, print, can be interrupted, and many can run at once.

use std::sync::Arc;

use crate::support::{self, Recorder};
use gw_base::Loc;
use gw_eval::Array;
use gw_ir::{BinaryOp, Graph};
use gw_runtime::{Buffer, Executable, Failure, HostError, HostFn, RunError, Stream};
use gw_types::{DType, Scalar};

fn graph(text: &str) -> Graph {
    gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn compiled(text: &str) -> Executable {
    gw_cpu::compile(&graph(text)).unwrap_or_else(|broken| panic!("{broken}"))
}

fn ints(elements: &[i64]) -> Buffer {
    let elements = elements.iter().map(|&i| Scalar::Int(i));
    support::buffer(&Array::new(DType::I64, vec![elements.len()], elements))
}

fn int(value: i64) -> Buffer {
    Buffer::scalar(DType::I64, Scalar::Int(value))
}

fn run(executable: &Executable, inputs: &[&Buffer]) -> Result<Vec<Vec<i64>>, RunError> {
    let results = executable.run(inputs, &mut Recorder::default())?;
    Ok(results.iter().map(|b| b.scalars().map(Scalar::to_i64).collect()).collect())
}

#[track_caller]
fn check(text: &str, inputs: &[&Buffer], expected: &[&[i64]]) {
    let found = run(&compiled(text), inputs).expect("runs");
    assert_eq!(found, expected);
}

#[track_caller]
fn check_failure(text: &str, inputs: &[&Buffer], expected: &str) {
    let error = run(&compiled(text), inputs).expect_err("fails");
    assert_eq!(format!("{:?}: {}", error.failure, error.message), expected);
}

const SWAP: &str = "func @swap(%n: i64[], %x: i64[3], %y: i64[3]) -> (i64[3], i64[3], i64[3]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %i, %a, %b = while (%j = %zero, %p = %x, %q = %y) : (i64[], i64[3], i64[3]) {
    %more = lt %j, %n : bool[]
    yield %more
  } do {
    %next = add %j, %one : i64[]
    yield %next, %q, %p
  }
  return %a, %b, %a
}";

#[test]
fn arrays_swap_in_a_loop() {
    let (x, y) = (ints(&[1, 2, 3]), ints(&[4, 5, 6]));
    check(SWAP, &[&int(0), &x, &y], &[&[1, 2, 3], &[4, 5, 6], &[1, 2, 3]]);
    check(SWAP, &[&int(5), &x, &y], &[&[4, 5, 6], &[1, 2, 3], &[4, 5, 6]]);
    check(SWAP, &[&int(6), &x, &y], &[&[1, 2, 3], &[4, 5, 6], &[1, 2, 3]]);
}

const GROW: &str = "func @grow(%n: i64[], %x: i64[?0]) -> (i64[?1]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %i, %all = while (%j = %zero, %p = %x) : (i64[], i64[?1]) {
    %more = lt %j, %n : bool[]
    yield %more
  } do {
    %item = reshape %j dims=[1] : i64[1]
    %longer = concat %p, %item axis=0 : i64[?2]
    %next = add %j, %one : i64[]
    yield %next, %longer
  }
  return %all
}";

#[test]
fn what_a_loop_puts_into_memory_is_there_again_in_the_next() {
    let text = "func @f(%n: i64[]) -> (i64[], i64[]) {
      %0 = const 0 : i64[]
      %1 = const 1 : i64[]
      %2 = range %0, %n, %1 : i64[?0]
      %3, %4 = while (%i = %0, %s = %0) : (i64[], i64[]) {
        %5 = lt %i, %n : bool[]
        yield %5
      } do {
        %6 = reshape %2, %n dims=[@1,1] : i64[?1,1]
        %7 = mul %2, %6 : i64[?2,?2]
        %8 = reduce_sum %7 axes=[0,1] : i64[]
        %9 = add %s, %8 : i64[]
        %10 = add %i, %1 : i64[]
        yield %10, %9
      }
      %11, %12 = while (%i = %0, %s = %0) : (i64[], i64[]) {
        %13 = lt %i, %n : bool[]
        yield %13
      } do {
        %14 = reshape %2, %n dims=[@1,1] : i64[?3,1]
        %15 = sub %2, %14 : i64[?4,?4]
        %16 = mul %15, %15 : i64[?4,?4]
        %17 = reduce_sum %16 axes=[0,1] : i64[]
        %18 = add %s, %17 : i64[]
        %19 = add %i, %1 : i64[]
        yield %19, %18
      }
      return %4, %12
    }";
    check(text, &[&int(3)], &[&[27], &[36]]);
    check(text, &[&int(0)], &[&[0], &[0]]);
}

#[test]
fn arrays_grow_in_a_loop() {
    let executable = compiled(GROW);
    for n in [0, 1, 3, 200] {
        let wanted: Vec<i64> = [7, 8].into_iter().chain(0..n).collect();
        assert_eq!(run(&executable, &[&int(n), &ints(&[7, 8])]).expect("runs"), [wanted]);
    }
}

#[test]
fn results_that_are_inputs_are_shared_not_copied() {
    let executable = compiled("func @same(%x: i64[?0]) -> (i64[?0]) {\n  return %x\n}");
    let x = ints(&[1, 2, 3]);
    let results = executable.run(&[&x], &mut Recorder::default()).expect("runs");
    assert_eq!(results[0].as_ptr(), x.as_ptr());
}

#[test]
fn big_results_outlive_the_frame() {
    let text = "func @double(%x: i64[?0]) -> (i64[?0]) {\n  %1 = add %x, %x : i64[?0]\n  return %1\n}";
    let executable = compiled(text);
    let first: Vec<i64> = (0..5000).collect();
    let kept = executable.run(&[&ints(&first)], &mut Recorder::default()).expect("runs");
    run(&executable, &[&ints(&[1; 6000])]).expect("runs");
    drop(executable);
    assert!(kept[0].scalars().map(Scalar::to_i64).eq(first.iter().map(|i| 2 * i)));
}

fn check_reuse(length: usize) {
    let ty = format!("i64[{length}]");
    let executable =
        compiled(&format!("func @twice(%x: {ty}) -> ({ty}) {{\n  %1 = add %x, %x : {ty}\n  return %1\n}}"));
    let x = ints(&(0..length as i64).collect::<Vec<_>>());
    let next = || executable.run(&[&x], &mut Recorder::default()).expect("runs").remove(0);
    let (first, kept) = (next(), next());
    let place = first.as_ptr();
    executable.reuse(first);
    // Memory that was released would be handed out here.
    let _others: Vec<_> = (0..4).map(|_| ints(&vec![0; length])).collect();
    let second = next();
    assert_eq!(second.as_ptr(), place);
    let shared = second.clone();
    executable.reuse(second);
    assert_ne!(next().as_ptr(), place);
    assert!(shared.bytes() == kept.bytes());
}

#[test]
fn a_result_may_leave_in_the_memory_of_an_earlier_one() {
    [10, 1000, 10_000].into_iter().for_each(check_reuse);
}

#[test]
fn failures_say_what_was_found() {
    let index =
        "func @f(%x: i64[?0], %i: i64[]) -> (i64[]) {\n  %1 = index %x, %i axis=0 : i64[]\n  return %1\n}";
    check(index, &[&ints(&[4, 5]), &int(-1)], &[&[5]]);
    let message = "IndexOutOfRange: index 2 is out of bounds for axis 0 with size 2";
    check_failure(index, &[&ints(&[4, 5]), &int(2)], message);
    let divide =
        "func @f(%x: i64[], %y: i64[]) -> (i64[]) {\n  %1 = floor_div %x, %y : i64[]\n  return %1\n}";
    check(divide, &[&int(i64::MIN), &int(-1)], &[&[i64::MIN]]);
    check_failure(divide, &[&int(1), &int(0)], "ZeroDivision: integer division or modulo by zero");
    let add = "func @f(%x: i64[?0], %y: i64[?1]) -> (i64[?2]) {\n  %1 = add %x, %y : i64[?2]\n  return %1\n}";
    check(add, &[&ints(&[1, 2]), &ints(&[5])], &[&[6, 7]]);
    let (two, three) = (ints(&[1, 2]), ints(&[1, 2, 3]));
    check_failure(add, &[&two, &three], "ShapeMismatch: lengths 2 and 3 do not broadcast");
    let same =
        "func @f(%x: i64[?0], %y: i64[?0]) -> (i64[?0]) {\n  %1 = add %x, %y : i64[?0]\n  return %1\n}";
    check_failure(same, &[&two, &three], "ShapeMismatch: an axis of length 3 where 2 is wanted");
    let claim = "func @f(%ok: bool[], %x: i64[?0]) -> () {
  check %ok, %x kind=AssertionError text=\"not {1}!\" to=stderr
  return
}";
    let no = Buffer::scalar(DType::Bool, Scalar::Bool(false));
    check_failure(claim, &[&no, &three], "Assertion: not [1 2 3]!");
    let huge = "func @f(%n: i64[]) -> (i64[?0]) {
  %1 = const 1 : i64[]
  %2 = broadcast %1, %n dims=[@1] : i64[?0]
  %3 = add %2, %2 : i64[?0]
  return %3
}";
    check(huge, &[&int(2)], &[&[2, 2]]);
    check_failure(huge, &[&int(i64::MAX)], "OutOfMemory: cannot allocate the memory of an array");
}

#[test]
fn failures_have_the_place_of_their_node() {
    let mut graph = graph("func @f(%x: i64[]) -> (i64[]) {\n  %1 = mod %x, %x : i64[]\n  return %1\n}");
    let node = graph.nodes.iter().find(|(_, node)| node.op == BinaryOp::Mod.into()).expect("a mod").0;
    let place = Loc::of_line("f.py", 3);
    graph.places[node] = Some(place.clone());
    let executable = gw_cpu::compile(&graph).expect("compiles");
    let error = run(&executable, &[&int(0)]).expect_err("fails");
    assert_eq!(error.place, Some(place));
}

/// Raises when it prints.
struct Raising;

impl HostFn for Raising {
    fn print(&mut self, _: Stream, text: &str) -> Result<(), HostError> {
        Err(Box::new(text.to_owned()))
    }
}

#[test]
fn what_the_host_raises_comes_out_unopened() {
    let text = "func @f(%x: i64[]) -> () {\n  print %x text=\"x is {0}\\n\" to=stdout\n  return\n}";
    let error = compiled(text).run(&[&int(3)], &mut Raising).expect_err("fails");
    let Failure::Host(raised) = error.failure else { panic!("{error:?}") };
    assert_eq!(raised.downcast_ref::<String>().map(String::as_str), Some("x is 3\n"));
}

/// Gives what it is told to.
struct Giving(Vec<Buffer>);

impl HostFn for Giving {
    fn print(&mut self, _: Stream, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn call(&mut self, function: usize, args: Vec<Buffer>) -> Result<Vec<Buffer>, HostError> {
        if function == 1 { Err(Box::new(args.len())) } else { Ok(self.0.clone()) }
    }
}

#[test]
fn calls_of_the_host_fail_as_it_does_or_by_what_it_gives() {
    let text = "func @f(%x: i64[]) -> (i64[?0]) {\n  %1 = host_call %x name=\"f\" number=0 gives=[i64[?]] : \
                i64[?0]\n  return %1\n}";
    let given =
        |host: &mut Giving| compiled(text).run(&[&int(3)], host).map(|results| results[0].bytes().len());
    assert_eq!(given(&mut Giving(vec![ints(&[1, 2, 3])])).expect("runs"), 24);
    for wrong in [vec![], vec![int(1)], vec![ints(&[1]), ints(&[1])]] {
        let error = given(&mut Giving(wrong)).expect_err("fails");
        assert!(matches!(error.failure, Failure::Type), "{error:?}");
    }
    let error = compiled(&text.replace("number=0", "number=1"))
        .run(&[&int(3)], &mut Giving(vec![]))
        .expect_err("fails");
    let Failure::Host(raised) = error.failure else { panic!("{error:?}") };
    assert_eq!(raised.downcast_ref::<usize>(), Some(&1));
}

const FOREVER: &str = "func @forever(%x: i64[]) -> (i64[]) {
  %1 = while (%n = %x) : (i64[]) {
    %true = const true : bool[]
    yield %true
  } do {
    %2 = while (%m = %n) : (i64[]) {
      %3 = const 3 : i64[]
      %4 = and %m, %3 : i64[]
      %5 = eq %4, %3 : bool[]
      %6 = not %5 : bool[]
      yield %6
    } do {
      %7 = const 1 : i64[]
      %8 = add %m, %7 : i64[]
      yield %8
    }
    %9 = const 1 : i64[]
    %10 = add %2, %9 : i64[]
    yield %10
  }
  return %1
}";

#[test]
fn endless_loops_can_be_interrupted() {
    let mut host = Recorder { stop_at: Some(3), ..Recorder::default() };
    let error = compiled(FOREVER).run(&[&int(0)], &mut host).expect_err("ends");
    assert!(matches!(error.failure, Failure::Interrupted), "{error:?}");
    assert_eq!(host.polls, 3);
}

/// A loop whose iterations take long asks as often, in time, as one whose iterations are short.
#[test]
fn loops_over_large_arrays_ask_sooner() {
    for (ty, work) in [("f32[100000]", "tanh %z"), ("f32[?0]", "tanh %z"), ("f32[300,300]", "matmul %z, %z")]
    {
        let text = format!(
            "func @f(%x: {ty}, %n: i64[]) -> ({ty}) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %i, %y = while (%k = %zero, %z = %x) : (i64[], {ty}) {{
    %go = lt %k, %n : bool[]
    yield %go
  }} do {{
    %next = add %k, %one : i64[]
    %more = {work} : {ty}
    yield %next, %more
  }}
  return %y
}}"
        );
        let lengths = if ty.contains("300") { vec![300, 300] } else { vec![100_000] };
        let count = lengths.iter().product();
        let x = support::buffer(&Array::new(DType::F32, lengths, vec![Scalar::Float(0.0); count]));
        let mut host = Recorder { stop_at: Some(2), ..Recorder::default() };
        let error = compiled(&text).run(&[&x, &int(40_000)], &mut host).expect_err("ends");
        assert!(matches!(error.failure, Failure::Interrupted), "{error:?}");
    }
}

#[test]
fn several_threads_run_at_once() {
    let executable = Arc::new(compiled(GROW));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let executable = executable.clone();
            scope.spawn(move || {
                for n in 0..50 {
                    let wanted: Vec<i64> = [thread].into_iter().chain(0..n).collect();
                    assert_eq!(run(&executable, &[&int(n), &ints(&[thread])]).expect("runs"), [wanted]);
                }
            });
        }
    });
}

#[test]
fn a_run_may_be_started_from_within_a_run() {
    struct Again<'a>(&'a Executable, usize);
    impl HostFn for Again<'_> {
        fn print(&mut self, _: Stream, text: &str) -> Result<(), HostError> {
            assert_eq!(text, "[1 2]");
            self.1 += 1;
            if self.1 < 4 {
                self.0.run(&[&ints(&[1, 2])], self).map_err(|error| Box::new(error.message) as HostError)?;
            }
            Ok(())
        }
    }
    let text = "func @f(%x: i64[?0]) -> () {\n  print %x text=\"{0}\" to=stdout\n  return\n}";
    let executable = compiled(text);
    let mut host = Again(&executable, 0);
    executable.run(&[&ints(&[1, 2])], &mut host).expect("runs");
    assert_eq!(host.1, 4);
}

#[test]
fn long_chains_compile_in_reasonable_loops() {
    let mut text = "func @f(%x: i64[?0]) -> (i64[?0]) {\n  %a0 = add %x, %x : i64[?0]\n".to_owned();
    for i in 0..2000 {
        text += &format!("  %a{} = and %a{i}, %a{i} : i64[?0]\n", i + 1);
    }
    text += "  return %a2000\n}";
    check(&text, &[&ints(&[1, -2])], &[&[2, -4]]);
}

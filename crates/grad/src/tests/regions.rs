//! Branches, loops and functions.

use gw_ir::{Op, UnaryOp};

use super::*;

#[test]
fn branches() {
    let text = "func @f(%c: bool[], %x: f64[3], %y: f64[], %z: f64[3]) -> (f64[3], f64[]) {
      %7, %8 = cond %c : (f64[3], f64[]) {
        %1 = sin %x : f64[3]
        %2 = mul %1, %y : f64[3]
        %3 = reduce_sum %2 axes=[0] : f64[]
        %4 = mul %3, %2 : f64[3]
        yield %4, %3
      } else {
        %1 = mul %z, %x : f64[3]
        yield %1, %y
      }
      return %7, %8
    }";
    for c in [true, false] {
        let c = Array::new(DType::Bool, vec![], [Scalar::Bool(c)]);
        check(text, &[c, floats(&[3]), floats(&[]), floats(&[3])]);
    }
}

/// A loop of so many iterations, with a branch and a captured tensor.
const LOOP: &str = "func @f(%n: i64[], %x: f64[2], %w: f64[2]) -> (f64[2], f64[]) {
  %0 = const 0 : i64[]
  %1 = const 0.5 : f64[]
  %2, %3, %4 = while (%i = %0, %a = %x, %s = %1) : (i64[], f64[2], f64[]) {
    %5 = lt %i, %n : bool[]
    yield %5
  } do {
    %6 = mul %a, %w : f64[2]
    %7 = sin %6 : f64[2]
    %8 = index %w, %0 axis=0 : f64[]
    %9 = mul %s, %8 : f64[]
    %10 = gt %i, %0 : bool[]
    %11 = cond %10 : (f64[2]) {
      %12 = mul %7, %s : f64[2]
      yield %12
    } else {
      %13 = add %7, %a : f64[2]
      yield %13
    }
    %14 = reduce_sum %11 axes=[0] : f64[]
    %15 = add %9, %14 : f64[]
    %16 = const 1 : i64[]
    %17 = add %i, %16 : i64[]
    yield %17, %11, %15
  }
  return %3, %4
}";

#[test]
fn loops_that_count() {
    for turns in 0..4 {
        check(LOOP, &[integers(&[], &[turns]), floats(&[2]), floats(&[2])]);
    }
}

/// A network whose weights are shared by all iterations.
const NETWORK: &str = "func @f(%n: i64[], %h: f64[2,3], %w: f64[3,3], %v: f64[3,3]) -> (f64[2,3]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2, %3 = while (%i = %0, %a = %h) : (i64[], f64[2,3]) {
    %4 = lt %i, %n : bool[]
    yield %4
  } do {
    %5 = matmul %a, %w : f64[2,3]
    %6 = matmul %a, %v transpose_y : f64[2,3]
    %7 = tanh %5 : f64[2,3]
    %8 = add %7, %6 : f64[2,3]
    %9 = matmul %8, %w transpose_y : f64[2,3]
    %10 = sin %9 : f64[2,3]
    %11 = add %i, %1 : i64[]
    yield %11, %10
  }
  return %3
}";

#[test]
fn products_behind_blocks_of_turns() {
    let text = "func @f(%n: i64[], %h: f64[1,1], %w: f64[1,1]) -> (f64[1,1]) {
      %0 = const 0 : i64[]
      %1 = const 1 : i64[]
      %2, %3 = while (%i = %0, %a = %h) : (i64[], f64[1,1]) {
        %4 = lt %i, %n : bool[]
        yield %4
      } do {
        %5 = matmul %a, %w : f64[1,1]
        %6 = sin %5 : f64[1,1]
        %7 = add %6, %a : f64[1,1]
        %8 = matmul %7, %w transpose_y : f64[1,1]
        %9 = tanh %8 : f64[1,1]
        %10 = add %i, %1 : i64[]
        yield %10, %9
      }
      return %3
    }";
    let (first, second) = derived(parse(text).expect("legal"));
    for turns in [0, 1, 256, 257, 600] {
        let inputs = [integers(&[], &[turns]), floats(&[1, 1]), floats(&[1, 1])];
        compare(&first, &inputs, 1e-5);
        if turns == 257 {
            compare(&second, &inputs, 1e-4);
        }
    }
}

/// The same where the weights are a carry that no iteration changes.
const CARRIED: &str = "func @f(%n: i64[], %h: f64[2,3], %w: f64[3,3]) -> (f64[2,3], f64[3,3]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2, %3, %4 = while (%i = %0, %a = %h, %u = %w) : (i64[], f64[2,3], f64[3,3]) {
    %5 = lt %i, %n : bool[]
    yield %5
  } do {
    %6 = matmul %a, %u : f64[2,3]
    %7 = tanh %6 : f64[2,3]
    %8 = mul %7, %a : f64[2,3]
    %9 = lt %1, %i : bool[]
    %10 = cond %9 : (f64[2,3]) {
      %11 = matmul %8, %u : f64[2,3]
      yield %11
    } else {
      yield %8
    }
    %12 = add %i, %1 : i64[]
    yield %12, %10, %u
  }
  return %3, %4
}";

#[test]
fn loops_that_carry_what_they_do_not_change() {
    for turns in 0..4 {
        check(CARRIED, &[integers(&[], &[turns]), floats(&[2, 3]), floats(&[3, 3])]);
    }
}

/// A loop that reads elements, a row and rows of carries that it leaves as they are, where one of them is also used by its
/// own name from around.
const READS: &str = "func @f(%n: i64[], %x: f64[4], %m: f64[4,2]) -> (f64[], f64[2]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %z = const 0.5 : f64[]
  %r = index %m, %0 axis=0 : f64[2]
  %w = mul %x, %x : f64[4]
  %2, %3, %4, %5, %6 = while (%i = %0, %a = %w, %b = %m, %s = %z, %t = %r)
      : (i64[], f64[4], f64[4,2], f64[], f64[2]) {
    %7 = lt %i, %n : bool[]
    yield %7
  } do {
    %8 = index %a, %i axis=0 : f64[]
    %9 = index %w, %1 axis=0 : f64[]
    %10 = mul %8, %9 : f64[]
    %11 = mul %10, %8 : f64[]
    %12 = add %s, %11 : f64[]
    %13 = index %b, %i axis=0 : f64[2]
    %14 = mul %13, %t : f64[2]
    %15 = slice %a at=[2:4] : f64[2]
    %16 = add %14, %15 : f64[2]
    %17 = add %i, %1 : i64[]
    yield %17, %a, %b, %12, %16
  }
  return %5, %6
}";

#[test]
fn loops_that_read_places_of_what_they_do_not_change() {
    for turns in 0..4 {
        check(READS, &[integers(&[], &[turns]), floats(&[4]), floats(&[4, 2])]);
    }
}

/// The same in a loop in a loop, each of which carries what it does not change; the inner one uses both names of it.
#[test]
fn loops_in_loops_that_read_places_of_what_they_do_not_change() {
    let text = "func @f(%n: i64[], %x: f64[4]) -> (f64[]) {
      %0 = const 0 : i64[]
      %1 = const 1 : i64[]
      %z = const 0.5 : f64[]
      %2, %3, %4 = while (%i = %0, %a = %x, %s = %z) : (i64[], f64[4], f64[]) {
        %5 = lt %i, %n : bool[]
        yield %5
      } do {
        %6, %7, %8 = while (%j = %0, %b = %a, %t = %s) : (i64[], f64[4], f64[]) {
          %9 = lt %j, %n : bool[]
          yield %9
        } do {
          %10 = index %b, %j axis=0 : f64[]
          %11 = index %a, %i axis=0 : f64[]
          %12 = index %x, %1 axis=0 : f64[]
          %13 = mul %10, %11 : f64[]
          %14 = mul %13, %12 : f64[]
          %15 = mul %14, %10 : f64[]
          %16 = add %t, %15 : f64[]
          %17 = lt %j, %i : bool[]
          %18 = cond %17 : (f64[]) {
            %19 = index %b, %i axis=0 : f64[]
            %20 = mul %19, %16 : f64[]
            yield %20
          } else {
            yield %16
          }
          %21 = add %j, %1 : i64[]
          yield %21, %b, %18
        }
        %22 = index %7, %i axis=0 : f64[]
        %23 = mul %22, %8 : f64[]
        %24 = add %i, %1 : i64[]
        yield %24, %a, %23
      }
      %25 = index %3, %1 axis=0 : f64[]
      %26 = mul %25, %4 : f64[]
      return %26
    }";
    for turns in 0..4 {
        check(text, &[integers(&[], &[turns]), floats(&[4])]);
    }
}

#[test]
fn loops_that_share_weights() {
    for turns in 0..3 {
        check(NETWORK, &[integers(&[], &[turns]), floats(&[2, 3]), floats(&[3, 3]), floats(&[3, 3])]);
    }
}

#[test]
fn loops_that_do_not_count() {
    let text = "func @f(%x: f64[]) -> (f64[], f64[]) {
      %1 = const 0.0 : f64[]
      %2, %3 = while (%s = %1, %a = %x) : (f64[], f64[]) {
        %4 = const 1.0 : f64[]
        %5 = gt %a, %4 : bool[]
        yield %5
      } do {
        %6 = const 0.5 : f64[]
        %7 = mul %a, %6 : f64[]
        %8 = mul %7, %7 : f64[]
        %9 = add %s, %8 : f64[]
        yield %9, %7
      }
      return %2, %3
    }";
    for x in [0.4, 1.3, 9.1] {
        check(text, &[Array::scalar(DType::F64, Scalar::Float(x))]);
    }
}

#[test]
fn loops_in_loops() {
    let text = "func @f(%n: i64[], %x: f64[?0]) -> (f64[?0]) {
      %0 = const 0 : i64[]
      %1 = const 1 : i64[]
      %2, %3 = while (%i = %0, %a = %x) : (i64[], f64[?0]) {
        %5 = lt %i, %n : bool[]
        yield %5
      } do {
        %6, %7 = while (%j = %0, %b = %a) : (i64[], f64[?0]) {
          %8 = le %j, %i : bool[]
          yield %8
        } do {
          %9 = mul %b, %x : f64[?0]
          %10 = cos %9 : f64[?0]
          %11 = add %10, %a : f64[?0]
          %12 = add %j, %1 : i64[]
          yield %12, %11
        }
        %16 = mul %7, %a : f64[?0]
        %13 = exp %16 : f64[?0]
        %14 = sin %13 : f64[?0]
        %15 = add %i, %1 : i64[]
        yield %15, %14
      }
      return %3
    }";
    check(text, &[integers(&[], &[3]), floats(&[2])]);
}

/// A loop whose carry has other lengths in each iteration, all elements of which its derivative needs.
const LONGER: &str = "func @f(%n: i64[], %x: f64[?0,2], %y: f64[?1]) -> (f64[?2,2], f64[?3]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2, %3, %4 = while (%i = %0, %a: f64[?4,2] = %x, %b: f64[?5] = %y) : (i64[], f64[?2,2], f64[?3]) {
    %5 = lt %i, %n : bool[]
    yield %5
  } do {
    %6 = mul %a, %a : f64[?4,2]
    %7 = slice %a at=[:2,:] : f64[?6,2]
    %8 = sin %7 : f64[?6,2]
    %9 = concat %6, %8 axis=0 : f64[?7,2]
    %10 = reduce_sum %6 axes=[0,1] : f64[]
    %11 = slice %b at=[1:] : f64[?8]
    %12 = mul %11, %11 : f64[?8]
    %13 = mul %12, %10 : f64[?8]
    %14 = slice %9 at=[::-1,:] : f64[?9,2]
    %15 = add %i, %1 : i64[]
    yield %15, %14, %13
  }
  return %3, %4
}";

#[test]
fn loops_that_change_lengths() {
    for (turns, rows) in [(0, 2), (1, 1), (3, 0), (3, 3)] {
        check(LONGER, &[integers(&[], &[turns]), small(&[rows, 2]), small(&[3])]);
    }
}

/// Numbers whose powers stay small.
fn small(lengths: &[usize]) -> Array {
    let all = floats(lengths);
    let halves = all.elements.iter().map(|one| Scalar::Float(one.to_f64() * 0.4)).collect::<Vec<_>>();
    Array::new(DType::F64, lengths.to_vec(), halves)
}

#[test]
fn loops_in_branches_and_lists() {
    let text = "func @f(%c: bool[], %x: f64[3], %n: i64[]) -> (f64[?1]) {
      %0 = const 0 : i64[]
      %1 = const 1 : i64[]
      %e = const [] : f64[0]
      %2 = cond %c : (f64[?1]) {
        %3, %4, %5 = while (%i = %0, %l = %e, %a = %0) : (i64[], f64[?2], i64[]) {
          %6 = lt %i, %n : bool[]
          yield %6
        } do {
          %7 = index %x, %i axis=0 : f64[]
          %8 = mul %7, %7 : f64[]
          %9 = reshape %8 dims=[1] : f64[1]
          %10 = concat %l, %9 axis=0 : f64[?3]
          %11 = add %i, %1 : i64[]
          yield %11, %10, %a
        }
        yield %4
      } else {
        yield %e
      }
      return %2
    }";
    for c in [true, false] {
        let c = Array::new(DType::Bool, vec![], [Scalar::Bool(c)]);
        check(text, &[c, floats(&[3]), integers(&[], &[3])]);
    }
}

#[test]
fn functions_that_call_themselves() {
    let text = "func @f(%n: i64[], %x: f64[]) -> (f64[]) {
      %1 = call @power %n, %x : f64[]
      return %1
    }
    func @power(%n: i64[], %x: f64[]) -> (f64[]) {
      %0 = const 0 : i64[]
      %1 = eq %n, %0 : bool[]
      %2 = cond %1 : (f64[]) {
        %3 = const 1.0 : f64[]
        yield %3
      } else {
        %4 = const 1 : i64[]
        %5 = sub %n, %4 : i64[]
        %6 = sin %x : f64[]
        %7 = call @power %5, %6 : f64[]
        %8 = mul %7, %x : f64[]
        yield %8
      }
      return %2
    }";
    check(text, &[integers(&[], &[4]), floats(&[])]);
}

#[test]
fn a_refusal_leaves_the_graph_usable() {
    let text = "func @f(%x: f64[]) -> (f64[]) {
      %1 = call @g %x : f64[]
      return %1
    }
    func @g(%x: f64[]) -> (f64[]) {
      %1 = try : (f64[]) {
        %2 = const 1.0 : f64[]
        %3 = lt %x, %2 : bool[]
        leave %3, %x
        %4 = mul %x, %x : f64[]
        yield %4
      }
      return %1
    }";
    let (mut b, total) = with_total(parse(text).unwrap_or_else(|error| panic!("{error}")));
    assert!(matches!(derivatives(&mut b, total), Err(Stop::Refused(_))));
    let graph = b.finish(vec![total]);
    verify(&graph, "grad").expect("legal");
    assert_eq!(total_of(&graph, &[Array::scalar(DType::F64, Scalar::Float(3.0))]), 9.0);
}

/// Slices of a weight in two nested loops, whose bounds may be 0, and a logarithm that no iteration may ask for.
const SLICES: &str = "func @f(%n: i64[], %m: i64[], %x: f64[1,2], %w: f64[2,4]) -> (f64[1,2]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2, %3 = while (%i = %0, %a = %x) : (i64[], f64[1,2]) {
    %4 = lt %i, %n : bool[]
    yield %4
  } do {
    %5 = slice %w at=[:,0:2] : f64[2,2]
    %6 = log %5 : f64[2,2]
    %7 = reduce_sum %6 axes=[0,1] : f64[]
    %8, %9 = while (%j = %0, %c = %a) : (i64[], f64[1,2]) {
      %10 = lt %j, %m : bool[]
      yield %10
    } do {
      %11 = slice %w at=[:,2:4] : f64[2,2]
      %12 = transpose %11 perm=[1,0] : f64[2,2]
      %13 = matmul %c, %12 : f64[1,2]
      %14 = matmul %13, %5 : f64[1,2]
      %15 = tanh %14 : f64[1,2]
      %16 = add %j, %1 : i64[]
      yield %16, %15
    }
    %17 = mul %9, %7 : f64[1,2]
    %18 = add %i, %1 : i64[]
    yield %18, %17
  }
  return %3
}";

#[test]
fn moves_of_what_no_iteration_changes_leave_their_loops() {
    for (turns, inner) in [(0, 0), (1, 0), (0, 2), (2, 3)] {
        check(SLICES, &[integers(&[], &[turns]), integers(&[], &[inner]), floats(&[1, 2]), floats(&[2, 4])]);
    }
    let (mut b, total) = with_total(parse(SLICES).expect("a graph"));
    derivatives(&mut b, total).expect("a derivative");
    let graph = b.graph();
    let outside: Vec<_> = graph.regions[graph.body].nodes.iter().map(|&id| graph.nodes[id].op).collect();
    let first_loop = outside.iter().position(|&op| op == Op::While).expect("a loop");
    let count = |op: Op| outside[..first_loop].iter().filter(|&&known| known == op).count();
    assert_eq!([Op::Slice, Op::Transpose, Op::Unary(UnaryOp::Log)].map(count), [2, 1, 0]);
}

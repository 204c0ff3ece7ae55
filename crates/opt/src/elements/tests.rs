//! Loops whose arrays become numbers, and loops whose arrays stay.

use expect_test::{Expect, expect};
use gw_eval::{Array, run as judged};
use gw_ir::text::{parse, print};
use gw_ir::{Graph, verify};
use gw_types::{DType, Scalar};

/// A loop of three turns; its carry begins as `%s`.
fn looped(carried: &str, body: &str) -> Graph {
    let text = format!(
        "func @f(%s: {carried}, %x: f64[2]) -> ({carried}) {{
          %zero = const 0 : i64[]
          %one = const 1 : i64[]
          %n = const 3 : i64[]
          %r, %i = while (%v = %s, %k = %zero) : ({carried}, i64[]) {{
            %t = lt %k, %n : bool[]
            yield %t
          }} do {{
            {body}
            %next = add %k, %one : i64[]
            yield %w, %next
          }}
          return %r
        }}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// The graph after all passes, which gives what it gave before them.
fn optimized(graph: &Graph) -> Graph {
    let mut made = graph.clone();
    super::run(&mut made);
    verify(&made, "elements").expect("legal");
    let whole = crate::optimize(graph.clone()).expect("no bug");
    let carried = graph.ty(graph.params()[0]);
    let lengths = carried.shape.lengths().expect("known");
    let of = |lengths: &[usize], dtype| {
        let numbers = (0..lengths.iter().product::<usize>()).map(|at| Scalar::Float(1.5 * at as f64 - 2.0));
        Array::new(dtype, lengths.to_vec(), numbers)
    };
    let inputs = [of(&lengths, carried.dtype), of(&[2], DType::F64)];
    let [wanted, taken, all] =
        [graph, &made, &whole].map(|graph| judged(graph, &inputs).expect("runs").results);
    assert!(wanted.iter().zip(&taken).all(|(wanted, found)| wanted.same_as(found)), "{}", print(&made));
    assert!(wanted.iter().zip(&all).all(|(wanted, found)| wanted.same_as(found)), "{}", print(&whole));
    whole
}

/// The carries of the loop of a graph after all passes.
#[track_caller]
fn check(carried: &str, body: &str, carries: Expect) {
    let text = print(&optimized(&looped(carried, body)));
    let loops = text.lines().filter_map(|line| Some(line.split_once(" = while ")?.1.split_once(") : ")?.1));
    carries.assert_eq(&loops.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_vector_whose_elements_are_read_is_numbers() {
    check(
        "f64[2]",
        "%a = index %v, %zero axis=0 : f64[]
         %b = index %v, %one axis=0 : f64[]
         %p = mul %a, %b : f64[]
         %q = sub %p, %a : f64[]
         %c = reshape %p dims=[1] : f64[1]
         %d = reshape %q dims=[1] : f64[1]
         %e = concat %c, %d axis=0 : f64[2]
         %f = mul %e, %a : f64[2]
         %w = add %v, %f : f64[2]",
        expect!["(i64[], f64[], f64[]) {"],
    );
}

#[test]
fn what_is_read_of_arrays_around_the_loop_is_read_before_it() {
    let graph = looped("f64[2]", "%w = add %v, %x : f64[2]");
    let text = print(&optimized(&graph));
    let (before, within) = text.split_once("while").expect("a loop");
    assert!(before.contains("index") && !within.contains("index"), "{text}");
}

#[test]
fn moves_leave_no_trace() {
    check(
        "f32[2,3]",
        "%a = transpose %v perm=[1,0] : f32[3,2]
         %b = slice %a at=[::-1,:] : f32[3,2]
         %c = reshape %b dims=[2,3] : f32[2,3]
         %row = index %c, %one axis=0 : f32[3]
         %ten = const 10.0 : f32[]
         %more = mul %row, %ten : f32[3]
         %d = put %c, %more, %zero at=[@2,:] : f32[2,3]
         %e = index %row, %zero axis=0 : f32[]
         %g = reshape %e dims=[1,1] : f32[1,1]
         %h = broadcast %g dims=[2,3] : f32[2,3]
         %w = add %d, %h : f32[2,3]",
        expect!["(i64[], f32[], f32[], f32[], f32[], f32[], f32[]) {"],
    );
}

#[test]
fn bools_and_integers_come_apart() {
    check(
        "i32[3]",
        "%two = const [2, 0, -7] : i32[3]
         %m = gt %v, %two : bool[3]
         %o = not %m : bool[3]
         %p = select %o, %v, %two : i32[3]
         %w = sub %p, %v : i32[3]",
        expect!["(i64[], i32[], i32[], i32[]) {"],
    );
}

#[test]
fn long_vectors_without_single_elements_stay() {
    check("f64[8]", "%w = mul %v, %v : f64[8]", expect!["(f64[8], i64[]) {"]);
}

#[test]
fn an_array_stays_that_is_read_at_a_place_of_the_run() {
    check(
        "f64[3]",
        "%a = index %v, %k axis=0 : f64[]
         %w = mul %v, %a : f64[3]",
        expect!["(f64[3], i64[]) {"],
    );
}

#[test]
fn an_array_stays_that_a_product_or_an_approximation_takes() {
    check(
        "f64[2,2]",
        "%m = matmul %v, %v : f64[2,2]
         %w = mul %m, %x : f64[2,2]",
        expect!["(f64[2,2], i64[]) {"],
    );
    check(
        "f64[2]",
        "%e = exp %v : f64[2]
         %a = index %e, %zero axis=0 : f64[]
         %w = mul %x, %a : f64[2]",
        expect!["(f64[2], i64[]) {"],
    );
}

#[test]
fn an_array_stays_that_a_branch_uses() {
    check(
        "f64[2]",
        "%a = index %v, %zero axis=0 : f64[]
         %t = gt %a, %a : bool[]
         %w = cond %t : (f64[2]) { %b = sqrt %v : f64[2] yield %b } else { %c = exp %v : f64[2] yield %c }",
        expect!["(f64[2], i64[]) {"],
    );
}

#[test]
fn rows_that_are_stored_are_joined_there() {
    let text = "func @f(%s: f64[2], %out: f64[3,2]) -> (f64[3,2]) {
          %zero = const 0 : i64[]
          %one = const 1 : i64[]
          %n = const 3 : i64[]
          %r, %o, %i = while (%v = %s, %m = %out, %k = %zero) : (f64[2], f64[3,2], i64[]) {
            %t = lt %k, %n : bool[]
            yield %t
          } do {
            %a = index %v, %zero axis=0 : f64[]
            %w = add %v, %a : f64[2]
            %p = put %m, %w, %k at=[@2,:] : f64[3,2]
            %next = add %k, %one : i64[]
            yield %w, %p, %next
          }
          return %o
        }";
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let made = crate::optimize(graph.clone()).expect("no bug");
    let inputs = [
        Array::new(DType::F64, vec![2], [1.5, -0.25].map(Scalar::Float)),
        Array::new(DType::F64, vec![3, 2], [0.0; 6].map(Scalar::Float)),
    ];
    let [wanted, found] = [&graph, &made].map(|graph| judged(graph, &inputs).expect("runs").results);
    assert!(wanted[0].same_as(&found[0]));
    assert!(print(&made).contains(": (f64[3,2], i64[], f64[], f64[]) {"), "{}", print(&made));
}

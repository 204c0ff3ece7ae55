//! Functions that run twice on random inputs, as plain Rust and as their graph, and give the same.

#![allow(
    clippy::assign_op_pattern,
    clippy::let_and_return,
    clippy::manual_swap,
    clippy::needless_late_init,
    clippy::nonminimal_bool,
    reason = "the functions show what the toy takes"
)]

mod agree;

use agree::{agree, same};
use expect_test::expect;
use gw_macros as graphwright;
use gw_testkit::rust::Plain;
use proptest::prelude::*;

#[graphwright::function]
fn collatz(n: i64) -> i64 {
    let mut n = n;
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
        steps += 1;
    }
    steps
}
same!(collatz_counts_steps: collatz(n in 1_i64..2000));

#[graphwright::function]
fn gcd(a: i64, b: i64) -> i64 {
    let mut a = a.abs();
    let mut b = b.abs();
    while b != 0 {
        let rest = a % b;
        a = b;
        b = rest;
    }
    a
}
same!(gcd_is_that_of_rust: gcd(a in -500_i64..500, b in -500_i64..500));

#[graphwright::function]
fn newton(x: f64) -> f64 {
    let mut root = x;
    let mut rounds = 0;
    while (root * root - x).abs() > 1e-9 * x && rounds < 60 {
        root = (root + x / root) / 2.0;
        rounds += 1;
    }
    root
}
same!(newton_finds_roots: newton(x in 0.01_f64..1e6));

#[graphwright::function]
fn fibonacci(count: i64) -> Vec<i64> {
    let mut numbers = Vec::new();
    let mut a = 0;
    let mut b = 1;
    while (numbers.len() as i64) < count {
        numbers.push(a);
        let next = a + b;
        a = b;
        b = next;
    }
    numbers
}
same!(fibonacci_grows_a_vec: fibonacci(count in -2_i64..40));

#[graphwright::function]
fn triples(limit: i64) -> i64 {
    let mut found = 0;
    let mut a = 1;
    while a < limit {
        let mut b = a;
        while b < limit {
            let mut c = b;
            while c * c < a * a + b * b {
                c += 1;
            }
            if c * c == a * a + b * b && c < limit {
                found += 1;
            }
            b += 1;
        }
        a += 1;
    }
    found
}
same!(nested_loops_find_triples: triples(limit in 0_i64..16));

#[graphwright::function]
fn evens(v: Vec<i64>) -> Vec<i64> {
    let mut even: Vec<i64> = Vec::new();
    let mut i = 0;
    while i < v.len() {
        if v[i] % 2 == 0 {
            even.push(v[i]);
        }
        i += 1;
    }
    even
}
same!(a_vec_grows_in_a_branch: evens(v in prop::collection::vec(-9_i64..9, 0..9)));

#[graphwright::function]
fn is_prime(n: i64) -> bool {
    let mut is_prime = n > 1;
    let mut d = 2;
    while is_prime && d * d <= n {
        if n % d == 0 {
            is_prime = false;
        }
        d += 1;
    }
    is_prime
}
same!(an_if_inside_a_while_ends_it: is_prime(n in -5_i64..400));

#[graphwright::function]
fn sieve(n: i64) -> Vec<i64> {
    let mut composite = vec![false; n as usize];
    let mut primes = Vec::new();
    let mut i = 2;
    while i < n {
        if !composite[i as usize] {
            primes.push(i);
            let mut k = i * i;
            while k < n {
                composite[k as usize] = true;
                k += i;
            }
        }
        i += 1;
    }
    primes
}
same!(stores_into_a_vec_make_a_sieve: sieve(n in 0_i64..60));

#[graphwright::function]
fn sign(x: f64) -> i64 {
    if x > 0.0 {
        1
    } else if x < 0.0 {
        -1
    } else {
        0
    }
}
same!(branches_of_numbers_have_a_value: sign(x in prop::sample::select(vec![-2.5, -0.0, 0.0, 3.0])));

#[graphwright::function]
fn quotients(a: i64, b: i64) -> Vec<i64> {
    let b = if b == 0 { 1 } else { b };
    vec![a / b, a % b, a / 3, a % -3]
}
same!(division_is_toward_zero: quotients(a in -20_i64..20, b in -7_i64..7));

#[graphwright::function]
fn sorted(v: Vec<f64>) -> Vec<f64> {
    let mut v = v;
    let mut end = v.len();
    while end > 1 {
        let mut i = 1;
        while i < end {
            if v[i - 1] > v[i] {
                let held = v[i];
                v[i] = v[i - 1];
                v[i - 1] = held;
            }
            i += 1;
        }
        end -= 1;
    }
    v
}
same!(nested_loops_sort: sorted(v in prop::collection::vec(-9.0_f64..9.0, 0..8)));

#[graphwright::function]
fn least_common_multiple(v: Vec<i64>) -> i64 {
    let mut least = 1;
    let mut i = 0;
    while i < v.len() {
        least = least / gcd(least, v[i]) * v[i];
        i += 1;
    }
    least
}
same!(staged_functions_are_called: least_common_multiple(v in prop::collection::vec(1_i64..20, 0..6)));

#[graphwright::function]
fn counted_test(n: i64) -> i64 {
    let mut asked = 0;
    let mut i = 0;
    while {
        asked += 1;
        i < n
    } {
        i += 2;
    }
    asked * 100 + i
}
same!(a_test_may_assign: counted_test(n in -2_i64..9));

#[graphwright::function]
fn late(n: i64) -> i64 {
    let first;
    if n % 2 == 0 {
        first = n * 2;
    } else {
        first = 7;
    }
    let mut last;
    let mut row;
    let mut sum = first;
    let mut i = 0;
    while i < n {
        last = i * i;
        row = vec![last, i];
        sum += last + row[1];
        i += 1;
    }
    sum
}
same!(variables_get_their_values_late: late(n in -3_i64..9));

#[graphwright::function]
fn pairs(n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < n {
        let mut j = i;
        while j < n {
            if (i + j) % 3 == 0 {
                out.push(i * 10 + j);
            } else if i == j && i > 1 {
                out.push(7);
                out.push(j);
            }
            j += 1;
        }
        i += 1;
    }
    out
}
same!(an_untyped_vec_grows_in_a_branch_of_nested_loops: pairs(n in 0_i64..7));

#[graphwright::function]
fn powers_of_a_half(n: i64) -> Vec<f64> {
    let mut power = 1.0;
    let mut powers = vec![power; 2];
    let mut i = 0;
    while false || i < n {
        power *= 0.5;
        powers.push(if i == 2 { 0.0 } else { power });
        i += 1;
    }
    powers
}
same!(numbers_of_the_text_become_floats: powers_of_a_half(n in -1_i64..6));

#[graphwright::function]
fn shadowed(n: i64) -> f64 {
    let x = n;
    let late;
    {
        let x = x as f64 / 4.0;
        late = x + 1.0;
    }
    if x > 2 {
        let x = late * 2.0;
        x
    } else {
        late
    }
}
same!(names_are_shadowed_as_in_rust: shadowed(n in -5_i64..5));

macro_rules! summing {
    ($name:ident, $step:expr) => {
        #[graphwright::function]
        fn $name(n: i64) -> i64 {
            let mut frame = 0;
            let mut it = 0;
            while it < n {
                frame += it;
                it += $step;
            }
            frame
        }
    };
}

summing!(every_third, 3);
same!(names_of_macros_are_their_own: every_third(n in -3_i64..30));

#[test]
fn the_graph_of_a_function() {
    let graph = evens::graph().expect("the function is staged");
    expect![[r#"
        func @evens(%v: i64[?0]) -> (i64[?1]) {
          %1 = const [] : i64[0]
          %2 = dim %v axis=0 : i64[]
          %3 = const 0 : i64[]
          %4 = lt %3, %2 : bool[]
          %5 = const 0 : i64[]
          %6, %7, %8 = while (%9: i64[?2] = %1, %10 = %5, %11 = %4) : (i64[?1], i64[], bool[]) {
            yield %11
          } do {
            %12 = const 0 : i64[]
            %13 = ge %10, %12 : bool[]
            check %13 kind=IndexError text="index out of bounds" to=stderr
            %14 = index %v, %10 axis=0 : i64[]
            %15 = const 2 : i64[]
            %16 = const 0 : i64[]
            %17 = mod %14, %15 : i64[]
            %18 = ne %17, %16 : bool[]
            %19 = lt %14, %16 : bool[]
            %20 = lt %15, %16 : bool[]
            %21 = ne %19, %20 : bool[]
            %22 = and %18, %21 : bool[]
            %23 = sub %17, %15 : i64[]
            %24 = select %22, %23, %17 : i64[]
            %25 = const 0 : i64[]
            %26 = eq %24, %25 : bool[]
            %27 = cond %26 : (i64[?3]) {
              %28 = const 0 : i64[]
              %29 = ge %10, %28 : bool[]
              check %29 kind=IndexError text="index out of bounds" to=stderr
              %30 = index %v, %10 axis=0 : i64[]
              %31 = reshape %30 dims=[1] : i64[1]
              %32 = concat %9, %31 axis=0 : i64[?4]
              yield %32
            } else {
              yield %9
            }
            %33 = const 1 : i64[]
            %34 = add %10, %33 checked : i64[]
            %35 = dim %v axis=0 : i64[]
            %36 = lt %34, %35 : bool[]
            yield %27, %34, %36
          }
          return %6
        }
    "#]]
    .assert_eq(&gw_ir::text::print(&graph));
}

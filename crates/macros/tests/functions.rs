//! Functions that run twice on random inputs, as plain Rust and as their graph, and give the same.

use expect_test::expect;
use gw_macros as graphwright;
use gw_testkit::rust::{Plain, Ran, ensure, ran};
use proptest::prelude::*;

/// The result of a plain function as a run of its graph would tell it; the line is not compared here.
trait Outcome {
    type Gives: Plain + PartialEq + std::fmt::Debug;
    fn told(self) -> Result<Self::Gives, String>;
}

macro_rules! outcome {
    ($($ty:ty),*) => {$(
        impl Outcome for $ty {
            type Gives = $ty;
            fn told(self) -> Result<$ty, String> {
                Ok(self)
            }
        }
        impl Outcome for Result<$ty, &'static str> {
            type Gives = $ty;
            fn told(self) -> Result<$ty, String> {
                self.map_err(str::to_owned)
            }
        }
    )*};
}

outcome!(i64, f64, bool, Vec<i64>, Vec<f64>);

#[track_caller]
fn agree<O: Outcome>(plain: O, graph: &gw_ir::Graph, inputs: &[&dyn Fn() -> gw_testkit::rust::Array]) {
    let inputs: Vec<_> = inputs.iter().map(|input| input()).collect();
    let staged: Result<O::Gives, String> = match ran(graph, &inputs) {
        Ran::Gave(given) => Ok(given),
        Ran::Failed(text, line) => {
            assert!(line.is_some(), "a failure knows its line");
            Err(text)
        }
        Ran::Panicked(failure) => panic!("{failure:?} in the graph alone"),
    };
    assert_eq!(staged, plain.told());
}

/// Runs a function as Rust and as its graph, which is the same for all inputs.
macro_rules! same {
    ($test:ident: $function:ident($($input:ident in $strategy:expr),*)) => {
        #[test]
        fn $test() {
            let graph = $function::graph().expect("the function is staged");
            gw_ir::verify(&graph, "trace").expect("staging makes legal graphs");
            let strategy = ($($strategy,)*);
            proptest!(ProptestConfig::with_cases(96), |(($($input,)*) in strategy)| {
                agree($function($($input.clone()),*), &graph, &[$(&|| $input.array()),*]);
            });
        }
    };
}

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
fn mean(v: Vec<f64>) -> Result<f64, &'static str> {
    ensure(v.len() > 0, "the mean of nothing")?;
    let mut sum = 0.0;
    let mut i = 0;
    while i < v.len() {
        ensure(v[i] >= 0.0, "a number below zero")?;
        sum += v[i];
        i += 1;
    }
    Ok(sum / v.len() as f64)
}
same!(a_check_ends_the_function: mean(v in prop::collection::vec(-1.0_f64..9.0, 0..5)));

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
fn mean_above(v: Vec<f64>, least: f64) -> Result<bool, &'static str> {
    let mean = mean(v)?;
    ensure(least < 8.0, "too much is asked")?;
    Ok(mean > least)
}
same!(failures_of_calls_are_handed_on:
    mean_above(v in prop::collection::vec(-0.5_f64..9.0, 0..4), least in 0.0_f64..9.0));

/// The line of the first check in `half`.
const HALF_LINE: u32 = line!() + 4;

#[graphwright::function]
fn half(n: i64) -> Result<i64, &'static str> {
    ensure(n > 3, "a small number")?;
    ensure(n % 2 == 0, "an odd number")?;
    Ok(n / 2)
}

#[graphwright::function]
fn halved_or(n: i64, otherwise: i64) -> i64 {
    let half = half(n).unwrap_or(otherwise);
    half * 10
}
same!(a_failed_call_has_another_value: halved_or(n in 0_i64..12, otherwise in -3_i64..3));

#[graphwright::function]
fn mean_or_zero(v: Vec<f64>) -> f64 {
    mean(v).unwrap_or(0.0)
}
same!(a_check_in_a_loop_of_a_call_is_handled:
    mean_or_zero(v in prop::collection::vec(-0.5_f64..9.0, 0..4)));

#[graphwright::function]
fn halvings(v: Vec<i64>) -> Vec<i64> {
    let mut out: Vec<i64> = vec![];
    let mut i = 0;
    while i < v.len() {
        let last = half(v[i]).unwrap_or(-1);
        if last > 0 || i == 0 {
            out.push(last);
        } else {
            out.push(half(v[i] + 1).unwrap_or(0));
        }
        i += 1;
    }
    out
}
same!(failures_are_handled_in_loops: halvings(v in prop::collection::vec(0_i64..12, 0..6)));

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

#[graphwright::function]
fn picked(v: Vec<i64>, at: i64, by: i64) -> i64 {
    v[at as usize] / by * 4611686018427387904
}

#[test]
fn a_panic_is_a_failure_of_another_kind() {
    let graph = picked::graph().expect("the function is staged");
    for (at, by) in [(-1, 1), (2, 1), (0, 0), (1, 1), (0, 1)] {
        let v = vec![1_i64, 2];
        let staged = ran::<i64>(&graph, &[v.array(), at.array(), by.array()]);
        match std::panic::catch_unwind(|| picked(v, at, by)) {
            Ok(given) => assert_eq!(staged, Ran::Gave(given)),
            Err(_) => assert!(matches!(staged, Ran::Panicked(_)), "{staged:?}"),
        }
    }
}

#[test]
fn a_failure_names_the_users_line() {
    let graph = half::graph().expect("the function is staged");
    let start = HALF_LINE;
    assert_eq!(ran::<i64>(&graph, &[2_i64.array()]), Ran::Failed("a small number".to_owned(), Some(start)));
    assert_eq!(
        ran::<i64>(&graph, &[5_i64.array()]),
        Ran::Failed("an odd number".to_owned(), Some(start + 1))
    );
}

#[graphwright::function]
fn untyped(n: i64) -> i64 {
    let mut v = Vec::new();
    let mut sum = 0;
    while sum < n {
        if v.len() > 0 {
            sum += v[0];
        }
        v.push(1);
    }
    sum
}

#[test]
fn a_vec_is_read_before_its_type_is_known() {
    let refused = untyped::graph().expect_err("the element type comes later");
    expect![[r#"
        GW204: an empty `Vec` is read before it has an element type
        help: write its type: `let mut v: Vec<i64> = Vec::new();`"#]]
    .assert_eq(&refused.to_string());
}

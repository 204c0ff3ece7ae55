//! `?`, `unwrap_or` and panics: plain functions and their graphs fail on the same inputs, and say the same.

mod agree;

use agree::{agree, same};
use expect_test::expect;
use gw_macros as graphwright;
use gw_testkit::rust::{Plain, Ran, ensure, ran};
use proptest::prelude::*;

#[graphwright::function]
fn mean(v: Vec<f64>) -> Result<f64, &'static str> {
    ensure(!v.is_empty(), "the mean of nothing")?;
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
fn half_of_mean_or(v: Vec<f64>, n: i64) -> Result<i64, &'static str> {
    let number = half(n).unwrap_or(if mean(v)? > 4.0 { half(n + 1).unwrap_or(7) } else { -n });
    Ok(number)
}
same!(the_other_value_may_fail_too:
    half_of_mean_or(v in prop::collection::vec(-0.5_f64..9.0, 0..4), n in 0_i64..9));

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
        if !v.is_empty() {
            sum += v[0];
        }
        v.push(1);
    }
    sum
}

#[test]
fn a_vec_is_read_before_its_type_is_known() {
    assert_eq!(untyped(3), 3);
    let refused = untyped::graph().expect_err("the element type comes later");
    expect![[r#"
        GW204: an empty `Vec` is read before it has an element type
        help: write its type: `let mut v: Vec<i64> = Vec::new();`"#]]
    .assert_eq(&refused.to_string());
}

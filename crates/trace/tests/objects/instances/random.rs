//! Random programs that make objects, give them other names and put them into a list, against plain Rust.

use gw_trace::objects::elements;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::run::{Done, P, PARAMETERS, Q, Run, int, point};
use crate::host::{Failed, Value};

/// A number.
#[derive(Debug, Clone, Copy)]
enum Number {
    Is(i64),
    N,
    X(usize),
    /// One more than the attribute of an object.
    NextY(usize),
    Len,
}

/// A step of a program; objects are numbered.
#[derive(Debug, Clone)]
enum Step {
    Make(usize, Number, Number),
    /// `p = q`, or the other way round
    Copy(usize),
    Append(usize),
    /// `if a > b: … else: …`
    If(Number, Number, Vec<Step>, Vec<Step>),
    /// `for i in range(n): …`
    Repeat(Vec<Step>),
}

/// The variables behind a program: two objects, and the objects of the list.
#[derive(Debug, Clone, PartialEq)]
struct Contents {
    named: [[i64; 2]; 2],
    xs: Vec<[i64; 2]>,
}

impl Contents {
    fn number(&self, number: Number, n: i64) -> i64 {
        match number {
            Number::Is(i) => i,
            Number::N => n,
            Number::X(at) => self.named[at][0],
            Number::NextY(at) => self.named[at][1] + 1,
            Number::Len => self.xs.len() as i64,
        }
    }

    fn run(&mut self, steps: &[Step], n: i64) {
        for step in steps {
            match step {
                Step::Make(at, x, y) => self.named[*at] = [*x, *y].map(|number| self.number(number, n)),
                Step::Copy(at) => self.named[*at] = self.named[1 - *at],
                Step::Append(at) => self.xs.push(self.named[*at]),
                Step::If(a, b, then, orelse) => {
                    let truth = self.number(*a, n) > self.number(*b, n);
                    self.run(if truth { then } else { orelse }, n);
                }
                Step::Repeat(body) => (0..n).for_each(|_| self.run(body, n)),
            }
        }
    }
}

fn number(run: &Run, number: Number) -> Result<Value, Failed> {
    Ok(match number {
        Number::Is(i) => int(i),
        Number::N => run.n.clone(),
        Number::X(at) => run.attribute(at, "x"),
        Number::NextY(at) => run.add(&run.attribute(at, "y"), &int(1)),
        Number::Len => run.length()?,
    })
}

fn stage(run: &Run, steps: &[Step]) -> Done {
    for step in steps {
        match step {
            Step::Make(at, x, y) => run.put(*at, point(number(run, *x)?, number(run, *y)?)),
            Step::Copy(at) => run.put(*at, run.get(1 - *at)),
            Step::Append(at) => run.push(run.get(*at)),
            Step::If(a, b, then, orelse) => {
                let both = [number(run, *a)?, number(run, *b)?];
                run.branch([&both[0], &both[1]], &|| stage(run, then), &|| stage(run, orelse))?;
            }
            Step::Repeat(body) => run.repeat(&|_| stage(run, body))?,
        }
    }
    Ok(())
}

/// The variables behind the graph of a program, for each parameter.
fn staged(steps: &[Step]) -> Result<Vec<Contents>, Failed> {
    let run = Run::new();
    stage(&run, steps)?;
    let named = [(P, "x"), (P, "y"), (Q, "x"), (Q, "y")].map(|(at, name)| run.attribute(at, name));
    let mut values: Vec<_> = named.iter().map(|value| run.toy.staged(value).value).collect();
    let held = elements(&run.toy, &run.xs())?;
    values.extend(held.iter().flat_map(|held| &held.leaves).map(|leaf| leaf.value));
    let contents = |given: Vec<Vec<i64>>| {
        let xs = given
            .get(4)
            .zip(given.get(5))
            .map_or_else(Vec::new, |(x, y)| x.iter().zip(y).map(|(&x, &y)| [x, y]).collect());
        Contents { named: [[given[0][0], given[1][0]], [given[2][0], given[3][0]]], xs }
    };
    Ok(run.given(values).into_iter().map(contents).collect())
}

fn numbers() -> impl Strategy<Value = Number> {
    let at = 0usize..2;
    prop_oneof![
        (-2i64..4).prop_map(Number::Is),
        Just(Number::N),
        at.clone().prop_map(Number::X),
        at.prop_map(Number::NextY),
        Just(Number::Len),
    ]
}

fn steps(depth: u32) -> BoxedStrategy<Vec<Step>> {
    let (at, n) = (0usize..2, numbers);
    let simple = prop_oneof![
        3 => (at.clone(), n(), n()).prop_map(|(at, x, y)| Step::Make(at, x, y)),
        2 => at.clone().prop_map(Step::Copy),
        2 => at.prop_map(Step::Append),
    ];
    if depth == 0 {
        return prop::collection::vec(simple, 0..3).boxed();
    }
    let inner = steps(depth - 1);
    let nested = prop_oneof![
        (n(), n(), inner.clone(), inner.clone()).prop_map(|(a, b, x, y)| Step::If(a, b, x, y)),
        inner.prop_map(Step::Repeat),
    ];
    prop::collection::vec(prop_oneof![simple, nested], 0..5).boxed()
}

#[test]
fn random_programs_of_objects_agree_with_plain_rust() {
    let config =
        Config { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(3), ..Config::default() };
    let agreed = TestRunner::new(config).run(&steps(2), |program| {
        let expected = PARAMETERS.map(|n| {
            let mut contents = Contents { named: [[1, 2], [3, 4]], xs: Vec::new() };
            contents.run(&program, n);
            contents
        });
        match staged(&program) {
            Ok(found) => prop_assert_eq!(found, expected),
            Err(failed) => prop_assert!(false, "{:?}", failed),
        }
        Ok(())
    });
    agreed.unwrap_or_else(|failed| panic!("{failed}"));
}

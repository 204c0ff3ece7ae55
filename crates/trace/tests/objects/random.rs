//! Random programs: random steps on lists, a dict and a set, under random branches and loops.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::program::{Contents, Number, Step, Stop, plain};
use crate::runs::{self, Ended};

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        4 => (-2i64..4).prop_map(Number::Is),
        3 => Just(Number::N),
        2 => Just(Number::Acc),
        2 => Just(Number::Item),
        2 => (0usize..2).prop_map(Number::Len),
    ]
}

fn of_lists() -> impl Strategy<Value = Step> {
    let (list, n) = (0usize..2, number);
    prop_oneof![
        6 => (list.clone(), n()).prop_map(|(l, x)| Step::Append(l, x)),
        1 => list.clone().prop_map(Step::Pop),
        1 => (list.clone(), n()).prop_map(|(l, x)| Step::PopAt(l, x)),
        2 => (list.clone(), n(), n()).prop_map(|(l, i, x)| Step::Insert(l, i, x)),
        2 => (list.clone(), n(), n()).prop_map(|(l, i, x)| Step::Put(l, i, x)),
        1 => (list.clone(), n()).prop_map(|(l, x)| Step::Delete(l, x)),
        1 => (list.clone(), n()).prop_map(|(l, x)| Step::Remove(l, x)),
        1 => list.clone().prop_map(Step::Reverse),
        1 => (list.clone(), any::<bool>()).prop_map(|(l, d)| Step::Sort(l, d)),
        1 => list.clone().prop_map(Step::Clear),
        1 => Just(Step::Extend(0, 1)),
        1 => list.clone().prop_map(Step::New),
        1 => (list.clone(), list.clone()).prop_map(|(l, m)| Step::Copy(l, m)),
        1 => Just(Step::Swap),
        1 => (list.clone(), n()).prop_map(|(l, x)| Step::AddAt(l, x)),
        1 => list.clone().prop_map(Step::AddPopped),
        1 => (list.clone(), n()).prop_map(|(l, x)| Step::AddCount(l, x)),
        1 => (list.clone(), n()).prop_map(|(l, x)| Step::AddIndex(l, x)),
        1 => (list.clone(), n()).prop_map(|(l, x)| Step::AddIn(l, x)),
        1 => Just(Step::AddEqual),
        1 => list.prop_map(Step::AddMax),
    ]
}

fn of_tables() -> impl Strategy<Value = Step> {
    let n = number;
    prop_oneof![
        3 => (n(), n()).prop_map(|(k, v)| Step::Store(k, v)),
        1 => n().prop_map(Step::AddValue),
        2 => (n(), n()).prop_map(|(k, v)| Step::AddGet(k, v)),
        1 => n().prop_map(Step::Forget),
        1 => n().prop_map(Step::AddHasKey),
        2 => n().prop_map(Step::AddElement),
        1 => n().prop_map(Step::Discard),
        1 => n().prop_map(Step::RemoveElement),
        1 => n().prop_map(Step::AddHasElement),
        1 => n().prop_map(Step::Let),
        1 => n().prop_map(Step::Add),
    ]
}

fn steps(depth: u32) -> BoxedStrategy<Vec<Step>> {
    let simple = prop_oneof![2 => of_lists(), 1 => of_tables()].boxed();
    if depth == 0 {
        return prop::collection::vec(simple, 0..3).boxed();
    }
    let (n, inner) = (number, steps(depth - 1));
    let nested = prop_oneof![
        3 => (n(), n(), inner.clone(), inner.clone()).prop_map(|(a, b, x, y)| Step::If(a, b, x, y)),
        2 => (n(), inner.clone()).prop_map(|(count, body)| Step::Repeat(count, body)),
        1 => (n(), inner.clone()).prop_map(|(most, body)| Step::Until(most, body)),
        1 => (0usize..2, inner.clone()).prop_map(|(list, body)| Step::Each(list, body)),
    ];
    prop::collection::vec(prop_oneof![3 => simple, 2 => nested], 0..5).boxed()
}

/// As many programs as these are refused at most, of a hundred.
const REFUSED: usize = 25;

#[test]
fn random_programs_agree_with_plain_rust() {
    let seed = RngSeed::Fixed(5);
    let mut runner = TestRunner::new(Config {
        cases: 400,
        failure_persistence: None,
        rng_seed: seed,
        ..Config::default()
    });
    let begins = (
        prop::collection::vec(-2i64..5, 0..4),
        prop::collection::vec(-2i64..5, 0..3),
        prop::collection::btree_map(-1i64..4, 0i64..9, 0..3),
    );
    let refused = std::cell::Cell::new((0, 0));
    let agreed = runner.run(&(begins, steps(2)), |((xs, ys, pairs), program)| {
        let begins = Contents { lists: [xs, ys], pairs: pairs.into_iter().collect(), ..Contents::default() };
        let parameters = [-1, 0, 1, 3];
        for (&n, ended) in parameters.iter().zip(runs::run(&program, &begins, &parameters)) {
            let expected = match plain(&program, &begins, n) {
                Ok(contents) => Ended::With(contents),
                Err(Stop::Raised(kind)) => Ended::Raised(kind),
                Err(Stop::Endless) => continue,
            };
            let (skipped, all) = refused.get();
            let is_refused = matches!(ended, Ended::Refused(_));
            refused.set((skipped + usize::from(is_refused), all + 1));
            if !is_refused {
                prop_assert_eq!(ended, expected, "for n = {}\n{}", n, runs::graph(&program, &begins));
            }
        }
        Ok(())
    });
    agreed.unwrap_or_else(|failed| panic!("{failed}"));
    let (refused, all) = refused.get();
    assert!(refused * 100 < all * REFUSED, "{refused} of {all} runs are refused");
}

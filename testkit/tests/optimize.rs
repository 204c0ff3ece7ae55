//! The optimiser keeps the meaning of random programs: same results to the last bit, same failures, same effects.

use gw_eval::{Array, EvalError, Outcome, run};
use gw_ir::text::print;
use gw_opt::{PASSES, optimize};
use gw_testkit::graphs::program;
use gw_types::{DType, Scalar};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn same(before: &Result<Outcome, EvalError>, after: &Result<Outcome, EvalError>) -> bool {
    match (before, after) {
        (Ok(before), Ok(after)) => {
            let pairs = before.results.iter().zip(&after.results);
            before.printed == after.printed
                && before.results.len() == after.results.len()
                && pairs.into_iter().all(|(x, y)| x.same_as(y))
        }
        (Err(before), Err(after)) => before.kind == after.kind && before.message == after.message,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

/// Great numbers without a sign are no places counted from the end, though a cast makes them such.
#[test]
fn great_indices_stay_failures() {
    let text = "func @f(%x: i64[3]) -> (i64[3]) {
  %1 = const [18446744073709551614] : u64[1]
  %2 = gather %x, %1 axis=0 : i64[1]
  return %x
}";
    let graph = gw_ir::text::parse(text).expect("a graph");
    let optimized = optimize(graph.clone()).expect("no bug");
    let inputs = [Array::new(DType::I64, vec![3], [1, 2, 3].map(Scalar::Int))];
    let [before, after] = [&graph, &optimized].map(|graph| run(graph, &inputs));
    assert!(before.is_err() && same(&before, &after), "{before:?} {after:?}");
}

/// Passes that write out what they make faster; one pass can open the way for another, so a second round may write out more.
const WRITING_OUT: [&str; 2] = ["unroll", "elements"];

/// The same programs in each run of the tests; `make graphs` asks for more of them, and for others each time.
fn config() -> ProptestConfig {
    let more = option_env!("GRAPHS").map(|count| count.parse().expect("a number of programs"));
    let rng_seed = if more.is_some() { RngSeed::Random } else { RngSeed::Fixed(5) };
    ProptestConfig {
        cases: more.unwrap_or(1000),
        failure_persistence: None,
        rng_seed,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn programs_keep_their_meaning(choices in proptest::collection::vec(any::<u8>(), 0..500)) {
        let program = program(&choices);
        let optimized = optimize(program.graph.clone());
        let optimized = optimized.map_err(|(pass, broken)| {
            TestCaseError::fail(format!("{pass}: {broken}\n{}", print(&program.graph)))
        })?;
        let [before, after] = [&program.graph, &optimized].map(|graph| run(graph, &program.inputs));
        prop_assert!(
            same(&before, &after),
            "{before:?}\n{after:?}\n{}\n{}", print(&program.graph), print(&optimized)
        );
    }

    #[test]
    fn what_makes_graphs_smaller_leaves_nothing_to_do(choices in proptest::collection::vec(any::<u8>(), 0..300)) {
        let once = optimize(program(&choices).graph).expect("no bug");
        let mut twice = once.clone();
        let smaller = PASSES.iter().filter(|pass| !WRITING_OUT.contains(&pass.name));
        smaller.for_each(|pass| (pass.run)(&mut twice));
        let twice = twice.compact();
        prop_assert!(twice.nodes.len() <= once.nodes.len(), "{}\n{}", print(&once), print(&twice));
    }
}

//! The optimiser keeps the meaning of random programs: same results to the last bit, same failures, same effects.

use gw_eval::{Array, EvalError, Outcome, run};
use gw_ir::text::print;
use gw_opt::optimize;
use gw_testkit::graphs::program;
use gw_types::{DType, Scalar};
use proptest::prelude::*;

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

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
    fn optimizing_again_makes_nothing_larger(choices in proptest::collection::vec(any::<u8>(), 0..300)) {
        let once = optimize(program(&choices).graph).expect("no bug");
        let count = once.nodes.len();
        let twice = optimize(once).expect("no bug");
        prop_assert!(twice.nodes.len() <= count);
    }
}

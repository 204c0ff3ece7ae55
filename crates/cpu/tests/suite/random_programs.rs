//! Random programs of branches, loops, arrays and effects do natively what they do in the reference interpreter.

use crate::support;
use gw_ir::text::print;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Number of programs: `make graphs` asks for more.
fn cases() -> u32 {
    option_env!("GRAPHS").map_or(1500, |count| count.parse().expect("a number of programs"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn random_programs_agree(choices in proptest::collection::vec(any::<u8>(), 0..400)) {
        let program = gw_testkit::graphs::program(&choices);
        support::compare(&program.graph, &program.inputs).map_err(|difference| {
            let (text, inputs) = (print(&program.graph), &program.inputs);
            TestCaseError::fail(format!("{difference}\n{text}{inputs:?}\n{}", gw_cpu::dump_loops(&program.graph)))
        })?;
    }

    #[test]
    fn optimized_programs_agree(choices in proptest::collection::vec(any::<u8>(), 0..400)) {
        let program = gw_testkit::graphs::program(&choices);
        let optimized = gw_opt::optimize(program.graph.clone()).expect("no bug");
        support::compare(&optimized, &program.inputs).map_err(|difference| {
            let (text, inputs) = (print(&optimized), &program.inputs);
            TestCaseError::fail(format!("{difference}\n{text}{inputs:?}\n{}", gw_cpu::dump_loops(&optimized)))
        })?;
    }
}

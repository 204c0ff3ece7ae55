//! Random programs of branches, loops, arrays and effects do natively what they do in the reference interpreter.

use crate::support;
use gw_ir::text::print;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_agree(choices in proptest::collection::vec(any::<u8>(), 0..400)) {
        let program = gw_testkit::graphs::program(&choices);
        support::compare(&program.graph, &program.inputs).map_err(|difference| {
            let (text, inputs) = (print(&program.graph), &program.inputs);
            TestCaseError::fail(format!("{difference}\n{text}{inputs:?}\n{}", gw_cpu::dump_loops(&program.graph)))
        })?;
    }
}

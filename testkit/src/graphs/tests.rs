//! The programs are legal, end, and read back from their text.

use super::*;
use gw_ir::text::{parse, print};
use gw_ir::{fits, verify};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(3), ..ProptestConfig::default() })]

    #[test]
    fn programs_are_legal_and_end(choices in proptest::collection::vec(any::<u8>(), 0..400)) {
        let program = program(&choices);
        prop_assert_eq!(verify(&program.graph, "testkit"), Ok(()));
        let Ok(outcome) = crate::host::run(&program.graph, &program.inputs) else { return Ok(()) };
        for (array, &value) in outcome.results.iter().zip(program.graph.results()) {
            let found = TensorType::new(array.dtype, Shape::fixed(&array.lengths));
            prop_assert!(fits(&found, program.graph.ty(value)));
        }
    }

    #[test]
    fn graphs_read_back_from_their_text(choices in proptest::collection::vec(any::<u8>(), 0..400)) {
        let program = program(&choices);
        let text = print(&program.graph);
        let read = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(print(&read), text);
        let (mine, its) = (program.graph.compact(), read);
        prop_assert_eq!(&mine.nodes, &its.nodes);
        prop_assert_eq!(&mine.regions, &its.regions);
    }

    /// Broken text is refused, not stumbled over; what still is a graph is legal.
    #[test]
    fn broken_text_is_refused(
        choices in proptest::collection::vec(any::<u8>(), 0..200),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..12), 1..4),
    ) {
        const WORDS: &[&str] =
            &["", "%", "{", "}", "[", "?", "99999999999999999999", "-1", "@9", "while", "f64", ":", "nan"];
        let mut text: Vec<char> = print(&program(&choices).graph).chars().collect();
        for (at, word) in cuts {
            let at = at.index(text.len());
            text.splice(at..(at + 1 + word % 5).min(text.len()), WORDS[word].chars());
        }
        if let Ok(graph) = parse(&text.into_iter().collect::<String>()) {
            prop_assert_eq!(verify(&graph, "text"), Ok(()));
        }
    }
}

/// Half of the programs do not fail, and half have a region.
#[test]
fn programs_are_worth_running() {
    let mut state = 1u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let programs: Vec<Program> =
        (0..100).map(|_| program(&(0..400).map(|_| byte()).collect::<Vec<_>>())).collect();
    let fine = programs.iter().filter(|p| crate::host::run(&p.graph, &p.inputs).is_ok()).count();
    let nested = programs.iter().filter(|p| p.graph.compact().regions.len() > 2).count();
    assert!(fine >= 50 && nested >= 50, "{fine} run, {nested} nest");
}

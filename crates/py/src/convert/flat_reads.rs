//! Names that a function reads, as lists and tuples, which Python can write as bytes, and back.

use gw_lower::{Chain, Parameter, Passed, Reads, Step};
use gw_syntax::Name;

/// The kind of a step, and what it says: a name, or a number.
type FlatStep = (u8, String, i64);
type FlatChain = (String, Vec<FlatStep>);
/// Called chain; position of a parameter, or its name; the chain that it is given.
type FlatPassed = (FlatChain, Option<usize>, String, FlatChain);
/// The chains, what is given to functions, what is returned and what is yielded.
pub type FlatReads = (Vec<FlatChain>, Vec<FlatPassed>, Vec<FlatChain>, Vec<FlatChain>);

const ATTRIBUTE: u8 = 0;
const TEXT: u8 = 1;
const NUMBER: u8 = 2;
const EACH: u8 = 3;
const GET: u8 = 4;
const RESULT: u8 = 5;
const STORE: u8 = 6;
const GIVEN: u8 = 7;
const ANY: u8 = 8;
const KEPT: u8 = 9;

pub fn flat(reads: &Reads) -> FlatReads {
    let chains = |chains: &[Chain]| chains.iter().map(flat_chain).collect();
    let passed = reads.passed.iter().map(flat_passed).collect();
    (chains(&reads.chains), passed, chains(&reads.returned), chains(&reads.yielded))
}

/// Rebuilds the reads that were flattened; nothing if they were not.
pub fn raised((chains, passed, returned, yielded): &FlatReads) -> Option<Reads> {
    let chains_of = |chains: &[FlatChain]| chains.iter().map(raised_chain).collect::<Option<_>>();
    let passed = passed.iter().map(raised_passed).collect::<Option<_>>()?;
    let [chains, returned, yielded] = [chains_of(chains)?, chains_of(returned)?, chains_of(yielded)?];
    Some(Reads { chains, passed, returned, yielded })
}

fn flat_chain(chain: &Chain) -> FlatChain {
    (chain.root.to_string(), chain.steps.iter().map(flat_step).collect())
}

fn flat_step(step: &Step) -> FlatStep {
    match step {
        Step::Attribute(name) => (ATTRIBUTE, name.to_string(), 0),
        Step::Text(text) => (TEXT, text.to_string(), 0),
        Step::Number(number) => (NUMBER, String::new(), *number),
        Step::Each => (EACH, String::new(), 0),
        Step::Get(text) => (GET, text.to_string(), 0),
        Step::Result => (RESULT, String::new(), 0),
        Step::Store(name) => (STORE, name.to_string(), 0),
        Step::Given => (GIVEN, String::new(), 0),
        Step::Any => (ANY, String::new(), 0),
        Step::Kept => (KEPT, String::new(), 0),
    }
}

fn flat_passed(passed: &Passed) -> FlatPassed {
    let (at, name) = match &passed.to {
        Parameter::At(position) => (Some(*position), String::new()),
        Parameter::Named(name) => (None, name.to_string()),
    };
    (flat_chain(&passed.callee), at, name, flat_chain(&passed.given))
}

fn raised_chain((root, steps): &FlatChain) -> Option<Chain> {
    Some(Chain { root: Name::from(&**root), steps: steps.iter().map(raised_step).collect::<Option<_>>()? })
}

fn raised_step((kind, text, number): &FlatStep) -> Option<Step> {
    match *kind {
        ATTRIBUTE => Some(Step::Attribute(Name::from(&**text))),
        TEXT => Some(Step::Text(Name::from(&**text))),
        NUMBER => Some(Step::Number(*number)),
        EACH => Some(Step::Each),
        GET => Some(Step::Get(Name::from(&**text))),
        RESULT => Some(Step::Result),
        STORE => Some(Step::Store(Name::from(&**text))),
        GIVEN => Some(Step::Given),
        ANY => Some(Step::Any),
        KEPT => Some(Step::Kept),
        _ => None,
    }
}

fn raised_passed((callee, at, name, given): &FlatPassed) -> Option<Passed> {
    let to = at.map_or_else(|| Parameter::Named(Name::from(&**name)), Parameter::At);
    Some(Passed { callee: raised_chain(callee)?, to, given: raised_chain(given)? })
}

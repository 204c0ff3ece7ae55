//! The graph that a program leaves, and what the interpreter of graphs makes of it.

use gw_eval::{Array, Failure};
use gw_ir::CheckKind;
use gw_trace::Host;
use gw_types::{DType, Scalar};

use crate::host::Failed;
use crate::program::{Contents, Step, Stop, plain};
use crate::staged::Run;

/// The result of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    With(Contents),
    Raised(CheckKind),
    /// The graph cannot hold it, for a reason.
    Refused(String),
}

/// The text of the graph of a program.
pub fn graph(program: &[Step], begins: &Contents) -> String {
    let run = Run::new(begins);
    match run.steps(program).and_then(|()| run.results()) {
        Ok((results, _)) => gw_ir::text::print(&run.toy.trace.finish(results)),
        Err(Failed::Refused(diagnostic)) => format!("{diagnostic}\n"),
        Err(Failed::Raised(kind, text)) => format!("{kind:?}: {text}\n"),
    }
}

/// Runs a program as a graph, for each of some parameters.
pub fn run(program: &[Step], begins: &Contents, parameters: &[i64]) -> Vec<Ended> {
    let run = Run::new(begins);
    let ended = |ended: Ended| vec![ended; parameters.len()];
    let (results, counts) = match run.steps(program).and_then(|()| run.results()) {
        Ok(results) => results,
        // The graph raises in place of the program, behind what may fail before.
        Err(error @ Failed::Raised(..)) if run.toy.raises(&error) => (Vec::new(), [0; 4]),
        Err(Failed::Raised(kind, _)) => return ended(Ended::Raised(kind)),
        Err(Failed::Refused(diagnostic)) => return ended(Ended::Refused(diagnostic.message)),
    };
    let graph = run.toy.trace.finish(results);
    gw_ir::verify(&graph, "trace").expect("staging makes legal graphs");
    let once = |&n: &i64| {
        // A program that takes too long in plain Rust does so as a graph.
        if plain(program, begins, n) == Err(Stop::Endless) {
            return Ended::Refused("it takes too long".to_owned());
        }
        match gw_eval::run(&graph, &[Array::scalar(DType::I64, Scalar::Int(n))]) {
            Ok(outcome) => Ended::With(contents(&outcome.results, counts)),
            Err(error) => Ended::Raised(kind_of(error.kind)),
        }
    };
    parameters.iter().map(once).collect()
}

fn kind_of(failure: Failure) -> CheckKind {
    match failure {
        Failure::IndexOutOfRange => CheckKind::Index,
        Failure::Value => CheckKind::Value,
        Failure::Key => CheckKind::Key,
        other => panic!("the graph fails with {other:?}"),
    }
}

fn contents(results: &[Array], counts: [usize; 4]) -> Contents {
    let numbers = |array: &Array| array.elements.iter().map(|number| number.to_i64()).collect::<Vec<_>>();
    let mut columns = results[1..].iter();
    let mut next = |count: usize| columns.by_ref().take(count).map(numbers).collect::<Vec<_>>();
    let [xs, ys, pairs, set] = counts.map(&mut next);
    let only = |columns: Vec<Vec<i64>>| columns.into_iter().next().unwrap_or_default();
    let pairs = match &pairs[..] {
        [keys, values] => keys.iter().copied().zip(values.iter().copied()).collect(),
        _ => Vec::new(),
    };
    Contents { acc: results[0].first().to_i64(), lists: [only(xs), only(ys)], pairs, set: only(set) }
}

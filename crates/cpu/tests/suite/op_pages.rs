//! The examples of the pages in `docs/ops` hold in native code, within the pages' error bounds.

use crate::support;
use gw_eval::{Array, EvalError, Failure as Wanted, Outcome};
use gw_ir::{Graph, Op};
use gw_runtime::Failure;
use gw_testkit::pages::{check, read};

fn native(graph: &Graph, inputs: &[Array]) -> Result<Outcome, EvalError> {
    support::native(graph, inputs).map_err(|(error, _)| EvalError {
        kind: match error.failure {
            Failure::ZeroDivision => Wanted::ZeroDivision,
            Failure::IndexOutOfRange => Wanted::IndexOutOfRange,
            Failure::ShapeMismatch => Wanted::ShapeMismatch,
            Failure::UnboundLocal => Wanted::UnboundLocal,
            Failure::Name => Wanted::Name,
            Failure::Assertion => Wanted::Assertion,
            Failure::Value => Wanted::Value,
            Failure::Overflow => Wanted::Overflow,
            Failure::Type => Wanted::Type,
            Failure::Recursion => Wanted::Recursion,
            Failure::Key => Wanted::Key,
            Failure::Runtime => Wanted::Runtime,
            Failure::Argument => Wanted::Argument,
            Failure::OutOfMemory | Failure::Interrupted | Failure::Host(_) => panic!("{}", error.message),
        },
        message: error.message,
        place: error.place,
    })
}

/// A way to run a graph.
type Way<'a> = &'a dyn Fn(&Graph, &[Array]) -> Result<Outcome, EvalError>;

fn wrong(way: Way) -> Vec<String> {
    let page = |op: &Op| {
        let path = format!("{}/../../docs/ops/{}.md", env!("CARGO_MANIFEST_DIR"), op.text());
        read(&std::fs::read_to_string(path).expect("every op has a page")).expect("a page")
    };
    Op::ALL.iter().flat_map(|op| check(&page(op), way)).collect()
}

#[test]
fn every_line_is_true_natively() {
    let wrong = wrong(&native);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

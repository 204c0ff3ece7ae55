//! Branches and loops of the graph, on the blocks of the program.

use crate::containers::lists::placed;
use crate::effects::fixpoint;
use crate::effects::places::PyState;
use crate::effects::watch::guarded;
use crate::exceptions::errors::{self, Failed};
use crate::host::PyHost;
use crate::host::checks::{staged_test, test_of};
use crate::operators::{Decides, decides, tested};
use crate::session::{Tracing, recursion_limit};
use gw_base::Code;
use gw_ir::ValueId;
use gw_trace::{Host, Seen, go_on, if_, while_};
use gw_types::Scalar;
use pyo3::prelude::*;
use std::sync::Arc;

/// `if test: body() else: orelse()`, which run the user's functions `blocks`.
pub fn branch<'py>(
    test: &Bound<'py, PyAny>,
    [body, orelse]: [&Bound<'py, PyAny>; 2],
    state: &PyState<'_, 'py>,
    blocks: &[&Bound<'py, PyAny>],
) -> PyResult<()> {
    let (py, test) = (test.py(), &tested(test)?);
    match decides(test)? {
        Decides::Python => recursion_limit::call(if test.is_truthy()? { body } else { orelse }, ()).map(drop),
        Decides::Graph(tracing, staged) => {
            let test = test_of(py, &tracing, staged)?;
            let host = PyHost::new(py, tracing).with_blocks(&[body, orelse]);
            let slots = state.slots()?;
            let branches = placed::Branches::new(host.tracing());
            let [body, orelse] = [body, orelse].map(|block| {
                || {
                    branches.begin();
                    run(block)
                }
            });
            guarded(py, Code::BranchesDisagree, Some((state, &slots)), blocks, |watch| {
                fixpoint::staged(&host, watch, state, &slots, &|state, slots| {
                    if_(&host, test, slots, state, [&body, &orelse])
                })
            })
        }
        Decides::Backend(backend) => {
            backend.statement("if_stmt", Code::BranchesDisagree, &[test, body, orelse], state, blocks)
        }
    }
}

/// `while test(): body()` in the graph, whose first test gave `go`. A loop that is `rolled` ends when the graph says so: a
/// test that Python answers would hold for ever.
pub fn graph_while<'py>(
    tracing: Arc<Tracing>,
    go: ValueId,
    [test, body]: [&Bound<'py, PyAny>; 2],
    state: &PyState<'_, 'py>,
    blocks: &[&Bound<'py, PyAny>],
    rolled: bool,
) -> PyResult<()> {
    let host = PyHost::new(test.py(), tracing).with_blocks(&[body]);
    let slots = state.slots()?;
    let again = || if rolled { staged_answer(test) } else { answer(&host, test) };
    guarded(test.py(), Code::LoopChangesObject, Some((state, &slots)), blocks, |watch| {
        fixpoint::staged(&host, watch, state, &slots, &|state, slots| {
            while_(&host, go, slots, state, &again, &|| run(body))
        })
    })
}

/// Runs a block of a statement.
pub fn run(block: &Bound<'_, PyAny>) -> Result<(), Failed> {
    recursion_limit::call(block, ())?;
    Ok(())
}

/// The answer of a test to "go on?".
pub fn answer(host: &PyHost<'_>, test: &Bound<'_, PyAny>) -> Result<ValueId, Failed> {
    let value = tested(&test.call0()?)?;
    if let Some((_, go)) = staged_test(&value)? {
        return Ok(go);
    }
    let go = Seen::Number(Scalar::Bool(value.is_truthy()?));
    Ok(go_on(host.trace(), go).expect("a bool answers"))
}

/// The same, of a test that only the graph may answer.
fn staged_answer(test: &Bound<'_, PyAny>) -> Result<ValueId, Failed> {
    let value = tested(&test.call0()?)?;
    let refused = || errors::here(test.py(), Code::EndlessLoop, "Python answers the test of this loop", "");
    Ok(staged_test(&value)?.map(|(_, go)| go).ok_or_else(refused)?)
}

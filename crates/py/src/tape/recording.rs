//! Recording by gradient tapes, for those whose work is recorded: the tapes themselves are built on them, so what tapes do is
//! made known when the module is.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use graphwright::EagerArg;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::Call;
use pyo3::prelude::*;

use crate::session::Tracing;
use crate::values::variable_cell::Cell;

/// The work of tapes.
#[derive(Debug, Clone, Copy)]
pub struct Recorder {
    /// Records an eager call that has run; gives its result as one that nothing else is.
    pub ran: fn(Python<'_>, &Call, &[EagerArg], Buffer) -> PyResult<Buffer>,
    /// Watches a variable whose value was read outside of graphs.
    pub met: fn(&Arc<Cell>, &Buffer),
    /// Watches a variable whose value was read in a graph that is being built.
    pub met_in_graph: fn(&Arc<Cell>, &Arc<Tracing>, Staged),
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();

thread_local! {
    /// The tapes that record what this thread runs, the innermost last.
    static RECORDING: RefCell<Vec<Py<PyAny>>> = const { RefCell::new(Vec::new()) };
    /// The variables that were read, for each function that wants to know, the innermost last.
    static READ: RefCell<Vec<Vec<Read>>> = const { RefCell::new(Vec::new()) };
}

/// True once a tape has recorded: calls of programs without tapes need not look at what their thread has.
static HAVE_RECORDED: AtomicBool = AtomicBool::new(false);

/// A variable that a tape watches, and was read.
#[derive(Debug, Clone)]
pub struct Read {
    /// Cell of the variable.
    pub cell: Arc<Cell>,
    /// The value that it held, outside of graphs.
    pub value: Option<Buffer>,
}

/// Makes the work of tapes known.
pub fn register(recorder: Recorder) {
    let _ = RECORDER.set(recorder);
}

/// The work of tapes, while one records what this thread runs.
fn recorder() -> Option<&'static Recorder> {
    RECORDER.get().filter(|_| is_recording())
}

/// True if a tape records what this thread runs.
pub fn is_recording() -> bool {
    HAVE_RECORDED.load(Ordering::Relaxed) && RECORDING.with_borrow(|tapes| !tapes.is_empty())
}

/// The tapes that record what this thread runs, the innermost last.
pub fn tapes(py: Python<'_>) -> Vec<Py<PyAny>> {
    RECORDING.with_borrow(|tapes| tapes.iter().map(|tape| tape.clone_ref(py)).collect())
}

/// True if a tape records what this thread runs.
pub fn records(tape: &Bound<'_, PyAny>) -> bool {
    RECORDING.with_borrow(|tapes| tapes.iter().any(|other| other.is(tape)))
}

/// Begins to record with a tape.
pub fn begin(tape: &Bound<'_, PyAny>) {
    HAVE_RECORDED.store(true, Ordering::Relaxed);
    RECORDING.with_borrow_mut(|tapes| tapes.push(tape.clone().unbind()));
}

/// Ends to record with a tape.
pub fn end(tape: &Bound<'_, PyAny>) {
    RECORDING.with_borrow_mut(|tapes| tapes.retain(|other| !other.is(tape)));
}

/// Runs work that the tapes around do not record.
pub fn apart<T>(run: impl FnOnce() -> T) -> T {
    let tapes = if is_recording() { RECORDING.take() } else { Vec::new() };
    let result = run();
    if !tapes.is_empty() {
        drop(RECORDING.replace(tapes));
    }
    result
}

/// Runs work, with which the tapes end that it began: one that fails while a graph is built may leave some.
pub fn within<T>(run: impl FnOnce() -> T) -> T {
    let before = RECORDING.with_borrow(Vec::len);
    let result = run();
    let left = RECORDING.with_borrow_mut(|tapes| tapes.split_off(before.min(tapes.len())));
    // A tape that is freed runs code of Python's.
    drop(left);
    result
}

/// Runs something; gives the variables that it read, too, each once.
pub fn reading<T>(run: impl FnOnce() -> T) -> (T, Vec<Read>) {
    READ.with_borrow_mut(|all| all.push(Vec::new()));
    let result = run();
    (result, READ.with_borrow_mut(Vec::pop).unwrap_or_default())
}

fn note_read(cell: &Arc<Cell>, value: Option<&Buffer>) {
    if !cell.trainable {
        return;
    }
    READ.with_borrow_mut(|all| {
        for read in all.iter_mut().filter(|read| !read.iter().any(|one| Arc::ptr_eq(&one.cell, cell))) {
            read.push(Read { cell: cell.clone(), value: value.cloned() });
        }
    });
}

/// A variable's value was read outside of graphs.
pub fn met(cell: &Arc<Cell>, value: &Buffer) {
    note_read(cell, Some(value));
    if let Some(recorder) = recorder().filter(|_| cell.trainable) {
        (recorder.met)(cell, value);
    }
}

/// A variable's value was read in a graph that is being built.
pub fn met_in_graph(cell: &Arc<Cell>, tracing: &Arc<Tracing>, value: Staged) {
    note_read(cell, None);
    if let Some(recorder) = recorder().filter(|_| cell.trainable) {
        (recorder.met_in_graph)(cell, tracing, value);
    }
}

/// An eager call has run; gives its result, as one that nothing else is if a tape records it.
pub fn ran(py: Python<'_>, call: &Call, args: &[EagerArg], result: Buffer) -> PyResult<Buffer> {
    match recorder() {
        Some(recorder) => (recorder.ran)(py, call, args, result),
        None => Ok(result),
    }
}

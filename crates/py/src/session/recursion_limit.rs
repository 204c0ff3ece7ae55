//! The frames that blocks take: the body of a staged statement runs as a function of its own, which Python counts as one call
//! more. The recursion limit grows by as many, so a converted function may call itself as often as the plain one.
//!
//! It grows and shrinks in steps, so that most blocks cost a count alone. A limit that the program sets meanwhile stays.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRecursionError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The limit grows by so many.
const STEP: usize = 16;

/// Bytes of stack that the blocks of a step and what stands between them need at most.
const LEAST_STACK: usize = 1 << 19;

thread_local! {
    /// The number of blocks that this thread is in.
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
    /// By how many it has raised the limit.
    static RAISED: Cell<usize> = const { Cell::new(0) };
}

/// Calls a block.
pub fn call<'py>(block: &Bound<'py, PyAny>, args: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    let (blocks, raised) = (BLOCKS.get() + 1, RAISED.get());
    let _inside = Inside::enter(blocks);
    if raised >= blocks + STEP {
        lower(block.py(), blocks);
    }
    if blocks < raised + STEP {
        return block.call1(args);
    }
    let py = block.py();
    if limit::change(py, true) {
        RAISED.set(raised + STEP);
    }
    let called = match gw_runtime::remaining_stack() {
        Some(left) if left < LEAST_STACK => on_more_stack(py, || block.call1(args)),
        Some(_) | None => block.call1(args),
    };
    lower(py, blocks - STEP);
    called
}

/// Lowers the limit to what so many blocks need. Python refuses that where the program itself is near to its limit: then a
/// block further out does it.
fn lower(py: Python<'_>, blocks: usize) {
    while RAISED.get() >= blocks + STEP && limit::change(py, false) {
        RAISED.set(RAISED.get() - STEP);
    }
}

/// Runs `call` on another stack, or raises where Python itself checks how much of its own stack is left, which no
/// other stack serves.
fn on_more_stack<'py>(
    py: Python<'py>,
    call: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if py.version_info() >= (3, 12) {
        return Err(PyRecursionError::new_err("maximum recursion depth exceeded"));
    }
    graphwright::with_room(usize::MAX, call)
}

/// While it lives, this thread is in a block more.
struct Inside(usize);

impl Inside {
    fn enter(blocks: usize) -> Self {
        BLOCKS.set(blocks);
        Self(blocks)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        BLOCKS.set(self.0 - 1);
    }
}

/// Python's recursion limit, which is one for all threads.
mod limit {
    use super::{
        Bound, Mutex, PoisonError, Py, PyAny, PyAnyMethods, PyOnceLock, PyResult, Python, STEP, intern,
    };

    /// By how much it is greater than the program's, and what it is then.
    static ADDED: Mutex<(usize, usize)> = Mutex::new((0, 0));

    /// Makes it greater or smaller by a step; false where Python does not let it. One that the program has set since is the
    /// program's.
    pub fn change(py: Python<'_>, up: bool) -> bool {
        let mut added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(now) = get(py) else { return false };
        if now != added.1 {
            *added = (0, now);
        }
        let wanted = match up {
            true => (added.0 + STEP, now + STEP),
            false if added.0 >= STEP => (added.0 - STEP, now - STEP),
            false => return true,
        };
        let done = set(py, wanted.1).is_ok();
        if done {
            *added = wanted;
        }
        done
    }

    fn get(py: Python<'_>) -> PyResult<usize> {
        sys(py)?.call_method0(intern!(py, "getrecursionlimit"))?.extract()
    }

    fn set(py: Python<'_>, limit: usize) -> PyResult<()> {
        sys(py)?.call_method1(intern!(py, "setrecursionlimit"), (limit,)).map(drop)
    }

    fn sys(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
        static SYS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        Ok(SYS.get_or_try_init(py, || py.import("sys").map(|sys| sys.into_any().unbind()))?.bind(py))
    }
}

//! The depth of staged statements in each other: a function that calls itself where a tensor decides never ends tracing,
//! and a long chain of `elif` needs stack for each of its conditions.

use std::cell::Cell;
use std::collections::HashMap;

use gw_base::Code;
use pyo3::exceptions::PyRecursionError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::session::top_frame::top_frame;
use crate::session::{self, frames};

/// From this depth on it is looked for a function that calls itself, which would run out of stack.
const DEEP: usize = 100;

/// So many levels further it is looked for again.
const STEP: usize = 25;

/// A function that runs so many times at once calls itself.
const CALLS: usize = 3;

/// Bytes of stack that a statement and what stands in it needs at least.
const LEAST_STACK: usize = 1 << 20;

/// So many of Python's frames are left to what a statement calls.
const LEAST_FRAMES: usize = 50;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The statements among them that are no branch or loop.
    static TRIES: Cell<usize> = const { Cell::new(0) };
}

/// True if a tensor decides whether what is traced now runs.
pub fn is_decided() -> bool {
    DEPTH.get() > TRIES.get()
}

/// While it lives, this thread is in one `try` more.
#[derive(Debug)]
pub struct InTry;

impl InTry {
    pub fn enter() -> Self {
        TRIES.set(TRIES.get() + 1);
        InTry
    }
}

impl Drop for InTry {
    fn drop(&mut self) {
        TRIES.set(TRIES.get() - 1);
    }
}

/// While it lives, this thread is one staged statement deeper.
#[derive(Debug)]
pub struct Deeper;

impl Deeper {
    /// One deeper; an error where that is too deep.
    pub fn enter(py: Python<'_>) -> PyResult<Self> {
        let depth = DEPTH.get() + 1;
        if depth > DEEP {
            check(py, depth)?;
        }
        DEPTH.set(depth);
        Ok(Deeper)
    }
}

impl Drop for Deeper {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// The error of a chain that Python has no room for, in place of Python's own; any other error as it is.
pub fn instead(error: PyErr, py: Python<'_>) -> PyErr {
    let depth = DEPTH.get();
    let is_pythons = error.is_instance_of::<PyRecursionError>(py) && errors::code_of(py, &error).is_none();
    if depth > DEEP && is_pythons { too_deep(py, depth) } else { error }
}

/// An error in a function that calls itself, and where Python or the stack has no room for more.
fn check(py: Python<'_>, depth: usize) -> PyResult<()> {
    let is_short = gw_runtime::remaining_stack().is_some_and(|left| left < LEAST_STACK);
    if !is_short && !(depth - DEEP - 1).is_multiple_of(STEP) {
        return Ok(());
    }
    let frames = Frames::of(py)?;
    if frames.calls >= CALLS {
        return Err(session::current().and_then(|tracing| tracing.way_on(py)).unwrap_or_else(|| endless(py)));
    }
    let most: usize =
        py.import(intern!(py, "sys"))?.call_method0(intern!(py, "getrecursionlimit"))?.extract()?;
    if is_short || frames.count * (depth + STEP) / depth + LEAST_FRAMES > most {
        return Err(too_deep(py, depth));
    }
    Ok(())
}

/// Python's frames.
struct Frames {
    count: usize,
    /// Number of frames of the code that has most of the frames of the traced function.
    calls: usize,
}

impl Frames {
    fn of(py: Python<'_>) -> PyResult<Self> {
        let mut running: HashMap<usize, usize> = HashMap::new();
        for frame in frames::users_frames(py) {
            *running.entry(frame.getattr(intern!(py, "f_code"))?.as_ptr() as usize).or_default() += 1;
        }
        let calls = running.into_values().max().unwrap_or(0);
        let mut count = 0;
        let mut next = top_frame(py);
        while let Some(frame) = next.filter(|frame| !frame.is_none()) {
            count += 1;
            next = Some(frame.getattr(intern!(py, "f_back"))?);
        }
        Ok(Self { count, calls })
    }
}

fn endless(py: Python<'_>) -> PyErr {
    let message = "a function calls itself where a tensor decides whether it does, each time with arguments of another \
                   kind, so tracing it would not end";
    let help = "give it arguments of the same structure, objects and texts each time, or write a loop";
    errors::here(py, Code::EndlessCalls, message, help)
}

fn too_deep(py: Python<'_>, depth: usize) -> PyErr {
    let message = format!(
        "{depth} conditions or loops of tensors stand in each other here, and there is no room for more"
    );
    let help = "split the chain: a long chain of `elif` can be an index into a tensor, `gw.constant(values)[i]`, or \
                several functions";
    errors::here(py, Code::TooDeep, message, help)
}

//! How deep staged statements stand in each other: a function that calls itself where a tensor decides never ends tracing.

use std::cell::Cell;

use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;

use crate::recursion;

/// Nobody nests so many statements; a function that calls itself does, and would run out of stack.
const DEEPEST: usize = 100;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// While it lives, this thread is one staged statement deeper.
#[derive(Debug)]
pub struct Deeper;

impl Deeper {
    /// One deeper; an error where that is too deep.
    pub fn enter(py: Python<'_>) -> PyResult<Self> {
        let depth = DEPTH.get() + 1;
        if depth > DEEPEST {
            return Err(recursion::widened(py).unwrap_or_else(too_deep));
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

fn too_deep() -> PyErr {
    PyRecursionError::new_err(
        "a function calls itself where a tensor decides whether it does, each time with arguments of other kinds, so \
         tracing it would not end; write a loop",
    )
}

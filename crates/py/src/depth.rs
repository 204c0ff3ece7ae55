//! How deep staged statements stand in each other: a function that calls itself where a tensor decides never ends tracing.

use std::cell::Cell;

use gw_base::Code;
use pyo3::prelude::*;

use crate::{errors, recursion};

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
            return Err(recursion::widened(py).unwrap_or_else(|| too_deep(py)));
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

fn too_deep(py: Python<'_>) -> PyErr {
    let message = "a function calls itself where a tensor decides whether it does, each time with arguments of another \
                   kind, so tracing it would not end";
    let help = "give it arguments of the same structure, objects and texts each time, or write a loop";
    errors::here(py, Code::EndlessCalls, message, help)
}

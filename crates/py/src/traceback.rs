//! Tracebacks with the user's lines alone: where a block of a function was run by an operator, the entry of the statement
//! is dropped in favour of the line inside it, and frames of this package are dropped.

use pyo3::prelude::*;
use pyo3::types::PyTraceback;

use crate::convert;

/// How many errors that led to one another are looked at; each may have been raised while another was handled.
const LONGEST_CHAIN: usize = 100;

/// The same error with the entries of our making taken out of its traceback, and of those that led to it.
pub fn trim(py: Python<'_>, error: PyErr) -> PyErr {
    if let Ok(traceback) = trimmed(py, &error) {
        error.set_traceback(py, traceback);
    }
    let before = |error: &PyErr| error.cause(py).or_else(|| error.context(py));
    let mut next = before(&error);
    for _ in 0..LONGEST_CHAIN {
        let Some(one) = next else { break };
        // Errors that are only referred to keep their traceback in the exception object alone.
        if let Ok(traceback) = trimmed(py, &one)
            && one.value(py).setattr("__traceback__", traceback).is_err()
        {
            break;
        }
        next = before(&one);
    }
    error
}

fn trimmed<'py>(py: Python<'py>, error: &PyErr) -> PyResult<Option<Bound<'py, PyTraceback>>> {
    let mut entries = Vec::new();
    let mut next = error.traceback(py).map(Bound::into_any);
    while let Some(entry) = next.filter(|e| !e.is_none()) {
        next = Some(entry.getattr("tb_next")?);
        entries.push(entry);
    }
    let make = py.import("types")?.getattr("TracebackType")?;
    let mut chain = py.None().into_bound(py);
    let mut below_is_block = false;
    for entry in entries.iter().rev() {
        let frame = entry.getattr("tb_frame")?;
        let code = frame.getattr("f_code")?;
        if !below_is_block {
            chain = make.call1((chain, frame, entry.getattr("tb_lasti")?, entry.getattr("tb_lineno")?))?;
        }
        below_is_block = convert::is_block(&code)?;
    }
    Ok(chain.cast_into::<PyTraceback>().ok())
}

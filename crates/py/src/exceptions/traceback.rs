//! Tracebacks with the user's lines alone: where a block of a function was run by an operator, the entry of the statement
//! is dropped in favour of the line inside it; entries of this package are dropped; and what failed in native code gets
//! the entries that it would have had in Python.

use std::sync::atomic::{AtomicBool, Ordering};

use gw_base::{Broken, Loc};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTraceback, PyTuple};

use crate::convert;
use crate::exceptions::{errors, traceback};
use crate::session::own_files;

/// The number of errors that led to one another and are looked at; each may have been raised while another was handled.
const LONGEST_CHAIN: usize = 100;

/// True if tracebacks keep the entries of this package.
static FULL: AtomicBool = AtomicBool::new(false);

/// The same error with the entries of our making taken out of its traceback, and of those that led to it.
pub fn trim(py: Python<'_>, error: PyErr) -> PyErr {
    if FULL.load(Ordering::Relaxed) {
        return error;
    }
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
    let mut chain = None;
    let mut below: Option<Bound<'py, PyAny>> = None;
    for entry in entries.iter().rev() {
        let code = entry.getattr("tb_frame")?.getattr("f_code")?;
        let file: String = code.getattr("co_filename")?.extract()?;
        if own_files::is_ours(py, &file) {
            continue;
        }
        if !below.is_some_and(|below| is_block_of(&below, &code).unwrap_or(false)) {
            chain = Some(over(entry, chain)?);
        }
        below = Some(code);
    }
    Ok(chain)
}

/// True if code is a block of a statement of `around`; a traceback that was trimmed already stays as it is.
fn is_block_of(code: &Bound<'_, PyAny>, around: &Bound<'_, PyAny>) -> PyResult<bool> {
    let constants = around.getattr("co_consts")?;
    if convert::is_block(code)? && traceback::is_rest_of_try(around)? {
        return Ok(true);
    }
    Ok(convert::is_block(code)? && constants.try_iter()?.any(|constant| constant.is_ok_and(|c| c.is(code))))
}

/// A copy of an entry, on top of those that it called.
fn over<'py>(
    entry: &Bound<'py, PyAny>,
    next: Option<Bound<'py, PyTraceback>>,
) -> PyResult<Bound<'py, PyTraceback>> {
    let make = entry.py().import("types")?.getattr("TracebackType")?;
    let [frame, instruction, line] = ["tb_frame", "tb_lasti", "tb_lineno"].map(|name| entry.getattr(name));
    Ok(make.call1((next, frame?, instruction?, line?))?.cast_into()?)
}

/// Trims the exception that is handled now, before the user's `except` can look at it.
pub fn trim_caught(py: Python<'_>) -> PyResult<()> {
    let value = py.import("sys")?.call_method0("exc_info")?.get_item(1)?;
    if !value.is_none() && !FULL.load(Ordering::Relaxed) {
        let traceback = trimmed(py, &PyErr::from_value(value.clone()))?;
        value.setattr("__traceback__", traceback)?;
    }
    Ok(())
}

/// Gives an error of native code the entries of its place and of the calls that led there.
pub fn place(py: Python<'_>, error: &PyErr, place: &Loc) {
    if let Ok(Some(traceback)) = entries(py, place, error.traceback(py)) {
        error.set_traceback(py, Some(traceback));
    }
}

/// The entries of a place and of the calls that led there, on top of those that it called.
pub fn entries<'py>(
    py: Python<'py>,
    place: &Loc,
    below: Option<Bound<'py, PyTraceback>>,
) -> PyResult<Option<Bound<'py, PyTraceback>>> {
    let mut chain = below;
    let mut next = Some(place);
    while let Some(at) = next {
        let Some(within) = &at.within else { break };
        chain = Some(over(&entry(py, at, &within.function)?, chain)?);
        next = within.caller.as_ref();
    }
    Ok(chain)
}

/// The entry of code that fails at a place: its one name has no value.
fn entry<'py>(py: Python<'py>, at: &Loc, function: &str) -> PyResult<Bound<'py, PyAny>> {
    // CPython 3.11 counts the depth of trees that it parses over all threads, and fails where two of them parse at once.
    let ast = py.import("ast")?;
    let name = ast.call_method1("Name", ("_", ast.call_method0("Load")?))?;
    let stmt = ast.call_method1("Expr", (&name,))?;
    let tree = ast.call_method1("Module", (vec![&stmt], Vec::<Py<PyAny>>::new()))?;
    for node in [&stmt, &name] {
        node.setattr("lineno", at.line)?;
        node.setattr("end_lineno", at.end_line)?;
        node.setattr("col_offset", at.column)?;
        node.setattr("end_col_offset", at.end_column)?;
    }
    let builtins = py.import("builtins")?;
    let code = builtins.getattr("compile")?.call1((tree, &*at.file, "exec"))?;
    let named = PyDict::new(py);
    named.set_item("co_name", function)?;
    let code = code.call_method("replace", (), Some(&named))?;
    let nothing = PyDict::new(py);
    nothing.set_item("__builtins__", PyDict::new(py))?;
    match builtins.getattr("exec")?.call1((code, nothing)) {
        Err(error) => Ok(error.traceback(py).map_or_else(|| py.None().into_bound(py), Bound::into_any)),
        Ok(_) => Err(errors::broken(&Broken::new("convert", "a name without a value has one"))),
    }
}

/// True if tracebacks show the entries of this package and of the statements that it runs.
#[pyfunction]
pub fn full_tracebacks(on: bool) {
    FULL.store(on, Ordering::Relaxed);
}

/// True if code is all but the body of a `try` that the graph knows: Python is in no other `with` or `try` there.
pub fn is_rest_of_try(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let names = code.getattr("co_varnames")?.cast_into::<PyTuple>()?;
    let first = names.iter().next().map(|name| name.extract::<String>()).transpose()?;
    Ok(first.is_some_and(|name| name.starts_with("outcome_")) && convert::is_block(code)?)
}

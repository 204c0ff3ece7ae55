//! Exceptions of the user's own where a tensor decides what runs: all of it is traced, so they are raised whether or not
//! the graph would get there.

use gw_base::{Code, Diagnostic, Loc};
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::{current, errors};

/// The exception that stops a branch or loop. What the user's own `raise` throws becomes GW114; any other, such as a
/// mistake in the branch, stays itself with a note.
pub fn in_graph(error: PyErr, place: Option<&Loc>, py: Python<'_>) -> PyResult<PyErr> {
    if errors::code_of(py, &error).is_some() {
        return Ok(error);
    }
    let Some(at) = raise_of(&error, py)? else {
        note(&error, place, py)?;
        return Ok(error);
    };
    let kind = error.get_type(py).name()?;
    let message = format!("`{kind}` is raised here, but a tensor decides whether it is");
    let help = "write `assert` for what must hold when the graph runs, or give the branch a value";
    let found =
        Diagnostic::new(Code::RaisedInGraph, message).at(at, "raised whenever this is traced").help(help);
    Ok(errors::raise(&with(found, place, "a tensor decides this")))
}

/// What to say if the function catches an exception that stopped a branch or loop.
pub fn caught(error: &PyErr, place: Option<&Loc>, py: Python<'_>) -> PyResult<Diagnostic> {
    let kind = error.get_type(py).name()?;
    let message =
        format!("`{kind}` was raised in this statement and caught, but a tensor decides whether it runs");
    let help = "say in the branch itself what the `except` does, or use `assert` for what must hold";
    Ok(with(Diagnostic::new(Code::CaughtInGraph, message).help(help), place, "this is in the graph"))
}

fn with(diagnostic: Diagnostic, place: Option<&Loc>, text: &str) -> Diagnostic {
    match place {
        Some(place) => diagnostic.at(place.clone(), text),
        None => diagnostic,
    }
}

/// Where the user's own `raise`, or an `assert` of what Python knows, threw the exception; none if something else did.
fn raise_of(error: &PyErr, py: Python<'_>) -> PyResult<Option<Loc>> {
    let mut next = error.traceback(py).map(Bound::into_any);
    let mut last = None;
    while let Some(entry) = next.filter(|e| !e.is_none()) {
        next = Some(entry.getattr("tb_next")?);
        last = Some(entry);
    }
    let Some(last) = last else { return Ok(None) };
    let frame = last.getattr("tb_frame")?;
    if !is_users(&frame)? || !(error.is_instance_of::<PyAssertionError>(py) || is_raise(&last, &frame)?) {
        return Ok(None);
    }
    Ok(current::raised_at(&last))
}

fn is_raise(entry: &Bound<'_, PyAny>, frame: &Bound<'_, PyAny>) -> PyResult<bool> {
    // It is -1 for a generator that has not begun.
    let at: i64 = entry.getattr("tb_lasti")?.extract()?;
    let code = frame.getattr("f_code")?.getattr("co_code")?;
    let raise: u8 = entry.py().import("opcode")?.getattr("opmap")?.get_item("RAISE_VARARGS")?.extract()?;
    Ok(code.cast::<PyBytes>()?.as_bytes().get(usize::try_from(at).unwrap_or(usize::MAX)) == Some(&raise))
}

/// Whether a frame runs the user's code: not NumPy's or the standard library's.
fn is_users(frame: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = frame.getattr("f_globals")?.call_method1("get", ("__name__", ""))?.to_string();
    let root = module.split('.').next().unwrap_or_default();
    let standard = frame.py().import("sys")?.getattr("stdlib_module_names")?;
    Ok(root == "__main__" || (root != "numpy" && !standard.contains(root)?))
}

/// Says of an exception that what raised it may not run in the graph.
fn note(error: &PyErr, place: Option<&Loc>, py: Python<'_>) -> PyResult<()> {
    let value = error.value(py);
    let (Some(place), Some(add)) = (place, value.getattr_opt("add_note")?) else { return Ok(()) };
    if value.hasattr("__notes__")? {
        return Ok(());
    }
    let text = format!(
        "raised while the graph was built: a tensor decides what {}:{} runs, so all of it was traced; \
         to check a value when the graph runs, use `assert`",
        place.file, place.line
    );
    add.call1((text,)).map(drop)
}

//! The frames that Python runs, and the places in the user's text that they are at.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use gw_base::{Loc, Within};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::is_block;
use crate::session;
use crate::session::own_files::{is_made, is_ours};
use crate::session::positions::{Position, positions};
use crate::session::top_frame::top_frame;

thread_local! {
    /// Knowledge of code objects, by their addresses, and how many tracings had ended then: the objects go with their tracing.
    static KNOWN: RefCell<HashMap<usize, Arc<Code>>> = RefCell::new(HashMap::new());
    static KNOWN_SINCE: Cell<usize> = const { Cell::new(0) };
    /// Frames of generators that run the body of a loop, each with the frame of the loop.
    static SKIPPED: RefCell<Vec<[Py<PyAny>; 2]>> = const { RefCell::new(Vec::new()) };
}

/// Knowledge of a code object. Holds the object, so that its address stays its own.
struct Code {
    _object: Py<PyAny>,
    file: Arc<str>,
    function: Arc<str>,
    is_block: bool,
    /// The position of each instruction.
    positions: Vec<Position>,
}

/// Location in the user's text that Python executes now, and while a function is traced, the calls that led there
/// from it.
pub fn place(py: Python<'_>) -> Option<Loc> {
    let tracing = session::is_tracing();
    let outside = session::outside_frame();
    let mut entries = Vec::new();
    let mut below_is_block = false;
    let mut next = top_frame(py);
    while let Some(frame) = next {
        if outside == Some(frame.as_ptr()) && !entries.is_empty() {
            break;
        }
        let known = known_code(&frame.getattr(intern!(py, "f_code")).ok()?)?;
        next = back(&frame);
        if is_ours(py, &known.file) || is_made(&known.file, &known.function) {
            continue;
        }
        if !below_is_block {
            entries.push((known.function.clone(), in_frame(&frame, &known)));
        }
        if !tracing {
            break;
        }
        below_is_block = known.is_block;
    }
    let at = entries.into_iter().rev().fold(None, |caller, (function, at)| {
        Some(Loc { within: tracing.then(|| Arc::new(Within { function, caller })), ..at })
    });
    if let (Some(tracing), Some(at)) = (session::current(), &at) {
        tracing.met_place(py, at);
    }
    at
}

/// The frame that a frame goes back to: for the body of a loop over a generator, that of the loop.
fn back<'py>(frame: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let py = frame.py();
    let next = frame.getattr(intern!(py, "f_back")).ok().filter(|next| !next.is_none())?;
    let loop_of = |skipped: &[Py<PyAny>; 2]| skipped[0].is(&next).then(|| skipped[1].bind(py).clone());
    SKIPPED.with_borrow(|all| all.iter().rev().find_map(loop_of)).or(Some(next))
}

/// Runs the body of the loop that stands in a frame, for the generator that runs now.
pub fn in_loop_of<T>(frame: &Bound<'_, PyAny>, body: impl FnOnce() -> T) -> T {
    let py = frame.py();
    let Some(generator) = top_frame(py) else { return body() };
    SKIPPED.with_borrow_mut(|all| all.push([generator.unbind(), frame.clone().unbind()]));
    let result = body();
    drop(SKIPPED.with_borrow_mut(Vec::pop));
    result
}

/// True if the function that Python executes now is the user's, not one of this package.
pub fn in_users_code(py: Python<'_>) -> bool {
    let code = top_frame(py).and_then(|frame| frame.getattr(intern!(py, "f_code")).ok());
    code.and_then(|code| known_code(&code)).is_some_and(|known| !is_ours(py, &known.file))
}

/// The frames of the user's code that run within the function that is traced, the innermost first.
pub fn users_frames<'py>(py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
    let outside = session::outside_frame();
    let frames = std::iter::successors(top_frame(py), back);
    let within = frames.take_while(|frame| outside != Some(frame.as_ptr()));
    let is_users = |frame: &Bound<'py, PyAny>| {
        let code = frame.getattr(intern!(py, "f_code")).ok();
        code.and_then(|code| known_code(&code)).is_some_and(|known| !is_ours(py, &known.file))
    };
    within.filter(is_users).collect()
}

/// True where the function that runs now is one of this package, written in Python.
pub fn is_ours_now(py: Python<'_>) -> bool {
    let code = top_frame(py).and_then(|frame| frame.getattr(intern!(py, "f_code")).ok());
    code.and_then(|code| known_code(&code)).is_some_and(|known| is_ours(py, &known.file))
}

/// Location in the user's text at which an exception was raised: in the last frame of its traceback.
pub fn raised_at(entry: &Bound<'_, PyAny>) -> Option<Loc> {
    let code = known_code(&entry.getattr("tb_frame").ok()?.getattr("f_code").ok()?)?;
    Some(in_entry(entry, &code))
}

/// The entries of an exception's traceback, the outermost first.
pub fn entries_of<'py>(py: Python<'py>, error: &PyErr) -> Vec<Bound<'py, PyAny>> {
    let next = |entry: &Bound<'py, PyAny>| entry.getattr("tb_next").ok().filter(|next| !next.is_none());
    std::iter::successors(error.traceback(py).map(Bound::into_any), next).collect()
}

/// Location in the user's text at which an exception was raised that was caught here, with the calls that led
/// there from the function that is traced.
pub fn raised_within(py: Python<'_>, error: &PyErr) -> Option<Loc> {
    let mut at = place(py);
    for entry in entries_of(py, error) {
        let code = known_code(&entry.getattr("tb_frame").ok()?.getattr("f_code").ok()?)?;
        if is_ours(py, &code.file) {
            continue;
        }
        // A block of a statement is a line of the function that has the statement.
        let within = match at.as_ref().and_then(|at| at.within.as_deref()) {
            Some(within) if code.is_block => within.clone(),
            Some(_) | None => Within { function: code.function.clone(), caller: at },
        };
        let here = in_entry(&entry, &code);
        at = Some(Loc { within: Some(Arc::new(within)), ..here });
    }
    at
}

fn known_code(code: &Bound<'_, PyAny>) -> Option<Arc<Code>> {
    if KNOWN_SINCE.replace(session::ended()) != session::ended() {
        drop(KNOWN.take());
    }
    let key = code.as_ptr() as usize;
    if let Some(known) = KNOWN.with_borrow(|all| all.get(&key).cloned()) {
        return Some(known);
    }
    let text = |name| code.getattr(name).ok()?.extract::<String>().ok();
    let known = Arc::new(Code {
        _object: code.clone().unbind(),
        file: text("co_filename")?.into(),
        function: text("co_name")?.into(),
        is_block: is_block(code).unwrap_or(false),
        positions: positions(code),
    });
    KNOWN.with_borrow_mut(|all| all.insert(key, known.clone()));
    Some(known)
}

fn in_frame(frame: &Bound<'_, PyAny>, code: &Code) -> Loc {
    let py = frame.py();
    at_instruction(frame, intern!(py, "f_lineno"), intern!(py, "f_lasti"), code)
}

fn in_entry(entry: &Bound<'_, PyAny>, code: &Code) -> Loc {
    let py = entry.py();
    at_instruction(entry, intern!(py, "tb_lineno"), intern!(py, "tb_lasti"), code)
}

/// The place of the instruction that a frame, or an entry of a traceback, is at.
fn at_instruction(
    holder: &Bound<'_, PyAny>,
    line: &Bound<'_, PyString>,
    instruction: &Bound<'_, PyString>,
    code: &Code,
) -> Loc {
    let number = |name| holder.getattr(name).ok().and_then(|v| v.extract::<i64>().ok()).unwrap_or(-1);
    let at = usize::try_from(number(instruction)).ok().and_then(|i| code.positions.get(i / 2));
    let file = code.file.clone();
    match at {
        Some(&(Some(line), Some(end_line), Some(column), Some(end_column))) => {
            Loc { file, line, column, end_line, end_column, within: None }
        }
        _ => Loc::of_line(file, u32::try_from(number(line)).unwrap_or(1)),
    }
}

/// Location at which the user's own `raise` threw an exception.
pub fn place_of(error: &PyErr, py: Python<'_>) -> Option<Loc> {
    raised_within(py, error).or_else(|| place(py))
}

//! Exceptions of the user's own where a tensor decides what runs: all of it is traced, so they are raised whether or not
//! the graph would get there. What ends a branch is raised by the graph, if a graph can raise it.

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{Attr, CheckKind, Literal, Op, Piece, PrintFormat, Stream};
use gw_types::{DType, Scalar};
use pyo3::exceptions::{PyAssertionError, PyException, PyOSError, PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::convert;
use crate::exceptions::errors::{self, Failed};
use crate::exceptions::traceback::is_rest_of_try;
use crate::exceptions::tries::raising;
use crate::host::failures::class_of;
use crate::host::messages::{self, Message};
use crate::host::operand::Operand;
use crate::host::{PyHost, operands};
use crate::host_calls::host_value;
use crate::optional::denied;
use crate::session::interrupts;
use crate::session::{Tracing, frames, libraries};

mod plain;

/// Lets the graph raise, at the end of the region open now, what was raised there while it was traced; false for an
/// exception that a graph cannot raise.
pub fn by_graph(error: &PyErr, host: &PyHost<'_>) -> PyResult<bool> {
    let (py, tracing) = (host.py(), host.tracing());
    if ends_asked(error, tracing, py) {
        return Ok(false);
    }
    let left = out_of_generator(error, tracing, py);
    let error = left.as_ref().unwrap_or(error);
    let is_own = is_own(error, tracing, py)?;
    if is_own && raising::raise(tracing, error, false, py)? {
        return Ok(true);
    }
    let Some(Raise { kind, at, pieces, shown }) = Raise::of(error, host)? else {
        let may_wait = is_own || plain::may_wait(error, tracing, py)?;
        return Ok(may_wait && raising::raise(tracing, error, true, py)?);
    };
    let shown: Vec<_> = shown.iter().map(|operand| operands::stage(tracing, operand).value).collect();
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    tracing.set_raises(&at);
    if raising::is_in_call(tracing) {
        tracing.tries().set_raises_in_call();
    }
    tracing.trace.set_place(Some(at));
    let made = tracing.trace.build(|b| {
        let never = b.constant(Literal::scalar(DType::Bool, Scalar::Bool(false)));
        let values: Vec<_> = std::iter::once(never).chain(shown).collect();
        b.effect(Op::Check, Attr::Check { kind, message, limit: false }, &values)
    });
    made.map(|()| true).map_err(|unfit| errors::unfit(py, unfit))
}

/// True of the end of an iterator that Python itself asks for its next item.
fn ends_asked(error: &PyErr, tracing: &Tracing, py: Python<'_>) -> bool {
    error.is_instance_of::<PyStopIteration>(py) && tracing.tries().leaves_asked()
}

/// The exception that leaves the generator whose code runs now, where it raises `StopIteration` and meets no handler of its own.
fn out_of_generator(error: &PyErr, tracing: &Tracing, py: Python<'_>) -> Option<PyErr> {
    let outer =
        tracing.consumers().bodies_around().filter(|_| error.is_instance_of::<PyStopIteration>(py))?;
    if tracing.tries().hears_inside(outer, error.get_type(py).as_any()) {
        return None;
    }
    let left = PyRuntimeError::new_err("generator raised StopIteration");
    left.set_traceback(py, error.traceback(py));
    Some(left)
}

/// True if a graph can raise it, or what catches it there.
pub fn is_for_graph(error: &PyErr, host: &PyHost<'_>) -> PyResult<bool> {
    let (py, tracing) = (host.py(), host.tracing());
    let class = error.get_type(py);
    let may_wait = is_own(error, tracing, py)? || plain::may_wait(error, tracing, py)?;
    if may_wait && tracing.tries().catches(tracing, class.as_any(), true) {
        return Ok(true);
    }
    Ok(Raise::of(error, host)?.is_some())
}

/// True if plain Python raises the same there: the program's own, or what a graph can raise by itself.
pub fn is_as_in_python(error: &PyErr, host: &PyHost<'_>) -> PyResult<bool> {
    Ok(is_own(error, host.tracing(), host.py())? || Raise::of(error, host)?.is_some())
}

/// True if it is about the tracing and not about the program: Ctrl-C, or what else the handler of a signal raises, and what Python
/// says of a value that only the host has.
pub fn is_from_outside(error: &PyErr, py: Python<'_>) -> bool {
    if host_value::is_named(py, error) {
        return true;
    }
    let by_program = || {
        let Some((last, frame)) = users_frame(error, py)? else { return Ok(false) };
        Ok::<_, PyErr>(convert::is_converted(&frame.getattr("f_code")?)? && is_raise(&last, &frame)?)
    };
    let is_any = error.is_instance_of::<PyException>(py) || interrupts::reason(py, error).is_some();
    !is_any && !by_program().unwrap_or(false)
}

/// The same of what failed in a statement.
pub fn ends_tracing(failed: &Failed, py: Python<'_>) -> bool {
    match failed {
        Failed::Python(error) => is_from_outside(error, py),
        Failed::Diagnosed(_) => false,
    }
}

/// True if the program itself raised it.
pub fn is_own(error: &PyErr, tracing: &Tracing, py: Python<'_>) -> PyResult<bool> {
    if is_from_outside(error, py) {
        return Ok(false);
    }
    let thrown = tracing.tries().place_of(error.value(py).as_any()).is_some();
    if thrown || errors::code_of(py, error).is_some() {
        return Ok(thrown);
    }
    Ok(raise_of(error, py)?.is_some() || plain::is_of_plain_python(error, py)?)
}

/// Exception that a graph raises in the place of Python.
struct Raise {
    kind: CheckKind,
    at: Loc,
    pieces: Vec<Piece>,
    /// The tensors in the text.
    shown: Vec<Operand>,
}

impl Raise {
    /// Converts an exception raised while tracing, if a graph can raise it and Python would raise it, too, where
    /// it got there: the user's own `raise`, an operation on shapes or indices that do not fit, and exceptions of
    /// Python's for numbers, lists and names. Excluded are exceptions of a class of the user's own, with a cause,
    /// or seen by a `with` or `try`; and those by which tracing learns that a function calls itself for ever new
    /// numbers.
    fn of(error: &PyErr, host: &PyHost<'_>) -> PyResult<Option<Self>> {
        let (py, tracing) = (host.py(), host.tracing());
        // A variable gets what was assigned to it when the graph is done, which is never if a function of it raises.
        let assigned = tracing.tracked().iter().any(|variable| variable.assigned);
        if (assigned && raising::is_in_call(tracing)) || is_watched(py, 0)? {
            return Ok(None);
        }
        let thrown = tracing.tries().place_of(error.value(py).as_any());
        let is_own = thrown.is_some() || raise_of(error, py)?.is_some();
        let Some(at) = thrown.or_else(|| frames::raised_within(py, error)) else { return Ok(None) };
        let operation = errors::operation_of(py, error);
        let refused = errors::code_of(py, error).is_some() && operation.is_none();
        if refused || !is_own && gw_trace::count_up(host) {
            return Ok(None);
        }
        if let Some((kind, text)) = operation {
            return Ok(Some(Self { kind, at, pieces: vec![Piece::Text(text)], shown: Vec::new() }));
        }
        let class = error.get_type(py);
        // Messages of the graph's own `KeyError` are keys, not texts of the user's.
        let kinds = CheckKind::ALL.iter().filter(|kind| **kind != CheckKind::Key || !is_own);
        let kind = kinds.copied().find(|kind| class_of(py, *kind).is(&class));
        let (Some(kind), None) = (kind, error.cause(py)) else { return Ok(None) };
        let is_pythons =
            is_pythons(kind) || kind == CheckKind::Type && plain::is_of_plain_objects(error, py)?;
        if !is_own && (!is_pythons || users_frame(error, py)?.is_none()) {
            return Ok(None);
        }
        let args = error.value(py).getattr("args")?.cast_into::<PyTuple>()?;
        let (pieces, shown) = match args.iter().next() {
            None => (vec![Piece::Text(String::new())], Vec::new()),
            Some(key) if kind == CheckKind::Key => match literal(&key)? {
                Some(text) => (vec![Piece::Text(text)], Vec::new()),
                None => return Ok(None),
            },
            Some(text) if args.len() == 1 && is_text(&text) => messages::message(&text, 1)?,
            Some(_) => return Ok(None),
        };
        Ok(Some(Self { kind, at, pieces, shown }))
    }
}

/// True if all that Python itself raises of this kind is the program's: a `TypeError` may be for a tensor alone.
fn is_pythons(kind: CheckKind) -> bool {
    match kind {
        CheckKind::Index | CheckKind::ZeroDivision | CheckKind::Value => true,
        CheckKind::Overflow | CheckKind::UnboundLocal | CheckKind::Key => true,
        CheckKind::Assertion | CheckKind::Type | CheckKind::Recursion => false,
        CheckKind::Runtime | CheckKind::Argument | CheckKind::Name => false,
    }
}

/// A key as Python writes it, if what is written reads back.
fn literal(key: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let is_literal = key.is_exact_instance_of::<PyString>() || crate::values::array::number(key)?.is_some();
    Ok(if is_literal { Some(key.repr()?.to_string()) } else { None })
}

/// The exception that leaves the function: Python raises it on every call, so no other may come before it in the graph.
pub fn out_of_function(error: PyErr, tracing: &Tracing, py: Python<'_>) -> PyErr {
    if let Ok(Some(at)) = waits(&error, py) {
        let message = "the text of this exception shows a tensor of the graph, which has no value yet";
        let help = "raise it in a branch that a tensor decides, or show the tensor's `shape` or `dtype`";
        return errors::raise(&Diagnostic::new(Code::TensorAsText, message).at(at, "").help(help));
    }
    if let Some(said) = errors::special_result(py, &error) {
        let message =
            format!("a special method gives a value of the graph where Python wants one of its own: {said}");
        let help = "call the method by its name, or compute the value outside of the function";
        let found = Diagnostic::new(Code::TensorAsNumber, message).help(help);
        return errors::raise(&with(found, frames::raised_within(py, &error).as_ref(), ""));
    }
    if let Err(failed) = denied::explain(&error, tracing, py) {
        return failed;
    }
    if tracing.raises().is_none() {
        return error;
    }
    in_graph(error, None, py).unwrap_or_else(|error| error)
}

/// An argument gets what was stored into it when the graph is done, which is never if a function of it raises.
pub fn with_stores(tracing: &Tracing) -> PyResult<()> {
    let message =
        "the graph raises here, but what is stored into an argument goes there when the graph is done";
    let help = "store into a copy of the argument, `x = x.copy()`, or check it before the call";
    refuse_raise(tracing, message, help)
}

/// An attribute or variable around the function gets its value when the graph is done, which is never if a function of the
/// graph raises.
pub fn with_effects(tracing: &Tracing) -> PyResult<()> {
    let message = "the graph raises here, but an attribute or variable from outside of the function gets what is \
                   stored there when the graph is done";
    let help = "return what is new and store it after the call, or check the argument before the call";
    refuse_raise(tracing, message, help)
}

fn refuse_raise(tracing: &Tracing, message: &str, help: &str) -> PyResult<()> {
    let Some(at) = tracing.raises().filter(|_| tracing.tries().raises_in_call()) else { return Ok(()) };
    Err(errors::raise(&Diagnostic::new(Code::RaisedInGraph, message).at(at, "").help(help)))
}

/// True if Python is in a `with` or `try` of the function that is traced, within the outermost `beyond` frames.
pub fn is_watched(py: Python<'_>, beyond: usize) -> PyResult<bool> {
    let frames = frames::users_frames(py);
    for frame in &frames[..frames.len().saturating_sub(beyond)] {
        let (code, at) = (frame.getattr("f_code")?, frame.getattr("f_lasti")?.extract::<i64>()?);
        if is_rest_of_try(&code)? {
            continue;
        }
        if let Ok(parse) = py.import("dis")?.getattr("_parse_exception_table") {
            for entry in parse.call1((code,))?.try_iter()? {
                let entry = entry?;
                let bound = |name: &str| entry.getattr(name)?.extract::<i64>();
                // From 3.12 on all of a generator has a handler, which turns `StopIteration` into `RuntimeError`.
                let is_generators = bound("depth")? == 0 && entry.getattr("lasti")?.is_truthy()?;
                if !is_generators && (bound("start")?..bound("end")?).contains(&at) {
                    return Ok(true);
                }
            }
        } else if has_blocks(&code)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if code has a `with` or `try`: before CPython 3.11 it does not say where.
fn has_blocks(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let names = code.py().import("opcode")?.getattr("opmap")?;
    let codes = ["SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH"].map(|name| names.get_item(name));
    let codes = codes.into_iter().map(|code| code?.extract::<u8>()).collect::<PyResult<Vec<_>>>()?;
    let code = code.getattr("co_code")?;
    Ok(code.cast::<PyBytes>()?.as_bytes().iter().step_by(2).any(|op| codes.contains(op)))
}

/// Location at which an exception was raised whose text has to wait for the graph.
fn waits(error: &PyErr, py: Python<'_>) -> PyResult<Option<Loc>> {
    let args = error.value(py).getattr("args")?.cast_into::<PyTuple>()?;
    if args.iter().any(|text| text.is_instance_of::<Message>()) { raise_of(error, py) } else { Ok(None) }
}

fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>() || object.is_instance_of::<Message>()
}

/// The exception that stops a branch or loop. What the user's own `raise` throws becomes GW114; any other, such as a
/// mistake in the branch, stays itself with a note.
pub fn in_graph(error: PyErr, place: Option<&Loc>, py: Python<'_>) -> PyResult<PyErr> {
    if errors::code_of(py, &error).is_some() {
        return Ok(error);
    }
    let kind = error.get_type(py).name()?;
    let Some(at) = raise_of(&error, py)? else {
        if let (true, Some(at)) = (error.is_instance_of::<PyOSError>(py), users_line(&error, py)?) {
            let message = format!(
                "`{kind}` is raised while the graph is built, but a tensor decides whether this runs"
            );
            let help = "do it before the statement that the tensor decides, or in a function that `gw.py_function` calls";
            let found = Diagnostic::new(Code::FrozenCall, message).at(at, "asks the system").help(help);
            return Ok(errors::raise(&with(found, place, "a tensor decides this")));
        }
        note(&error, place, py)?;
        return Ok(error);
    };
    if crate::session::current().is_some_and(|tracing| ends_asked(&error, &tracing, py)) {
        let message = "a tensor decides where this iterator ends, but Python itself asks it for its items";
        let help = "write `__iter__` with `yield` in place of `__next__`, or a `while` loop";
        let found = Diagnostic::new(Code::StagedStopInPython, message).at(at, "its end").help(help);
        return Ok(errors::raise(&with(found, place, "a tensor decides this")));
    }
    let message = format!("`{kind}` is raised here, but a tensor decides whether it is");
    let help = "write `assert` for what must hold when the graph runs, or give the branch a value";
    let found =
        Diagnostic::new(Code::RaisedInGraph, message).at(at, "raised whenever this is traced").help(help);
    Ok(errors::raise(&with(found, place, "a tensor decides this")))
}

/// Diagnostic for a function that catches an exception that stopped a branch or loop.
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

/// Location at which the user's own `raise`, or an `assert` of what Python knows, threw the exception; none if
/// something else did.
fn raise_of(error: &PyErr, py: Python<'_>) -> PyResult<Option<Loc>> {
    let Some((last, frame)) = users_frame(error, py)? else { return Ok(None) };
    if !(error.is_instance_of::<PyAssertionError>(py) || is_raise(&last, &frame)?) {
        return Ok(None);
    }
    Ok(frames::raised_at(&last))
}

/// The last entry of the traceback and its frame, if that runs the user's code.
fn users_frame<'py>(
    error: &PyErr,
    py: Python<'py>,
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let Some(last) = frames::entries_of(py, error).pop() else { return Ok(None) };
    let frame = last.getattr("tb_frame")?;
    Ok(is_users(&frame)?.then_some((last, frame)))
}

/// The last line of the user's on the way of an exception.
fn users_line(error: &PyErr, py: Python<'_>) -> PyResult<Option<Loc>> {
    for entry in frames::entries_of(py, error).iter().rev() {
        let globals = entry.getattr("tb_frame")?.getattr("f_globals")?;
        let module = globals.call_method1("get", ("__name__", ""))?.to_string();
        if libraries::is_users_module(py, &module)? {
            return Ok(frames::raised_at(entry));
        }
    }
    Ok(None)
}

fn is_raise(entry: &Bound<'_, PyAny>, frame: &Bound<'_, PyAny>) -> PyResult<bool> {
    // It is -1 for a generator that has not begun.
    let at: i64 = entry.getattr("tb_lasti")?.extract()?;
    let code = frame.getattr("f_code")?.getattr("co_code")?;
    let raise: u8 = entry.py().import("opcode")?.getattr("opmap")?.get_item("RAISE_VARARGS")?.extract()?;
    Ok(code.cast::<PyBytes>()?.as_bytes().get(usize::try_from(at).unwrap_or(usize::MAX)) == Some(&raise))
}

/// True if a frame runs the user's code: not NumPy's or the standard library's.
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
    if errors::is_noted(py, error)? {
        return Ok(());
    }
    let text = format!(
        "raised while the graph was built: a tensor decides what {}:{} runs, so all of it was traced; \
         to check a value when the graph runs, use `assert`",
        place.file, place.line
    );
    add.call1((text,)).map(drop)
}

/// True if an exception is on its way to where tracing goes on, or ends.
pub fn is_passing(py: Python<'_>, error: &PyErr) -> bool {
    interrupts::reason(py, error).is_some() || is_from_outside(error, py)
}

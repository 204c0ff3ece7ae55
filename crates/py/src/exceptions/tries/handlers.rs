//! Exceptions that the exits of one body raise: Python's exceptions for what fails in the graph.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use gw_base::Loc;
use gw_ir::{Attr, BinaryOp, CheckKind, NodeId, Op, Piece};
use gw_runtime::{NO_QUOTIENT, NO_REMAINDER};
use gw_trace::{Fails, Staged, misfit, outside, shown};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::catcher::{Catcher, Exit};
use crate::effects::places::Places;
use crate::exceptions::errors::{self, Failed, InternalError};
use crate::exceptions::run_errors::key_of;
use crate::exceptions::{raised, run_errors};
use crate::host::failures::{class_of, not_caught};
use crate::host::messages::Message;
use crate::session::Tracing;
use crate::values::tensor::Tensor;

/// So many exceptions that led to one another are shown with what they hold.
const LONGEST_CHAIN: usize = 8;

/// The exits of a body.
pub struct Caught<'py> {
    py: Python<'py>,
    pub tracing: Arc<Tracing>,
    /// Catcher with which the body was traced last.
    catcher: RefCell<Option<Arc<Catcher>>>,
    /// True if the exceptions that led to those of its exits are left out.
    is_simple: Cell<bool>,
}

/// An exception that was thrown in place of the graph's, and where the graph raises it.
pub type Thrown = (Py<PyAny>, Option<Loc>);

impl<'py> Caught<'py> {
    /// Of a body that was not traced yet.
    pub fn new(py: Python<'py>, tracing: &Arc<Tracing>) -> Self {
        Self { py, tracing: tracing.clone(), catcher: RefCell::new(None), is_simple: Cell::new(false) }
    }

    /// The body is traced anew.
    pub fn begin(&self, catcher: Arc<Catcher>) {
        self.catcher.replace(Some(catcher));
        self.is_simple.set(false);
    }

    /// Leaves out exceptions that the program did not name as causes.
    pub fn simplify(&self) {
        self.is_simple.set(true);
    }

    fn with<T>(&self, exit: usize, step: impl FnOnce(&Exit) -> PyResult<T>) -> PyResult<T> {
        let catcher = self.catcher.borrow().clone();
        let exits = catcher.as_ref().map(|catcher| catcher.exits());
        match exits.as_ref().and_then(|exits| exits.get(exit)) {
            Some(exit) => step(exit),
            None => Err(InternalError::new_err("an exit that was not taken down")),
        }
    }

    /// Lets the graph raise what ends the body whatever the graph does; false for what is not the program's own, and for what failed
    /// in a statement that the graph may not come to.
    pub fn raised(&self, error: &PyErr, whole: bool) -> PyResult<bool> {
        let (py, tracing) = (self.py, &self.tracing);
        let diagnosed = errors::code_of(py, error).is_some() && errors::operation_of(py, error).is_none();
        let ours = diagnosed || error.is_instance_of::<InternalError>(py) || tracing.stopped().is_some();
        Ok(!ours && !raised::is_passing(py, error) && super::raising::raise(tracing, error, whole, py)?)
    }

    /// The nodes that may raise, and what fails then.
    pub fn nodes(&self) -> Vec<(NodeId, Fails)> {
        let catcher = self.catcher.borrow().clone();
        let exit = |exit: &Exit| (exit.node, exit.fails);
        catcher.map_or_else(Vec::new, |catcher| catcher.exits().iter().map(exit).collect())
    }

    /// Gives the program what it held at an exit.
    pub fn replay(&self, exit: usize, places: &Places) -> PyResult<()> {
        self.with(exit, |exit| exit.moment.restore(self.py, &self.tracing, places))
    }

    /// The values that the exception of an exit shows.
    pub fn shown(&self, exit: usize) -> PyResult<Bound<'py, PyAny>> {
        self.with(exit, |exit| match &exit.error {
            Some(error) => {
                if self.is_simple.get() {
                    forget_context(error.bind(self.py))?;
                }
                parts_of(error.bind(self.py), LONGEST_CHAIN)
            }
            None => {
                let shown = shown(&self.tracing.trace, exit.node, exit.fails).into_iter();
                let shown = shown.map(|v| Tensor::staged(self.tracing.clone(), Staged::strong(v)));
                Ok(PyTuple::new(self.py, shown.collect::<Vec<_>>())?.into_any())
            }
        })
    }

    /// True if two exits raise the same but for what is shown.
    pub fn same(&self, exit: usize, other: usize) -> bool {
        let of = |exit: usize| {
            self.with(exit, |exit| {
                let error = exit.error.as_ref().map(|error| error.clone_ref(self.py));
                Ok((error, self.form(exit)))
            })
        };
        let (Ok((a, form)), Ok((b, other))) = (of(exit), of(other)) else { return false };
        match (a, b) {
            (Some(a), Some(b)) => alike(a.bind(self.py), b.bind(self.py)).unwrap_or(false),
            (None, None) => form == other,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// The place in the user's text at which an exit raises.
    pub fn place(&self, exit: usize) -> Option<Loc> {
        let place = |exit: &Exit| Ok(self.tracing.trace.build(|b| b.graph().places[exit.node].clone()));
        self.with(exit, place).ok().flatten()
    }

    /// True if two exits raise the same at different places.
    pub fn has_alike_elsewhere(&self) -> bool {
        /// Of more exits nobody asks.
        const MOST: usize = 64;
        let count = self.nodes().len();
        let mut pairs = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
        count > MOST || pairs.any(|(a, b)| self.place(a) != self.place(b) && self.same(a, b))
    }

    /// The diagnostic of an exit that cannot be caught.
    pub fn uncaught(&self, exit: usize) -> Failed {
        let found = self.with(exit, |exit| {
            let place = self.tracing.trace.build(|b| b.graph().places[exit.node].clone());
            not_caught(&class_of(self.py, exit.kind), place)
        });
        match found {
            Ok(found) => found.into(),
            Err(error) => error.into(),
        }
    }

    /// Kind of exception that an operation raises, and its message: the text with holes.
    fn form(&self, exit: &Exit) -> (CheckKind, Vec<Piece>) {
        let node = self.tracing.trace.build(|b| b.graph().nodes[exit.node].clone());
        let text = |text: &str| Piece::Text(text.to_owned());
        if exit.fails == Fails::Lengths {
            return (exit.kind, misfit(&self.tracing.trace, &node));
        }
        let pieces = match (node.op, node.attr) {
            (_, Attr::Check { message, .. }) => message.pieces,
            (Op::Binary(BinaryOp::Mod), _) => {
                vec![text(&run_errors::division_by_zero(self.py, NO_REMAINDER))]
            }
            (Op::Binary(BinaryOp::FloorDiv), _) => {
                vec![text(&run_errors::division_by_zero(self.py, NO_QUOTIENT))]
            }
            _ if exit.kind == CheckKind::Index => {
                outside(&self.tracing.trace, exit.node).unwrap_or_else(|| vec![text("index is out of range")])
            }
            _ => vec![text("the operands have values that this does not take")],
        };
        (exit.kind, pieces)
    }

    /// The exception of an exit, which shows these values; from now on it is known to stand for the graph's.
    pub fn error(&self, exit: usize, shown: &Bound<'py, PyAny>) -> PyResult<Thrown> {
        let py = self.py;
        let made = self.with(exit, |exit| {
            let error = match &exit.error {
                Some(error) => error.bind(py).clone(),
                None => self.of_operation(exit, shown.cast()?)?,
            };
            let place = self.tracing.trace.build(|b| b.graph().places[exit.node].clone());
            Ok((error, exit.error.is_some(), place))
        });
        let (error, own, place) = made?;
        if own {
            show(&error, shown, &waits)?;
        }
        self.tracing.tries().thrown(error.clone().unbind(), place.clone());
        Ok((error.unbind(), place))
    }

    fn of_operation(&self, exit: &Exit, shown: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let (py, (kind, pieces)) = (self.py, self.form(exit));
        let (class, text) = (class_of(py, kind), text(py, &pieces, shown)?);
        match text.extract::<String>() {
            Ok(text) if text.is_empty() || text == "assertion failed" => class.call0(),
            Ok(key) if kind == CheckKind::Key => class.call1((key_of(py, &key),)),
            Ok(_) | Err(_) => class.call1((text,)),
        }
    }
}

/// A text with holes for values, as the argument of an exception.
fn text<'py>(py: Python<'py>, pieces: &[Piece], shown: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) => Ok(without_code(text).into_pyobject(py)?.into_any()),
        Piece::Operand(at) | Piece::Python(at) => shown.get_item(at - 1),
    };
    let mut parts = pieces.iter().map(part).collect::<PyResult<Vec<_>>>()?;
    match pieces {
        [] => Ok("".into_pyobject(py)?.into_any()),
        [Piece::Text(_)] => Ok(parts.remove(0)),
        _ => waits(PyTuple::new(py, parts)?),
    }
}

/// A text that has to wait for the graph.
pub fn waits(parts: Bound<'_, PyTuple>) -> PyResult<Bound<'_, PyAny>> {
    Ok(Bound::new(parts.py(), Message::new(&parts)?)?.into_any())
}

/// Message as Python would show it, without the code of a diagnostic before it.
fn without_code(text: &str) -> &str {
    let code = |text: &str| text.len() == 5 && text.starts_with("GW");
    text.split_once(": ").filter(|(before, _)| code(before)).map_or(text, |(_, after)| after)
}

/// The exception that led to this one.
fn led_to<'py>(error: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let cause = error.getattr("__cause__")?;
    if !cause.is_none() {
        return Ok(Some(cause));
    }
    let context = error.getattr("__context__")?;
    Ok((!context.is_none()).then_some(context))
}

/// Lets an exception follow no other one, unless that is its cause.
fn forget_context(error: &Bound<'_, PyAny>) -> PyResult<()> {
    if error.getattr("__cause__")?.is_none() {
        error.setattr("__context__", error.py().None())?;
    }
    Ok(())
}

/// True if two exceptions of the user's are the same but for what they hold.
pub fn alike(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mut pair = (a.clone(), b.clone());
    for _ in 0..LONGEST_CHAIN {
        if pair.0.is(&pair.1) {
            return Ok(true);
        }
        if !pair.0.get_type().is(pair.1.get_type()) {
            return Ok(false);
        }
        pair = match (led_to(&pair.0)?, led_to(&pair.1)?) {
            (Some(a), Some(b)) => (a, b),
            (None, None) => return Ok(true),
            (Some(_), None) | (None, Some(_)) => return Ok(false),
        };
    }
    Ok(false)
}

/// Contents of an exception: its arguments, texts that wait for the graph as their parts, its attributes, and the
/// same of the exception that led to it.
pub fn parts_of<'py>(error: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    let py = error.py();
    let args = error.getattr("args")?.cast_into::<PyTuple>()?;
    let part = |arg: Bound<'py, PyAny>| match arg.cast::<Message>() {
        Ok(message) => message.get().parts(py).into_any(),
        Err(_) => arg,
    };
    let args = PyTuple::new(py, args.iter().map(part))?;
    let attributes = error.getattr("__dict__")?.cast_into::<PyDict>()?.copy()?;
    if attributes.contains("__notes__")? {
        attributes.del_item("__notes__")?;
    }
    let mut parts = vec![args.into_any(), attributes.into_any()];
    if let Some(before) = led_to(error)?.filter(|_| depth > 0) {
        parts.push(parts_of(&before, depth - 1)?);
    }
    Ok(PyTuple::new(py, parts)?.into_any())
}

/// Lets an exception hold these values; `text` makes a text of its parts.
pub fn show<'py>(
    error: &Bound<'py, PyAny>,
    shown: &Bound<'py, PyAny>,
    text: &dyn Fn(Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<()> {
    let shown = shown.cast::<PyTuple>()?;
    let args = shown.get_item(0)?.cast_into::<PyTuple>()?;
    let before = error.getattr("args")?.cast_into::<PyTuple>()?;
    let mut now = Vec::new();
    for (arg, before) in args.iter().zip(before) {
        now.push(match before.cast::<Message>() {
            Ok(_) => text(arg.cast_into::<PyTuple>()?)?,
            Err(_) => arg,
        });
    }
    error.setattr("args", PyTuple::new(error.py(), now)?)?;
    let attributes = shown.get_item(1)?.cast_into::<PyDict>()?;
    error.getattr("__dict__")?.cast::<PyDict>()?.update(attributes.as_mapping())?;
    match (led_to(error)?, shown.len() > 2) {
        (Some(before), true) => show(&before, &shown.get_item(2)?, text),
        (Some(_) | None, _) => Ok(()),
    }
}

/// The exception's class without what its `__init__` does, but for Python's own classes, and the same of what led to it.
pub fn copied<'py>(error: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    let class = error.get_type();
    let args = error.getattr("args")?.cast_into::<PyTuple>()?;
    let copy = match copied_by_python(error)? {
        Some(copy) => copy,
        None => class.call_method1("__new__", PyTuple::new(error.py(), prefixed(&class, &args))?)?,
    };
    copy.setattr("args", args)?;
    for name in ["__cause__", "__context__"] {
        let before = error.getattr(name)?;
        if name == "__context__" && before.is(error.getattr("__cause__")?) {
            copy.setattr(name, copy.getattr("__cause__")?)?;
        } else if depth > 0 && !before.is_none() {
            let led = copied(&before, depth - 1)?;
            led.setattr("__traceback__", before.getattr("__traceback__")?)?;
            copy.setattr(name, led)?;
        }
    }
    copy.setattr("__suppress_context__", error.getattr("__suppress_context__")?)?;
    Ok(copy)
}

/// An exception of one of Python's own classes as `copy.copy` makes it, with the name and path that it has besides.
fn copied_by_python<'py>(error: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !error.get_type().getattr("__module__")?.eq("builtins")? {
        return Ok(None);
    }
    let parts = error.call_method0("__reduce__")?;
    let args = parts.get_item(1)?.cast_into::<PyTuple>()?;
    let Ok(copy) = parts.get_item(0)?.call1(args) else { return Ok(None) };
    for kept in ["name", "path"] {
        if let Some(value) = error.getattr_opt(kept)? {
            copy.setattr(kept, value)?;
        }
    }
    Ok(Some(copy))
}

fn prefixed<'py>(class: &Bound<'py, PyType>, args: &Bound<'py, PyTuple>) -> Vec<Bound<'py, PyAny>> {
    std::iter::once(class.clone().into_any()).chain(args.iter()).collect()
}

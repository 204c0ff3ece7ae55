//! Exceptions that the bodies of `try` around a call meet on their way out: a function of the graph that is
//! called there reports these.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use gw_base::Loc;
use gw_ir::FunctionId;
use gw_trace::{failures_by, failures_of};
use pyo3::exceptions::{PyBaseException, PyRecursionError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::catcher::Catcher;
use crate::host::failures::class_of;
use crate::session::Tracing;

/// Classes of exceptions, each once.
#[derive(Debug, Default)]
pub struct Heard(Vec<Py<PyAny>>);

/// The exceptions that the handlers of a body catch, which are asked for when it matters.
#[derive(Debug)]
pub struct Kinds {
    ask: Py<PyAny>,
    known: OnceLock<Option<Py<PyAny>>>,
    is_asked: AtomicBool,
}

impl Kinds {
    /// Those that a function answers with.
    pub fn new(ask: Py<PyAny>) -> Self {
        Self { ask, known: OnceLock::new(), is_asked: AtomicBool::new(false) }
    }

    /// A class or a tuple of such; none if that is not known while the graph is built, or is just being asked: a host may answer it.
    pub fn now(&self, py: Python<'_>) -> Option<&Py<PyAny>> {
        if self.known.get().is_none() && !self.is_asked.swap(true, Ordering::Relaxed) {
            let made = self.ask.call0(py).ok();
            self.is_asked.store(false, Ordering::Relaxed);
            // It is asked once at a time.
            drop(self.known.set(made));
        }
        self.known.get()?.as_ref()
    }
}

impl Heard {
    /// Adds what handlers catch: a class, or a tuple of such.
    pub fn add(&mut self, kinds: &Bound<'_, PyAny>) -> PyResult<()> {
        for class in classes(kinds)? {
            if !self.0.iter().any(|known| known.is(&class)) {
                self.0.push(class.unbind());
            }
        }
        Ok(())
    }

    /// Adds all exceptions.
    pub fn add_all(&mut self, py: Python<'_>) -> PyResult<()> {
        self.add(py.get_type::<PyBaseException>().as_any())
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if exceptions of a class are among them.
    pub fn hears(&self, class: &Bound<'_, PyAny>) -> bool {
        self.0.iter().any(|known| is_of(class, known))
    }

    /// True if all of them are of this class.
    pub fn are_all(&self, class: &Py<PyAny>) -> bool {
        Python::attach(|py| self.0.iter().all(|known| is_of(known.bind(py), class)))
    }

    /// True if both are the same classes.
    pub fn is(&self, other: &Self) -> bool {
        let knows = |all: &Self, class: &Py<PyAny>| all.0.iter().any(|known| known.is(class));
        self.0.len() == other.0.len() && self.0.iter().all(|class| knows(other, class))
    }
}

/// Exception, as the body of a `try` sees it, that a called function raises.
pub fn seen_failure<'py>(
    py: Python<'py>,
    tracing: &Tracing,
    function: FunctionId,
    within: &Catcher,
) -> Option<(Bound<'py, PyType>, Option<Loc>)> {
    let failures = tracing.trace.build(|b| {
        let graph = b.graph();
        let kinds = |id| failures_by(graph, id).into_iter().map(move |(kind, _)| (kind, id));
        let all = failures_of(graph, function).into_iter().flat_map(kinds);
        all.map(|(kind, id)| (kind, graph.places[id].clone())).collect::<Vec<_>>()
    });
    let classes = failures.into_iter().map(|(kind, place)| (class_of(py, kind), place));
    classes.into_iter().find(|(class, _)| within.hears(class.as_any()))
}

/// True if a class is one of some kinds.
pub fn is_of(class: &Bound<'_, PyAny>, kinds: &Py<PyAny>) -> bool {
    let issubclass = class.py().import("builtins").and_then(|builtins| builtins.getattr("issubclass"));
    issubclass.and_then(|test| test.call1((class, kinds))?.is_truthy()).unwrap_or(false)
}

/// True if kinds name `RecursionError`, and not all exceptions.
pub fn names_overflow(kinds: &Bound<'_, PyAny>) -> bool {
    let py = kinds.py();
    let (overflow, runtime) = (py.get_type::<PyRecursionError>(), py.get_type::<PyRuntimeError>());
    let names = |class: &Bound<'_, PyAny>| {
        is_of(overflow.as_any(), &class.clone().unbind())
            && is_of(class, &runtime.clone().into_any().unbind())
    };
    classes(kinds).is_ok_and(|all| all.iter().any(names))
}

fn classes<'py>(kinds: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Ok(tuple) = kinds.cast::<PyTuple>() else { return Ok(vec![kinds.clone()]) };
    let parts = tuple.iter().map(|part| classes(&part)).collect::<PyResult<Vec<_>>>()?;
    Ok(parts.into_iter().flatten().collect())
}

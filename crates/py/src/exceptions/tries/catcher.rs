//! The exits of the body of a `try` that is being traced.

use crate::dependencies::asking::lock;
use crate::effects::places::Places;
use crate::effects::snapshot::Snapshot;
use crate::effects::surroundings::Surroundings;
use crate::exceptions::tries::handled_types::is_of;
use crate::exceptions::tries::{Heard, Kinds};
use crate::session::{Tracing, frames};
use crate::values::cell::Cell;
use crate::values::tensor::{Payload, Tensor};
use gw_ir::{CheckKind, NodeId, ValueId};
use gw_trace::{ExitScope, Fails, ScopeKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// A scope that catches exceptions.
#[derive(Debug)]
pub enum Scope {
    /// The body of a `try`.
    Body {
        /// The exceptions that its handlers catch.
        kinds: Kinds,
        /// True if there is a `finally`.
        always: bool,
    },
    /// A whole function with the tensors among its arguments, which are these values when it begins: what the graph cannot
    /// raise, and what it raises after it changed something that outlives it, is raised by who runs the graph.
    Function(Vec<(Py<Tensor>, ValueId)>),
    /// A function of the graph with the tensors among its arguments: what a `try` around its call catches is a result of
    /// it.
    Call(Arc<Heard>, Vec<Py<Tensor>>),
}

/// The body of one `try`, or of a function.
#[derive(Debug)]
pub struct Catcher {
    pub(super) scope: Scope,
    /// True if exits are taken down, or only looked for.
    pub(super) records: bool,
    /// The number of functions of the graph that are being made around it.
    pub(super) functions: usize,
    /// The number of frames of the user's code that run around it.
    pub(super) frames: usize,
    pub(super) places: Arc<Places>,
    needed: AtomicBool,
    pub(super) exits: Mutex<Vec<Exit>>,
    /// The objects that a body reaches which is a region.
    pub(super) reached: OnceLock<Surroundings>,
    /// Texts to print if this looked for exits in vain.
    printed: Mutex<Vec<(String, Py<PyDict>)>>,
}

/// An operation that may raise what is caught.
#[derive(Debug)]
pub struct Exit {
    /// Node of the graph that may raise.
    pub node: NodeId,
    /// The exception that it raises.
    pub kind: CheckKind,
    /// The node that fails then.
    pub fails: Fails,
    /// The state of the program then.
    pub moment: Snapshot,
    /// The exception of the user's that it stands for.
    pub error: Option<Py<PyAny>>,
}

impl ExitScope for Catcher {
    fn kind(&self) -> ScopeKind {
        match self.scope {
            Scope::Body { .. } => ScopeKind::Body,
            Scope::Function(_) => ScopeKind::Function,
            Scope::Call(..) => ScopeKind::Call,
        }
    }

    fn functions(&self) -> usize {
        self.functions
    }

    fn records(&self) -> bool {
        self.records
    }
}

impl Catcher {
    /// For a body.
    pub fn new(tracing: &Tracing, scope: Scope, records: bool, places: Arc<Places>) -> Arc<Self> {
        let functions = tracing.trace.build(|b| b.waiting().len());
        let frames = Python::attach(|py| frames::users_frames(py).len());
        Arc::new(Self {
            scope,
            records,
            functions,
            frames,
            places,
            needed: AtomicBool::new(false),
            exits: Mutex::default(),
            reached: OnceLock::new(),
            printed: Mutex::default(),
        })
    }

    /// True if something in the body may raise what is caught.
    pub fn is_needed(&self) -> bool {
        self.needed.load(Ordering::Relaxed)
    }

    /// Says what the body reaches, and what that holds where it begins.
    pub fn reaches(&self, reached: Surroundings) {
        let _ = self.reached.set(reached);
    }

    /// Keeps back what is to be printed now, with the options of `print`.
    pub fn print_later(&self, text: String, options: Py<PyDict>) {
        lock(&self.printed).push((text, options));
    }

    /// Texts that were kept back.
    pub fn printed(&self) -> Vec<(String, Py<PyDict>)> {
        std::mem::take(&mut *lock(&self.printed))
    }

    /// Exits that were recorded.
    pub fn exits(&self) -> MutexGuard<'_, Vec<Exit>> {
        lock(&self.exits)
    }

    /// True if a body that catches these exceptions has to be a region of its own.
    pub fn need(&self) {
        self.needed.store(true, Ordering::Relaxed);
    }

    /// The exceptions that the handlers catch, if they are known.
    pub(super) fn kinds(&self, py: Python<'_>) -> Option<&Py<PyAny>> {
        let Scope::Body { kinds, .. } = &self.scope else { return None };
        kinds.now(py)
    }

    /// True if exceptions of a class are met on their way out: by a handler or a `finally`.
    pub fn hears(&self, class: &Bound<'_, PyAny>) -> bool {
        match &self.scope {
            Scope::Body { always: true, .. } => true,
            // Handlers that are not known may be for this.
            Scope::Body { .. } => self.kinds(class.py()).is_none_or(|kinds| is_of(class, kinds)),
            Scope::Call(heard, _) => heard.hears(class),
            Scope::Function(_) => false,
        }
    }

    /// True if they are met here or around here, where `whole` says whether it is for the whole function, too.
    pub(super) fn catches(&self, class: &Bound<'_, PyAny>, whole: bool) -> bool {
        self.hears(class) || (whole && matches!(self.scope, Scope::Function(_)))
    }

    /// True if it sees an exception of this class that an operation raises, or the user's own; `said`: a function is told
    /// when.
    pub(super) fn sees(&self, tracing: &Tracing, class: &Bound<'_, PyAny>, own: bool, said: bool) -> bool {
        match &self.scope {
            Scope::Body { .. } | Scope::Call(..) => self.hears(class),
            Scope::Function(_) => {
                // The objects around the function are looked at where an exception leaves it alone.
                let changes = said && tracing.tries().spots.find(class.py());
                if changes && self.records {
                    tracing.tries().need_all();
                }
                said && (changes || own || self.has_changed(tracing))
            }
        }
    }

    /// The contents of the arguments of a function.
    pub(super) fn cells(&self) -> Vec<Arc<Cell>> {
        match &self.scope {
            Scope::Body { .. } => Vec::new(),
            Scope::Function(tensors) => {
                tensors.iter().map(|(tensor, _)| tensor.get().cell().clone()).collect()
            }
            Scope::Call(_, tensors) => tensors.iter().map(|tensor| tensor.get().cell().clone()).collect(),
        }
    }

    /// True if something that outlives a function has changed.
    pub fn has_changed(&self, tracing: &Tracing) -> bool {
        let Scope::Function(_) = &self.scope else { return false };
        let assigned = tracing.tracked().iter().any(|t| t.value.value != t.first.value);
        assigned || self.has_stored() || !tracing.tries().spots.is_empty()
    }

    /// True if a function has stored into one of its arguments.
    pub fn has_stored(&self) -> bool {
        let Scope::Function(tensors) = &self.scope else { return false };
        tensors.iter().any(|(tensor, first)| match tensor.get().content() {
            Payload::Staged(_, now) => now.value != *first,
            Payload::Eager(_) => true,
        })
    }
}

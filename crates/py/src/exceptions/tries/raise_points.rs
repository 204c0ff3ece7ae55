//! Operations of the body of a `try` that may raise an exception that is caught, and the program's state when
//! each was made.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gw_base::{Id, Loc};
use gw_ir::{CheckKind, FunctionId, NodeId};
use gw_trace::{Destination, Fails, Observer, Scopes, destination, failures_of, is_said, never_fails};
use pyo3::prelude::*;

use super::handled_types::{Heard, is_of, names_overflow, seen_failure};
use super::raising::failures;
use super::unread::Unread;
use crate::effects::location::Location;
use crate::effects::snapshot::Snapshot;
use crate::effects::surroundings::{Flowing, Spots};
use crate::exceptions::raised;
use crate::exceptions::tries::catcher::{Catcher, Exit, Scope};
use crate::host::failures::{class_of, not_caught};
use crate::session::{Feature, FeatureSlot, Tracing};

/// The bodies of `try` that are being traced.
#[derive(Debug, Default)]
pub struct Tries {
    open: Scopes<Catcher>,
    /// The code of bodies that are known to need a region of their own, which is kept so that its address is its own.
    staged: Mutex<Vec<Py<PyAny>>>,
    /// The exception of the user's that the next node stands for.
    raising: Mutex<Option<Py<PyAny>>>,
    /// The exception that a statement raises whatever the graph decides in it.
    passing: Mutex<Option<Py<PyAny>>>,
    /// The numbers of bodies that were open where Python asked iterators of the user's for an item, the innermost last.
    asked: Mutex<Vec<usize>>,
    /// The exceptions that were thrown in place of the graph's, and where the graph raises them.
    thrown: Mutex<Vec<(Py<PyAny>, Option<Loc>)>>,
    /// True if what the function raises is a result of its graph.
    catches_all: AtomicBool,
    /// True if it has to be.
    needs_all: AtomicBool,
    /// True if a function of the graph raises.
    raises_in_call: AtomicBool,
    /// The places around the function that it changes.
    pub spots: Spots,
    /// Places under handlers of functions without a text.
    pub unread: Unread,
}

impl Feature for Tries {
    fn slot() -> FeatureSlot {
        FeatureSlot::Tries
    }

    fn forget(&self) {
        self.close();
        let staged = std::mem::take(&mut *lock(&self.staged));
        drop(staged);
        self.spots.forget();
        self.set_raising(None);
    }
}

impl Tracing {
    /// The bodies of `try` that are being traced.
    pub fn tries(&self) -> &Tries {
        self.feature()
    }
}

impl Tries {
    /// Traces a body.
    pub fn within<T>(tracing: &Arc<Tracing>, catcher: &Arc<Catcher>, body: impl FnOnce() -> T) -> T {
        let open = &tracing.tries().open;
        if open.is_empty() {
            let watcher = Watcher { tracing: Arc::downgrade(tracing), busy: AtomicBool::new(false) };
            tracing.trace.observe(Some(Arc::new(watcher)));
        }
        open.within(catcher, body)
    }

    /// True if a handler around catches exceptions of a class, those around functions of the graph that are being made among them; also
    /// where the handlers are not known.
    pub fn handle(&self, class: &Bound<'_, PyAny>) -> bool {
        let handles = |catcher: &Catcher| match catcher.scope {
            Scope::Body { .. } => catcher.kinds(class.py()).is_none_or(|kinds| is_of(class, kinds)),
            Scope::Call(..) | Scope::Function(_) => false,
        };
        self.open.all().iter().any(|catcher| handles(catcher))
    }

    /// The innermost body, if it is one in which exits are only looked for.
    pub fn looking(&self) -> Option<Arc<Catcher>> {
        self.open.looking()
    }

    /// True if a body in which exits are only looked for has some, so that it will be a region.
    pub fn will_stage(&self) -> bool {
        self.open.all().iter().any(|catcher| !catcher.records && catcher.is_needed())
    }

    /// Runs the `__next__` of an iterator that Python itself asks for its next item.
    pub fn asked_by_python<T>(&self, next: impl FnOnce() -> T) -> T {
        lock(&self.asked).push(self.open.all().len());
        let given = next();
        lock(&self.asked).pop();
        given
    }

    /// True if an exception that is raised here leaves such a `__next__`.
    pub fn leaves_asked(&self) -> bool {
        lock(&self.asked).last() == Some(&self.open.all().len())
    }

    /// Lets what the function raises be a result of its graph; `spots` are the places around it that it changes, `lists` the lists.
    pub fn catch_all(&self, spots: Vec<Arc<Location>>, lists: Vec<Flowing>) {
        self.catches_all.store(true, Ordering::Relaxed);
        self.spots.carry(lists);
        self.spots.extend(spots);
    }

    /// True if the graph may raise what can be told by values.
    pub fn may_raise(&self, tracing: &Tracing) -> bool {
        let nodes = tracing.trace.build(|b| b.graph().nodes.len());
        self.catches_all()
            || (0..nodes).map(NodeId::new).any(|node| {
                is_said(&tracing.trace, node, Fails::Value) && !failures(tracing, node).is_empty()
            })
    }

    /// True if it is.
    pub fn catches_all(&self) -> bool {
        self.catches_all.load(Ordering::Relaxed)
    }

    /// Says that it has to be.
    pub fn need_all(&self) {
        self.needs_all.store(true, Ordering::Relaxed);
    }

    /// True if it has to be, and is not.
    pub fn needs_all(&self) -> bool {
        self.needs_all.load(Ordering::Relaxed)
    }

    /// Remembers that a function of the graph raises.
    pub fn set_raises_in_call(&self) {
        self.raises_in_call.store(true, Ordering::Relaxed);
    }

    /// True if one does.
    pub fn raises_in_call(&self) -> bool {
        self.raises_in_call.load(Ordering::Relaxed)
    }

    /// True if a body is known to need a region of its own.
    pub fn is_staged(&self, code: &Bound<'_, PyAny>) -> bool {
        lock(&self.staged).iter().any(|known| known.is(code))
    }

    /// Says that it does.
    pub fn set_staged(&self, code: &Bound<'_, PyAny>) {
        lock(&self.staged).push(code.clone().unbind());
    }

    /// Says which exception of the user's the next node stands for.
    pub fn set_raising(&self, error: Option<Py<PyAny>>) {
        let before = std::mem::replace(&mut *lock(&self.raising), error);
        drop(before);
    }

    /// Says which exception a statement raises whatever the graph decides in it.
    pub fn set_passing(&self, error: Py<PyAny>) {
        lock(&self.passing).replace(error);
    }

    /// True if that is this one.
    pub fn is_passing(&self, error: &Bound<'_, PyAny>) -> bool {
        lock(&self.passing).as_ref().is_some_and(|known| known.is(error))
    }

    /// The same, of the innermost statement alone.
    pub fn passes(&self, error: &Bound<'_, PyAny>) -> bool {
        let is_this = self.is_passing(error);
        let before = lock(&self.passing).take();
        drop(before);
        is_this
    }

    /// Remembers that an exception is thrown in place of one that the graph raises.
    pub fn thrown(&self, error: Py<PyAny>, place: Option<Loc>) {
        lock(&self.thrown).push((error, place));
    }

    /// Forgets the exceptions that were thrown: they hold what the function held.
    pub fn close(&self) {
        let thrown = std::mem::take(&mut *lock(&self.thrown));
        let passing = std::mem::take(&mut *lock(&self.passing));
        drop((thrown, passing));
    }

    /// Location at which the graph raises an exception that was thrown in place of that.
    pub fn place_of(&self, error: &Bound<'_, PyAny>) -> Option<Loc> {
        lock(&self.thrown).iter().find(|(known, _)| known.is(error)).and_then(|(_, place)| place.clone())
    }

    /// The bodies around that belong to the same function of the graph, the innermost first.
    fn around(&self, tracing: &Tracing) -> Vec<Arc<Catcher>> {
        self.open.around(tracing.trace.build(|b| b.waiting().len()))
    }

    /// True if one of them catches exceptions of a class, and nothing of Python's sees these before; with `whole`, the
    /// function itself.
    pub fn catches(&self, tracing: &Tracing, class: &Bound<'_, PyAny>, whole: bool) -> bool {
        let around = self.around(tracing);
        let nearest = around.iter().find(|catcher| catcher.catches(class, whole));
        nearest.is_some_and(|catcher| !raised::is_watched(class.py(), catcher.frames).unwrap_or(true))
    }

    /// The number of bodies around, those around functions of the graph that are being made among them.
    pub fn bodies(&self) -> usize {
        self.open.all().len()
    }

    /// True if exceptions of a class are met by a body inside of so many others.
    pub fn hears_inside(&self, outer: usize, class: &Bound<'_, PyAny>) -> bool {
        self.open.all().iter().skip(outer).any(|catcher| catcher.hears(class))
    }

    /// Exceptions that the bodies around handle, those around functions of the graph that are being made among
    /// them; all exceptions where those of the traced function are a result.
    pub fn heard(&self, py: Python<'_>) -> PyResult<Heard> {
        let mut heard = self.heard_by_bodies(py)?;
        if self.catches_all() {
            heard.add_all(py)?;
        }
        Ok(heard)
    }

    /// The same of handlers and `finally` alone.
    pub fn heard_by_bodies(&self, py: Python<'_>) -> PyResult<Heard> {
        let mut heard = Heard::default();
        for catcher in &self.open.all() {
            let Scope::Body { always, .. } = catcher.scope else { continue };
            match catcher.kinds(py).filter(|_| !always) {
                Some(kinds) => heard.add(kinds.bind(py))?,
                None => heard.add_all(py)?,
            }
        }
        Ok(heard)
    }

    /// True if a handler around names what is raised where calls stand in each other too deep.
    fn names_overflow(&self, py: Python<'_>) -> bool {
        self.open
            .all()
            .iter()
            .any(|catcher| catcher.kinds(py).is_some_and(|kinds| names_overflow(kinds.bind(py))))
    }

    /// Location at which a node of a function of the graph may raise an exception that a `try` outside of that
    /// function catches.
    fn unseen(&self, tracing: &Tracing, node: NodeId, class: &Bound<'_, PyAny>) -> Option<Option<Loc>> {
        let functions = tracing.trace.build(|b| b.waiting().len());
        let is_unseen = self.open.are_missed(functions, |catcher| catcher.hears(class));
        is_unseen.then(|| tracing.trace.build(|b| b.graph().places[node].clone()))
    }

    /// True if it matters to the function that is traced where it was when it failed: what it raises is a result of its graph.
    pub fn sees_calls(&self, tracing: &Tracing) -> bool {
        self.catches_all() || self.open.all().iter().any(|catcher| catcher.has_changed(tracing))
    }

    /// True if no body around sees what a function of the graph may raise.
    pub fn lets_pass(&self, py: Python<'_>, tracing: &Tracing, function: FunctionId) -> bool {
        let around = self.around(tracing);
        let mut bodies = around.iter().filter(|catcher| matches!(catcher.scope, Scope::Body { .. }));
        !bodies.any(|catcher| seen_failure(py, tracing, function, catcher).is_some())
    }

    /// A function of the graph is called that tells nothing: it has to if it may raise after a change that outlives the
    /// traced function.
    pub fn meets_call(&self, tracing: &Tracing, function: FunctionId) {
        let around = self.around(tracing);
        let Some(catcher) = around.iter().find(|catcher| catcher.has_changed(tracing)) else { return };
        if tracing.trace.build(|b| !failures_of(b.graph(), function).is_empty()) {
            catcher.need();
        }
    }

    /// Takes down that a node may fail.
    fn note(
        &self,
        tracing: &Arc<Tracing>,
        node: NodeId,
        (kind, fails): (CheckKind, Fails),
        py: Python<'_>,
    ) -> PyResult<()> {
        let error = lock(&self.raising).as_ref().map(|error| error.clone_ref(py));
        let class = match &error {
            Some(error) => error.bind(py).get_type().into_any(),
            None => class_of(py, kind).into_any(),
        };
        if kind == CheckKind::Recursion && error.is_none() && !self.names_overflow(py) {
            // Stack exhaustion passes all handlers that do not ask for it by name.
            return Ok(());
        }
        let by_value = fails == Fails::Value;
        let is_checked = kind == CheckKind::Index && tracing.trace.is_index_checked();
        if by_value && (is_checked || never_fails(&tracing.trace, node)) {
            return Ok(());
        }
        let around = self.around(tracing);
        // Lengths that do not fit are told where a store into an argument would be lost, and not for each model that assigns variables: no
        // derivative goes through an exit.
        let is_told = by_value || around.iter().any(|catcher| catcher.has_stored());
        let said = is_told && is_said(&tracing.trace, node, fails);
        if let Some(place) = self.unseen(tracing, node, &class) {
            tracing.stop(not_caught(class.cast()?, place)?);
        }
        let meets = |catcher: &Catcher| {
            if said && matches!(catcher.scope, Scope::Function(_)) {
                self.spots.leave(py, tracing.trace.build(|b| b.graph().places[node].clone()));
            }
        };
        let sees = |catcher: &Catcher| catcher.sees(tracing, &class, error.is_some(), said);
        match destination(&around, meets, sees) {
            Destination::Passes => {}
            Destination::Needs(catcher) => catcher.need(),
            Destination::Recorded(catcher) => {
                let moment = Snapshot::now(py, tracing, &catcher.places, catcher.cells())?;
                lock(&catcher.exits).push(Exit { node, kind, fails, moment, error });
                if let Some(found) = catcher.reached.get().and_then(|reached| reached.lost(py)) {
                    tracing.stop(found);
                }
            }
        }
        Ok(())
    }
}

/// Tells the bodies of `try` what is added to the graph.
#[derive(Debug)]
struct Watcher {
    tracing: Weak<Tracing>,
    /// To look at the program's state may itself add to the graph.
    busy: AtomicBool,
}

impl Observer for Watcher {
    fn added(&self, nodes: Range<usize>) {
        let Some(tracing) = self.tracing.upgrade() else { return };
        if tracing.tries().open.is_empty() || self.busy.swap(true, Ordering::Relaxed) {
            return;
        }
        for node in nodes.map(NodeId::new) {
            for failure in failures(&tracing, node) {
                // A state that cannot be read now is found out again when the body has ended.
                let _ = Python::attach(|py| tracing.tries().note(&tracing, node, failure, py));
            }
        }
        self.busy.store(false, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

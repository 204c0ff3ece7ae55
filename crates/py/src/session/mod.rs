//! A trace in progress: its graph, the state of each feature that keeps something of it, and the traces that are open on this
//! thread. It imports no feature: each defines its own state, and the method of [`Tracing`] that gives it.

pub mod backends;
pub mod conv;
pub mod depth;
pub mod frames;
pub mod interrupts;
pub mod libraries;
pub mod log;
pub mod loop_options;
pub mod own_files;
pub mod own_functions;
pub mod positions;
pub mod recursion_limit;
pub mod stand_ins;
pub mod top_frame;
pub mod wiring;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gw_base::{Diagnostic, Loc};
use gw_trace::Trace;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::session::top_frame::top_frame;

/// The features that keep something of a trace.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "each is the state of this name")]
pub enum FeatureSlot {
    Alias,
    Arguments,
    Arrays,
    Calls,
    Captures,
    Consumers,
    Denied,
    Homes,
    HostSide,
    ImplicitState,
    Inherited,
    Lists,
    MadeObjects,
    Natively,
    Optionals,
    Printed,
    Recorder,
    Regions,
    Rolling,
    Tables,
    Texts,
    Tries,
    Variables,
}

/// The number of features.
const FEATURES: usize = FeatureSlot::Variables as usize + 1;

/// The state that a feature keeps of a trace.
pub trait Feature: Any + Debug + Send + Sync {
    /// The place of the state in a trace, which no other state has.
    fn slot() -> FeatureSlot
    where
        Self: Sized;

    /// Lets go of all objects, when nothing of the trace is needed any more but what is said of its values.
    fn forget(&self) {}
}

/// The states of features, made when they are first used.
#[derive(Debug, Default)]
struct Features([OnceLock<Box<dyn Feature>>; FEATURES]);

impl Features {
    /// The state of this type.
    fn get<T: Feature + Default>(&self) -> &T {
        let state = self.0[T::slot() as usize].get_or_init(|| Box::<T>::default());
        let state: &dyn Any = state.as_ref();
        state.downcast_ref().expect("each feature has a slot of its own")
    }

    /// Begins with this state.
    fn put<T: Feature>(&self, state: T) {
        self.0[T::slot() as usize].get_or_init(|| Box::new(state));
    }

    fn each(&self) -> impl Iterator<Item = &dyn Feature> {
        self.0.iter().filter_map(OnceLock::get).map(Box::as_ref)
    }
}

/// One tracing of a Python function.
#[derive(Debug)]
pub struct Tracing {
    /// The graph.
    pub trace: Trace,
    features: Features,
    /// Why the graph is not the program's, although tracing goes on.
    stopped: Mutex<Option<Diagnostic>>,
    /// The first `raise` of the user's in whose place the graph raises.
    raises: Mutex<Option<Loc>>,
    /// Callback that finds a way on where statements nest too deep.
    way_on: OnceLock<WayOn>,
    /// Callback that is notified of each location in the user's text that is asked for.
    place_watcher: OnceLock<PlaceWatcher>,
}

/// A feature that may know a way on where statements nest too deep: an exception that is raised there.
pub type WayOn = fn(Python<'_>) -> Option<PyErr>;

/// A feature that is told places in the user's text.
pub type PlaceWatcher = fn(Python<'_>, &Tracing, &Loc);

impl Tracing {
    /// A tracing of a function of this name.
    pub fn new(name: &str) -> Self {
        let trace = Trace::new(name);
        trace.set_promotion(graphwright::promotion::said());
        Self {
            trace,
            features: Features::default(),
            stopped: Mutex::default(),
            raises: Mutex::default(),
            way_on: OnceLock::new(),
            place_watcher: OnceLock::new(),
        }
    }

    /// The state of a feature.
    pub fn feature<T: Feature + Default>(&self) -> &T {
        self.features.get()
    }

    /// Begins with a state of a feature that has no other yet.
    #[must_use]
    pub fn with(self, state: impl Feature) -> Self {
        self.features.put(state);
        self
    }

    /// Remembers why the graph is not the program's; nothing that the program catches makes it one again.
    pub fn stop(&self, why: Diagnostic) {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    /// Tracing goes on from where this was all that [`Tracing::stop`] had been told.
    pub fn go_on(&self, stopped: Option<Diagnostic>) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = stopped;
    }

    /// The first reason that [`Tracing::stop`] was told.
    pub fn stopped(&self) -> Option<Diagnostic> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers that the graph raises in the place of this `raise` of the user's.
    pub fn set_raises(&self, at: &Loc) {
        self.raises.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| at.clone());
    }

    /// The first such `raise`.
    pub fn raises(&self) -> Option<Loc> {
        self.raises.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks a feature from now on for a way on where statements nest too deep.
    pub fn ask_way_on(&self, way_on: WayOn) {
        let _ = self.way_on.set(way_on);
    }

    /// The way on where statements nest too deep.
    pub fn way_on(&self, py: Python<'_>) -> Option<PyErr> {
        self.way_on.get().and_then(|way_on| way_on(py))
    }

    /// Tells a feature from now on each place in the user's text that is asked for.
    pub fn watch_places(&self, watcher: PlaceWatcher) {
        let _ = self.place_watcher.set(watcher);
    }

    /// A place in the user's text is asked for.
    pub fn met_place(&self, py: Python<'_>, place: &Loc) {
        if let Some(watcher) = self.place_watcher.get() {
            watcher(py, self, place);
        }
    }

    /// Lets go of all objects, when nothing of it is needed any more but what is said of its values: one that got out of the
    /// function holds the tracing, which the collector does not see.
    pub fn forget(&self) {
        self.features.each().for_each(Feature::forget);
    }
}

thread_local! {
    /// From the outermost to the innermost.
    static OPEN: RefCell<Vec<Open>> = const { RefCell::new(Vec::new()) };
    /// The number of tracings that have ended.
    static ENDED: Cell<usize> = const { Cell::new(0) };
}

/// The number of those that are open on all threads: most calls of a function find none, and need not look at their own.
static OPENED: AtomicUsize = AtomicUsize::new(0);

/// A tracing that is open, and the frame that called the function: it is no part of the graph's text.
struct Open {
    /// `None` where code runs outside of all of them for a while.
    tracing: Option<Arc<Tracing>>,
    outside: Option<Py<PyAny>>,
}

/// The innermost tracing of this thread.
pub fn current() -> Option<Arc<Tracing>> {
    OPEN.with_borrow(|open| open.last().and_then(|open| open.tracing.clone()))
}

/// The tracing in which the innermost one was begun.
pub fn around() -> Option<Arc<Tracing>> {
    OPEN.with_borrow(|open| open.iter().rev().nth(1).and_then(|open| open.tracing.clone()))
}

/// True if a tracing is open on this thread.
pub fn is_tracing() -> bool {
    OPENED.load(Ordering::Relaxed) > 0
        && OPEN.with_borrow(|open| open.last().is_some_and(|open| open.tracing.is_some()))
}

/// Runs `step` with `tracing` innermost.
pub fn within<T>(py: Python<'_>, tracing: &Arc<Tracing>, step: impl FnOnce() -> T) -> T {
    with_innermost(py, Some(tracing.clone()), step)
}

/// Runs `step` outside of every graph, as `gw.init_scope` does.
pub fn outside<T>(py: Python<'_>, step: impl FnOnce() -> T) -> T {
    with_innermost(py, None, step)
}

fn with_innermost<T>(py: Python<'_>, innermost: Option<Arc<Tracing>>, step: impl FnOnce() -> T) -> T {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            leave();
        }
    }
    enter(py, innermost);
    let _leave = Leave;
    step()
}

/// Opens a tracing, or leaves all of them for a while; [`leave`] ends it.
pub fn enter(py: Python<'_>, tracing: Option<Arc<Tracing>>) {
    let open = Open { tracing, outside: top_frame(py).map(Bound::unbind) };
    OPENED.fetch_add(1, Ordering::Relaxed);
    OPEN.with_borrow_mut(|all| all.push(open));
}

/// Ends what [`enter`] began.
pub fn leave() {
    if let Some(open) = OPEN.with_borrow_mut(Vec::pop) {
        OPENED.fetch_sub(1, Ordering::Relaxed);
        drop(open);
    }
    ENDED.set(ENDED.get() + 1);
}

/// The number of tracings that have ended on this thread.
pub fn ended() -> usize {
    ENDED.get()
}

/// The address of the frame that called the function that is traced.
pub fn outside_frame() -> Option<*mut ffi::PyObject> {
    OPEN.with_borrow(|open| open.last()?.outside.as_ref().map(Py::as_ptr))
}

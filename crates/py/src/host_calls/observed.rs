//! Types of what host code gives, observed where it is called: `host_code="run"`.
//!
//! The first call of a trace type runs in plain Python, once, and notes what each call of the host gives. The graph that the next
//! call makes promises that. What no graph holds keeps the trace type in plain Python.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Loc;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// The observed result of one call of the host.
#[derive(Debug)]
enum Seen {
    /// Its type, as `Tout` says it, and whether it is an array of the host's.
    Held(Py<PyAny>, bool),
    /// A value that no graph holds, or values of several types.
    Other,
}

/// A class of exceptions, and the types of their arguments.
pub type RaisedAs = (Py<PyType>, Py<PyTuple>);

/// More exceptions than these are not met by one call of a graph.
const MOST_RAISED: usize = 4;

/// The observed results of the calls of the host under one trace type.
#[derive(Debug, Default)]
pub struct Observed {
    sites: Mutex<HashMap<Loc, Seen>>,
    /// The numbers of axes of results whose dtypes alone are said; none where they were several.
    ranks: Mutex<HashMap<Loc, Option<Vec<usize>>>>,
    /// The exceptions that were raised at a place: their classes, and the types of their arguments.
    raised: Mutex<HashMap<Loc, Vec<RaisedAs>>>,
    /// True once a call has run in plain Python.
    begun: AtomicBool,
    /// True if a tracing came to a call that has not been observed.
    lacks: AtomicBool,
    /// True if it was said which call keeps the trace type in plain Python.
    has_said: AtomicBool,
    /// The number of tracings that came to such a call.
    tries: AtomicUsize,
    /// True if no graph can be made: plain Python it stays.
    given_up: AtomicBool,
    /// True if the graph calls what may read and change any object of the program.
    reaches: AtomicBool,
    /// True if the graph calls what looks at a list from around the function.
    looks: AtomicBool,
}

thread_local! {
    static OBSERVER: RefCell<Option<Arc<Observed>>> = const { RefCell::new(None) };
    /// The values that host code has given plain Python and that no graph holds, by their addresses.
    static GIVEN: RefCell<HashMap<usize, Py<PyAny>>> = RefCell::default();
    /// True if a tracing came to a call of whose results the number of axes is not known.
    static LACKS_RANKS: Cell<bool> = const { Cell::new(false) };
}

/// True once plain Python was watched: calls of programs that know no host code need not look at what their thread has.
static HAVE_WATCHED: AtomicBool = AtomicBool::new(false);

impl Observed {
    /// True if it may be tried to make a graph.
    pub fn may_trace(&self) -> bool {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let [begun, given_up] = [&self.begun, &self.given_up].map(|flag| flag.load(Ordering::Relaxed));
        begun && !given_up && sites.values().all(|seen| matches!(seen, Seen::Held(..)))
    }

    /// The place of a call that gave what no graph holds, when it is asked for the first time.
    pub fn unheld(&self) -> Option<Loc> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let place =
            sites.iter().find(|(_, seen)| matches!(seen, Seen::Other)).map(|(place, _)| place.clone());
        place.filter(|_| !self.has_said.swap(true, Ordering::Relaxed))
    }

    /// Says that no graph can be made: one of the next calls tries again if some host code has not been observed. True if none does.
    pub fn fail(&self) -> bool {
        let is_lacking = self.lacks.swap(false, Ordering::Relaxed);
        let given_up = !is_lacking || self.tries.fetch_add(1, Ordering::Relaxed) == MOST_TRIES;
        self.given_up.fetch_or(given_up, Ordering::Relaxed);
        given_up
    }

    /// Says that the graph calls what looks at a list from around the function.
    pub fn look_around(&self) {
        self.looks.store(true, Ordering::Relaxed);
    }

    /// True if that was said.
    pub fn looks_around(&self) -> bool {
        self.looks.load(Ordering::Relaxed)
    }

    /// Says that the graph calls what may read and change any object of the program.
    pub fn reach_anything(&self) {
        self.reaches.store(true, Ordering::Relaxed);
    }

    /// True if that was said.
    pub fn reaches_anything(&self) -> bool {
        self.reaches.load(Ordering::Relaxed)
    }

    /// Runs plain Python, whose calls of the host are observed.
    pub fn watch<T>(self: &Arc<Self>, run: impl FnOnce() -> T) -> T {
        HAVE_WATCHED.store(true, Ordering::Relaxed);
        let before = (OBSERVER.replace(Some(Arc::clone(self))), GIVEN.take());
        let result = run();
        OBSERVER.set(before.0);
        drop(GIVEN.replace(before.1));
        self.begun.store(true, Ordering::Relaxed);
        result
    }

    /// Notes the type of what a call at a place gave; none for what no graph holds.
    pub fn note(
        &self,
        py: Python<'_>,
        place: Loc,
        given: Option<Bound<'_, PyAny>>,
        is_array: bool,
    ) -> PyResult<()> {
        let known = self.at(py, &place);
        let seen = match (known, given) {
            (Some((known, _)), Some(given)) if !known.bind(py).eq(&given)? => Seen::Other,
            (_, Some(given)) => Seen::Held(given.unbind(), is_array),
            (_, None) => Seen::Other,
        };
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let stays = matches!(sites.get(&place), Some(Seen::Other));
        let before = (!stays).then(|| sites.insert(place, seen));
        drop(sites);
        drop(before);
        Ok(())
    }

    /// The type of what a call at a place gives, and whether it is an array of the host's; none if that is not known.
    pub fn at(&self, py: Python<'_>, place: &Loc) -> Option<(Py<PyAny>, bool)> {
        match self.sites.lock().unwrap_or_else(PoisonError::into_inner).get(place) {
            Some(Seen::Held(said, is_array)) => Some((said.clone_ref(py), *is_array)),
            Some(Seen::Other) | None => None,
        }
    }

    /// Notes the class of an exception that a call at a place raises, and the types of its arguments. False if it raises too many others.
    pub fn note_raised(
        &self,
        place: Loc,
        class: &Bound<'_, PyType>,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<bool> {
        for (known, types) in self.raised_at(class.py(), &place) {
            if known.is(class) && types.bind(class.py()).eq(args)? {
                return Ok(true);
            }
        }
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let all = raised.entry(place).or_default();
        let has_room = all.len() < MOST_RAISED;
        if has_room {
            all.push((class.clone().unbind(), args.clone().unbind()));
        }
        Ok(has_room)
    }

    /// The exceptions that were raised at a place.
    pub fn raised_at(&self, py: Python<'_>, place: &Loc) -> Vec<RaisedAs> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let all = raised.get(place).map(Vec::as_slice).unwrap_or_default();
        all.iter().map(|(class, args)| (class.clone_ref(py), args.clone_ref(py))).collect()
    }

    /// Notes how many axes the results of a call at a place have.
    pub fn note_ranks(&self, place: Loc, ranks: Vec<usize>) {
        let mut all = self.ranks.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(place).or_insert_with(|| Some(ranks.clone()));
        if known.as_ref().is_some_and(|known| *known != ranks) {
            *known = None;
        }
    }

    /// The numbers of axes of the results of a call at a place, if they were seen and always the same.
    pub fn ranks(&self, place: &Loc) -> Option<Vec<usize>> {
        self.ranks.lock().unwrap_or_else(PoisonError::into_inner).get(place).cloned().flatten()
    }

    /// Says that a tracing came to a call that has not been observed.
    pub fn lack(&self) {
        self.lacks.store(true, Ordering::Relaxed);
    }
}

/// The observations that plain Python makes now, if it is watched.
pub fn observer() -> Option<Arc<Observed>> {
    OBSERVER.with_borrow(Clone::clone)
}

/// Says that a tracing of this thread came to a call of whose results the number of axes is not known.
pub fn lack_ranks() {
    LACKS_RANKS.set(true);
}

/// True if that was said since this was asked last.
pub fn lacked_ranks() -> bool {
    LACKS_RANKS.take()
}

/// Runs host code, whose own calls are nobody's to observe.
pub fn apart<T>(run: impl FnOnce() -> T) -> T {
    let before = OBSERVER.take();
    let result = run();
    OBSERVER.set(before);
    result
}

/// After so many tracings in vain a branch counts as one that no call takes.
const MOST_TRIES: usize = 30;

/// More values of host code are not known as such.
const MOST_GIVEN: usize = 100_000;

/// Notes a value that host code has given plain Python and that no graph holds.
pub fn note_given(value: &Bound<'_, PyAny>) {
    GIVEN.with_borrow_mut(|given| {
        if given.len() < MOST_GIVEN {
            given.insert(value.as_ptr() as usize, value.clone().unbind());
        }
    });
}

/// True of a value that host code has given plain Python, or of a plain tuple with one in it.
pub fn is_given(value: &Bound<'_, PyAny>) -> bool {
    match value.cast_exact::<PyTuple>() {
        Ok(items) => items.iter().any(|item| is_given(&item)),
        Err(_) => GIVEN.with_borrow(|given| given.contains_key(&(value.as_ptr() as usize))),
    }
}

/// True if plain Python runs whose calls of the host are observed.
pub fn is_watched() -> bool {
    HAVE_WATCHED.load(Ordering::Relaxed) && OBSERVER.with_borrow(Option::is_some)
}

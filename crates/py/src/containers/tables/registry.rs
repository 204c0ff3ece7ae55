//! The dicts and sets of one tracing that are in the graph: what they held before, and which of them flow through
//! statements.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Loc;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::entries::Entries;
use super::refill::refill;
use crate::containers::lists::is_ours;
use crate::host_calls::as_it_is;
use crate::session::{Feature, FeatureSlot, Tracing, frames};

/// A dict or set, and what the user would write for it.
type Named = (Py<PyAny>, String);

/// The dicts and sets of one tracing.
#[derive(Debug, Default)]
pub struct Registry {
    used: AtomicBool,
    /// True if a dict comes into the graph where a branch or loop gives it a key of Python's.
    takes_new_keys: AtomicBool,
    known: Mutex<Vec<Known>>,
    /// The number of statements of the graph that have been traced.
    traced: AtomicUsize,
    /// Those that each statement reaches, the innermost last, with what the user would write for them.
    reached: Mutex<Vec<Vec<Named>>>,
}

impl Feature for Registry {
    fn slot() -> FeatureSlot {
        FeatureSlot::Tables
    }
}

impl Tracing {
    /// The dicts and sets of the graph.
    pub fn tables(&self) -> &Registry {
        self.feature()
    }
}

/// A dict or set that is in the graph.
#[derive(Debug)]
struct Known {
    object: Py<PyAny>,
    entries: Py<Entries>,
    /// A copy of what it held before.
    original: Py<PyAny>,
    /// True if a statement changes it, and what the user would write for it there.
    path: Option<String>,
    /// Location at which it came into the graph.
    place: Option<Loc>,
}

impl Registry {
    /// True if any dict or set is in the graph.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// The entries of a dict or set, the same ones each time.
    pub fn entries_of<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Entries>> {
        let py = object.py();
        if let Some(entries) = self.find(object, |known| known.entries.clone_ref(py)) {
            return Ok(entries.into_bound(py));
        }
        if !self.used.swap(true, Ordering::Relaxed) {
            as_it_is::watch(py)?;
        }
        let list = PyList::empty(py).unbind();
        let entries = Bound::new(py, Entries { list, owner: object.as_ptr() as usize })?;
        let original = object.call_method0("copy")?.unbind();
        let place = frames::place(py);
        let (object, path) = (object.clone().unbind(), None);
        lock(&self.known).push(Known { object, entries: entries.clone().unbind(), original, path, place });
        Ok(entries)
    }

    /// The lists that hold the contents of dicts and sets.
    pub fn lists<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyList>> {
        lock(&self.known).iter().map(|known| known.entries.get().list.bind(py).clone()).collect()
    }

    fn find<T>(&self, object: &Bound<'_, PyAny>, give: impl Fn(&Known) -> T) -> Option<T> {
        lock(&self.known).iter().find(|known| known.object.is(object)).map(give)
    }

    /// True if a list holds the contents of a dict or set.
    pub fn is_inside(&self, list: &Bound<'_, PyList>) -> bool {
        lock(&self.known).iter().any(|known| known.entries.get().list.is(list))
    }

    /// True if a dict comes into the graph where a branch or loop gives it a key of Python's.
    pub fn take_new_keys(&self) -> bool {
        self.takes_new_keys.load(Ordering::Relaxed)
    }

    /// Says that it does; whether it did before.
    pub fn set_takes_new_keys(&self) -> bool {
        self.takes_new_keys.swap(true, Ordering::Relaxed)
    }

    /// True if a statement reaches a dict or set.
    pub fn is_reached(&self, object: &Bound<'_, PyAny>) -> bool {
        lock(&self.reached).iter().flatten().any(|(known, _)| known.is(object))
    }

    /// Says that a statement changes a dict or set.
    pub fn note(&self, object: &Bound<'_, PyAny>, path: &str) -> PyResult<()> {
        self.entries_of(object)?;
        if let Some(known) = lock(&self.known).iter_mut().find(|known| known.object.is(object)) {
            known.path.get_or_insert_with(|| path.to_owned());
        }
        Ok(())
    }

    /// True if a statement changes the object, a dict or set.
    pub fn flows(&self, object: &Bound<'_, PyAny>) -> bool {
        self.find(object, |known| known.path.is_some()) == Some(true)
    }

    /// The number of statements of the graph that have been traced, each time that one is.
    pub fn traced(&self) -> usize {
        self.traced.load(Ordering::Relaxed)
    }

    /// Begins a statement that reaches these.
    pub fn open(&self, reached: Vec<Named>) {
        self.traced.fetch_add(1, Ordering::Relaxed);
        lock(&self.reached).push(reached);
    }

    /// Ends it.
    pub fn shut(&self) {
        drop(lock(&self.reached).pop());
    }

    /// Those that the innermost statement reaches.
    pub fn reached<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyAny>, String)> {
        let all = lock(&self.reached);
        all.last()
            .into_iter()
            .flatten()
            .map(|(object, path)| (object.bind(py).clone(), path.clone()))
            .collect()
    }

    /// Gives the dicts and sets that are not the function's own, which `inside` tells, what they held before it; the first
    /// one of them.
    pub fn close(
        &self,
        py: Python<'_>,
        inside: &dyn Fn(&Bound<'_, PyAny>) -> usize,
    ) -> PyResult<Option<Outside>> {
        let known = std::mem::take(&mut *lock(&self.known));
        let mut found = None;
        for Known { object, original, path, place, .. } in known {
            let object = object.into_bound(py);
            let inside = inside(&object);
            if !is_ours(&object, inside)? {
                refill(&object, original.bind(py))?;
                let kind = if object.is_instance_of::<PyDict>() { "dict" } else { "set" };
                found.get_or_insert((path, place, kind));
            }
        }
        Ok(found)
    }
}

/// A dict or set from outside of a function: as the user would write it, where it came into the graph, and what it is.
type Outside = (Option<String>, Option<Loc>, &'static str);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Handlers of functions without a text, which Python runs as they stand: they see what is raised while the function is traced,
//! and nothing of what fails when the graph runs. GW115 where they would have caught that.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::{Code, Diagnostic, Loc};
use gw_trace::first_failure;
use pyo3::prelude::*;

use crate::convert;
use crate::exceptions::errors;
use crate::session::Tracing;

/// The places of a tracing that stand under such a handler.
#[derive(Debug, Default)]
pub struct Unread {
    /// True once a function without a text is called.
    is_met: AtomicBool,
    places: Mutex<HashSet<Loc>>,
    /// By the addresses of such functions, what they can call that answers differently each time.
    differing: Mutex<HashMap<usize, String>>,
}

impl Unread {
    fn places(&self) -> MutexGuard<'_, HashSet<Loc>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A function without a text is called: from here on places are looked at.
    pub fn met(&self, tracing: &Tracing) {
        self.is_met.store(true, Ordering::Relaxed);
        tracing.watch_places(note);
    }

    /// True once a function without a text is called.
    pub fn is_met(&self) -> bool {
        self.is_met.load(Ordering::Relaxed)
    }

    /// A function can call what answers differently each time.
    pub fn differs(&self, function: &Bound<'_, PyAny>, name: String) {
        let mut differing = self.differing.lock().unwrap_or_else(PoisonError::into_inner);
        differing.entry(function.as_ptr() as usize).or_insert(name);
    }

    /// Name of an object that a function can call and that answers differently each time, if there is one.
    pub fn differing(&self, function: &Bound<'_, PyAny>) -> Option<String> {
        let differing = self.differing.lock().unwrap_or_else(PoisonError::into_inner);
        differing.get(&(function.as_ptr() as usize)).cloned()
    }

    /// GW115 if an operation at one of the places may fail when the graph runs.
    pub fn check(&self, tracing: &Tracing) -> PyResult<()> {
        let places = self.places();
        if places.is_empty() {
            return Ok(());
        }
        let is_caught = |place: &Loc| places.contains(place);
        let Some(place) = tracing.trace.build(|b| first_failure(b.graph(), &is_caught)) else {
            return Ok(());
        };
        let message = "this may raise when the graph runs, where no `except` or `finally` of a function without a source can \
                       catch it";
        Err(errors::raise(&Diagnostic::new(Code::NotCaught, message).at(place, "").help(convert::REMEDY)))
    }
}

/// Takes down that an operation is made at a place, if that stands under a handler of a function without a text.
fn note(py: Python<'_>, tracing: &Tracing, place: &Loc) {
    if convert::is_caught(py).unwrap_or(false) {
        tracing.tries().unread.places().insert(place.clone());
    }
}

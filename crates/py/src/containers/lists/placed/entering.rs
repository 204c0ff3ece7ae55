//! Objects that enter lists as elements: one that is an element already would be in two places.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::prelude::*;

use super::registry::Places;
use crate::effects::alias;
use crate::host::skeleton::Skeleton;
use crate::session::{self, Tracing};

impl Places {
    /// True of an element over which the loop of the innermost comprehension runs, and which entered no list yet.
    fn is_walked_by_comprehension(&self, object: &Bound<'_, PyAny>) -> bool {
        let is_it = |other: &Py<PyAny>| other.is(object);
        let since = self.comprehensions.last().map(|&first| &self.known[first.min(self.known.len())..]);
        since.is_some_and(|known| known.iter().any(is_it)) && self.walked.iter().any(is_it)
    }
}

/// The two branches of a statement, of which a call runs one: an object may enter a list in each.
pub struct Branches<'a> {
    tracing: &'a Tracing,
    before: usize,
    known: RefCell<Vec<Py<PyAny>>>,
}

impl<'a> Branches<'a> {
    /// Those of a statement that begins now.
    pub fn new(tracing: &'a Tracing) -> Self {
        Self { tracing, before: tracing.lists().placed.mark().known, known: RefCell::default() }
    }

    /// One of them begins: what entered lists in the other one did not.
    pub fn begin(&self) {
        let mut places = self.tracing.lists().placed.lock();
        let first = self.before.min(places.known.len());
        self.known.borrow_mut().extend(places.known.drain(first..));
    }
}

impl Drop for Branches<'_> {
    fn drop(&mut self) {
        self.tracing.lists().placed.lock().known.append(&mut self.known.borrow_mut());
    }
}

/// An object becomes an element of a list: one that is an element already would be in two places.
pub fn enters(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let placed = &tracing.lists().placed;
    for part in alias::changeable(object)? {
        let may_be_another = tracing.boxes().may_be_another(&part);
        let mut places = placed.lock();
        if places.is_walked_by_comprehension(&part) {
            // The comprehension takes each element once.
            places.are_copied = true;
            places.walked.retain(|walked| !walked.is(&part));
        } else if places.known.iter().any(|known| known.is(&part)) || may_be_another {
            places.is_shared = true;
        } else {
            places.known.push(part.unbind());
        }
    }
    Ok(())
}

/// An object stands for an element over which a loop runs.
pub fn is_walked(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let parts = alias::changeable(object)?;
    tracing.lists().placed.lock().walked.extend(parts.into_iter().map(Bound::unbind));
    Ok(())
}

/// A comprehension that is being evaluated, until this is dropped.
pub struct Comprehending(Option<Arc<Tracing>>);

impl Comprehending {
    /// It begins.
    pub fn begin() -> Self {
        let tracing = session::current();
        if let Some(tracing) = &tracing {
            let mut places = tracing.lists().placed.lock();
            let known = places.known.len();
            places.comprehensions.push(known);
        }
        Self(tracing)
    }
}

impl Drop for Comprehending {
    fn drop(&mut self) {
        if let Some(tracing) = &self.0 {
            tracing.lists().placed.lock().comprehensions.pop();
        }
    }
}

/// Another list gets elements of this structure.
pub fn are_copied(element: &Skeleton) {
    if let Some(tracing) = session::current().filter(|_| element.has_objects()) {
        tracing.lists().placed.lock().are_copied = true;
    }
}

/// An object was made of an element that stays in its list.
pub fn is_copied(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let parts = alias::changeable(object)?;
    tracing.lists().placed.lock().known.extend(parts.into_iter().map(Bound::unbind));
    Ok(())
}

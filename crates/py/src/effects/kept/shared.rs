//! Structures that a function made and that are in more than one place where it ends: each call makes one for all of them.

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;

use crate::effects::alias;
use crate::effects::attributes::held_by;
use crate::host::{nesting, structure};
use crate::session::Tracing;

/// A look for structures that can be changed, or that hold such, in more than one place.
pub struct Shared<'a, 'py> {
    tracing: &'a Tracing,
    /// True for an object that was there before the function began.
    is_old: &'a dyn Fn(&Bound<'_, PyAny>) -> bool,
    /// Visited objects by their addresses; true for such a structure.
    met: HashMap<usize, (Bound<'py, PyAny>, bool)>,
    found: HashSet<usize>,
}

impl<'a, 'py> Shared<'a, 'py> {
    /// A look in which no place was met yet.
    pub fn new(tracing: &'a Tracing, is_old: &'a dyn Fn(&Bound<'_, PyAny>) -> bool) -> Self {
        Self { tracing, is_old, met: HashMap::new(), found: HashSet::new() }
    }

    /// Looks at the object in one more place.
    pub fn meet(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        self.at(object, 0).map(drop)
    }

    /// Those that were met more than once, by their addresses.
    pub fn found(&self) -> &HashSet<usize> {
        &self.found
    }

    /// True if an object is a structure that was met.
    pub fn has(&self, object: &Bound<'_, PyAny>) -> bool {
        self.met.get(&(object.as_ptr() as usize)).is_some_and(|(_, changes)| *changes)
    }

    /// True if an object is a structure that can be changed, or that holds one.
    fn at(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<bool> {
        let number = object.as_ptr() as usize;
        if let Some(&(_, changes)) = self.met.get(&number) {
            if changes {
                self.found.insert(number);
            }
            return Ok(changes);
        }
        if (self.is_old)(object) {
            return Ok(false);
        }
        if depth == nesting::DEEPEST {
            return Err(nesting::too_deep(object.py()));
        }
        let Some((_, items)) = structure::open_by_class(object)? else { return self.within(object, depth) };
        let mut changes = alias::is_changeable(object);
        self.met.insert(number, (object.clone(), changes));
        for item in &items {
            changes |= self.at(item, depth + 1)?;
        }
        self.met.insert(number, (object.clone(), changes));
        Ok(changes)
    }

    /// Looks into an object of the function's own, which is one object wherever it is.
    fn within(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<bool> {
        if self.tracing.made_objects().has(object) {
            self.met.insert(object.as_ptr() as usize, (object.clone(), false));
            held_by(object)?.iter().try_for_each(|value| self.at(value, depth + 1).map(drop))?;
        }
        Ok(false)
    }
}

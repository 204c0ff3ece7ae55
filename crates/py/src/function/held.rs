//! References to objects of the program that a graph was made with: weak where the object allows that.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

/// An object that a trace type knows by its address: the trace is of use only while the object lives.
#[derive(Debug)]
pub enum Held {
    /// The object may go, and the trace with it.
    Weak(Py<PyWeakrefReference>),
    /// Objects to which no weak reference can be made.
    Strong(Py<PyAny>),
}

impl Held {
    /// Weakly, where that can be.
    pub fn of(object: &Bound<'_, PyAny>) -> Self {
        match PyWeakrefReference::new(object) {
            Ok(weak) => Held::Weak(weak.unbind()),
            Err(_) => Held::Strong(object.clone().unbind()),
        }
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Held::Weak(_) => Ok(()),
            Held::Strong(object) => visit.call(object),
        }
    }

    /// The object, if it lives.
    pub fn get<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match self {
            Held::Weak(weak) => weak.bind(py).upgrade(),
            Held::Strong(object) => Some(object.bind(py).clone()),
        }
    }

    /// True if it is this object.
    pub fn is(&self, object: &Bound<'_, PyAny>) -> bool {
        match self {
            Held::Weak(weak) => weak.bind(object.py()).upgrade().is_some_and(|held| held.is(object)),
            Held::Strong(held) => held.is(object),
        }
    }

    /// True if both hold one object: it has one weak reference of this kind.
    pub fn same(&self, other: &Held) -> bool {
        match (self, other) {
            (Held::Weak(a), Held::Weak(b)) => a.is(b),
            (Held::Strong(a), Held::Strong(b)) => a.is(b),
            (Held::Weak(_) | Held::Strong(_), _) => false,
        }
    }
}

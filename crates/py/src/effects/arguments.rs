//! The lists, dicts and dataclasses among the arguments of a function that is traced: where it first changes one, for what is said of it
//! in the end (GW113).

use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Loc;
use pyo3::prelude::*;

use crate::host::structure;
use crate::session::{self, Feature, FeatureSlot, Tracing, frames};

/// The methods that change a list, dict or set.
const CHANGING: [&str; 14] = [
    "append",
    "add",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
    "__setitem__",
];

/// Facts about the arguments of one tracing.
#[derive(Debug, Default)]
pub struct Arguments(Mutex<Vec<Argument>>);

impl Feature for Arguments {
    fn slot() -> FeatureSlot {
        FeatureSlot::Arguments
    }

    fn forget(&self) {
        drop(std::mem::take(&mut *self.lock()));
    }
}

impl Tracing {
    /// The lists, dicts and dataclasses among the arguments.
    pub fn arguments(&self) -> &Arguments {
        self.feature()
    }
}

#[derive(Debug)]
struct Argument {
    container: Py<PyAny>,
    changed: Option<Loc>,
}

impl Arguments {
    fn lock(&self) -> MutexGuard<'_, Vec<Argument>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes down an argument, and the containers in it.
    ///
    /// # Errors
    /// If it nests too deep.
    pub fn know(&self, argument: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some((_, items)) = structure::open(argument)? else { return Ok(()) };
        self.lock().push(Argument { container: argument.clone().unbind(), changed: None });
        items.iter().try_for_each(|item| self.know(item))
    }

    /// Location at which a container, or one in it, was first changed.
    pub fn changed(&self, argument: &Bound<'_, PyAny>) -> Option<Loc> {
        let own = self
            .lock()
            .iter()
            .find(|known| known.container.is(argument))
            .map(|known| known.changed.clone())?;
        let inside = || {
            structure::open(argument).ok()?.and_then(|(_, items)| items.iter().find_map(|i| self.changed(i)))
        };
        own.or_else(inside)
    }
}

/// Takes down that a method of an object is called here, if it changes one of the arguments.
pub fn called(py: Python<'_>, owner: &Bound<'_, PyAny>, method: &str) {
    if CHANGING.contains(&method) {
        changing(py, owner);
    }
}

/// Takes down that an object is changed here, if it is one of the arguments.
pub fn changing(py: Python<'_>, object: &Bound<'_, PyAny>) {
    let Some(tracing) = session::current() else { return };
    let at = |known: &Argument| known.container.is(object) && known.changed.is_none();
    let Some(found) = tracing.arguments().lock().iter().position(at) else { return };
    let place = frames::place(py);
    if let Some(argument) = tracing.arguments().lock().get_mut(found) {
        argument.changed = place;
    }
}

//! Attributes that an object of the function's own may hold itself or find in its class: a branch or loop of the graph stores one
//! on some paths only, and the value of the class is the value of the others. That is Python's answer as long as nobody looks
//! at what the object holds itself and the class keeps what it holds.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Loc;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::session::{Feature, FeatureSlot, Tracing};

/// The attributes of one tracing that may be their objects' own.
#[derive(Debug, Default)]
pub struct Registry(Mutex<Vec<Inherited>>);

impl Feature for Registry {
    fn slot() -> FeatureSlot {
        FeatureSlot::Inherited
    }

    fn forget(&self) {
        let known = std::mem::take(&mut *self.lock());
        drop(known);
    }
}

impl Tracing {
    /// The attributes of objects that may be their class's.
    pub fn inherited(&self) -> &Registry {
        self.feature()
    }
}

/// Such an attribute.
#[derive(Debug)]
struct Inherited {
    object: Py<PyAny>,
    name: String,
    /// The value that the class held by that name.
    held: Py<PyAny>,
    /// The statement that stores it on some paths.
    statement: Option<Loc>,
}

/// The name of such an attribute, and the statement that stores it on some paths.
pub type Doubt = (String, Option<Loc>);

/// A look at what the class of an object holds by a name.
pub type InClass<'a, 'py> = &'a dyn Fn(&Bound<'py, PyAny>, &str) -> Option<Bound<'py, PyAny>>;

impl Registry {
    /// Notes that a statement may give an object an attribute of its own, where its class holds this value by that name.
    pub fn note(
        &self,
        object: &Bound<'_, PyAny>,
        name: &str,
        held: Bound<'_, PyAny>,
        statement: Option<Loc>,
    ) {
        let mut known = self.lock();
        if !known.iter().any(|one| one.object.is(object) && one.name == name) {
            let object = object.clone().unbind();
            known.push(Inherited { object, name: name.to_owned(), held: held.unbind(), statement });
        }
    }

    /// The first such attribute of an object: of this name, or of any.
    pub fn of(&self, object: &Bound<'_, PyAny>, name: Option<&str>) -> Option<Doubt> {
        let is_meant = |one: &&Inherited| one.object.is(object) && name.is_none_or(|name| one.name == name);
        self.lock().iter().find(is_meant).map(Inherited::doubt)
    }

    /// The first such attribute of an object of a class, or of one made from it, of this name.
    pub fn of_class(&self, class: &Bound<'_, PyType>, name: &str) -> Option<Doubt> {
        let is_of_it = |one: &Inherited| one.object.bind(class.py()).is_instance(class).unwrap_or(true);
        let is_meant = |one: &&Inherited| one.name == name && is_of_it(one);
        self.lock().iter().find(is_meant).map(Inherited::doubt)
    }

    /// The first such attribute whose class holds something else by now.
    pub fn changed<'py>(&self, py: Python<'py>, in_class: InClass<'_, 'py>) -> Option<Doubt> {
        let is_other = |one: &&Inherited| {
            let now = in_class(one.object.bind(py), &one.name);
            !now.is_some_and(|now| now.is(&one.held))
        };
        self.lock().iter().find(is_other).map(Inherited::doubt)
    }

    /// True if an object whose attributes these are holds by such a name what its class holds.
    pub fn is_left(
        &self,
        names: &Bound<'_, PyDict>,
        name: &Bound<'_, PyAny>,
        held: &Bound<'_, PyAny>,
    ) -> bool {
        let py = names.py();
        let owns = |one: &Inherited| one.object.bind(py).getattr("__dict__").is_ok_and(|own| own.is(names));
        let is_it =
            |one: &Inherited| one.held.is(held) && name.extract::<&str>().is_ok_and(|name| name == one.name);
        self.lock().iter().any(|one| is_it(one) && owns(one))
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Inherited>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inherited {
    fn doubt(&self) -> Doubt {
        (self.name.clone(), self.statement.clone())
    }
}

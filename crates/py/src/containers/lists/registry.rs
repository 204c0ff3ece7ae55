//! The lists of one tracing, as Python's objects.

use std::collections::HashMap;
use std::sync::Arc;

use gw_base::Loc;
use gw_trace::objects::{self, Changed, ReachedList};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::chosen::Chosen;
use super::placed::Placed;
use crate::containers::list_object::ListObject;
use crate::containers::references::references;
use crate::host::skeleton::Skeleton;
use crate::session::{self, Feature, FeatureSlot, Tracing, frames};

/// The lists of one tracing.
#[derive(Debug, Default)]
pub struct Registry {
    /// Lists that an index of the graph chose from.
    pub chosen: Chosen,
    /// Objects that stand for elements.
    pub placed: Placed,
    /// All lists.
    pub all: objects::Registry<ListObject, Arc<Py<PyAny>>, Skeleton>,
}

impl Feature for Registry {
    fn slot() -> FeatureSlot {
        FeatureSlot::Lists
    }

    fn forget(&self) {
        self.placed.forget();
    }
}

impl Tracing {
    /// The lists of the graph.
    pub fn lists(&self) -> &Registry {
        self.feature()
    }
}

impl Registry {
    /// True if any list is in the graph.
    pub fn is_used(&self) -> bool {
        self.all.is_used()
    }

    /// The length of the longest list that the innermost statement reaches.
    pub fn longest(&self, py: Python<'_>) -> usize {
        let reached = self.all.reached();
        reached.iter().map(|known| known.list.bind(py).len()).max().unwrap_or_default()
    }

    /// The lists that the open statements reach.
    pub fn all_reached<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyList>> {
        self.all.all_reached().iter().map(|list| list.bind(py).clone()).collect()
    }

    /// The lists over which loops run.
    pub fn all_walked<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        self.all.all_walked().iter().map(|walked| walked.bind(py).clone()).collect()
    }

    /// Says that the innermost statement reaches a list too.
    pub fn reach(&self, list: &Bound<'_, PyList>, path: &str) {
        self.all.reach(&ListObject::new(list), path);
    }

    /// Tells if a statement that changes the list makes it longer or shorter; nothing if none changes it.
    pub fn grows(&self, list: &Bound<'_, PyList>) -> Option<bool> {
        self.all.grows(&ListObject::new(list))
    }

    /// True if a statement changes the object, a list.
    pub fn knows(&self, object: &Bound<'_, PyAny>) -> bool {
        self.all.knows(|list| list.is(object))
    }

    /// Says that the changes of a list are somebody else's affair from now on.
    pub fn forget(&self, list: &Bound<'_, PyAny>) {
        if let Ok(list) = list.cast_exact::<PyList>() {
            self.all.forget(&ListObject::new(list));
        }
    }

    /// Says that a statement changes a list.
    pub fn note(&self, list: &Bound<'_, PyList>, grows: bool) {
        self.all.note(&ListObject::new(list), grows, frames::place(list.py()));
    }

    /// Says that a list without elements failed since nobody knows yet what its elements are.
    pub fn miss(&self, list: &Bound<'_, PyList>) {
        self.all.miss(&ListObject::new(list));
    }

    /// True if one did.
    pub fn has_missed(&self) -> bool {
        self.all.has_missed()
    }

    /// The number of times that one did.
    pub fn misses(&self) -> usize {
        self.all.misses()
    }

    /// Begins to ask a branch for the elements of the list that failed last, or ends it.
    pub fn ask(&self, begins: bool) {
        if begins { self.all.ask() } else { self.all.asked() }
    }

    /// True if a branch is being asked for the elements of the list that failed last.
    pub fn is_asked(&self) -> bool {
        self.all.is_asked()
    }

    /// Gives the lists that are not the function's own, which `own` and `inside` tell, what they held before it; the text that the
    /// user would write for the first one, and the place where it is changed.
    pub fn close(
        &self,
        py: Python<'_>,
        own: &dyn Fn(&Bound<'_, PyList>) -> bool,
        inside: &dyn Fn(&Bound<'_, PyList>) -> usize,
    ) -> PyResult<Option<(String, Option<Loc>)>> {
        let mut found = None;
        for Changed { list: ours, path, held, place } in self.all.close() {
            let list = ours.bind(py).clone();
            drop(ours);
            let inside = inside(&list);
            if !own(&list) && !is_ours(&list, inside)? {
                let held = held.iter().map(|item| item.bind(py));
                list.set_slice(0, list.len(), PyList::new(py, held)?.as_any())?;
                found.get_or_insert((path, place));
            }
        }
        Ok(found)
    }
}

/// True if an object has no references but these. Garbage that holds it is collected, young objects first: to look for some among
/// all objects of a large program takes a good part of a second.
pub fn is_ours(object: &Bound<'_, PyAny>, inside: usize) -> PyResult<bool> {
    if references(object)? == inside {
        return Ok(true);
    }
    let collect = object.py().import("gc")?.getattr("collect")?;
    for generation in 0..=2 {
        collect.call1((generation,))?;
        if references(object)? == inside {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A statement that reaches lists, until this is dropped.
pub struct Open(Arc<Tracing>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.lists().all.shut();
        self.0.tables().shut();
    }
}

/// Begins a statement that reaches these lists, and these dicts and sets; `held` is all that variables, attributes and
/// items hold there.
pub fn open<'a, 'py: 'a>(
    held: impl Iterator<Item = &'a Bound<'py, PyAny>>,
    lists: impl Iterator<Item = (Bound<'py, PyList>, String)>,
    tables: impl Iterator<Item = (Bound<'py, PyAny>, String)>,
) -> Option<Open> {
    let tracing = session::current()?;
    let mut names: HashMap<usize, usize> = HashMap::new();
    held.for_each(|object| *names.entry(object.as_ptr() as usize).or_default() += 1);
    let reached = |(list, path): (Bound<'py, PyList>, String)| {
        let names = names.get(&(list.as_ptr() as usize)).copied().unwrap_or(0);
        ReachedList { list: ListObject::new(&list), path, names }
    };
    tracing.lists().all.open(lists.map(reached).collect());
    tracing.tables().open(tables.map(|(table, path)| (table.unbind(), path)).collect());
    Some(Open(tracing))
}

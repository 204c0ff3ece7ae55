//! Tests of what a change of an element concerns: it is carried back only where that is clear.

use std::collections::HashMap;
use std::sync::Arc;

use gw_trace::objects;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use super::carry::carry_back;
use super::place::{Held, Place, Seen};
use super::registry::Placed;
use crate::containers::lists::rows::Rows;
use crate::containers::references::references;
use crate::effects::alias::{self, Names};
use crate::host::PyHost;
use crate::session::{self, Tracing};

/// The changes that are looked at now.
pub struct Changes<'a> {
    pub py: Python<'a>,
    pub tracing: &'a Arc<Tracing>,
    pub at_store: bool,
}

impl<'a> Changes<'a> {
    /// GW122 where a change of an object that stands for an element may concern something that does not see it.
    pub fn judge(&self, all: &[Place], at: usize, now: &Seen) -> PyResult<()> {
        let place = &all[at];
        let is_own = |other: &Bound<'_, PyAny>| place.seen.has(other) || now.has(other);
        self.told(place.object.bind(self.py), self.is_clear(all, place, now, &is_own)?)
    }

    /// The same of a change of an item of a list of Python's.
    pub fn judge_item(&self, all: &[Place], at: usize, item: &Bound<'_, PyAny>, now: &Seen) -> PyResult<()> {
        self.told(item, self.is_clear(all, &all[at], now, &|other| now.has(other))?)
    }

    /// True if an object in the element is another one than before: others that stand for the element keep the old one.
    fn is_replaced(&self, place: &Place, now: &Seen) -> bool {
        !now.has_same_parts(&place.seen)
    }

    fn told(&self, object: &Bound<'_, PyAny>, is_clear: bool) -> PyResult<()> {
        if is_clear { Ok(()) } else { Err(self.tracing.boxes().changed_in_list(object)) }
    }

    fn is_clear(
        &self,
        all: &[Place],
        place: &Place,
        now: &Seen,
        is_own: &dyn Fn(&Bound<'_, PyAny>) -> bool,
    ) -> PyResult<bool> {
        let (is_shared, are_copied, stored) = {
            let places = self.tracing.lists().placed.lock();
            let stored = places.stored.as_ref().map(|stored| stored.clone_ref(self.py));
            (places.is_shared, places.are_copied, stored)
        };
        let is_now = self.at_store || stored.is_some_and(|stored| now.has(stored.bind(self.py)));
        let classes = Classes::of(now, self.py);
        let items = place.items();
        // Real objects may be in several lists of Python's, and have entered others.
        let are_copied = are_copied || !items.is_empty();
        let names = Names::now(self.py)?;
        let mut others = names.lists().filter(|list| !list.is(&place.list));
        if is_shared || others.any(|list| classes.rows_in(list.bind(self.py), are_copied)) {
            return Ok(false);
        }
        let is_clear = |other: &Bound<'_, PyAny>| {
            // An item behind the rows is another element.
            let is_behind = || place.list.bind(self.py).iter().any(|item| item.is(other));
            let is_item = items.iter().any(|item| item.is(other));
            if is_own(other) || !classes.has(other) || is_item || is_behind() {
                return true;
            }
            let known = all.iter().find(|known| known.seen.has(other));
            match known.filter(|known| known.is_there(self.py, self.tracing)) {
                Some(known) if known.list.is(&place.list) => is_now && !self.is_replaced(place, now),
                Some(known) => !are_copied && known.items().is_empty(),
                None => names.of(other) == 0,
            }
        };
        Ok(self.tracing.boxes().listed(self.py).iter().all(is_clear))
    }
}

/// The classes of the objects in an element.
struct Classes<'py>(Vec<Bound<'py, PyType>>);

impl<'py> Classes<'py> {
    fn of(seen: &Seen, py: Python<'py>) -> Self {
        Self(seen.parts.iter().map(|part| part.bind(py).get_type()).collect())
    }

    fn has(&self, object: &Bound<'py, PyAny>) -> bool {
        self.0.iter().any(|class| class.is(object.get_type()))
    }

    /// True if a list holds rows of objects of these classes, which another list may hold too: where rows were copied any list,
    /// else one that got its rows from another.
    fn rows_in(&self, list: &Bound<'py, PyList>, are_copied: bool) -> bool {
        let is_one = |class: &Py<PyType>| self.0.iter().any(|own| own.is(class));
        let is_copy = |rows: &Rows| are_copied || !rows.is_of(list);
        let is_both = |rows: &Rows| is_copy(rows) && rows.held.element.has_object_of(&is_one);
        list.iter().any(|item| item.cast::<Rows>().is_ok_and(|rows| is_both(rows.get())))
    }
}

/// An object was taken out of a list: it is its own from now on, unless others may stand for it.
pub fn is_moved(object: &Bound<'_, PyAny>, list: &Bound<'_, PyList>) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let py = object.py();
    let seen = Seen::now(object)?;
    if seen.parts.is_empty() {
        return Ok(());
    }
    let (classes, names) = (Classes::of(&seen, py), Names::now(py)?);
    let is_other = |other: &Bound<'_, PyAny>| classes.has(other) && names.of(other) > 0;
    let (is_shared, are_copied) = {
        let places = tracing.lists().placed.lock();
        (places.is_shared, places.are_copied)
    };
    let is_copy = |other: &Py<PyList>| !other.is(list) && classes.rows_in(other.bind(py), are_copied);
    let is_clear = !is_shared
        && !names.lists().any(is_copy)
        && !tracing.boxes().listed(py).iter().any(is_other)
        && !tracing.lists().placed.has_others(list, py);
    if is_clear { Ok(()) } else { alias::listed(object) }
}

impl Placed {
    /// True if an object that stands for an element of a list is held by somebody.
    fn has_others(&self, list: &Bound<'_, PyList>, py: Python<'_>) -> bool {
        let Some(tracing) = session::current() else { return false };
        self.with(|all| {
            let held = self.holders(all, &tracing);
            all.iter().any(|place| place.list.is(list) && held.has_others(place.object.bind(py)))
        })
    }

    /// Forgets the objects that nobody holds any more, and that hold what their lists do.
    pub fn prune(&self, all: &mut Vec<Place>, tracing: &Tracing, py: Python<'_>) {
        let held = self.holders(all, tracing);
        let is_gone = |place: &mut Place| {
            let (object, of_rows) = (place.object.bind(py), place.items().is_empty());
            of_rows && !held.has_others(object) && Seen::now(object).is_ok_and(|now| now.is_same(&place.seen))
        };
        let gone: Vec<_> = all.extract_if(.., is_gone).collect();
        tracing.boxes().forget(gone.iter().map(|place| &place.object));
    }

    /// The number of times that this and the groups of objects hold each object.
    fn holders(&self, all: &[Place], tracing: &Tracing) -> Holders {
        let mut counts = HashMap::new();
        let mut count = |object: &Py<PyAny>| *counts.entry(object.as_ptr() as usize).or_default() += 1;
        for place in all {
            count(&place.object);
            place.seen.parts.iter().for_each(&mut count);
            if let Held::Items(items) = &place.held {
                items.iter().for_each(|(item, seen)| {
                    count(item);
                    seen.parts.iter().for_each(&mut count);
                });
            }
        }
        let places = self.lock();
        places.known.iter().chain(&places.walked).chain(&places.stored).for_each(&mut count);
        drop(places);
        tracing.boxes().each_member(&mut count);
        Holders(counts)
    }
}

/// The number of times that the tracing holds each object, by its address.
struct Holders(HashMap<usize, usize>);

impl Holders {
    /// True if others hold an object too.
    fn has_others(&self, object: &Bound<'_, PyAny>) -> bool {
        let own = self.0.get(&(object.as_ptr() as usize)).copied().unwrap_or(0);
        // One of the own references is the one by which it is asked.
        references(object).is_ok_and(|others| others + 1 > own)
    }
}

/// `a is b` of two objects that stand for elements; nothing for others.
pub fn is_one<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(tracing) = session::current().filter(|_| !a.is(b)) else { return Ok(None) };
    let py = a.py();
    carry_back(py, false)?;
    let placed = &tracing.lists().placed;
    if placed.lock().is_shared {
        return Ok(None);
    }
    let positions = placed.with(|all| {
        let of = |object: &Bound<'py, PyAny>| {
            let place = all.iter().find(|place| place.object.is(object));
            place.filter(|place| place.is_there(py, &tracing))
        };
        let (first, second) = (of(a)?, of(b)?);
        first.list.is(&second.list).then_some([first.at, second.at])
    });
    let Some(positions) = positions else { return Ok(None) };
    PyHost::anywhere(py, tracing.clone()).tensor(objects::is_at(&tracing.trace, positions)).map(Some)
}

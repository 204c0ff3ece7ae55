//! Changes of objects that stand for elements, on their way into the lists.

use std::sync::Arc;

use gw_trace::objects;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::clear::Changes;
use super::entering::enters;
use super::place::{Held, Place, Seen, put};
use super::registry::Quiet;
use crate::containers::list_object::ListObject;
use crate::containers::lists::rows::Rows;
use crate::host::PyHost;
use crate::session::{self, Tracing};

/// A list is read: what objects that stand for elements were changed to is in it.
pub fn is_read(list: &Bound<'_, PyList>) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    carry_back(list.py(), false)?;
    let placed = &tracing.lists().placed;
    placed.see(list, tracing.lists().all.depth());
    let rows: Vec<_> = list.iter().filter(Rows::are_of_objects).collect();
    let is_owned = |item: &Bound<'_, PyAny>| item.cast::<Rows>().is_ok_and(|rows| rows.get().is_of(list));
    let mut places = placed.lock();
    places.is_shared |= rows.len() > 1;
    places.are_copied |= !rows.iter().all(is_owned);
    Ok(())
}

/// Puts what objects were changed to into the lists for whose elements they stand. Directly behind a store of the program's,
/// `at_store`, nothing was read since; elsewhere the change came by other ways, and other objects may have been read too early.
pub fn carry_back(py: Python<'_>, at_store: bool) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let placed = &tracing.lists().placed;
    let is_needed = {
        let places = placed.lock();
        !places.all.is_empty() && !places.is_quiet
    };
    if !is_needed {
        return Ok(());
    }
    let _quiet = Quiet::begin();
    placed.with(|all| Carry { py, tracing: &tracing, at_store }.all(all))
}

/// One look at all objects that stand for elements.
struct Carry<'a, 'py> {
    py: Python<'py>,
    tracing: &'a Arc<Tracing>,
    at_store: bool,
}

impl Carry<'_, '_> {
    fn all(&self, all: &mut Vec<Place>) -> PyResult<()> {
        for at in 0..all.len() {
            if !all[at].is_there(self.py, self.tracing) {
                all[at].is_lost = true;
                continue;
            }
            let now = Seen::now(all[at].object.bind(self.py))?;
            if !now.is_same(&all[at].seen) {
                let number = all[at].number;
                self.tracing.lists().placed.prune(all, self.tracing, self.py);
                let at = all.iter().position(|place| place.number == number);
                if let Some(at) = at {
                    self.object(all, at, &now)?;
                }
                return self.all(all);
            }
        }
        while let Some((at, item, now)) = self.changed_item(all)? {
            if all[at].is_there(self.py, self.tracing) {
                self.item(all, at, (&item, &now))?;
            } else {
                // The item is known as one of the list still, and its change is refused.
                all.remove(at);
            }
        }
        Ok(())
    }

    /// Carries back what one of them was changed to.
    fn object(&self, all: &mut [Place], at: usize, now: &Seen) -> PyResult<()> {
        let (py, placed) = (self.py, &self.tracing.lists().placed);
        let host = PyHost::anywhere(py, self.tracing.clone());
        let list = all[at].list.bind(py).clone();
        objects::elements(&host, &ListObject::new(&list))?;
        self.changes().judge(all, at, now)?;
        let old = |part: &&Py<PyAny>| all[at].seen.has(part.bind(py));
        now.parts.iter().filter(|part| !old(part)).try_for_each(|part| enters(part.bind(py)))?;
        let changed = now.changed_since(&all[at].seen);
        let partners = self.partners(all, at);
        placed.write(&list);
        let (of, object) = (ListObject::new(&list), Arc::new(all[at].object.clone_ref(py)));
        if let Held::Items(items) = &all[at].held {
            if !placed.is_reached(self.tracing, &list) {
                // The items are places of their own, which the statement would have to carry.
                return Err(self.tracing.boxes().changed_in_list(all[at].object.bind(py)));
            }
            let leaves = objects::change_items(&host, &of, all[at].at, &object, &changed)?;
            for ((item, _), leaves) in items.iter().zip(leaves) {
                put(item.bind(py), &mut leaves.into_iter())?;
            }
        } else {
            placed.reach(self.tracing, &list);
            objects::store_leaves(&host, &of, all[at].at, &object, &changed)?;
        }
        self.refresh(all, &partners, &changed)?;
        all[at].look(self.tracing.boxes(), py)
    }

    /// The others that stand for elements of the same list, which hold what their elements hold.
    fn partners(&self, all: &[Place], at: usize) -> Vec<usize> {
        let is_partner = |&other: &usize| {
            other != at && all[other].list.is(&all[at].list) && all[other].is_there(self.py, self.tracing)
        };
        (0..all.len()).filter(is_partner).collect()
    }

    /// Gives these the changed leaves of their elements.
    fn refresh(&self, all: &mut [Place], which: &[usize], changed: &[bool]) -> PyResult<()> {
        let host = PyHost::anywhere(self.py, self.tracing.clone());
        for &at in which {
            let of = ListObject::new(all[at].list.bind(self.py));
            let leaves = objects::read_leaves(&host, &of, all[at].at, changed)?;
            put(all[at].object.bind(self.py), &mut leaves.into_iter())?;
            all[at].look(self.tracing.boxes(), self.py)?;
        }
        Ok(())
    }

    /// An item of a list of Python's that holds something else than when it was last looked at.
    fn changed_item(&self, all: &[Place]) -> PyResult<Option<(usize, Py<PyAny>, Seen)>> {
        for (at, place) in all.iter().enumerate() {
            let Held::Items(items) = &place.held else { continue };
            for (item, seen) in items {
                let now = Seen::now(item.bind(self.py))?;
                if !now.is_same(seen) {
                    return Ok(Some((at, item.clone_ref(self.py), now)));
                }
            }
        }
        Ok(None)
    }

    /// Gives the objects that stand for elements of a list what one of its items was changed to.
    fn item(&self, all: &mut [Place], at: usize, (item, now): (&Py<PyAny>, &Seen)) -> PyResult<()> {
        self.changes().judge_item(all, at, item.bind(self.py), now)?;
        self.tracing.lists().placed.write(all[at].list.bind(self.py));
        let mut all_there = self.partners(all, at);
        all_there.push(at);
        let changed = vec![true; now.leaves.len()];
        self.refresh(all, &all_there, &changed)
    }

    fn changes(&self) -> Changes<'_> {
        Changes { py: self.py, tracing: self.tracing, at_store: self.at_store }
    }
}

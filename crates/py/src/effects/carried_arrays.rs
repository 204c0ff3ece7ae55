//! The arrays that the variables of a branch or loop hold while it is traced: what stands for a variable is linked with those
//! that it may be, has their semantics, and knows of which arrays it may be a part.

use std::cell::{Cell as Flag, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use gw_base::Code;
use gw_trace::Slot;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::effects::alias::Same;
use crate::effects::met_arrays::{
    Memory, Seen, Shared, Together, add, cells, check_links, connected, has_one_twice, link_all,
    link_connected, meet,
};
use crate::effects::places::Places;
use crate::exceptions::errors;
use crate::optional::leaves::{maybes, tensors};
use crate::session::Tracing;
use crate::values::cell::{self, Cell};
use crate::values::roots::Root;
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;

/// An array that a variable holds all the time, and what flows in its place.
type Pin<'py> = (Bound<'py, PyAny>, Arc<Py<PyAny>>);

/// The arrays that the variables of a statement hold.
pub struct CarriedArrays<'a, 'py> {
    py: Python<'py>,
    tracing: &'a Tracing,
    slots: &'a [Slot],
    seen: RefCell<Vec<Seen>>,
    /// The items of lists whose items flow one by one, by the list and the place in it.
    items: RefCell<BTreeMap<(usize, usize), Seen>>,
    learnt: &'a Learnt,
    /// By the variable.
    pins: RefCell<HashMap<usize, Pin<'py>>>,
    /// The number of stores in the graph when a loop began; nothing in a branch.
    stores: Option<usize>,
    /// The tensors that stand for each variable since its state was set.
    standing: RefCell<Vec<Vec<Bound<'py, Tensor>>>>,
    together: RefCell<Together>,
    /// A loop ended a turn without a store, so that it is not learnt which of its variables share memory.
    is_unlearnt: Flag<bool>,
}

/// Facts learnt of the variables of a statement while it was traced, by their names.
#[derive(Debug)]
pub struct Learnt {
    /// Time at which the statement was traced first: arrays that are older are from around it.
    begun: u64,
    /// The semantics of those that were not what they were at first.
    semantics: RefCell<HashMap<Slot, Semantics>>,
    /// Those that hold the same array all the time: true until another one is met there.
    pinned: RefCell<HashMap<Slot, bool>>,
    /// The variables of a loop that share memory at the end of an iteration, so that they do so at the beginning of the next.
    shared: RefCell<BTreeSet<(Slot, Slot, Shared)>>,
    /// The arrays from around a loop that a variable holds at the end of an iteration, and those of which it is a part.
    around: RefCell<HashMap<Slot, Memory>>,
}

/// Way in which a variable flows.
pub enum Pinned {
    /// By its value.
    No,
    /// As the array itself, for which this stands.
    As(Arc<Py<PyAny>>),
    /// By its value after all, since it holds another array now.
    Another,
}

impl Default for Learnt {
    fn default() -> Self {
        let (semantics, pinned, shared, around) = Default::default();
        Self { begun: cell::now(), semantics, pinned, shared, around }
    }
}

impl<'a, 'py> CarriedArrays<'a, 'py> {
    /// Those of a statement that begins now, a loop if it `repeats`.
    pub fn enter(
        py: Python<'py>,
        tracing: &'a Tracing,
        slots: &'a [Slot],
        learnt: &'a Learnt,
        repeats: bool,
    ) -> Self {
        let stores = repeats.then(|| tracing.regions().stores());
        let seen = RefCell::new(vec![Seen::default(); slots.len()]);
        let (items, pins, standing) = Default::default();
        let (together, is_unlearnt) = Default::default();
        Self { py, tracing, slots, seen, items, learnt, pins, stores, standing, together, is_unlearnt }
    }

    /// Says that the variables of another state are seen from now on.
    pub fn begin_state(&self) {
        self.together.borrow_mut().state.clear();
    }

    /// True if a loop stores into arrays, and its variables share memory at the end of an iteration in a way that is not
    /// known yet: what stands for them at the beginning is told when the loop is traced once more.
    pub fn share_anew(&self, values: &[Arc<Py<PyAny>>]) -> PyResult<bool> {
        let begun = !self.standing.borrow().is_empty();
        let Some(stores) = self.stores.filter(|_| begun) else { return Ok(false) };
        if stores == self.tracing.regions().stores() {
            self.is_unlearnt.set(true);
            return Ok(false);
        }
        let mut memory = Vec::with_capacity(self.slots.len());
        for value in values.iter().take(self.slots.len()) {
            memory.push(Memory::of(value.bind(self.py))?);
        }
        let mut is_new = false;
        for (one, name) in memory.iter().zip(self.slots) {
            if has_one_twice(&one.own) {
                let twice = (name.clone(), name.clone(), Shared::Linked);
                is_new |= self.learnt.shared.borrow_mut().insert(twice);
            }
            for (other, of) in memory.iter().zip(self.slots).filter(|(other, _)| !std::ptr::eq(*other, one)) {
                if let Some(shared) = one.shared_with(other) {
                    is_new |= self.learnt.shared.borrow_mut().insert((name.clone(), of.clone(), shared));
                }
            }
            let is_around = |cell: &&Arc<Cell>| cell.born < self.learnt.begun;
            let mut around = self.learnt.around.borrow_mut();
            let known = around.entry(name.clone()).or_default();
            is_new |= add(&mut known.own, one.with_linked().iter().filter(is_around).cloned().collect());
            is_new |= add(&mut known.roots, one.roots.iter().filter(is_around).cloned().collect());
        }
        Ok(is_new)
    }

    /// True if a variable holds the same array all the time, and what flows in its place then.
    pub fn pinned(&self, at: usize, value: &Bound<'py, PyAny>) -> PyResult<Pinned> {
        let mut learnt = self.learnt.pinned.borrow_mut();
        let Some(pinned) = learnt.get_mut(&self.slots[at]).filter(|pinned| **pinned) else {
            return Ok(Pinned::No);
        };
        if let Some((array, itself)) = self.pins.borrow().get(&at) {
            *pinned = array.is(value);
            return Ok(if *pinned { Pinned::As(itself.clone()) } else { Pinned::Another });
        }
        if !value.is_instance_of::<Tensor>() {
            *pinned = false;
            return Ok(Pinned::No);
        }
        let itself = Arc::new(Py::new(self.py, Same(value.clone().unbind()))?.into_any());
        self.pins.borrow_mut().insert(at, (value.clone(), itself.clone()));
        Ok(Pinned::As(itself))
    }

    /// True if what stood for a variable could not be stored into, and the variable may hold its own array all the time.
    pub fn can_pin(&self) -> bool {
        self.tracing.regions().answer(|cell| {
            let stood = |seen: &Seen| seen.stood.iter().any(|other| Arc::ptr_eq(other, cell));
            let Some(at) = self.seen.borrow().iter().position(stood) else { return false };
            let mut learnt = self.learnt.pinned.borrow_mut();
            let is_new = !learnt.contains_key(&self.slots[at]);
            learnt.entry(self.slots[at].clone()).or_insert(true);
            is_new
        })
    }

    /// True if a variable holds what may be a part of an array that was stored into since.
    pub fn is_stale(&self, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        let arrays = &self.tracing.arrays();
        let is_maybe = || Ok::<_, PyErr>(maybes(value)?.iter().any(|maybe| maybe.get().is_stale()));
        let is_any = || Ok::<_, PyErr>(tensors(value)?.iter().any(|tensor| tensor.get().is_stale()));
        Ok((arrays.are_on_some_paths() && is_maybe()?) || (arrays.are_present() && is_any()?))
    }

    /// Takes down the arrays of a variable; whether its semantics is another than what stands for it was given.
    pub fn see(&self, at: usize, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        let seen = &mut self.seen.borrow_mut()[at];
        if let Some(known) = self.learnt.semantics.borrow().get(&self.slots[at]) {
            seen.semantics = Some(*known);
        }
        let own = seen.take(value, self.tracing.arrays().are_on_some_paths())?;
        self.together.borrow_mut().meet(at, own);
        let differs = seen.given.is_some() && seen.given != seen.semantics;
        if let Some(semantics) = seen.semantics.filter(|_| differs) {
            self.learnt.semantics.borrow_mut().insert(self.slots[at].clone(), semantics);
        }
        Ok(differs)
    }

    /// Links what stands for the variables from now on with what they were, and with each other.
    pub fn link(&self, values: &[Arc<Py<PyAny>>]) -> PyResult<()> {
        // The arrays that each may be are taken down before any of them is linked: they are arrays of one time.
        let near: Vec<_> = self.seen.borrow().iter().map(Seen::near).collect();
        let of = |(at, value): (usize, &Arc<Py<PyAny>>)| self.link_one(at, value.bind(self.py), &near[at]);
        let standing = values.iter().enumerate().map(of).collect::<PyResult<Vec<_>>>()?;
        let mut roots = self.link_learnt(&standing);
        for (roots, seen) in roots.iter_mut().zip(self.seen.borrow().iter()) {
            *roots = connected(roots.iter().chain(&seen.roots));
        }
        for (at, value) in values.iter().enumerate() {
            let is_returned = self.slots.get(at).is_some_and(Slot::is_returned);
            for maybe in maybes(value.bind(self.py))? {
                let mut all = self.may_be(at, &roots[at], &standing);
                all.retain(|cell| cell.is_here());
                maybe.get().stem_from(self.seen.borrow()[at].as_roots(all, self.py)?, is_returned);
            }
        }
        for (at, tensors) in standing.iter().enumerate() {
            for (other, others) in standing.iter().enumerate().take(at + 1) {
                let share = at != other && meet(&roots[at], &roots[other]);
                if share || self.were_one(at, other) {
                    check_links(self.py, tensors.len(), others.len())?;
                    link_all(&cells(tensors), &cells(others));
                }
            }
        }
        if self.is_unlearnt.get() {
            standing.iter().for_each(|tensors| link_connected(&cells(tensors)));
        }
        for (at, tensors) in standing.iter().enumerate() {
            if !self.pins.borrow().contains_key(&at) {
                let roots = self.seen.borrow()[at].as_roots(roots[at].clone(), self.py)?;
                tensors.iter().for_each(|tensor| tensor.get().stem_from(roots.clone()));
            }
        }
        self.standing.replace(standing);
        Ok(())
    }

    /// True if two variables were the same array at one time, or may have been.
    fn were_one(&self, at: usize, other: usize) -> bool {
        let seen = self.seen.borrow();
        let both = seen.get(at).zip(seen.get(other));
        let is_pair = self.together.borrow().pairs.contains(&(at.min(other), at.max(other)));
        is_pair || (at != other && both.is_some_and(|(seen, other)| seen.shares_host(other)))
    }

    /// The arrays that a variable without a value on some paths may be, or be a part of: those that it was, and what stands
    /// now for other variables that were one of these.
    fn may_be(&self, at: usize, roots: &[Arc<Cell>], standing: &[Vec<Bound<'py, Tensor>>]) -> Vec<Arc<Cell>> {
        let seen = self.seen.borrow();
        let mut own = seen.get(at).map(|seen| seen.cells.clone()).unwrap_or_default();
        add(&mut own, roots.to_vec());
        let mut all = connected(&own);
        for (others, tensors) in seen.iter().zip(standing) {
            if meet(&others.cells, &own) || others.shares_host(&seen[at]) {
                add(&mut all, cells(tensors));
            }
        }
        all
    }

    /// Links what stands for the variables of a loop as was learnt; gives the arrays of which each is a part.
    fn link_learnt(&self, standing: &[Vec<Bound<'py, Tensor>>]) -> Vec<Vec<Arc<Cell>>> {
        let mut roots = Vec::with_capacity(standing.len());
        let around = self.learnt.around.borrow();
        for (name, tensors) in self.slots.iter().zip(standing) {
            let known = around.get(name);
            known.iter().for_each(|known| link_all(&cells(tensors), &known.own));
            roots.push(known.map(|known| known.roots.clone()).unwrap_or_default());
        }
        for (one, of, shared) in self.learnt.shared.borrow().iter() {
            let at = |slot: &Slot| self.slots.iter().position(|other| other == slot);
            let (Some(one), Some(of)) = (at(one), at(of)) else { continue };
            match shared {
                Shared::Linked => link_all(&cells(&standing[one]), &cells(&standing[of])),
                Shared::Part => {
                    add(&mut roots[one], cells(&standing[of]));
                }
            }
        }
        roots
    }

    /// Links what stands for a variable with what it was; gives what stands for it.
    fn link_one(
        &self,
        at: usize,
        value: &Bound<'py, PyAny>,
        near: &[Vec<Arc<Cell>>],
    ) -> PyResult<Vec<Bound<'py, Tensor>>> {
        self.seen.borrow_mut()[at].link(value, near)
    }

    /// Takes down the arrays in a list whose items flow one by one.
    pub fn see_items(&self, at: usize, list: &Bound<'py, PyList>) -> PyResult<()> {
        let on_some_paths = self.tracing.arrays().are_on_some_paths();
        for (place, item) in list.iter().enumerate() {
            self.items.borrow_mut().entry((at, place)).or_default().take(&item, on_some_paths)?;
        }
        Ok(())
    }

    /// Links what stands for the items of such a list with what they were, and with the variables that were these.
    pub fn link_items(&self, at: usize, list: &Bound<'py, PyList>) -> PyResult<()> {
        let mut items = self.items.borrow_mut();
        for (place, item) in list.iter().enumerate() {
            let Some(seen) = items.get_mut(&(at, place)) else { continue };
            let standing = seen.link(&item, &seen.near())?;
            let roots = seen.as_roots(connected(&seen.roots), self.py)?;
            standing.iter().for_each(|tensor| tensor.get().stem_from(roots.clone()));
            for (variable, tensors) in self.seen.borrow().iter().zip(self.standing.borrow().iter()) {
                if variable.was_one_with(seen) {
                    link_all(&cells(&standing), &cells(tensors));
                }
            }
            // It is not learnt which items share memory at the end of a turn.
            link_connected(&cells(&standing));
        }
        Ok(())
    }
}

/// The arrays that a function returned on some paths when its `finally` began, or the exit of a manager: a store there
/// changes what was returned.
#[derive(Debug)]
pub struct Returning(Vec<Root>);

impl Returning {
    /// Those among the variables of a `try` or `with`.
    pub fn of(slots: &[Slot], places: &Places, py: Python<'_>) -> PyResult<Self> {
        let mut roots = Vec::new();
        if slots.iter().any(Slot::is_returned) {
            let values = places.get(py)?;
            for (_, value) in slots.iter().zip(values).filter(|(slot, _)| slot.is_returned()) {
                maybes(&value)?.iter().for_each(|maybe| roots.extend(maybe.get().roots()));
            }
        }
        Ok(Self(roots))
    }

    /// GW122 if one of them was stored into since.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        if !self.0.iter().any(Root::is_stale) {
            return Ok(());
        }
        let message = "an array is stored into in a `finally`, or where a `with` is left, that a `return` in the body gives \
                       on some paths";
        let help = "return a copy, `return x.copy()`, or store before the `return`";
        Err(errors::here(py, Code::StoreUnclear, message, help))
    }
}

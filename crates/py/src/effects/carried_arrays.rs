//! The arrays that the variables of a branch or loop hold while it is traced: what stands for a variable is linked with those
//! that it may be, has their semantics, and knows of which arrays it may be a part.

use std::cell::{Cell as Flag, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use gw_base::Code;
use gw_trace::Slot;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::effects::alias::Same;
use crate::effects::places::Places;
use crate::exceptions::errors;
use crate::optional::leaves::{arrays_of_python, maybes, tensors};
use crate::session::Tracing;
use crate::values::cell::{self, Cell};
use crate::values::roots::{self, Host, Root};
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

/// Pairs of variables that were one array in one state of a statement, or may have been.
#[derive(Debug, Default)]
struct Together {
    pairs: BTreeSet<(usize, usize)>,
    /// The arrays of the variables in the state that is being looked at.
    state: Vec<(usize, Vec<Arc<Cell>>)>,
}

/// Observations of a variable in the course of a statement.
#[derive(Debug, Clone, Default)]
struct Seen {
    cells: Vec<Arc<Cell>>,
    /// Those at each place of a tuple, or of a tensor alone.
    places: Vec<Vec<Arc<Cell>>>,
    /// It was something else, in which a tensor has no place of its own.
    is_mixed: bool,
    /// Their semantics, as far as it was met.
    semantics: Option<Semantics>,
    /// The semantics that what stands for the variable was given.
    given: Option<Semantics>,
    /// The arrays of which it was a part.
    roots: Vec<Arc<Cell>>,
    /// The arrays of Python's own that it was.
    hosts: Vec<Host>,
    /// Cells of its stand-ins.
    stood: Vec<Arc<Cell>>,
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

/// A relation of two variables that share memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    /// They hold one array, or parts of one that is neither.
    Linked,
    /// The first one is a part of the second one.
    Part,
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
        // What one of them may be is taken down before any of them is linked: they are arrays of one time.
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

impl Together {
    /// Takes down the arrays that a variable of this state holds.
    fn meet(&mut self, at: usize, own: Vec<Arc<Cell>>) {
        if has_one_twice(&own) {
            self.pairs.insert((at, at));
        }
        for (other, cells) in &self.state {
            if may_be_one(&own, cells) {
                self.pairs.insert((at.min(*other), at.max(*other)));
            }
        }
        self.state.push((at, own));
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

/// The memory of what a variable holds.
#[derive(Debug, Default)]
struct Memory {
    /// The arrays themselves.
    own: Vec<Arc<Cell>>,
    /// Those of which they are or may be parts.
    roots: Vec<Arc<Cell>>,
}

impl Memory {
    fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let tensors: Vec<_> =
            tensors(value)?.into_iter().filter(|tensor| !tensor.get().is_number()).collect();
        let mut roots = Vec::new();
        for tensor in &tensors {
            add(&mut roots, roots::arrays(tensor.get()));
        }
        Ok(Self { own: cells(&tensors), roots: connected(&roots) })
    }

    /// The arrays themselves and those that they may be.
    fn with_linked(&self) -> Vec<Arc<Cell>> {
        near(&self.own)
    }

    fn shared_with(&self, other: &Self) -> Option<Shared> {
        if may_be_one(&self.own, &other.own) {
            return Some(Shared::Linked);
        }
        if !self.roots.is_empty() && meet(&self.roots, &connected(&other.own)) {
            return Some(Shared::Part);
        }
        meet(&self.roots, &other.roots).then_some(Shared::Linked)
    }
}

fn cells(tensors: &[Bound<'_, Tensor>]) -> Vec<Arc<Cell>> {
    tensors.iter().map(|tensor| tensor.get().cell().clone()).collect()
}

/// Links what stands for variables with what each of them may be.
fn link_all(some: &[Arc<Cell>], others: &[Arc<Cell>]) {
    for one in some {
        others.iter().filter(|other| other.is_here()).for_each(|other| Cell::may_be(one, other));
    }
}

/// Links cells with all that links lead to.
fn link_connected(some: &[Arc<Cell>]) {
    for one in some {
        link_all(std::slice::from_ref(one), &connected(std::slice::from_ref(one)));
    }
}

/// Cells, those that may be the same arrays, those that may be the same as these, and so on.
fn connected<'a>(cells: impl IntoIterator<Item = &'a Arc<Cell>>) -> Vec<Arc<Cell>> {
    let mut all: Vec<_> = cells.into_iter().cloned().collect();
    let own: HashSet<_> = all.iter().map(Arc::as_ptr).collect();
    let others = Cell::connected(all.clone());
    all.extend(others.into_iter().filter(|cell| cell.is_here() && !own.contains(&Arc::as_ptr(cell))));
    all
}

/// Cells, and those that may be the same arrays. The cell of nobody is there for those that are linked to it.
fn near(cells: &[Arc<Cell>]) -> Vec<Arc<Cell>> {
    let mut all = cells.to_vec();
    let mut known: HashSet<_> = cells.iter().map(Arc::as_ptr).collect();
    for cell in cells {
        let nobody = cell.is_linked_to_nobody().then(Cell::of_nobody);
        all.extend(
            cell.linked().into_iter().chain(nobody).filter(|linked| known.insert(Arc::as_ptr(linked))),
        );
    }
    all
}

/// True if two of the arrays may be one.
fn has_one_twice(cells: &[Arc<Cell>]) -> bool {
    cells.iter().enumerate().any(|(at, one)| may_be_one(&cells[..at], std::slice::from_ref(one)))
}

/// True if a value is a tensor, or a tuple in which each tensor has its place.
fn has_places(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        for item in tuple {
            if !has_places(&item)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    Ok(value.is_instance_of::<Tensor>() || tensors(value)?.is_empty())
}

/// True if an array of the one variable may be one of the other.
fn may_be_one(some: &[Arc<Cell>], others: &[Arc<Cell>]) -> bool {
    some.iter().any(|one| others.iter().any(|other| one.may_be_one_with(other)))
}

/// True if two groups have an array in common.
fn meet(some: &[Arc<Cell>], others: &[Arc<Cell>]) -> bool {
    let is_one = |one: &Arc<Cell>| !one.is_nobody() && others.iter().any(|other| Arc::ptr_eq(one, other));
    some.iter().any(is_one)
}

impl Seen {
    /// Takes down the arrays in a value; gives them.
    fn take(&mut self, value: &Bound<'_, PyAny>, on_some_paths: bool) -> PyResult<Vec<Arc<Cell>>> {
        let (mut own, all) = (Vec::new(), tensors(value)?);
        if !all.is_empty() {
            let is_first = self.places.is_empty();
            self.is_mixed |= !has_places(value)? || (!is_first && self.places.len() != all.len());
            self.places.resize(all.len(), Vec::new());
        }
        for (at, tensor) in all.iter().enumerate().filter(|(_, t)| !t.get().is_number()) {
            tensor.get().cell().is_of(tensor);
            self.add(tensor.get().cell(), tensor.get().semantics());
            own.push(tensor.get().cell().clone());
            add(&mut self.places[at], vec![tensor.get().cell().clone()]);
            add(&mut self.roots, roots::arrays(tensor.get()));
            if tensor.get().cell().is_linked_to_nobody() {
                add(&mut self.cells, vec![Cell::of_nobody()]);
                add(&mut self.places[at], vec![Cell::of_nobody()]);
            }
        }
        let found = if on_some_paths { maybes(value)? } else { Vec::new() };
        for maybe in found {
            add(&mut self.roots, maybe.get().roots().iter().map(|root| root.cell().clone()).collect());
        }
        for array in arrays_of_python(value)? {
            self.add(&Cell::of_nobody(), Semantics::Reference);
            if !self.hosts.iter().any(|host| host.is(&array)) {
                self.hosts.push(Arc::new(array.unbind()));
            }
        }
        Ok(own)
    }

    /// True if both were the same array on some path.
    fn was_one_with(&self, other: &Self) -> bool {
        meet(&self.cells, &other.cells) || self.shares_host(other)
    }

    fn shares_host(&self, other: &Self) -> bool {
        self.hosts.iter().any(|one| other.hosts.iter().any(|other| one.is(&**other)))
    }

    /// These arrays, and those of Python's own that it was, as they are now.
    fn as_roots(&self, cells: Vec<Arc<Cell>>, py: Python<'_>) -> PyResult<Vec<Root>> {
        let hosts = self.hosts.iter().map(|host| Root::of_host(host, py));
        cells.into_iter().map(|cell| Ok(Root::new(cell))).chain(hosts).collect()
    }

    /// The arrays that it was or may have been, at each place, or at all where its tensors have none.
    fn near(&self) -> Vec<Vec<Arc<Cell>>> {
        let is_one_of_python = !self.hosts.is_empty();
        if self.is_mixed || is_one_of_python {
            vec![near(&self.cells)]
        } else {
            self.places.iter().map(|place| near(place)).collect()
        }
    }

    /// Links what stands in a value with what it was or may have been; gives what stands there.
    fn link<'py>(
        &mut self,
        value: &Bound<'py, PyAny>,
        near: &[Vec<Arc<Cell>>],
    ) -> PyResult<Vec<Bound<'py, Tensor>>> {
        let (mut standing, all) = (Vec::new(), tensors(value)?);
        let are_places = !self.is_mixed && near.len() == all.len() && has_places(value)?;
        let is_new = |tensor: &Tensor| !tensor.is_number() && tensor.original().is_none();
        for (at, object) in all.iter().enumerate().filter(|(_, tensor)| is_new(tensor.get())) {
            let tensor = object.get();
            if let (Some(semantics), None) = (self.semantics, tensor.known_semantics()) {
                tensor.know(semantics);
                self.given = Some(semantics);
            }
            let cell = tensor.cell();
            cell.is_of(object);
            if !self.cells.iter().any(|other| Arc::ptr_eq(other, cell)) {
                // An array that is gone may have been one that is not.
                if are_places {
                    link_all(std::slice::from_ref(cell), &near[at]);
                } else {
                    near.iter().for_each(|near| link_all(std::slice::from_ref(cell), near));
                    link_all(std::slice::from_ref(cell), &cells(&standing));
                }
                self.stood.push(cell.clone());
                standing.push(object.clone());
            }
        }
        Ok(standing)
    }

    fn add(&mut self, cell: &Arc<Cell>, semantics: Semantics) {
        self.semantics = Some(self.semantics.map_or(semantics, |known| known.join(semantics)));
        add(&mut self.cells, vec![cell.clone()]);
    }
}

/// Adds cells that are not known yet; true if there were any.
fn add(known: &mut Vec<Arc<Cell>>, cells: Vec<Arc<Cell>>) -> bool {
    let before = known.len();
    for cell in cells {
        if !known.iter().any(|other| Arc::ptr_eq(other, &cell)) {
            known.push(cell);
        }
    }
    known.len() > before
}

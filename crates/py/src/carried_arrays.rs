//! The arrays that the variables of a branch or loop hold while it is traced: what stands for a variable is linked with those
//! that it may be, has their semantics, and knows of which arrays it may be a part.

use std::cell::{Cell as Flag, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;

use crate::boxes::Same;
use crate::cell::Cell;
use crate::current::Tracing;
use crate::regions::tensors;
use crate::semantics::Semantics;
use crate::tensor::Tensor;
use crate::{array, view};

/// An array that a variable holds all the time, and what flows in its place.
type Pin<'py> = (Bound<'py, PyAny>, Arc<Py<PyAny>>);

/// The arrays that the variables of a statement hold.
pub struct CarriedArrays<'a, 'py> {
    py: Python<'py>,
    tracing: &'a Tracing,
    names: &'a [String],
    seen: RefCell<Vec<Seen>>,
    learnt: &'a Learnt,
    /// By the variable.
    pins: RefCell<HashMap<usize, Pin<'py>>>,
    /// How many stores there were into each array in the state of a loop when it began; nothing in a branch.
    stores: Option<Vec<u64>>,
}

/// What a variable was in the course of a statement.
#[derive(Debug, Clone, Default)]
struct Seen {
    cells: Vec<Arc<Cell>>,
    /// Their semantics, as far as it was met.
    semantics: Option<Semantics>,
    /// The semantics that what stands for the variable was given.
    given: Option<Semantics>,
    /// The arrays of which it was a part.
    roots: Vec<Arc<Cell>>,
    /// What stood for it.
    stood: Vec<Arc<Cell>>,
}

/// What was learnt of the variables of a statement while it was traced, by their names.
#[derive(Debug, Default)]
pub struct Learnt {
    /// The semantics of those that were not what they were at first.
    semantics: RefCell<HashMap<String, Semantics>>,
    /// Those that hold the same array all the time: true until another one is met there.
    pinned: RefCell<HashMap<String, bool>>,
    /// True if it is known which arrays a loop stores into.
    stores: Flag<bool>,
}

/// How a variable flows.
pub enum Pinned {
    /// By its value.
    No,
    /// As the array itself, for which this stands.
    As(Arc<Py<PyAny>>),
    /// By its value after all, since it holds another array now.
    Another,
}

impl<'a, 'py> CarriedArrays<'a, 'py> {
    /// Those of a statement that begins now; `cells` are the arrays that a loop carries.
    pub fn enter(
        py: Python<'py>,
        tracing: &'a Tracing,
        names: &'a [String],
        learnt: &'a Learnt,
        cells: Option<&Vec<Arc<Cell>>>,
    ) -> Self {
        let stores = cells.map(|cells| cells.iter().map(|cell| cell.stores()).collect());
        let seen = RefCell::new(vec![Seen::default(); names.len()]);
        Self { py, tracing, names, seen, learnt, pins: RefCell::default(), stores }
    }

    /// True if a loop stores into an array of which something may be a part: the part is told when the loop is traced once
    /// more.
    pub fn are_stored_anew(&self, cells: &[Arc<Cell>]) -> bool {
        let Some(stores) = &self.stores else { return false };
        let stored = |(cell, stores): (&Arc<Cell>, &u64)| cell.has_parts() && cell.stores() != *stores;
        cells.iter().zip(stores).any(stored) && !self.learnt.stores.replace(true)
    }

    /// True if a variable holds the same array all the time, and what flows in its place then.
    pub fn pinned(&self, at: usize, value: &Bound<'py, PyAny>) -> PyResult<Pinned> {
        let mut learnt = self.learnt.pinned.borrow_mut();
        let Some(pinned) = learnt.get_mut(&self.names[at]).filter(|pinned| **pinned) else {
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
        self.tracing.regions.answer(|cell| {
            let stood = |seen: &Seen| seen.stood.iter().any(|other| Arc::ptr_eq(other, cell));
            let Some(at) = self.seen.borrow().iter().position(stood) else { return false };
            let mut learnt = self.learnt.pinned.borrow_mut();
            let is_new = !learnt.contains_key(&self.names[at]);
            learnt.entry(self.names[at].clone()).or_insert(true);
            is_new
        })
    }

    /// Takes down the arrays of a variable; whether its semantics is another than what stands for it was given.
    pub fn see(&self, at: usize, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        let seen = &mut self.seen.borrow_mut()[at];
        if let Some(known) = self.learnt.semantics.borrow().get(&self.names[at]) {
            seen.semantics = Some(*known);
        }
        for tensor in tensors(value)?.iter().filter(|t| !t.get().is_number()) {
            tensor.get().cell().is_of(tensor);
            seen.add(tensor.get().cell(), tensor.get().semantics());
            add(&mut seen.roots, view::arrays(tensor.get()));
        }
        if array::is_array(value) {
            seen.add(&Cell::of_nobody(), Semantics::Reference);
        }
        let differs = seen.given.is_some() && seen.given != seen.semantics;
        if let Some(semantics) = seen.semantics.filter(|_| differs) {
            self.learnt.semantics.borrow_mut().insert(self.names[at].clone(), semantics);
        }
        Ok(differs)
    }

    /// Links what stands for a variable from now on with what it was.
    pub fn link(&self, at: usize, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let seen = &mut self.seen.borrow_mut()[at];
        let tensors = tensors(value)?;
        let is_new = |tensor: &Tensor| !tensor.is_number() && tensor.original().is_none();
        for object in tensors.iter().filter(|tensor| is_new(tensor.get())) {
            let tensor = object.get();
            if let (Some(semantics), None) = (seen.semantics, tensor.known_semantics()) {
                tensor.know(semantics);
                seen.given = Some(semantics);
            }
            let cell = tensor.cell();
            cell.is_of(object);
            if !seen.cells.iter().any(|other| Arc::ptr_eq(other, cell)) {
                seen.cells.iter().filter(|other| other.is_here()).for_each(|other| Cell::link(cell, other));
                tensor.stem_from(seen.roots.clone());
                seen.stood.push(cell.clone());
            }
        }
        Ok(())
    }
}

impl Seen {
    fn add(&mut self, cell: &Arc<Cell>, semantics: Semantics) {
        self.semantics = Some(self.semantics.map_or(semantics, |known| known.join(semantics)));
        add(&mut self.cells, vec![cell.clone()]);
    }
}

/// Adds cells that are not known yet.
fn add(known: &mut Vec<Arc<Cell>>, cells: Vec<Arc<Cell>>) {
    for cell in cells {
        if !known.iter().any(|other| Arc::ptr_eq(other, &cell)) {
            known.push(cell);
        }
    }
}

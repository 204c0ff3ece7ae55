//! Arrays that variables of a statement were at one time or another, and which of them may be one.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use gw_base::Code;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::exceptions::errors;
use crate::optional::leaves::{arrays_of_python, maybes, tensors};
use crate::values::cell::Cell;
use crate::values::roots::{self, Host, Root};
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;

/// Pairs of variables that were one array in one state of a statement, or may have been.
#[derive(Debug, Default)]
pub(super) struct Together {
    pub(super) pairs: BTreeSet<(usize, usize)>,
    /// The arrays of the variables in the state that is being looked at.
    pub(super) state: Vec<(usize, Vec<Arc<Cell>>)>,
}

/// Observations of a variable in the course of a statement.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) cells: Vec<Arc<Cell>>,
    /// Those at each place of a tuple, or of a tensor alone.
    places: Vec<Vec<Arc<Cell>>>,
    /// It was something else, in which a tensor has no place of its own.
    is_mixed: bool,
    /// Their semantics, as far as it was met.
    pub(super) semantics: Option<Semantics>,
    /// The semantics that what stands for the variable was given.
    pub(super) given: Option<Semantics>,
    /// The arrays of which it was a part.
    pub(super) roots: Vec<Arc<Cell>>,
    /// The arrays of Python's own that it was.
    pub(super) hosts: Vec<Host>,
    /// Cells of its stand-ins.
    pub(super) stood: Vec<Arc<Cell>>,
}

/// A relation of two variables that share memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shared {
    /// They hold one array, or parts of one that is neither.
    Linked,
    /// The first one is a part of the second one.
    Part,
}

impl Together {
    /// Takes down the arrays that a variable of this state holds.
    pub(super) fn meet(&mut self, at: usize, own: Vec<Arc<Cell>>) {
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

/// The memory of what a variable holds.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The arrays themselves.
    pub(super) own: Vec<Arc<Cell>>,
    /// Those of which they are or may be parts.
    pub(super) roots: Vec<Arc<Cell>>,
}

impl Memory {
    pub(super) fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let tensors: Vec<_> =
            tensors(value)?.into_iter().filter(|tensor| !tensor.get().is_number()).collect();
        let mut roots = Vec::new();
        for tensor in &tensors {
            add(&mut roots, roots::arrays(tensor.get()));
        }
        Ok(Self { own: cells(&tensors), roots: connected(&roots) })
    }

    /// The arrays themselves and those that they may be.
    pub(super) fn with_linked(&self) -> Vec<Arc<Cell>> {
        near(&self.own)
    }

    pub(super) fn shared_with(&self, other: &Self) -> Option<Shared> {
        if may_be_one(&self.own, &other.own) {
            return Some(Shared::Linked);
        }
        if !self.roots.is_empty() && meet(&self.roots, &connected(&other.own)) {
            return Some(Shared::Part);
        }
        meet(&self.roots, &other.roots).then_some(Shared::Linked)
    }
}

pub(super) fn cells(tensors: &[Bound<'_, Tensor>]) -> Vec<Arc<Cell>> {
    tensors.iter().map(|tensor| tensor.get().cell().clone()).collect()
}

/// Links what stands for variables with what each of them may be.
pub(super) fn link_all(some: &[Arc<Cell>], others: &[Arc<Cell>]) {
    for one in some {
        others.iter().filter(|other| other.is_here()).for_each(|other| Cell::may_be(one, other));
    }
}

/// Links of two variables, or of the tensors of one, are so many at most.
const MOST_LINKS: usize = 1 << 22;

/// Refuses as many links as would fill the memory.
pub(super) fn check_links(py: Python<'_>, tensors: usize, others: usize) -> PyResult<()> {
    if tensors.saturating_mul(others) <= MOST_LINKS {
        return Ok(());
    }
    let message =
        format!("{tensors} tensors that may be each other flow through this statement of the graph");
    let help = "stack them into one array, or run the statement outside of the graph";
    Err(errors::here(py, Code::EndlessLoop, message, help))
}

/// Links cells with all that links lead to.
pub(super) fn link_connected(some: &[Arc<Cell>]) {
    for one in some {
        link_all(std::slice::from_ref(one), &connected(std::slice::from_ref(one)));
    }
}

/// Cells, those that may be the same arrays, those that may be the same as these, and so on.
pub(super) fn connected<'a>(cells: impl IntoIterator<Item = &'a Arc<Cell>>) -> Vec<Arc<Cell>> {
    let mut all: Vec<_> = cells.into_iter().cloned().collect();
    let own: HashSet<_> = all.iter().map(Arc::as_ptr).collect();
    let others = Cell::connected(all.clone());
    all.extend(others.into_iter().filter(|cell| cell.is_here() && !own.contains(&Arc::as_ptr(cell))));
    all
}

/// Cells, and those that may be the same arrays. The cell of nobody is there for those that are linked to it.
pub(super) fn near(cells: &[Arc<Cell>]) -> Vec<Arc<Cell>> {
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
pub(super) fn has_one_twice(cells: &[Arc<Cell>]) -> bool {
    cells.iter().enumerate().any(|(at, one)| may_be_one(&cells[..at], std::slice::from_ref(one)))
}

/// True if a value is a tensor, or a tuple in which each tensor has its place.
pub(super) fn has_places(value: &Bound<'_, PyAny>) -> PyResult<bool> {
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
pub(super) fn may_be_one(some: &[Arc<Cell>], others: &[Arc<Cell>]) -> bool {
    some.iter().any(|one| others.iter().any(|other| one.may_be_one_with(other)))
}

/// True if two groups have an array in common.
pub(super) fn meet(some: &[Arc<Cell>], others: &[Arc<Cell>]) -> bool {
    let is_one = |one: &Arc<Cell>| !one.is_nobody() && others.iter().any(|other| Arc::ptr_eq(one, other));
    some.iter().any(is_one)
}

impl Seen {
    /// Takes down the arrays in a value; gives them.
    pub(super) fn take(&mut self, value: &Bound<'_, PyAny>, on_some_paths: bool) -> PyResult<Vec<Arc<Cell>>> {
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
    pub(super) fn was_one_with(&self, other: &Self) -> bool {
        meet(&self.cells, &other.cells) || self.shares_host(other)
    }

    pub(super) fn shares_host(&self, other: &Self) -> bool {
        self.hosts.iter().any(|one| other.hosts.iter().any(|other| one.is(&**other)))
    }

    /// These arrays, and those of Python's own that it was, as they are now.
    pub(super) fn as_roots(&self, cells: Vec<Arc<Cell>>, py: Python<'_>) -> PyResult<Vec<Root>> {
        let hosts = self.hosts.iter().map(|host| Root::of_host(host, py));
        cells.into_iter().map(|cell| Ok(Root::new(cell))).chain(hosts).collect()
    }

    /// The arrays that it was or may have been, at each place, or at all where its tensors have none.
    pub(super) fn near(&self) -> Vec<Vec<Arc<Cell>>> {
        let is_one_of_python = !self.hosts.is_empty();
        if self.is_mixed || is_one_of_python {
            vec![near(&self.cells)]
        } else {
            self.places.iter().map(|place| near(place)).collect()
        }
    }

    /// Links what stands in a value with what it was or may have been; gives what stands there.
    pub(super) fn link<'py>(
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
                    let links = standing.len() + near.iter().map(Vec::len).sum::<usize>();
                    check_links(value.py(), standing.len(), links)?;
                    near.iter().for_each(|near| link_all(std::slice::from_ref(cell), near));
                    link_all(std::slice::from_ref(cell), &cells(&standing));
                }
                self.stood.push(cell.clone());
                standing.push(object.clone());
            }
        }
        Ok(standing)
    }

    pub(super) fn add(&mut self, cell: &Arc<Cell>, semantics: Semantics) {
        self.semantics = Some(self.semantics.map_or(semantics, |known| known.join(semantics)));
        add(&mut self.cells, vec![cell.clone()]);
    }
}

/// Adds cells that are not known yet; true if there were any.
pub(super) fn add(known: &mut Vec<Arc<Cell>>, cells: Vec<Arc<Cell>>) -> bool {
    let before = known.len();
    for cell in cells {
        if !known.iter().any(|other| Arc::ptr_eq(other, &cell)) {
            known.push(cell);
        }
    }
    known.len() > before
}

//! Stores of branches and loops in the graph into what they do not name. Nobody knows before it is traced, so it is found while
//! tracing: what turns out to be changed becomes part of the statement's state, and it is traced again. There are four kinds:
//! places that hold one object, lists, the contents of tensors, and `gw.Variable`s; `fixpoint` makes them part of its state.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gw_trace::fixpoint::Findings;
use gw_trace::objects::TableKind;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;

use crate::containers::tensor_array::Elements;
use crate::session::{Feature, FeatureSlot, Tracing};
use crate::values::cell::{self, Cell};
use crate::values::tensor::Payload;

/// The variables of a statement that flow by what they hold: those that hold lists, dicts or sets, and places of objects.
pub type ByValues = (FxHashMap<usize, Option<TableKind>>, HashSet<(usize, Vec<usize>)>);

/// The statements that are being traced, the outermost first, and all tensors that any of them stored into.
#[derive(Debug, Default)]
pub struct Regions {
    open: Mutex<Vec<Region>>,
    known: Mutex<Vec<Weak<Cell>>>,
    /// The tensor arrays of the graph.
    arrays: Mutex<Vec<Weak<Elements>>>,
    /// The number of stores.
    stores: AtomicUsize,
    /// An array that what stands for it cannot be stored into: it is to stay itself in the statement.
    asked: Mutex<Option<Arc<Cell>>>,
    /// The variables that flow by what they hold, by the statement.
    pub findings: Findings<ByValues>,
}

impl Feature for Regions {
    fn slot() -> FeatureSlot {
        FeatureSlot::Regions
    }
}

impl Tracing {
    /// The statements that are being traced, with what they store into.
    pub fn regions(&self) -> &Regions {
        self.feature()
    }
}

/// One statement that is being traced.
#[derive(Debug)]
struct Region {
    /// Tensors made since then are its own.
    since: u64,
    /// The tensors whose contents are part of its state, with what they held when it began.
    cells: Vec<(Arc<Cell>, Payload)>,
    /// The others that it stored into, with what they held before.
    found: Vec<(Arc<Cell>, Payload)>,
    /// True if it is a function of the graph, which sees nothing of what is around it.
    is_function: bool,
}

impl Regions {
    /// Takes down that `cell`, which held `before`, is stored into now.
    pub fn note(&self, cell: &Arc<Cell>, before: &Payload) {
        self.stores.fetch_add(1, Ordering::Relaxed);
        for region in lock(&self.open).iter_mut().filter(|region| cell.born < region.since) {
            let same = |other: &Arc<Cell>| Arc::ptr_eq(other, cell);
            if !region.cells.iter().any(|(other, _)| same(other))
                && !region.found.iter().any(|(other, _)| same(other))
            {
                region.found.push((cell.clone(), before.clone()));
            }
        }
        let mut known = lock(&self.known);
        if !known.iter().any(|other| other.as_ptr() == Arc::as_ptr(cell)) {
            known.push(Arc::downgrade(cell));
        }
    }

    /// Asks that the variable for which this array stands keeps its own where a statement does not assign it.
    pub fn ask_for_itself(&self, cell: &Arc<Cell>) {
        *lock(&self.asked) = Some(cell.clone());
    }

    /// Lets `take` do what was asked.
    pub fn answer(&self, take: impl FnOnce(&Arc<Cell>) -> bool) -> bool {
        let asked = lock(&self.asked).clone();
        let done = asked.is_some_and(|cell| take(&cell));
        if done {
            lock(&self.asked).take();
        }
        done
    }

    /// Says that there is a tensor array.
    pub fn know(&self, array: &Arc<Elements>) {
        lock(&self.arrays).push(Arc::downgrade(array));
    }

    /// Gives the tensor arrays rows of which it was learnt what elements are like: in front of a statement, so that they
    /// are part of its state.
    pub(crate) fn fill(&self, py: Python<'_>) -> PyResult<()> {
        let mut arrays = lock(&self.arrays);
        arrays.retain(|array| array.strong_count() > 0);
        let known: Vec<_> = arrays.iter().filter_map(Weak::upgrade).collect();
        drop(arrays);
        known.iter().try_for_each(|array| array.fill(py))
    }

    /// The number of stores.
    pub fn stores(&self) -> usize {
        self.stores.load(Ordering::Relaxed)
    }

    /// The tensors that were stored into and can be seen from here.
    pub fn seen(&self, tracing: &Tracing) -> Vec<Arc<Cell>> {
        let seen = |cell: &Arc<Cell>| match cell.content() {
            Payload::Staged(_, staged) => cell.is_here() && tracing.trace.sees(staged.value),
            Payload::Eager(_) => false,
        };
        lock(&self.known).iter().filter_map(Weak::upgrade).filter(seen).collect()
    }

    pub(crate) fn enter(&self, tracing: &Tracing) -> Vec<Arc<Cell>> {
        let known = self.seen(tracing);
        let cells = known.iter().map(|cell| (cell.clone(), cell.content())).collect();
        let region = Region { since: cell::now(), cells, found: Vec::new(), is_function: false };
        lock(&self.open).push(region);
        known
    }

    /// Begins a call that may have to be traced anew, as a function of the graph if `is_function`.
    pub fn enter_call(&self, tracing: &Tracing, is_function: bool) {
        let found = self.seen(tracing).into_iter().map(|cell| (cell.clone(), cell.content())).collect();
        let region = Region { since: cell::now(), cells: Vec::new(), found, is_function };
        lock(&self.open).push(region);
    }

    /// Ends it; with `undo`, what it stored into holds again what it held before.
    pub fn leave_call(&self, undo: bool) {
        self.leave(undo);
    }

    /// True if a tensor was made outside of the function of the graph that is being made.
    pub fn is_beyond_call(&self, cell: &Arc<Cell>) -> bool {
        lock(&self.open).iter().any(|region| region.is_function && cell.born < region.since)
    }

    /// True if a cell is from around a branch or loop that is being traced.
    pub fn is_around(&self, cell: &Cell) -> bool {
        lock(&self.open).iter().any(|region| cell.born < region.since)
    }

    pub(crate) fn found_something(&self) -> bool {
        lock(&self.open).last().is_some_and(|region| !region.found.is_empty())
    }

    /// Leaves the innermost statement; with `undo`, what it stored into holds again what it held before.
    pub(crate) fn leave(&self, undo: bool) {
        let Some(region) = lock(&self.open).pop() else { return };
        for (cell, before) in region.cells.into_iter().chain(region.found).rev().filter(|_| undo) {
            cell.replace(before);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

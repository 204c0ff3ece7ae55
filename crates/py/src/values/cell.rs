//! The value that a tensor object holds now. A store puts a new value into the object, and every name of the object sees it.
//!
//! An object is *linked* to another where control flow in the graph decides whether both are one array: `y = x` before
//! `if c: x = x + 1` makes `x` afterwards either `y` or another array. What is stored into one of them is not told of
//! the other, so it is refused as long as both are there. Links are of pairs: what stands for `x` may be `y` or `z`, two
//! arrays of which neither may be the other one.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use gw_base::{Code, Diagnostic};
use pyo3::prelude::*;
use rustc_hash::FxHashMap;

use crate::exceptions::errors;
use crate::values::tensor::{Payload, Tensor};

/// Counts tensors of graphs in the order in which they are made.
static MADE: AtomicU64 = AtomicU64::new(1);

/// The changeable half of a tensor object; made when it is first needed.
#[derive(Debug)]
pub struct Cell {
    /// Time at which the object was made, among tensors of graphs.
    pub born: u64,
    content: Mutex<Payload>,
    /// The number of stores.
    stores: AtomicU64,
    /// The number of those that hold it and are no names: a caller, views, iterators.
    held: AtomicUsize,
    /// The address of its object, once it may be another one.
    address: AtomicUsize,
    /// The object is no more.
    gone: AtomicBool,
    /// The cells of the objects that may be the same array, by their addresses.
    links: Mutex<FxHashMap<usize, Weak<Cell>>>,
    /// It is linked to the cell of nobody, which has no links itself, or it would link whatever is linked to it.
    has_nobody: AtomicBool,
}

/// True if a tensor object may be stored into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It is an array of its own.
    Own,
    /// It is a copy of a part of a tensor; the part itself would not change.
    Part,
    /// It stands for a name that may have no value.
    Doubtful,
    /// It is an array that a function of the host's gave, which may go on using it.
    Host,
    /// It is no array of the program's: it shows what one holds at some time.
    Content,
    /// It is a `range` of Python's, which has no operators.
    Range,
}

/// A number greater than that of all tensors of graphs made so far.
pub fn now() -> u64 {
    MADE.fetch_add(1, Ordering::Relaxed)
}

impl Cell {
    /// With what the object was made with.
    pub fn new(born: u64, content: Payload) -> Self {
        let (content, links) = (Mutex::new(content), Mutex::default());
        let (stores, [address, held]) = (AtomicU64::new(0), [(); 2].map(|()| AtomicUsize::new(0)));
        let [gone, has_nobody] = [(); 2].map(|()| AtomicBool::new(false));
        Self { born, content, stores, held, address, gone, links, has_nobody }
    }

    /// Puts a value that the program stores into it; gives the one that was there.
    pub fn store(&self, content: Payload) -> Payload {
        self.stores.fetch_add(1, Ordering::Relaxed);
        self.replace(content)
    }

    /// The number of stores, those that were taken back included.
    pub fn stores(&self) -> u64 {
        self.stores.load(Ordering::Relaxed)
    }

    /// A cell of no object, which is always there.
    pub fn of_nobody() -> Arc<Self> {
        static NOBODY: OnceLock<Arc<Cell>> = OnceLock::new();
        let nothing = || gw_runtime::Buffer::from_bytes(gw_types::DType::Bool, &[0], &[]);
        NOBODY.get_or_init(|| Arc::new(Self::new(0, Payload::Eager(nothing())))).clone()
    }

    /// The value that it holds.
    pub fn content(&self) -> Payload {
        lock(&self.content).clone()
    }

    /// Puts a value into it; gives the one that was there.
    pub fn replace(&self, content: Payload) -> Payload {
        std::mem::replace(&mut lock(&self.content), content)
    }

    /// Says that the object is no more.
    pub fn leave(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }

    /// True if the object is still there.
    pub fn is_here(&self) -> bool {
        !self.gone.load(Ordering::Relaxed)
    }

    /// Links two cells, and each with those that the other is linked to.
    pub fn link(one: &Arc<Self>, other: &Arc<Self>) {
        for one in one.with_linked() {
            for other in other.with_linked() {
                Self::may_be(&one, &other);
                Self::may_be(&other, &one);
            }
        }
    }

    /// Links what stands for one of several arrays with one of these.
    pub fn may_be(standing: &Arc<Self>, other: &Arc<Self>) {
        if Arc::ptr_eq(standing, other) || standing.is_nobody() {
            return;
        }
        if other.is_linked_to_nobody() {
            standing.has_nobody.store(true, Ordering::Relaxed);
        }
        if !other.is_nobody() && !standing.may_be_one_with(other) {
            standing.add_link(other);
            other.add_link(standing);
        }
    }

    fn add_link(&self, other: &Arc<Self>) {
        let mut links = lock(&self.links);
        if links.len() == links.capacity() {
            links.retain(|_, link| link.strong_count() > 0);
        }
        links.insert(Arc::as_ptr(other) as usize, Arc::downgrade(other));
    }

    /// True if both are one array, or may be.
    pub fn may_be_one_with(&self, other: &Arc<Self>) -> bool {
        let is_one = std::ptr::eq(self, Arc::as_ptr(other));
        !other.is_nobody() && (is_one || lock(&self.links).contains_key(&(Arc::as_ptr(other) as usize)))
    }

    /// True of the cell of no object.
    pub fn is_nobody(&self) -> bool {
        std::ptr::eq(self, Arc::as_ptr(&Self::of_nobody()))
    }

    /// True if an array that no object of the graph stands for may be the same.
    pub fn is_linked_to_nobody(&self) -> bool {
        self.is_nobody() || self.has_nobody.load(Ordering::Relaxed)
    }

    /// True if another object may be the same array.
    pub fn is_linked(&self) -> bool {
        self.is_linked_to_nobody() || !self.linked().is_empty()
    }

    /// True if another object that may be the same array is in use: it has a name, or something else holds it. `names` counts the
    /// names of the object at an address.
    pub fn is_shared<N: Fn(usize) -> usize>(&self, names: impl FnOnce() -> PyResult<N>) -> PyResult<bool> {
        let others = self.linked();
        let is_held = |cell: &Arc<Cell>| cell.held.load(Ordering::Relaxed) > 0 || cell.address() == 0;
        if self.is_linked_to_nobody() || others.iter().any(is_held) {
            return Ok(true);
        }
        if others.is_empty() {
            return Ok(false);
        }
        let names = names()?;
        Ok(others.iter().any(|cell| names(cell.address()) > 0))
    }

    /// The other objects that may be the same array.
    pub fn linked(&self) -> Vec<Arc<Self>> {
        let links = lock(&self.links);
        links.values().filter_map(Weak::upgrade).filter(|cell| cell.is_here()).collect()
    }

    /// The cell and those that it is linked to, the ones of objects that are no more too.
    fn with_linked(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let links = lock(&self.links);
        std::iter::once(self.clone()).chain(links.values().filter_map(Weak::upgrade)).collect()
    }

    /// The cells, those that they are linked to, those that these are linked to, and so on.
    pub fn connected(cells: impl IntoIterator<Item = Arc<Self>>) -> Vec<Arc<Self>> {
        let (mut all, mut known) = (Vec::new(), HashSet::new());
        let mut next: Vec<_> = cells.into_iter().collect();
        while let Some(cell) = next.pop() {
            if known.insert(Arc::as_ptr(&cell)) {
                next.extend(lock(&cell.links).values().filter_map(Weak::upgrade));
                all.push(cell);
            }
        }
        all
    }

    fn address(&self) -> usize {
        self.address.load(Ordering::Relaxed)
    }

    /// Says which object it is of.
    pub fn is_of(&self, tensor: &Bound<'_, Tensor>) {
        self.address.store(tensor.as_ptr() as usize, Ordering::Relaxed);
    }

    /// Says that something else than a name holds it.
    pub fn hold(&self) {
        self.held.fetch_add(1, Ordering::Relaxed);
    }

    /// Says that it does not any more.
    pub fn release(&self) {
        self.held.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A store into a copy of a part.
pub fn part(py: Python<'_>) -> PyErr {
    let message =
        "this is a copy of a part of a tensor, so what is stored into it would not reach the tensor";
    let help =
        "store into the tensor itself, `x[i, j] = v` for `x[i][j] = v`, or take `row = x[i].copy()` first";
    errors::here(py, Code::PartStored, message, help)
}

/// A store into what a name holds that may have no value.
pub fn doubtful(py: Python<'_>) -> PyErr {
    let message = "this name has a value on some paths only, so it is not known which array is stored into";
    errors::here(
        py,
        Code::StoreUnclear,
        message,
        "give the name a value before the statement that may assign it",
    )
}

/// A store into an array that Python may go on using.
pub fn of_host(py: Python<'_>) -> PyErr {
    let message =
        "Python gave this array and may go on using it, and a store in the graph would not reach it there";
    let help = "store into a copy: `x = x.copy()` before the store";
    errors::here(py, Code::OutsideStored, message, help)
}

/// A store into an array that may be another one.
pub fn unclear(py: Python<'_>) -> PyErr {
    let message = "a branch or loop in the graph, or its layout in memory, decides which array this is, and the others are still in use";
    let help = "store into a copy, `x = x.copy()`, or do not assign the name in the branch or loop";
    errors::here(py, Code::StoreUnclear, message, help)
}

/// A read of what may be a part of an array that was stored into.
pub fn stale() -> Diagnostic {
    let message = "a branch or loop in the graph, or its layout in memory, decides of which array this is a part, and one of these \
                   was stored into since";
    Diagnostic::new(Code::StoreUnclear, message)
        .help("take a copy where the part is read, `row = x[i].copy()`")
}

/// A store into a tensor from around a function of the graph.
pub fn beyond_call(py: Python<'_>) -> PyErr {
    let message = "a function of the graph stores into a tensor that is not its own";
    let help = "pass the tensor as an argument, or store into a copy, `x = x.copy()`";
    errors::here(py, Code::OutsideStored, message, help)
}

/// A store into a tensor that the function did not get as an argument.
pub fn outside(py: Python<'_>) -> PyErr {
    let message =
        "a tensor from outside the function is stored into, which its graph cannot do for later calls";
    let help = "pass the tensor as an argument, or store into a copy, `x = x.copy()`";
    errors::here(py, Code::OutsideStored, message, help)
}

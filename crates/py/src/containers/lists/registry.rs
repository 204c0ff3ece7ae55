//! The lists of one tracing: which ones statements change, what they held before, and what their elements are.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Loc;
use gw_ir::Literal;
use gw_trace::Staged;
use gw_types::{Dim, Number, TensorType};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::elements::Elements;
use super::nested::Chosen;
use crate::host::skeleton::Skeleton;
use crate::host_calls::as_it_is;
use crate::session::{self, Feature, FeatureSlot, Tracing, frames};

/// The lists of one tracing.
#[derive(Debug, Default)]
pub struct Registry {
    /// Lists that an index of the graph chose from.
    pub chosen: Chosen,
    used: AtomicBool,
    /// Those that some statement changes.
    known: Mutex<Vec<Known>>,
    /// Those that each statement reaches, the innermost last, with what the user would write for them.
    reached: Mutex<Vec<Vec<ReachedList>>>,
    /// What lists held before the first statement that reaches them, by their address.
    originals: Mutex<HashMap<usize, Original>>,
    /// What the elements of lists are that were in the graph, by the address of the list.
    types: Mutex<HashMap<usize, ElementType>>,
    /// The list without elements that failed because nobody knows yet what its elements are.
    untyped: Mutex<Option<Py<PyList>>>,
}

impl Feature for Registry {
    fn slot() -> FeatureSlot {
        FeatureSlot::Lists
    }
}

impl Tracing {
    /// The lists of the graph.
    pub fn lists(&self) -> &Registry {
        self.feature()
    }
}

/// A list that a statement reaches.
#[derive(Debug)]
struct ReachedList {
    /// Which.
    list: Py<PyList>,
    /// What the user would write for it.
    path: String,
    /// The number of variables, attributes and items that hold it.
    names: usize,
}

/// A list that some statement changes.
#[derive(Debug)]
struct Known {
    list: Py<PyList>,
    /// True if it becomes longer or shorter.
    grows: bool,
    /// The first of these statements.
    place: Option<Loc>,
}

#[derive(Debug)]
struct Original {
    list: Py<PyList>,
    path: String,
    held: Vec<Py<PyAny>>,
}

/// What the elements of a list are.
#[derive(Debug)]
struct ElementType {
    /// The list, so that its address stays its own.
    _list: Py<PyList>,
    element: Arc<Skeleton>,
    leaves: Vec<(TensorType, Option<Number>)>,
}

impl Registry {
    /// True if any list is in the graph.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Says that one is.
    pub fn use_(&self, py: Python<'_>) -> PyResult<()> {
        match self.used.swap(true, Ordering::Relaxed) {
            true => Ok(()),
            false => as_it_is::watch(py),
        }
    }

    /// The lists that the innermost statement reaches, what the user would write for each, and how many names it has.
    pub fn reached<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyList>, String, usize)> {
        let all = lock(&self.reached);
        let list = |known: &ReachedList| (known.list.bind(py).clone(), known.path.clone(), known.names);
        all.last().into_iter().flatten().map(list).collect()
    }

    /// The length of the longest list that the innermost statement reaches.
    pub fn longest(&self, py: Python<'_>) -> usize {
        let all = lock(&self.reached);
        all.last().into_iter().flatten().map(|known| known.list.bind(py).len()).max().unwrap_or_default()
    }

    /// The lists that the open statements reach.
    pub fn all_reached<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyList>> {
        let mut all: Vec<Bound<'py, PyList>> = Vec::new();
        for known in lock(&self.reached).iter().flatten() {
            if !all.iter().any(|list| list.is(&known.list)) {
                all.push(known.list.bind(py).clone());
            }
        }
        all
    }

    /// Says that the innermost statement reaches a list too.
    pub fn reach(&self, list: &Bound<'_, PyList>, path: &str) {
        if let Some(lists) = lock(&self.reached).last_mut()
            && !lists.iter().any(|known| known.list.is(list))
        {
            lists.push(ReachedList { list: list.clone().unbind(), path: path.to_owned(), names: 1 });
        }
    }

    /// Keeps what a list holds, unless a statement before reached it.
    pub fn remember(&self, list: &Bound<'_, PyList>, path: &str) {
        lock(&self.originals).entry(list.as_ptr() as usize).or_insert_with(|| Original {
            list: list.clone().unbind(),
            path: path.to_owned(),
            held: list.iter().map(Bound::unbind).collect(),
        });
    }

    /// True if a statement changes the list, and whether that makes it longer or shorter.
    pub fn grows(&self, list: &Bound<'_, PyList>) -> Option<bool> {
        lock(&self.known).iter().find(|known| known.list.is(list)).map(|known| known.grows)
    }

    /// True if a statement changes the object, a list.
    pub fn knows(&self, object: &Bound<'_, PyAny>) -> bool {
        lock(&self.known).iter().any(|known| known.list.is(object))
    }

    /// Says that what becomes of a list is somebody else's affair from now on.
    pub fn forget(&self, list: &Bound<'_, PyAny>) {
        let original = lock(&self.originals).remove(&(list.as_ptr() as usize));
        drop(original);
        let mut known = lock(&self.known);
        let gone = known.iter().position(|known| known.list.is(list)).map(|at| known.swap_remove(at));
        drop(known);
        drop(gone);
    }

    /// Remembers what the elements of a list are.
    pub fn learn(&self, list: &Bound<'_, PyList>, held: &Elements) {
        let ty = |leaf: &Staged| {
            let TensorType { dtype, mut shape } = held.tracing.trace.ty(leaf.value);
            shape.0[0] = Dim::Fixed(0);
            (TensorType::new(dtype, shape), leaf.weak)
        };
        let leaves = held.leaves.iter().map(ty).collect();
        let ty = ElementType { _list: list.clone().unbind(), element: held.element.clone(), leaves };
        let before = lock(&self.types).insert(list.as_ptr() as usize, ty);
        drop(before);
    }

    /// No elements, of the type of those that the list had.
    pub fn nothing(&self, tracing: &Arc<Tracing>, list: &Bound<'_, PyList>) -> Option<Elements> {
        let types = lock(&self.types);
        let ElementType { element, leaves, .. } = types.get(&(list.as_ptr() as usize))?;
        let leaf = |(ty, weak): &(TensorType, Option<Number>)| {
            let lengths = ty.shape.lengths()?;
            let literal = Literal::from_scalars(ty.dtype, lengths, &[]);
            Some(Staged { weak: *weak, ..tracing.trace.constant(literal) })
        };
        let leaves = leaves.iter().map(leaf).collect::<Option<_>>()?;
        Some(Elements { tracing: tracing.clone(), element: element.clone(), leaves, bound: None })
    }

    /// Says that a list without elements failed since nobody knows yet what its elements are.
    pub fn miss(&self, list: &Bound<'_, PyList>) {
        lock(&self.untyped).replace(list.clone().unbind());
    }

    /// True if one did.
    pub fn has_missed(&self) -> bool {
        lock(&self.untyped).is_some()
    }

    /// True if one did since this was last asked, and which.
    pub fn missed(&self) -> Option<Py<PyList>> {
        lock(&self.untyped).take()
    }

    /// Gives the lists that are not the function's own, which `own` and `inside` tell, what they held before it; what the
    /// user would write for the first one, and where it is changed.
    pub fn close(
        &self,
        py: Python<'_>,
        own: &dyn Fn(&Bound<'_, PyList>) -> bool,
        inside: &dyn Fn(&Bound<'_, PyList>) -> usize,
    ) -> PyResult<Option<(String, Option<Loc>)>> {
        self.untyped.lock().unwrap_or_else(PoisonError::into_inner).take();
        let types = std::mem::take(&mut *lock(&self.types));
        drop(types);
        let known = std::mem::take(&mut *lock(&self.known));
        let mut originals = std::mem::take(&mut *lock(&self.originals));
        // The others may hold lists of the function's own.
        originals.retain(|_, original| known.iter().any(|known| known.list.is(&original.list)));
        let mut found = None;
        for Known { list, place, .. } in known {
            let list = list.into_bound(py);
            let Some(original) = originals.remove(&(list.as_ptr() as usize)) else { continue };
            let Original { list: ours, path, held } = original;
            drop(ours);
            let inside = inside(&list);
            if own(&list) || references(&list)? == inside {
                continue;
            }
            py.import("gc")?.call_method0("collect")?;
            if references(&list)? != inside {
                list.set_slice(0, list.len(), PyList::new(py, held)?.as_any())?;
                found.get_or_insert((path, place));
            }
        }
        Ok(found)
    }

    pub fn note(&self, list: &Bound<'_, PyList>, grows: bool) {
        let place = frames::place(list.py());
        let mut known = lock(&self.known);
        match known.iter_mut().find(|known| known.list.is(list)) {
            Some(known) => known.grows |= grows,
            None => known.push(Known { list: list.clone().unbind(), grows, place }),
        }
    }
}

/// How often an object is referred to, besides by us.
pub fn references(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let count = |object: &Bound<'_, PyAny>| -> PyResult<usize> {
        object.py().import("sys")?.call_method1("getrefcount", (object,))?.extract()
    };
    Ok(count(object)?.saturating_sub(count(PyList::empty(object.py()).as_any())?))
}

/// Locks what one thread at a time looks at.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A statement that reaches lists, until this is dropped.
pub struct Open(Arc<Tracing>);

impl Drop for Open {
    fn drop(&mut self) {
        lock(&self.0.lists().reached).pop();
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
        ReachedList { list: list.unbind(), path, names }
    };
    let reached = lists.map(reached).collect();
    lock(&tracing.lists().reached).push(reached);
    tracing.tables().open(tables.map(|(table, path)| (table.unbind(), path)).collect());
    Some(Open(tracing))
}

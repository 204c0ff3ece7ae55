//! The memory that a tensor object of a graph shares with others, as NumPy arrays and their views do.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gw_trace::Staged;
use gw_trace::calls::Item;
use pyo3::prelude::*;

use crate::host::operand::Operand;
use crate::optional::maybe::Maybe;
use crate::values::cell::{Cell, Origin};
use crate::values::roots::Root;
use crate::values::semantics::Semantics;
use crate::values::tensor::{Payload, Tensor};

/// Facts about the memory of a tensor object.
#[derive(Debug, Default)]
pub struct Sharing {
    /// True if its names share memory, as far as that is known.
    semantics: OnceLock<Semantics>,
    /// The array that it is a part of, with which it changes.
    view: Option<Box<dyn View>>,
    /// The arrays of which it may be a part, where the graph decides that.
    roots: OnceLock<Box<[Root]>>,
}

/// A part of an array that shares its memory.
pub trait View: std::fmt::Debug + Send + Sync {
    /// The array.
    fn base(&self) -> &Py<Tensor>;

    /// The value that the part holds now; `made` is what it held at first.
    fn content(&self, made: &Payload) -> Payload;

    /// Stores what the part is to hold into the array.
    ///
    /// # Errors
    /// GW121 where a function made the view.
    fn write(&self, py: Python<'_>, after: Payload) -> PyResult<()>;

    /// True if this is `array[items]`, so that to store it there changes nothing.
    fn is_at(&self, array: &Bound<'_, Tensor>, items: &[Item], operands: &[Operand]) -> bool;
}

impl Tensor {
    /// The same as a view, which has the semantics of its array.
    pub fn viewing(mut self, view: impl View + 'static) -> Self {
        self.sharing.view = Some(Box::new(view));
        self.know(Semantics::Reference);
        self
    }

    /// The array that it is a part of.
    pub fn view(&self) -> Option<&dyn View> {
        self.sharing.view.as_deref()
    }

    /// Says of which arrays it may be a part.
    pub fn stem_from(&self, arrays: Vec<Root>) {
        if !arrays.is_empty() {
            self.sharing.roots.get_or_init(|| arrays.into());
        }
    }

    /// The same as one that may be a part of these arrays, as they were.
    pub fn rooted(self, roots: &[Root]) -> Self {
        if !roots.is_empty() {
            self.sharing.roots.get_or_init(|| roots.into());
        }
        self
    }

    /// The arrays of which it may be a part, where the graph decides that.
    pub fn roots(&self) -> &[Root] {
        self.sharing.roots.get().map_or(&[], |roots| roots)
    }

    /// True if the graph decides of which array it is a part, and one of them is still there.
    pub fn may_be_part(&self) -> bool {
        self.roots().iter().any(Root::is_here)
    }

    /// True if it may be a part of an array that was stored into since.
    pub fn is_stale(&self) -> bool {
        let is_of_stale = || self.view().is_some_and(|view| view.base().get().is_stale());
        self.roots().iter().any(Root::is_stale) || is_of_stale()
    }

    /// Says which semantics it has, if nobody said so before.
    pub fn know(&self, semantics: Semantics) {
        if semantics == Semantics::Reference
            && let Payload::Staged(tracing, _) = self.made()
        {
            tracing.arrays().met();
            tracing.trace.set_has_library();
        }
        self.sharing.semantics.get_or_init(|| semantics);
    }

    /// Semantics of the object, if somebody set them.
    pub fn known_semantics(&self) -> Option<Semantics> {
        self.sharing.semantics.get().copied()
    }

    /// Semantics of the object: value semantics where there are no arrays.
    pub fn semantics(&self) -> Semantics {
        match self.made() {
            Payload::Eager(_) => Semantics::Value,
            Payload::Staged(tracing, _) => match self.known_semantics() {
                None if tracing.arrays().are_present() => Semantics::Unknown,
                known => known.unwrap_or(Semantics::Value),
            },
        }
    }
}

/// The arrays that a name without a value on some paths may be, or be a part of.
#[derive(Debug, Default)]
pub struct MaybeShared(Mutex<MaybeRoots>);

#[derive(Debug, Clone, Default)]
struct MaybeRoots {
    roots: Vec<Root>,
    /// True for what a function returns, until it has returned: what stands behind its `return` runs on the other paths.
    is_returned: bool,
}

impl Maybe {
    /// Says which arrays it may be, or be a part of, if nobody said so before; with `is_returned`, on paths that end there.
    pub fn stem_from(&self, roots: Vec<Root>, is_returned: bool) {
        let mut known = self.shares.lock();
        if known.roots.is_empty() && !roots.is_empty() {
            self.tracing.arrays().on_some_paths();
            *known = MaybeRoots { roots, is_returned };
        }
    }

    /// Says that the function has returned: from now on stores into the arrays count.
    pub fn has_returned(&self) {
        let mut known = self.shares.lock();
        if known.is_returned {
            let roots = known.roots.iter().map(Root::renewed).collect();
            *known = MaybeRoots { roots, is_returned: false };
        }
    }

    /// The arrays that it may be, or be a part of, as they were when a store into them began to count.
    pub fn roots(&self) -> Vec<Root> {
        let known = self.shares.lock();
        let root = |root: &Root| if known.is_returned { root.renewed() } else { root.clone() };
        known.roots.iter().map(root).collect()
    }

    /// True if one of these was stored into since.
    pub fn is_stale(&self) -> bool {
        let known = self.shares.lock();
        !known.is_returned && known.roots.iter().any(Root::is_stale)
    }

    /// The value where it has one, which nothing can be stored into.
    pub fn tensor(&self, staged: Staged) -> Tensor {
        self.there(staged).with(Origin::Doubtful)
    }

    /// The value, which is there on every path.
    pub fn there(&self, staged: Staged) -> Tensor {
        Tensor::staged(self.tracing.clone(), staged).rooted(&self.roots())
    }
}

impl Clone for MaybeShared {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.lock().clone()))
    }
}

impl MaybeShared {
    fn lock(&self) -> MutexGuard<'_, MaybeRoots> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// True if two values may be one array: the graph decides which one of them is.
pub fn may_be_one(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    if roots(a).iter().any(|root| root.is_of(b)) || roots(b).iter().any(|root| root.is_of(a)) {
        return true;
    }
    let [a, b] = [held(a), held(b)];
    let is_other = |one: &Arc<Cell>, other: &Arc<Cell>| {
        Arc::ptr_eq(one, other) || one.linked().iter().any(|linked| Arc::ptr_eq(linked, other))
    };
    a.iter().any(|one| b.iter().any(|other| is_other(one, other)))
}

/// True if a value may be another array, which is still there.
pub fn may_be_another(value: &Bound<'_, PyAny>) -> bool {
    !roots(value).is_empty() || held(value).iter().any(|cell| cell.is_linked())
}

/// The array that a value is, and those that it may be.
fn held(value: &Bound<'_, PyAny>) -> Vec<Arc<Cell>> {
    let mut cells: Vec<_> = roots(value).iter().map(|root| root.cell().clone()).collect();
    if let Ok(tensor) = value.cast::<Tensor>()
        && !tensor.get().is_number()
    {
        cells.push(tensor.get().cell().clone());
    }
    cells.retain(|cell| !cell.is_nobody());
    cells
}

/// The arrays that a value may be, where the graph decides that.
fn roots(value: &Bound<'_, PyAny>) -> Vec<Root> {
    match value.cast::<Tensor>() {
        Ok(tensor) => tensor.get().roots().to_vec(),
        Err(_) => value.cast::<Maybe>().map(|maybe| maybe.get().roots()).unwrap_or_default(),
    }
}

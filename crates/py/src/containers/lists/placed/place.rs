//! An object and the element for which it stands.

use std::sync::Arc;

use gw_ir::{RegionId, ValueId};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::containers::lists::rows::Rows;
use crate::effects::alias;
use crate::effects::location::Location;
use crate::host::skeleton::Skeleton;
use crate::host::structure::{self, Kind};
use crate::session::Tracing;

/// An object and the element for which it stands.
#[derive(Debug)]
pub struct Place {
    pub object: Py<PyAny>,
    /// Its contents when they last were those of the element.
    pub seen: Seen,
    pub list: Py<PyList>,
    pub held: Held,
    /// Position of the element, counted from the start.
    pub at: ValueId,
    region: RegionId,
    /// The number of such objects before it.
    pub number: usize,
    /// True once the list was changed otherwise, so that the element may be elsewhere.
    pub is_lost: bool,
}

/// The contents of a list in which an element is.
#[derive(Debug)]
pub enum Held {
    /// Rows, which other items may follow.
    Rows(Py<PyAny>),
    /// Objects of Python's, with what each held when it was last looked at.
    Items(Vec<(Py<PyAny>, Seen)>),
}

/// The leaves of an object, and the objects in it that can be changed in place, itself first.
#[derive(Debug)]
pub struct Seen {
    pub leaves: Vec<Py<PyAny>>,
    pub parts: Vec<Py<PyAny>>,
    /// The addresses of the classes of the parts.
    classes: Vec<usize>,
}

impl Seen {
    /// The contents of an object now.
    pub fn now(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut leaves = Vec::new();
        Skeleton::of(object, &mut leaves)?;
        let parts = alias::changeable(object)?;
        let classes = parts.iter().map(|part| part.get_type().as_ptr() as usize).collect();
        Ok(Self { leaves, parts: parts.into_iter().map(Bound::unbind).collect(), classes })
    }

    /// True if the objects in it are the same, each of the same class.
    pub fn has_same_parts(&self, other: &Self) -> bool {
        let all_same = self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(one, other)| one.is(other));
        all_same && self.classes == other.classes
    }

    pub fn is_same(&self, other: &Self) -> bool {
        let same_leaves = self.leaves.len() == other.leaves.len()
            && self.leaves.iter().zip(&other.leaves).all(|(one, other)| one.is(other));
        same_leaves && self.has_same_parts(other)
    }

    /// Tells for each leaf if it is another one than before.
    pub fn changed_since(&self, before: &Self) -> Vec<bool> {
        let is_other =
            |(at, leaf): (usize, &Py<PyAny>)| before.leaves.get(at).is_none_or(|old| !old.is(leaf));
        self.leaves.iter().enumerate().map(is_other).collect()
    }

    /// True if an object is one of the parts.
    pub fn has(&self, object: &Bound<'_, PyAny>) -> bool {
        self.parts.iter().any(|part| part.is(object))
    }

    /// Gives an object these leaves.
    pub fn put(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let leaf = |leaf: &Py<PyAny>| Some(Arc::new(leaf.clone_ref(object.py())));
        put(object, &mut self.leaves.iter().map(leaf))
    }
}

impl Held {
    /// The contents of a list now; nothing where no element of it can be told from another.
    pub fn of(list: &Bound<'_, PyList>) -> PyResult<Option<Self>> {
        let first = list.iter().next();
        if let Some(rows) = first.filter(|first| first.is_exact_instance_of::<Rows>()) {
            return Ok(Some(Held::Rows(rows.unbind())));
        }
        let mut items: Vec<(Py<PyAny>, Seen)> = Vec::new();
        for item in list.iter() {
            if item.is_exact_instance_of::<Rows>() {
                return Ok(None);
            }
            let seen = Seen::now(&item)?;
            let is_in_another =
                |part: &Py<PyAny>| items.iter().any(|(_, other)| other.has(part.bind(list.py())));
            if seen.parts.iter().any(is_in_another) {
                return Ok(None);
            }
            items.push((item.unbind(), seen));
        }
        Ok(Some(Held::Items(items)))
    }

    /// True if a list holds just this.
    pub fn is_now(&self, list: &Bound<'_, PyList>) -> PyResult<bool> {
        if let (Held::Items(items), true) = (self, self.is_of(list)) {
            for (item, seen) in items {
                if !Seen::now(item.bind(list.py()))?.is_same(seen) {
                    return Ok(false);
                }
            }
        }
        Ok(self.is_of(list))
    }

    /// True if a list still has its elements where they were.
    pub fn is_of(&self, list: &Bound<'_, PyList>) -> bool {
        match self {
            Held::Rows(rows) => list.iter().next().is_some_and(|first| first.is(rows)),
            Held::Items(items) => {
                list.len() == items.len() && list.iter().zip(items).all(|(now, (item, _))| now.is(item))
            }
        }
    }
}

impl Place {
    /// An object and the element of a list at the position that `at` emits; nothing where changes cannot be carried back.
    pub fn new(
        object: &Bound<'_, PyAny>,
        list: &Bound<'_, PyList>,
        at: &dyn Fn() -> ValueId,
        tracing: &Tracing,
    ) -> PyResult<Option<Self>> {
        let Some(held) = Held::of(list)? else { return Ok(None) };
        Ok(Some(Self {
            object: object.clone().unbind(),
            seen: Seen::now(object)?,
            list: list.clone().unbind(),
            held,
            at: at(),
            region: tracing.trace.region(),
            number: 0,
            is_lost: false,
        }))
    }

    /// True if the list holds the element where it was.
    pub fn is_there(&self, py: Python<'_>, tracing: &Tracing) -> bool {
        !self.is_lost
            && self.held.is_of(self.list.bind(py))
            && tracing.trace.build(|b| b.open_regions().contains(&self.region))
    }

    /// Takes down what the object and the list hold now, here and where objects that may be changed are known.
    pub fn look(&mut self, boxes: &alias::Registry, py: Python<'_>) -> PyResult<()> {
        self.seen = Seen::now(self.object.bind(py))?;
        let is_rows = matches!(self.held, Held::Rows(_));
        match Held::of(self.list.bind(py))? {
            Some(now) if is_rows == matches!(now, Held::Rows(_)) => self.held = now,
            Some(_) | None => self.is_lost = true,
        }
        let items: Vec<_> = self.items().into_iter().map(|item| item.clone_ref(py)).collect();
        boxes.look_again(&items, py)?;
        boxes.look_again(&self.seen.parts, py)
    }

    /// The objects that can be changed in place in a list of Python's.
    pub fn items(&self) -> Vec<&Py<PyAny>> {
        match &self.held {
            Held::Rows(_) => Vec::new(),
            Held::Items(items) => items.iter().flat_map(|(_, seen)| &seen.parts).collect(),
        }
    }
}

/// Gives an object the leaves that there are.
pub fn put(
    object: &Bound<'_, PyAny>,
    leaves: &mut impl Iterator<Item = Option<Arc<Py<PyAny>>>>,
) -> PyResult<()> {
    let py = object.py();
    let Some((kind, items)) = structure::open(object)? else { return Ok(()) };
    let names: &[Py<PyString>] = if let Kind::Fields(_, names) = &kind { names } else { &[] };
    for (at, item) in items.iter().enumerate() {
        if structure::open(item)?.is_some() {
            put(item, leaves)?;
        } else if let (Some(leaf), Some(name)) = (leaves.next().flatten(), names.get(at)) {
            Location::of_attribute(object, name.bind(py)).set(leaf.bind(py))?;
        }
    }
    Ok(())
}

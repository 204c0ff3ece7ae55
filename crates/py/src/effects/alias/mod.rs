//! Objects that can be changed in place and that a variable of a statement holds: dicts, dataclasses, lists. The variable flows
//! as the object that it holds, and what becomes of the object flows as places do (`hidden`), so all its names see it. Only
//! where the graph decides which of several objects a variable holds, it flows by what they hold; it is a new object then,
//! which may be any of them, and none of them may be changed any more as long as more than one has a name ([`Registry`]).

mod look;
mod reference_counts;
mod registry;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gw_trace::Slot;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::containers::lists::chosen;
use crate::effects::location::Location;
use crate::effects::walk::Held;
use crate::host::structure::{self, Kind};
use crate::optional::poison;
use crate::session::{self, Tracing, frames};

use look::Look;
pub use reference_counts::Names;
use registry::{Group, Member};
pub use registry::{Mark, Registry};

/// Stands for an object whose contents flow by themselves.
#[pyclass(frozen, name = "SameObject", module = "graphwright")]
#[derive(Debug)]
pub struct Same(pub Py<PyAny>);

/// A place in the variables of a statement: which of them, and the way to a part of it.
type Path = (usize, Vec<usize>);

/// Lists whose items flow one by one are counted behind all variables.
const OF_LISTS: usize = usize::MAX / 2;

/// The places that flow by what they hold.
pub type ByValue = RefCell<HashSet<Path>>;

type Value = Arc<Py<PyAny>>;

/// The objects that were seen at a place, each with whether it had another name then.
type Seen<'py> = HashMap<Path, Vec<(Bound<'py, PyAny>, bool)>>;

/// Objects of the program that a statement reaches.
pub trait Reached<'py> {
    /// True if what becomes of an object is seen.
    fn holds(&self, object: &Bound<'py, PyAny>) -> bool;

    /// The statement.
    fn statement(&self) -> Option<&gw_base::Loc>;

    /// True if the statement is a loop.
    fn repeats(&self) -> bool;

    /// The addresses of the dicts, lists and objects with slots that hold something else than they `held`.
    fn changed_objects(&self, held: &Held<'py>) -> HashSet<usize>;
}

/// The objects in the variables of one statement.
pub struct Aliases<'a, 'py> {
    py: Python<'py>,
    tracing: &'a Tracing,
    watch: &'a dyn Reached<'py>,
    slots: &'a [Slot],
    by_value: &'a ByValue,
    /// Contents, before the statement, of all that it reaches.
    held: &'a Held<'py>,
    /// The objects that flow as themselves, known when the statement began.
    first: RefCell<Option<HashMap<Path, Bound<'py, PyAny>>>>,
    seen: RefCell<Seen<'py>>,
    /// Values that flow in place of objects, by the objects' addresses, with the objects.
    originals: RefCell<HashMap<usize, (Bound<'py, PyAny>, Value)>>,
    mark: Mark,
    chosen: chosen::Mark,
}

impl<'a, 'py> Aliases<'a, 'py> {
    /// Those of a statement that begins now.
    pub fn enter(
        py: Python<'py>,
        tracing: &'a Tracing,
        watch: &'a dyn Reached<'py>,
        slots: &'a [Slot],
        by_value: &'a ByValue,
        held: &'a Held<'py>,
    ) -> Self {
        let (first, seen, originals) = (RefCell::default(), RefCell::default(), RefCell::default());
        let (mark, chosen) = (tracing.boxes().mark(), tracing.lists().chosen.mark());
        Self { py, tracing, watch, slots, by_value, held, first, seen, originals, mark, chosen }
    }

    /// The variables as they flow; false if more of them flow by what they hold than was known.
    pub fn kept(&self, values: &mut [Value]) -> PyResult<bool> {
        self.tracing.boxes().check(self.py)?;
        self.tracing.lists().chosen.check(self.py)?;
        let first = self.first.borrow().clone();
        let begins = first.is_none();
        let mut look = Look::new(self, first);
        for (at, value) in values.iter_mut().enumerate() {
            if let Some(kept) = look.part(&mut (at, Vec::new()), value.bind(self.py))? {
                let address = kept.as_ptr() as usize;
                let original = std::mem::replace(value, Arc::new(kept.clone().unbind()));
                self.originals.borrow_mut().insert(address, (kept, original));
            }
        }
        if begins {
            self.first.replace(Some(look.known()));
            return Ok(true);
        }
        let others = look.known();
        let same = others.is_empty();
        self.by_value.borrow_mut().extend(others.into_keys());
        Ok(same)
    }

    /// Puts copies in the place of the structures that flow by what they hold: the next block of the statement may change
    /// the objects themselves by other names.
    pub fn take_down(&self, values: &mut [Value]) -> PyResult<()> {
        for value in values {
            if let Some(copy) = taken_down(value.bind(self.py))? {
                let address = copy.as_ptr() as usize;
                let original = std::mem::replace(value, Arc::new(copy.clone().unbind()));
                self.originals.borrow_mut().insert(address, (copy, original));
            }
        }
        Ok(())
    }

    /// The variables as the program sees them; what was new while a part of the statement was traced is no more.
    pub fn restored(&self, values: &[Value]) -> PyResult<Vec<Value>> {
        self.tracing.boxes().suspend(self.mark);
        self.forget_chosen();
        let value = |value: &Value| match self.original(value) {
            Some(original) => Ok(original),
            None => {
                let restored = restored(value.bind(self.py))?;
                Ok(restored.map_or_else(|| value.clone(), |object| Arc::new(object.unbind())))
            }
        };
        values.iter().map(value).collect()
    }

    /// The value in whose place another one flows.
    fn original(&self, value: &Value) -> Option<Value> {
        let originals = self.originals.borrow();
        let in_place_of = |value: &Value| originals.get(&(value.as_ptr() as usize)).map(|(_, it)| it.clone());
        std::iter::successors(in_place_of(value), in_place_of).last()
    }

    /// Takes down which objects the new ones in the variables may be.
    pub fn link(&self, values: &[Value]) -> PyResult<()> {
        if self.by_value.borrow().is_empty() {
            return Ok(());
        }
        let mut found = Vec::new();
        for (at, value) in values.iter().enumerate() {
            self.new_ones(&mut (at, Vec::new()), value.bind(self.py), &mut found)?;
        }
        found.into_iter().try_for_each(|(path, made)| {
            let slot = Slot::at(self.slots, path.0).clone();
            self.link_one(&path, &made, slot)
        })
    }

    /// Takes down the objects in a list whose items flow one by one.
    pub fn see_items(&self, at: usize, list: &Bound<'py, PyList>) -> PyResult<()> {
        let mut look = Look::new(self, None);
        let items: Vec<_> = list.iter().collect();
        each(&mut (OF_LISTS + at, Vec::new()), &items, |path, item| look.seen(path, item))
    }

    /// Takes down which objects the new ones in such a list may be.
    pub fn link_items(&self, at: usize, list: &Bound<'py, PyList>, name: &str) -> PyResult<()> {
        let (mut found, items) = (Vec::new(), list.iter().collect::<Vec<_>>());
        each(&mut (OF_LISTS + at, Vec::new()), &items, |path, item| self.new_ones(path, item, &mut found))?;
        let slot = |path: &Path| Slot::of(format!("{name}[{}]", path.1[0]));
        found.into_iter().try_for_each(|(path, made)| self.link_one(&path, &made, slot(&path)))
    }

    /// The objects at the places that flow by what they hold which nobody saw there before.
    fn new_ones(
        &self,
        path: &mut Path,
        value: &Bound<'py, PyAny>,
        found: &mut Vec<(Path, Bound<'py, PyAny>)>,
    ) -> PyResult<()> {
        let Some((_, items)) = structure::open(value)? else { return Ok(()) };
        let seen = self.seen.borrow();
        if let Some(seen) = seen.get(path)
            && !seen.iter().any(|(object, _)| object.is(value))
        {
            found.push((path.clone(), value.clone()));
        }
        drop(seen);
        each(path, &items, |path, item| self.new_ones(path, item, found))
    }

    fn link_one(&self, path: &Path, made: &Bound<'py, PyAny>, slot: Slot) -> PyResult<()> {
        let seen = self.seen.borrow();
        let others = seen.get(path).map(Vec::as_slice).unwrap_or_default();
        let objects = others.iter().map(|(object, _)| object).chain([made]);
        let members = objects.map(|object| Member::of(object)).collect::<PyResult<_>>()?;
        let group = Group {
            members,
            made: HashSet::from([made.as_ptr() as usize]),
            aliased: others.iter().any(|(_, aliased)| *aliased),
            is_open: true,
            waits: slot.is_returned(),
            is_listed: false,
            is_stale: false,
            slot,
            place: self.watch.statement().cloned(),
        };
        let changed = self.watch.repeats().then(|| self.watch.changed_objects(self.held));
        self.tracing.boxes().join(self.py, group, self.mark, changed.as_ref())
    }

    /// The statement is to be traced again: what was learnt of its objects is forgotten.
    pub fn rewind(&self) {
        self.tracing.boxes().rewind(self.mark);
        self.forget_chosen();
    }

    /// Lists that were chosen in a part of the statement are no more: what it leaves in variables are others.
    pub fn forget_chosen(&self) {
        self.tracing.lists().chosen.rewind(self.chosen);
    }

    /// The statement ends: of its objects, those that have no name any more cannot be changed.
    pub fn end(&self) -> PyResult<()> {
        if self.watch.repeats() && self.tracing.boxes().has_listed(self.mark) {
            let changed = self.watch.changed_objects(self.held);
            let placed = &self.tracing.lists().placed;
            self.tracing.boxes().check_listed(self.mark, &changed, self.py, |object| placed.keeps(object))?;
        }
        match self.tracing.boxes().is_clear(self.mark) {
            true => Ok(()),
            false => self.tracing.boxes().prune(self.mark, &Names::now(self.py)?, self.py),
        }
    }
}

/// `a is b`, which only the graph knows of objects of which it decides whether they are one.
pub fn is(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    [a, b].into_iter().try_for_each(poison::refuse)?;
    match session::current() {
        Some(tracing) if !a.is(b) => tracing.boxes().differ(a, b).map(|()| false),
        Some(_) | None => Ok(a.is(b)),
    }
}

/// GW122 for an object that a container finds by its identity, where only the graph knows which object it is.
pub fn check_identity(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(tracing) = session::current().filter(|tracing| !tracing.boxes().is_clear(Mark::default()))
    else {
        return Ok(());
    };
    let (py, name) = (object.py(), intern!(object.py(), "__eq__"));
    if object.get_type().getattr(name)?.is(&py.get_type::<PyAny>().getattr(name)?) {
        if tracing.lists().placed.has(object) {
            return Err(tracing.boxes().searched_in_list(object));
        }
        tracing.boxes().check_identity(object)?;
    }
    Ok(())
}

/// The objects in a value that can be changed in place and that a list of the graph holds as what they are made of.
pub fn changeable<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut found = Vec::new();
    for object in inside(std::iter::once(value.clone()), structure::open)? {
        if let Some((kind @ Kind::Fields(..), _)) = structure::open(&object)?
            && changes_in_place(&kind, &object)?
        {
            found.push(object);
        }
    }
    Ok(found)
}

/// Says that an object is in a list of the graph, which holds what it is made of.
pub fn listed(value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let place = || frames::place(value.py());
    changeable(value)?.iter().try_for_each(|object| tracing.boxes().list(object, place()))
}

/// Says that a function returns a value.
pub fn returned(value: &Bound<'_, PyAny>) -> PyResult<()> {
    match session::current() {
        Some(tracing) if !tracing.boxes().is_clear(Mark::default()) => {
            tracing.boxes().returned(&inside(std::iter::once(value.clone()), structure::open)?, value.py())
        }
        Some(_) | None => Ok(()),
    }
}

/// Goes to each item of a structure.
fn each<'py>(
    path: &mut Path,
    items: &[Bound<'py, PyAny>],
    mut step: impl FnMut(&mut Path, &Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    for (at, item) in items.iter().enumerate() {
        path.1.push(at);
        let done = step(path, item);
        path.1.pop();
        done?;
    }
    Ok(())
}

/// The object with what it stands for in it; nothing if it holds nothing that stands for an object.
pub fn restored<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Ok(same) = value.cast::<Same>() {
        return Ok(Some(same.get().0.bind(value.py()).clone()));
    }
    let Some((kind, items)) = structure::open(value)? else { return Ok(None) };
    let parts = items.iter().map(restored).collect::<PyResult<Vec<_>>>()?;
    if parts.iter().all(Option::is_none) {
        return Ok(None);
    }
    let items = items.into_iter().zip(parts).map(|(item, part)| part.unwrap_or(item)).collect();
    kind.close(value.py(), items).map(Some)
}

/// A structure with copies of all in it that can be changed in place; nothing if nothing can.
fn taken_down<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some((kind, items)) = structure::open(value)? else { return Ok(None) };
    if matches!(kind, Kind::Table(_)) {
        // The list of its contents is its own.
        return Ok(None);
    }
    let parts = items.iter().map(taken_down).collect::<PyResult<Vec<_>>>()?;
    if parts.iter().all(Option::is_none) && !changes_in_place(&kind, value)? {
        return Ok(None);
    }
    let items = items.into_iter().zip(parts).map(|(item, part)| part.unwrap_or(item)).collect();
    kind.close(value.py(), items).map(Some)
}

/// The places and the lists in values that can be changed in place.
pub fn parts<'py>(values: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Parts<'py>> {
    let mut parts = Parts::default();
    for value in inside(values, structure::open_by_class)? {
        if let Some((kind, _)) = structure::open_by_class(&value)? {
            parts.add(&value, &kind)?;
        }
    }
    Ok(parts)
}

/// The structures in values, each once.
fn inside<'py>(
    values: impl Iterator<Item = Bound<'py, PyAny>>,
    open: structure::Open<'py>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (mut found, mut next, mut known) = (Vec::new(), values.collect::<Vec<_>>(), HashSet::new());
    while let Some(value) = next.pop() {
        let Some((_, items)) = open(&value)? else { continue };
        if known.insert(value.as_ptr() as usize) {
            found.push(value);
            next.extend(items);
        }
    }
    Ok(found)
}

/// Parts that can be changed in place.
#[derive(Default)]
pub struct Parts<'py> {
    /// Places of dicts and objects.
    pub spots: Vec<Location>,
    /// Lists.
    pub lists: Vec<Bound<'py, PyList>>,
}

impl<'py> Parts<'py> {
    fn add(&mut self, value: &Bound<'py, PyAny>, kind: &Kind) -> PyResult<()> {
        let py = value.py();
        match kind {
            Kind::List => self.lists.push(value.clone().cast_into()?),
            Kind::Mapping(mapping) => {
                if let Ok(dict) = value.cast::<PyDict>() {
                    let entry = |key: &Py<PyAny>| Location::Entry(dict.clone().unbind(), key.clone_ref(py));
                    self.spots.extend(mapping.keys().iter().map(entry));
                }
            }
            Kind::Fields(_, names) if changes_in_place(kind, value)? => {
                let slot = |name: &Py<PyString>| Location::Slot(value.clone().unbind(), name.clone_ref(py));
                self.spots.extend(names.iter().map(slot));
            }
            Kind::Fields(..) | Kind::Tuple(_) | Kind::Optional | Kind::Table(_) => {}
            Kind::OfHost(_) | Kind::Member(_) => {}
        }
        Ok(())
    }
}

/// True of a structure that can be changed in place.
pub fn is_changeable(value: &Bound<'_, PyAny>) -> bool {
    let opened = structure::open(value).ok().flatten();
    opened.is_some_and(|(kind, _)| changes_in_place(&kind, value).unwrap_or(false))
}

/// True if a structure can be changed in place.
fn changes_in_place(kind: &Kind, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match kind {
        Kind::List | Kind::Mapping(_) | Kind::Table(_) => Ok(true),
        Kind::Tuple(_) | Kind::Optional | Kind::OfHost(_) | Kind::Member(_) => Ok(false),
        Kind::Fields(..) => {
            let params = value.get_type().getattr_opt("__dataclass_params__")?;
            let is_frozen = |params: Bound<'_, PyAny>| params.getattr("frozen")?.is_truthy();
            Ok(!params.map(is_frozen).transpose()?.unwrap_or(false))
        }
    }
}

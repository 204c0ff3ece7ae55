//! Lists of the program that flow through a statement in the graph. Nobody knows before it is traced, so it is found
//! while tracing: a list that turns out to be changed becomes part of the statement's state, and it is traced again.

use std::cell::{Cell as Flag, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use gw_trace::{Slot, State};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Rows;
use super::doubtful::{doubt, flowing};
use super::elements::{elements, has_rows, put, refused};
use crate::containers::tables::{entries, making};
use crate::effects::alias::{self, Same};
use crate::exceptions::errors::Failed;
use crate::host::{PyHost, structure};
use crate::optional::same_objects::{same_array, same_number};
use crate::session::Tracing;

/// Stands for the contents of a list without elements, whose type is not known.
#[pyclass(frozen, name = "NoElements", module = "graphwright")]
#[derive(Debug)]
pub struct NoElements;

/// A list that a statement reaches, and what it held before.
struct Reached<'py> {
    list: Bound<'py, PyList>,
    path: String,
    held: Vec<Bound<'py, PyAny>>,
    /// The number of variables, attributes and items that hold it.
    names: usize,
    /// True if its contents flow through the statement, and then whether their number may change.
    carried: Option<bool>,
}

/// The variables whose lists, dicts or sets flow by what they hold, since they are others afterwards; a list has no kind.
pub type ByValue = RefCell<HashMap<usize, Option<entries::Kind>>>;

/// The lists that flow through one statement.
pub struct Lists<'a, 'py> {
    py: Python<'py>,
    tracing: &'a Arc<Tracing>,
    reached: Vec<Reached<'py>>,
    /// What the variables were when the statement began.
    first: RefCell<Option<Vec<Arc<Py<PyAny>>>>>,
    /// What the variables were given last.
    given: RefCell<Vec<Arc<Py<PyAny>>>>,
    by_value: &'a ByValue,
    /// The statement changes more than was known.
    again: Flag<bool>,
}

impl<'a, 'py> Lists<'a, 'py> {
    /// Those of a statement that begins now.
    pub fn enter(py: Python<'py>, tracing: &'a Arc<Tracing>, by_value: &'a ByValue) -> PyResult<Self> {
        let enter = |(list, path, names): (Bound<'py, PyList>, String, usize)| {
            tracing.lists().remember(&list, &path);
            let carried = tracing.lists().grows(&list);
            if carried == Some(true) {
                flowing(&list)?;
            }
            let held = list.iter().collect();
            Ok(Reached { list, path, held, names, carried })
        };
        let reached = tracing.lists().reached(py).into_iter().map(enter).collect::<PyResult<Vec<_>>>()?;
        let (first, given, again) = (RefCell::default(), RefCell::default(), Flag::new(false));
        Ok(Self { py, tracing, reached, first, given, by_value, again })
    }

    fn carried(&self) -> impl Iterator<Item = &Reached<'py>> {
        self.reached.iter().filter(|reached| reached.carried.is_some())
    }

    /// Those that flow, as variables of the statement.
    pub fn slots(&self) -> Vec<Slot> {
        self.carried().map(|reached| Slot::of(reached.path.clone())).collect()
    }

    /// True if the statement has to be traced again.
    pub fn again(&self) -> bool {
        self.again.get()
    }

    /// True if the statement failed since a list has no elements yet, and can be traced again with what was learnt.
    pub fn can_learn(&self) -> bool {
        let Some(list) = self.tracing.lists().missed() else { return false };
        let missed = self.reached.iter().find(|reached| list.is(&reached.list));
        match missed {
            Some(reached) if reached.carried != Some(true) => {
                self.found(reached, true);
                true
            }
            Some(_) | None => false,
        }
    }

    /// Looks for lists that the statement changed and that do not flow through it yet.
    pub fn look(&self, state: &dyn State<PyHost<'py>>) -> Result<bool, Failed> {
        let mut suspects = Vec::new();
        for reached in &self.reached {
            let now: Vec<_> = reached.list.iter().collect();
            let grown = now.len() != reached.held.len()
                || now.iter().zip(&reached.held).any(|(now, held)| is_rows(now) != is_rows(held));
            match reached.carried {
                Some(true) => {}
                Some(false) | None if grown => self.found(reached, true),
                Some(false) => {}
                None if same(&now, &reached.held) => {}
                None => suspects.push(reached),
            }
        }
        if suspects.is_empty() {
            return Ok(self.again());
        }
        // What changes with the variables is theirs: `xs[0]` may be one of them.
        if let Some(first) = self.first.borrow().clone() {
            let now = state.get()?;
            state.set(&originals(self.py, &first)?)?;
            for reached in suspects {
                if !same(&reached.list.iter().collect::<Vec<_>>(), &reached.held) {
                    self.found(reached, false);
                }
            }
            state.set(&now)?;
        }
        Ok(self.again())
    }

    fn found(&self, reached: &Reached<'py>, grows: bool) {
        self.tracing.lists().note(&reached.list, grows);
        self.again.set(true);
    }

    /// The variables as they flow; those that hold a list whose contents flow by themselves stay what they are.
    pub fn variables(&self, values: &mut [Arc<Py<PyAny>>], slots: &[Slot]) -> Result<(), Failed> {
        let first = self.first.borrow_mut().get_or_insert_with(|| values.to_vec()).clone();
        for (at, value) in values.iter_mut().enumerate() {
            let held = value.bind(self.py).clone();
            let Ok(list) = held.cast_exact::<PyList>() else {
                match self.table(at, &first[at], &held)? {
                    Some(table) => *value = Arc::new(table),
                    None => self.judge(&held, Slot::at(slots, at))?,
                }
                continue;
            };
            let flows = self.carried().any(|reached| reached.list.is(list));
            // Nobody changes what is returned any more, so it may be any list.
            let returned = flows && slots.get(at) == Some(&Slot::Returned);
            if returned || self.by_value.borrow().contains_key(&at) {
                if !returned {
                    self.judge_aliases(at, &first[at], list.as_any())?;
                }
                *value = Arc::new(self.contents(list)?);
                continue;
            }
            if let Ok(before) = first[at].bind(self.py).cast_exact::<PyList>() {
                self.compare(at, before, list, flows);
            }
            if flows {
                *value = Arc::new(Py::new(self.py, Same(held.clone().unbind()))?.into_any());
            }
        }
        Ok(())
    }

    /// A variable that holds a dict or set, as it flows; nothing if that is Python's.
    fn table(&self, at: usize, before: &Py<PyAny>, now: &Bound<'py, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let Some(kind) = entries::kind(now) else { return Ok(None) };
        if self.by_value.borrow().contains_key(&at) {
            self.judge_aliases(at, before, now)?;
            let list = match entries::list_of(now)? {
                Some(list) => list,
                None => making::contents(now)?,
            };
            return self.contents(&list).map(Some);
        }
        let before = before.bind(self.py);
        let was_ours = entries::list_of(before)?.is_some();
        let is_ours = entries::list_of(now)?.is_some();
        if now.is(before) {
            let same = Same(now.clone().unbind());
            return is_ours.then(|| Ok(Py::new(self.py, same)?.into_any())).transpose();
        }
        let became_other = || Ok::<_, PyErr>(was_ours || is_ours || making::keys_differ(before, now)?);
        if entries::kind(before) == Some(kind) && became_other()? {
            self.by_value.borrow_mut().insert(at, Some(kind));
            self.again.set(true);
        }
        Ok(None)
    }

    /// A variable that is the same list on some paths and another one on others has to be the list's only name: what is done
    /// to the list by this name is not done to it by others.
    fn judge_aliases(&self, at: usize, before: &Py<PyAny>, now: &Bound<'py, PyAny>) -> PyResult<()> {
        let kept = self.given.borrow().get(at).is_some_and(|given| given.is(now));
        let reached = self.reached.iter().find(|reached| reached.list.is(before));
        if !kept || reached.is_none_or(|reached| reached.names < 2) {
            return Ok(());
        }
        let message =
            "the graph decides whether a name stays the list that it is, and the list has another name";
        Err(refused(self.py, message))
    }

    /// True if a variable that was one list still is it, or flows by what it holds from now on.
    fn compare(&self, at: usize, before: &Bound<'py, PyList>, now: &Bound<'py, PyList>, flows: bool) {
        let was_flowing = self.carried().any(|reached| reached.list.is(before));
        if now.is(before)
            || !(flows || was_flowing || now.len() != before.len() || has_rows(now) != has_rows(before))
        {
            return;
        }
        // In a loop the variable is given a copy; if it still is that copy, the list itself was changed.
        let is_copy = self.given.borrow().get(at).is_some_and(|given| given.is(now));
        if is_copy && !was_flowing {
            self.tracing.lists().note(before, true);
            self.tracing.lists().reach(before, "a list");
        } else {
            self.by_value.borrow_mut().insert(at, None);
        }
        self.again.set(true);
    }

    /// A list that flows by itself cannot also be a part of a variable.
    fn judge(&self, value: &Bound<'py, PyAny>, slot: &Slot) -> PyResult<()> {
        if self.carried().next().is_none() {
            return Ok(());
        }
        let Some((_, items)) = structure::open(value)? else { return Ok(()) };
        for item in items {
            if self.carried().any(|reached| reached.list.is(&item)) {
                let message = format!("{slot} is assigned here and holds a list that changes here");
                return Err(refused(self.py, &message));
            }
            self.judge(&item, slot)?;
        }
        Ok(())
    }

    /// What the lists hold, as it flows.
    pub fn values(&self) -> Result<Vec<Arc<Py<PyAny>>>, Failed> {
        let value = |reached: &Reached<'py>| match reached.carried {
            Some(true) => Ok(Arc::new(self.contents(&reached.list)?)),
            Some(false) | None => {
                Ok(Arc::new(PyList::new(self.py, reached.list.iter())?.into_any().unbind()))
            }
        };
        self.carried().map(value).collect()
    }

    /// The lists whose items flow one by one: which, what the user would write for it, and itself.
    pub fn of_items(&self) -> impl Iterator<Item = (usize, &str, &Bound<'py, PyList>)> {
        let is_of_items = |reached: &Reached<'py>| reached.carried == Some(false) && !has_rows(&reached.list);
        let all = self.reached.iter().enumerate().filter(move |(_, reached)| is_of_items(reached));
        all.map(|(at, reached)| (at, &*reached.path, &reached.list))
    }

    /// The elements of a list as one value.
    fn contents(&self, list: &Bound<'py, PyList>) -> PyResult<Py<PyAny>> {
        Ok(match flowing(list)? {
            None => Py::new(self.py, NoElements)?.into_any(),
            Some(elements) => super::list(self.py, &elements)?.into_any().unbind(),
        })
    }

    /// The variables as the program sees them.
    pub fn restored(&self, values: &[Arc<Py<PyAny>>]) -> PyResult<Vec<Arc<Py<PyAny>>>> {
        let value = |(at, value): (usize, &Arc<Py<PyAny>>)| {
            let object = value.bind(self.py);
            if let Ok(same) = object.cast::<Same>() {
                return Ok(Arc::new(same.get().0.clone_ref(self.py)));
            }
            let kind = self.by_value.borrow().get(&at).copied();
            let list = if object.is_instance_of::<NoElements>() {
                PyList::empty(self.py)
            } else if let (Ok(list), Some(_)) = (object.cast_exact::<PyList>(), kind) {
                PyList::new(self.py, list.iter())?
            } else {
                return Ok(value.clone());
            };
            Ok(Arc::new(match kind.flatten() {
                None => list.into_any().unbind(),
                Some(kind) => making::make(kind, &list)?.unbind(),
            }))
        };
        let values = values.iter().enumerate().map(value).collect::<PyResult<Vec<_>>>()?;
        self.given.replace(values.clone());
        Ok(values)
    }

    /// Gives the lists these contents.
    pub fn set(&self, values: &[Arc<Py<PyAny>>]) -> PyResult<()> {
        for (reached, value) in self.carried().zip(values) {
            let (list, value) = (&reached.list, value.bind(self.py));
            match value.cast_exact::<PyList>() {
                Ok(items) => list.set_slice(0, list.len(), items.as_any())?,
                Err(_) => list.del_slice(0, list.len())?,
            }
        }
        Ok(())
    }

    /// Gives every list what it held before the statement.
    pub fn undo(&self) -> PyResult<()> {
        for Reached { list, held, .. } in &self.reached {
            if !same(&list.iter().collect::<Vec<_>>(), held) {
                list.set_slice(0, list.len(), PyList::new(self.py, held)?.as_any())?;
            }
        }
        Ok(())
    }

    /// Outside of all branches and loops, lists of few elements whose number is known are Python's again.
    pub fn end(&self) -> PyResult<()> {
        if self.tracing.trace.in_region() {
            return Ok(());
        }
        for reached in self.carried().filter(|reached| has_rows(&reached.list)) {
            if doubt(&reached.list)?.is_some() {
                continue;
            }
            let Some(held) = elements(&reached.list)? else { continue };
            let Some(count) = held.count().filter(|&count| count <= super::MOST_TAKEN_OUT) else {
                put(&reached.list, &held)?;
                continue;
            };
            let index = |at: usize| super::access::Index::Known(at as i64);
            let items = (0..count).map(|at| held.at(self.py, &index(at))).collect::<PyResult<Vec<_>>>()?;
            reached.list.set_slice(0, reached.list.len(), PyList::new(self.py, items)?.as_any())?;
        }
        Ok(())
    }
}

/// The variables with the objects that stand-ins stand for.
fn originals(py: Python<'_>, values: &[Arc<Py<PyAny>>]) -> PyResult<Vec<Arc<Py<PyAny>>>> {
    let original = |value: &Arc<Py<PyAny>>| {
        let object = alias::restored(value.bind(py))?;
        Ok(object.map_or_else(|| value.clone(), |object| Arc::new(object.unbind())))
    };
    values.iter().map(original).collect()
}

/// True if an object stands for a list.
pub fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<Same>()
}

/// True if two objects stand for one list.
pub fn same_list(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    if a.is_instance_of::<NoElements>() && b.is_instance_of::<NoElements>() {
        return true;
    }
    match (a.cast::<Same>(), b.cast::<Same>()) {
        (Ok(a), Ok(b)) => a.get().0.is(&b.get().0),
        (Ok(_) | Err(_), _) => false,
    }
}

fn is_rows(item: &Bound<'_, PyAny>) -> bool {
    item.is_exact_instance_of::<Rows>()
}

fn same(a: &[Bound<'_, PyAny>], b: &[Bound<'_, PyAny>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is(b) || same_number(a, b) || same_array(a, b))
}

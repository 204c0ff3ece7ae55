//! The state of the program at one moment of its tracing, to be given back to it later: variables, what is stored into
//! tensors, lists.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use gw_trace::Staged;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyList, PyString, PyTuple, PyType};

use crate::effects::alias::{self, Same};
use crate::effects::attributes::slots;
use crate::effects::location::Location;
use crate::effects::places::Places;
use crate::host::structure;
use crate::optional::leaves;
use crate::optional::same_objects::same_value;
use crate::session::Tracing;
use crate::session::conv::conv;
use crate::session::libraries::is_users;
use crate::values::cell::Cell;
use crate::values::tensor::Payload;

/// The program's state at one moment.
#[derive(Debug)]
pub struct Snapshot {
    values: Py<PyTuple>,
    /// Attributes, items and globals that statements change without naming them.
    spots: Vec<(Arc<Location>, Py<PyAny>)>,
    cells: Vec<(Arc<Cell>, Payload)>,
    lists: Vec<(Py<PyList>, Py<PyList>)>,
    variables: Vec<Staged>,
    /// Contents of the objects that the variables reach.
    objects: Py<PyTuple>,
}

/// So many objects are looked at.
const MOST_OBJECTS: usize = 256;

impl Snapshot {
    /// Takes a snapshot of the program; `places` are its variables, `cells` those of tensors that it may not have
    /// stored into yet.
    pub fn now(
        py: Python<'_>,
        tracing: &Arc<Tracing>,
        places: &Places,
        mut cells: Vec<Arc<Cell>>,
    ) -> PyResult<Self> {
        let values = places.get(py)?;
        cells.extend(tracing.regions().seen(tracing));
        for value in values.iter() {
            let own = leaves::tensors(&value)?;
            cells.extend(own.iter().filter(|t| !t.get().is_number()).map(|t| t.get().cell().clone()));
        }
        let copy =
            |list: Bound<'_, PyList>| Ok((list.clone().unbind(), PyList::new(py, list.iter())?.unbind()));
        let mut spots = held_at(py, tracing.hidden().all().into_iter().chain(tracing.tries().spots.all()))?;
        // Lists and places in objects that were made since the statement began are not known, nor those in objects that a place holds.
        let known = spots.iter().map(|(_, held)| held.bind(py).clone());
        let roots: Vec<_> = values.iter().chain(known).collect();
        let inside = alias::parts(roots.iter().cloned())?;
        spots.extend(held_at(py, inside.spots.into_iter().map(Arc::new))?);
        let roots = PyTuple::new(py, roots)?;
        Ok(Self {
            spots,
            objects: Objects::of(&roots, &|_| true)?.taken()?.unbind(),
            values: values.unbind(),
            cells: cells.into_iter().map(|cell| (cell.clone(), cell.content())).collect(),
            lists: tracing
                .lists()
                .all_reached(py)
                .into_iter()
                .chain(tracing.tables().lists(py))
                .chain(inside.lists)
                .map(copy)
                .collect::<PyResult<_>>()?,
            variables: tracing.tracked().into_iter().map(|tracked| tracked.value).collect(),
        })
    }

    /// Gives the program what it held.
    pub fn restore(&self, py: Python<'_>, tracing: &Tracing, places: &Places) -> PyResult<()> {
        for (cell, content) in &self.cells {
            cell.replace(content.clone());
        }
        for (list, held) in &self.lists {
            let list = list.bind(py);
            list.set_slice(0, list.len(), held.bind(py).as_any())?;
        }
        self.spots.iter().try_for_each(|(spot, held)| spot.set(held.bind(py)))?;
        give(self.objects.bind(py).as_any())?;
        tracing.restore(&self.variables);
        places.set(self.values.bind(py))
    }
}

/// Places, each with what it holds now.
fn held_at(
    py: Python<'_>,
    spots: impl Iterator<Item = Arc<Location>>,
) -> PyResult<Vec<(Arc<Location>, Py<PyAny>)>> {
    let with = |spot: Arc<Location>| {
        let held = spot.get(py)?.unbind();
        Ok((spot, held))
    };
    spots.map(with).collect()
}

/// The objects of the user's classes that variables reach, and what can be changed in place in them: what these hold is no
/// part of the variables.
pub struct Objects<'py> {
    py: Python<'py>,
    all: Vec<Bound<'py, PyAny>>,
}

impl<'py> Objects<'py> {
    /// Those of which `is_one` says so.
    pub fn of(values: &Bound<'py, PyTuple>, is_one: &dyn Fn(&Bound<'py, PyAny>) -> bool) -> PyResult<Self> {
        let (mut all, mut known) = (Vec::new(), HashSet::new());
        let mut next: VecDeque<_> = values.iter().map(|value| (value, false)).collect();
        while let Some((value, inside)) = next.pop_front().filter(|_| known.len() < MOST_OBJECTS) {
            let parts = structure::open_by_class(&value)?.map(|(_, items)| items);
            let inside = inside || parts.is_none();
            let Some(held) = held(&value)? else {
                next.extend(parts.into_iter().flatten().map(|part| (part, inside)));
                continue;
            };
            if known.insert(value.as_ptr() as usize) {
                next.extend(held.into_iter().map(|(_, part)| (part, inside)));
                if inside && is_one(&value) {
                    all.push(value);
                }
            }
        }
        Ok(Self { py: values.py(), all })
    }

    /// They themselves.
    pub fn made(&self) -> impl Iterator<Item = Bound<'py, PyAny>> + '_ {
        self.all.iter().cloned()
    }

    /// Each with what it holds now.
    pub fn taken(&self) -> PyResult<Bound<'py, PyTuple>> {
        let taken = |object: &Bound<'py, PyAny>| {
            let parts = held(object)?.unwrap_or_default();
            let parts = parts.into_iter().map(|(name, part)| PyTuple::new(self.py, [name, itself(part)?]));
            let parts = PyTuple::new(self.py, parts.collect::<PyResult<Vec<_>>>()?)?;
            PyTuple::new(self.py, [itself(object.clone())?, parts.into_any()])
        };
        PyTuple::new(self.py, self.all.iter().map(taken).collect::<PyResult<Vec<_>>>()?)
    }
}

/// Gives objects what they held.
pub fn give(objects: &Bound<'_, PyAny>) -> PyResult<()> {
    for object in objects.cast::<PyTuple>()?.iter() {
        let (object, parts): (Bound<'_, PyAny>, Bound<'_, PyTuple>) = object.extract()?;
        let object = alias::restored(&object)?.unwrap_or(object);
        let pairs = parts.iter().map(|pair| {
            let (name, part): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            let part = alias::restored(&part)?.unwrap_or(part);
            Ok((name, part))
        });
        let pairs = pairs.collect::<PyResult<Vec<_>>>()?;
        if let Ok(list) = object.cast::<PyList>() {
            let held =
                |(now, (_, was)): (Bound<'_, PyAny>, &(Bound<'_, PyAny>, Bound<'_, PyAny>))| now.is(was);
            if list.len() == pairs.len() && list.iter().zip(&pairs).all(held) {
                continue;
            }
            // It may be a list of the graph by now.
            conv(&list.getattr("clear")?)?.call0()?;
            for (_, part) in pairs {
                conv(&list.getattr("append")?)?.call1((part,))?;
            }
        } else if let Some(fields) = fields(&object)? {
            fields.give(pairs)?;
        }
    }
    Ok(())
}

/// A part of an object, behind its name.
type Part<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A part as a value that flows: what can be changed in place is itself.
fn itself(part: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    match held(&part)? {
        Some(_) => Ok(Bound::new(part.py(), Same(part.clone().unbind()))?.into_any()),
        None => Ok(part),
    }
}

/// The parts of what can be changed in place, with their names; none of anything else.
fn held<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Part<'py>>>> {
    if let Ok(list) = value.cast_exact::<PyList>() {
        let none = || value.py().None().into_bound(value.py());
        return Ok(Some(list.iter().map(|item| (none(), item)).collect()));
    }
    fields(value)?.map(|fields| fields.parts()).transpose()
}

/// The entries of a dict, or the attributes of an object of a class of the user's.
struct Fields<'py> {
    dict: Option<Bound<'py, PyDict>>,
    /// The attributes in slots.
    slots: Vec<(Bound<'py, PyString>, Location)>,
}

fn fields<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Fields<'py>>> {
    if let Ok(dict) = value.cast_exact::<PyDict>() {
        return Ok(Some(Fields { dict: Some(dict.clone()), slots: Vec::new() }));
    }
    let class = value.get_type();
    if value.is_instance_of::<PyFunction>() || value.is_instance_of::<PyType>() || !is_users(class.as_any())?
    {
        return Ok(None);
    }
    let dict = value.getattr_opt(intern!(value.py(), "__dict__"))?;
    let dict = dict.and_then(|dict| dict.cast_into_exact::<PyDict>().ok());
    let slot = |name: String| {
        let name = PyString::new(value.py(), &name);
        (name.clone(), Location::Slot(value.clone().unbind(), name.unbind()))
    };
    let slots: Vec<_> = slots(value)?.into_iter().map(slot).collect();
    Ok((dict.is_some() || !slots.is_empty()).then_some(Fields { dict, slots }))
}

impl<'py> Fields<'py> {
    /// The parts that they hold now, those in slots last.
    fn parts(&self) -> PyResult<Vec<Part<'py>>> {
        let mut parts: Vec<_> = self.dict.iter().flatten().collect();
        for (name, slot) in &self.slots {
            parts.push((name.clone().into_any(), slot.get(name.py())?));
        }
        Ok(parts)
    }

    /// Gives them what they held.
    fn give(&self, mut parts: Vec<Part<'py>>) -> PyResult<()> {
        let in_slots = parts.split_off(parts.len().saturating_sub(self.slots.len()));
        for ((_, slot), (_, part)) in self.slots.iter().zip(in_slots) {
            if !same_value(&slot.get(part.py())?, &part) {
                slot.set(&part)?;
            }
        }
        let Some(dict) = &self.dict else { return Ok(()) };
        let is_there = |(name, _): &Part<'_>| dict.contains(name);
        let same_names = dict.len() == parts.len()
            && parts.iter().map(is_there).collect::<PyResult<Vec<_>>>()?.into_iter().all(|there| there);
        if !same_names {
            dict.clear();
        }
        for (name, part) in parts {
            let now = dict.get_item(&name)?;
            if !now.is_some_and(|now| same_value(&now, &part)) {
                dict.set_item(name, part)?;
            }
        }
        Ok(())
    }
}

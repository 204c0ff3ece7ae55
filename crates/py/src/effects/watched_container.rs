//! Containers that the watch looks at: each holds other objects and can be changed in place.

use std::collections::HashSet;
use std::slice::from_ref;

use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyDict, PyFunction, PyInt, PyList, PySet, PySlice, PyString, PyType,
};

use crate::containers::tables::{self, dict_class, entries};
use crate::effects::location::{self, Location, is_key};
use crate::function::fingerprint;
use crate::optional::maybe::{Unbound, unbound};
use crate::optional::same_objects::{same_array, same_number};
use crate::session;

/// Container of other objects that can be changed in place.
pub enum Holder<'py> {
    /// A variable that functions share.
    Cell(Bound<'py, PyAny>),
    /// A global, by its name.
    Global(Bound<'py, PyDict>, Bound<'py, PyAny>),
    /// A list, set or deque.
    Items(Bound<'py, PyAny>),
    /// A dict.
    Pairs(Bound<'py, PyDict>, Step),
    /// An attribute in a slot.
    Slot(Bound<'py, PyAny>, String),
    /// The attributes of a class.
    Class(Bound<'py, PyType>),
    /// Numbers of an array or `bytearray`.
    Bytes(Bound<'py, PyAny>),
    /// An iterator: how far it is.
    Progress(Bound<'py, PyAny>, &'static str),
}

/// A place with what it held before and what it holds now.
pub type Changed<'py> = (Location, (Bound<'py, PyAny>, Bound<'py, PyAny>));

/// Change of a container's contents.
pub enum Change<'py> {
    /// It holds the same.
    Nothing,
    /// Some of its places hold something else.
    Spots(Vec<Changed<'py>>),
    /// It has other places now.
    Other,
}

/// Notation of a dict's key in a path.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    Attribute,
    Key,
}

impl Step {
    /// Text of a key in a path.
    pub fn text(self, key: &Bound<'_, PyAny>) -> String {
        match self {
            Step::Attribute => format!(".{key}"),
            Step::Key => key.repr().map_or_else(|_| "[…]".to_owned(), |key| format!("[{key}]")),
        }
    }
}

impl<'py> Holder<'py> {
    /// True if it is a list, dict or set whose contents flow through the statements that change it.
    pub fn flows(&self) -> bool {
        let Some(tracing) = session::current() else { return false };
        let is_list = || matches!(self, Holder::Items(items) if tracing.lists().knows(items));
        is_list() || self.table().is_some_and(|table| tracing.tables().flows(&table))
    }

    /// True if it holds what an object with these attributes consists of.
    pub fn is_of(&self, object: &Bound<'py, PyAny>, fields: Option<&Bound<'py, PyAny>>) -> bool {
        match self {
            Holder::Items(own) | Holder::Slot(own, _) => own.is(object),
            Holder::Pairs(dict, Step::Key) => dict.is(object),
            Holder::Pairs(dict, Step::Attribute) => fields.is_some_and(|fields| dict.is(fields)),
            Holder::Class(own) => own.is(object),
            Holder::Cell(_) | Holder::Global(..) | Holder::Bytes(_) | Holder::Progress(..) => false,
        }
    }

    /// The address of the dict, list or object with slots that it is.
    pub fn address(&self) -> Option<usize> {
        match self {
            Holder::Items(own) | Holder::Slot(own, _) => Some(own.as_ptr() as usize),
            Holder::Pairs(dict, _) => Some(dict.as_ptr() as usize),
            Holder::Class(class) => Some(class.as_ptr() as usize),
            Holder::Cell(_) | Holder::Global(..) | Holder::Bytes(_) | Holder::Progress(..) => None,
        }
    }

    /// The dict or set that it is.
    pub fn table(&self) -> Option<Bound<'py, PyAny>> {
        let object = match self {
            Holder::Items(items) => items.clone(),
            Holder::Pairs(pairs, Step::Key) => pairs.clone().into_any(),
            Holder::Pairs(_, Step::Attribute) | Holder::Cell(_) | Holder::Global(..) => return None,
            Holder::Slot(..) | Holder::Class(_) | Holder::Bytes(_) | Holder::Progress(..) => return None,
        };
        entries::kind(&object).map(|_| object)
    }

    /// True if a place is in it.
    pub fn has(&self, spot: &Location) -> bool {
        match (self, spot) {
            (Holder::Cell(cell), Location::Cell(other)) => cell.is(other),
            (Holder::Global(dict, name), Location::Entry(other, key)) => {
                dict.is(other) && is_key(name, key.bind(name.py()))
            }
            (Holder::Pairs(dict, _), Location::Entry(other, _)) => dict.is(other),
            (Holder::Slot(object, name), Location::Slot(other, key)) => {
                object.is(other) && key.bind(object.py()) == name.as_str()
            }
            (Holder::Class(class), Location::Slot(other, _)) => class.is(other),
            (Holder::Items(list), Location::Tail(other, _) | Location::Items(other)) => list.is(other),
            (Holder::Cell(_) | Holder::Global(..) | Holder::Pairs(..) | Holder::Slot(..), _)
            | (Holder::Class(_) | Holder::Items(_) | Holder::Bytes(_) | Holder::Progress(..), _) => false,
        }
    }

    /// Change of the container since it held this.
    pub fn change(&self, held: &[Bound<'py, PyAny>]) -> PyResult<Change<'py>> {
        let now = self.held()?;
        if same(held, &now) {
            return Ok(Change::Nothing);
        }
        let one = |spot| Ok(Change::Spots(vec![(spot, (held[0].clone(), now[0].clone()))]));
        match self {
            Holder::Cell(cell) => one(Location::Cell(cell.clone().unbind())),
            Holder::Global(dict, name) => one(Location::Entry(dict.clone().unbind(), name.clone().unbind())),
            Holder::Slot(object, name) => {
                let name = PyString::intern(object.py(), name).unbind();
                one(Location::Slot(object.clone().unbind(), name))
            }
            Holder::Pairs(dict, step) => {
                let spot = |key: &Bound<'py, PyAny>| {
                    Ok(Location::Entry(dict.clone().unbind(), key.clone().unbind()))
                };
                entries(&spot, *step, held, &now)
            }
            Holder::Class(class) => {
                let spot = |key: &Bound<'py, PyAny>| {
                    let name = key.cast::<PyString>().map_err(PyErr::from)?.clone();
                    Ok(Location::Slot(class.clone().into_any().unbind(), name.unbind()))
                };
                entries(&spot, Step::Attribute, held, &now)
            }
            Holder::Items(_) | Holder::Bytes(_) | Holder::Progress(..) => Ok(Change::Other),
        }
    }

    /// Change of the container in the course of a whole function: the contents of a list or deque are a place
    /// then, and dicts may get keys behind the others and lose some; but not those that the graph has.
    pub fn change_by_function(&self, held: &[Bound<'py, PyAny>]) -> PyResult<Change<'py>> {
        if let Holder::Pairs(dict, Step::Key) = self
            && !self.flows()
        {
            let now = self.held()?;
            if same(held, &now) {
                return Ok(Change::Nothing);
            }
            let keys: HashSet<_> = now.chunks(2).map(|pair| pair[0].as_ptr()).collect();
            let is_there = |key: &Bound<'py, PyAny>| {
                keys.contains(&key.as_ptr()) || now.chunks(2).any(|pair| is_key(&pair[0], key))
            };
            let left = held.chunks(2).filter(|pair| is_there(&pair[0]));
            let stay = left.zip(now.chunks(2)).all(|(a, b)| is_key(&a[0], &b[0]));
            let spot =
                |key: &Bound<'py, PyAny>| Ok(Location::Entry(dict.clone().unbind(), key.clone().unbind()));
            return if stay { entries(&spot, Step::Attribute, held, &now) } else { self.change(held) };
        }
        let Holder::Items(list) = self else { return self.change(held) };
        let is_deque = list.is_instance(location::deque(list.py())?)?;
        let now = self.held()?;
        if self.flows() || same(held, &now) || !(is_deque || list.is_instance_of::<PyList>()) {
            return self.change(held);
        }
        let grows = now.len() > held.len() && same(held, &now[..held.len()]);
        let first = if grows { held.len() } else { 0 };
        let list = list.clone().unbind();
        let spot = if grows { Location::Tail(list, first) } else { Location::Items(list) };
        let all =
            |items: &[Bound<'py, PyAny>]| Ok::<_, PyErr>(PyList::new(self.py(), &items[first..])?.into_any());
        Ok(Change::Spots(vec![(spot, (all(held)?, all(&now)?))]))
    }

    /// Gives a container the contents that it held. An iterator stays as far as it is, and of a NumPy array only a checksum
    /// is known.
    pub fn refill(&self, held: &[Bound<'py, PyAny>]) -> PyResult<()> {
        match self {
            Holder::Items(items) if entries::kind(items).is_some() || items.is_instance_of::<PySet>() => {
                tables::refill_set(items, held)
            }
            Holder::Items(items) => match items.cast::<PyList>() {
                Ok(list) => list.set_slice(0, list.len(), PyList::new(self.py(), held)?.as_any()),
                Err(_) => {
                    items.call_method0("clear")?;
                    items.call_method1("extend", (PyList::new(self.py(), held)?,)).map(drop)
                }
            },
            Holder::Pairs(dict, _) => tables::refill_dict(dict, held),
            Holder::Bytes(bytes) => match (bytes.cast::<PyByteArray>(), held) {
                (Ok(array), [held]) => {
                    array.call_method0("clear")?;
                    array.call_method1("extend", (held,)).map(drop)
                }
                (Err(_), [held]) if !bytes.is_instance_of::<PyUntypedArray>() => {
                    bytes.call_method1("__delitem__", (PySlice::full(bytes.py()),))?;
                    bytes.call_method1("frombytes", (held,)).map(drop)
                }
                (Ok(_) | Err(_), _) => Ok(()),
            },
            Holder::Cell(_) | Holder::Global(..) | Holder::Slot(..) | Holder::Class(_) => Ok(()),
            Holder::Progress(..) => Ok(()),
        }
    }

    fn py(&self) -> Python<'py> {
        match self {
            Holder::Global(dict, _) | Holder::Pairs(dict, _) => dict.py(),
            Holder::Cell(object) | Holder::Items(object) | Holder::Slot(object, _) => object.py(),
            Holder::Class(class) => class.py(),
            Holder::Bytes(object) | Holder::Progress(object, _) => object.py(),
        }
    }

    /// The value that it holds.
    pub fn held(&self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        match self {
            Holder::Cell(cell) => match cell.getattr("cell_contents") {
                Ok(value) => Ok(vec![value]),
                Err(_) => Ok(vec![unbound(cell.py())?]),
            },
            Holder::Global(globals, name) => {
                Ok(vec![globals.get_item(name)?.map_or_else(|| unbound(name.py()), Ok)?])
            }
            Holder::Items(items) if entries::kind(items).is_some() => tables::keys_of(items),
            Holder::Items(items) => items.try_iter()?.collect(),
            Holder::Pairs(pairs, _) if pairs.is_exact_instance_of::<PyDict>() => {
                Ok(pairs.iter().flat_map(|(k, v)| [k, v]).collect())
            }
            // The order of an ordered one is kept apart.
            Holder::Pairs(pairs, _) => {
                let class = dict_class(pairs)?;
                let keys = class.call_method1("__iter__", (pairs,))?.try_iter()?;
                let pair = |key: Bound<'py, PyAny>| {
                    Ok([key.clone(), class.call_method1("__getitem__", (pairs, key))?])
                };
                // To find an item may run code of its key, which may store others.
                let keys = keys.collect::<PyResult<Vec<_>>>()?;
                Ok(keys.into_iter().map(pair).collect::<PyResult<Vec<_>>>()?.into_flattened())
            }
            Holder::Class(class) => attributes(class),
            Holder::Slot(object, name) => {
                Ok(vec![object.getattr_opt(name.as_str())?.map_or_else(|| unbound(object.py()), Ok)?])
            }
            Holder::Bytes(array) if array.is_instance_of::<PyByteArray>() => {
                Ok(vec![PyBytes::new(array.py(), &array.extract::<Vec<u8>>()?).into_any()])
            }
            Holder::Bytes(array) if !array.is_instance_of::<PyUntypedArray>() => {
                Ok(vec![array.call_method0("tobytes")?])
            }
            Holder::Bytes(array) => Ok(vec![fingerprint::of(array)?.into_pyobject(array.py())?.into_any()]),
            Holder::Progress(iterator, "gi_frame") => match iterator.getattr("gi_frame")? {
                frame if frame.is_none() => Ok(vec![frame]),
                frame => Ok(vec![frame.getattr("f_lasti")?]),
            },
            Holder::Progress(iterator, method) => Ok(vec![iterator.call_method0(*method)?]),
        }
    }
}

/// The attributes of a class that a program sets: those of Python's own names are methods.
fn attributes<'py>(class: &Bound<'py, PyType>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut all = Vec::new();
    for pair in class.getattr("__dict__")?.call_method0("items")?.try_iter()? {
        let (name, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair?.extract()?;
        let is_function = value.is_instance_of::<PyFunction>() || value.get_type().hasattr("__func__")?;
        if !name.extract::<&str>()?.starts_with("__") || is_function {
            all.extend([name, value]);
        }
    }
    Ok(all)
}

/// The change of the items of a dict, or of the attributes of a class, whose places `spot` gives. An object may get attributes and lose
/// them; the keys of other dicts stay.
fn entries<'py>(
    spot: &dyn Fn(&Bound<'py, PyAny>) -> PyResult<Location>,
    step: Step,
    held: &[Bound<'py, PyAny>],
    now: &[Bound<'py, PyAny>],
) -> PyResult<Change<'py>> {
    let pairs =
        |all: &[Bound<'py, PyAny>]| all.chunks_exact(2).map(|p| (p[0].clone(), p[1].clone())).collect();
    let (held, now): (Pairs<'py>, Pairs<'py>) = (pairs(held), pairs(now));
    let stay = held.len() == now.len() && held.iter().zip(&now).all(|(a, b)| is_key(&a.0, &b.0));
    if !stay && matches!(step, Step::Key) {
        return Ok(Change::Other);
    }
    let under = |pairs: &Pairs<'py>, key: &Bound<'py, PyAny>, at: usize| {
        let here = pairs.get(at).filter(|pair| is_key(&pair.0, key));
        let value =
            here.or_else(|| pairs.iter().find(|pair| is_key(&pair.0, key))).map(|pair| pair.1.clone());
        value.map_or_else(|| unbound(key.py()), Ok)
    };
    let mut changed = Vec::new();
    for (at, (key, _)) in held.iter().chain(&now).enumerate() {
        let (was, is) = (under(&held, key, at)?, under(&now, key, at)?);
        if is_absent(&was) || (at < held.len() && !same(from_ref(&was), from_ref(&is))) {
            changed.push((spot(key)?, (was, is)));
        }
    }
    Ok(Change::Spots(changed))
}

/// The keys of a dict and what they hold.
type Pairs<'py> = Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

fn is_absent(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<Unbound>()
}

/// True if two holders hold the same.
pub fn same(a: &[Bound<'_, PyAny>], b: &[Bound<'_, PyAny>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.is(b) || same_number(a, b) || same_array(a, b) || equal(a, b))
}

fn equal(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let plain = |v: &Bound<'_, PyAny>| {
        v.is_exact_instance_of::<PyString>()
            || v.is_exact_instance_of::<PyBytes>()
            || v.is_exact_instance_of::<PyInt>()
    };
    plain(a) && plain(b) && a.eq(b).unwrap_or(false)
}

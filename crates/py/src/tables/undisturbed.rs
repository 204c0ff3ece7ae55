//! `for` over a dict or set of Python's while a graph is built. Python's iterator goes on by the position of an entry. A
//! statement of the graph is traced several times, and each trace that takes a key out and puts it back moves it: the
//! iterator would skip keys, or raise what Python does not.

use gw_base::Code;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PySet};

use super::{kind, list_of};
use crate::{current, errors};

/// Compares what an iterator over the keys gives with the keys that there were when the loop began.
pub struct Undisturbed<'py> {
    table: Bound<'py, PyAny>,
    keys: Vec<Bound<'py, PyAny>>,
    /// Goes on in step with the loop's own.
    live: Bound<'py, PyIterator>,
    /// How many statements of the graph had been traced.
    traced: usize,
    turn: usize,
}

impl<'py> Undisturbed<'py> {
    /// Begins with a loop; nothing where it runs over something else, or no graph is built.
    pub fn begin(iterable: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let Some(tracing) = current::current() else { return Ok(None) };
        let Some(table) = table_of(iterable)? else { return Ok(None) };
        if list_of(&table)?.is_some() {
            return Ok(None);
        }
        let (keys, live) = (keys_iterator(&table)?.collect::<PyResult<_>>()?, keys_iterator(&table)?);
        Ok(Some(Self { table, keys, live, traced: tracing.tables.traced(), turn: 0 }))
    }

    /// Refuses to go on where a statement of the graph has moved the entries.
    pub fn advance(&mut self) -> PyResult<()> {
        let (next, expected) = (self.live.next(), self.keys.get(self.turn));
        self.turn += 1;
        let is_same = match (next, expected) {
            (None, None) => true,
            (Some(Ok(key)), Some(expected)) => key.is(expected),
            _ => false,
        };
        let traced = current::current().map_or(self.traced, |tracing| tracing.tables.traced());
        if is_same || traced == self.traced {
            return Ok(());
        }
        let kind = if self.table.is_instance_of::<PyDict>() { "dict" } else { "set" };
        let message = format!(
            "a loop or branch of the graph takes out or puts in keys of the {kind} that this loop runs over, which moves them"
        );
        let help = "loop over a copy of the keys: `for key in list(d):`";
        Err(errors::here(self.table.py(), Code::LoopChangesObject, message, help))
    }
}

fn keys_iterator<'py>(table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    let py = table.py();
    let class =
        if table.is_instance_of::<PyDict>() { py.get_type::<PyDict>() } else { py.get_type::<PySet>() };
    class.call_method1("__iter__", (table,))?.try_iter()
}

/// The dict or set that a loop runs over, perhaps by a view of it or counted by `enumerate`.
fn table_of<'py>(iterable: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if kind(iterable).is_some() || iterable.is_exact_instance_of::<PySet>() || is_iterated_as_dict(iterable)?
    {
        return Ok(Some(iterable.clone()));
    }
    let name = iterable.get_type().qualname()?.to_string();
    if !STEPS.contains(&name.as_str()) {
        return Ok(None);
    }
    let inner = iterable.py().import("gc")?.call_method1("get_referents", (iterable,))?;
    for inner in inner.try_iter()? {
        if let Some(table) = table_of(&inner?)? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// True of those subclasses of `dict` that have no order or iterator of their own, such as `defaultdict` and `Counter`.
fn is_iterated_as_dict(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name = pyo3::intern!(object.py(), "__iter__");
    Ok(object.is_instance_of::<PyDict>()
        && object.get_type().getattr(name)?.is(object.py().get_type::<PyDict>().getattr(name)?))
}

/// Types of Python's own that give an item for each key of the dict or set that they hold.
const STEPS: &[&str] = &[
    "dict_keys",
    "dict_values",
    "dict_items",
    "dict_keyiterator",
    "dict_valueiterator",
    "dict_itemiterator",
    "set_iterator",
    "enumerate",
];

//! `for` over a dict or set of Python's while a graph is built. Python's iterator goes on by the position of an entry. A
//! statement of the graph is traced several times, and each trace that takes a key out and puts it back moves it: the
//! iterator would skip keys, or raise what Python does not.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PySet};

/// Compares what an iterator over the keys gives with the keys that there were when the loop began.
pub struct Undisturbed<'py> {
    table: Bound<'py, PyAny>,
    keys: Vec<Bound<'py, PyAny>>,
    /// Goes on in step with the loop's own.
    live: Bound<'py, PyIterator>,
    /// The number of statements of the graph that had been traced.
    traced: usize,
    turn: usize,
}

impl<'py> Undisturbed<'py> {
    /// Begins with a loop over a dict or set, when so many statements of the graph have been traced.
    pub fn begin(table: Bound<'py, PyAny>, traced: usize) -> PyResult<Self> {
        let (keys, live) = (keys_iterator(&table)?.collect::<PyResult<_>>()?, keys_iterator(&table)?);
        Ok(Self { table, keys, live, traced, turn: 0 })
    }

    /// Goes on by a key; gives the kind of the table, "dict" or "set", if statements of the graph have moved its entries.
    pub fn advance(&mut self, traced: usize) -> Option<&'static str> {
        let (next, expected) = (self.live.next(), self.keys.get(self.turn));
        self.turn += 1;
        let is_same = match (next, expected) {
            (None, None) => true,
            (Some(Ok(key)), Some(expected)) => key.is(expected),
            _ => false,
        };
        (!is_same && traced != self.traced).then(|| self.kind())
    }

    /// The dict or set.
    pub fn table(&self) -> &Bound<'py, PyAny> {
        &self.table
    }

    /// "dict" or "set"
    pub fn kind(&self) -> &'static str {
        if self.table.is_instance_of::<PyDict>() { "dict" } else { "set" }
    }
}

fn keys_iterator<'py>(table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    let py = table.py();
    let class =
        if table.is_instance_of::<PyDict>() { py.get_type::<PyDict>() } else { py.get_type::<PySet>() };
    class.call_method1("__iter__", (table,))?.try_iter()
}

/// The dict or set that a loop runs over, perhaps by a view of it or counted by `enumerate`.
pub fn iterated_table<'py>(
    iterable: &Bound<'py, PyAny>,
    is_set: fn(&Bound<'_, PyAny>) -> bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_set(iterable) || iterable.is_exact_instance_of::<PySet>() || is_iterated_as_dict(iterable)? {
        return Ok(Some(iterable.clone()));
    }
    let name = iterable.get_type().qualname()?.to_string();
    if !STEPS.contains(&name.as_str()) {
        return Ok(None);
    }
    let inner = iterable.py().import("gc")?.call_method1("get_referents", (iterable,))?;
    for inner in inner.try_iter()? {
        if let Some(table) = iterated_table(&inner?, is_set)? {
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

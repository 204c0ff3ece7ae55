//! Dicts and sets of Python's that become ones of the graph, and new ones.

use crate::containers::tables::entries::{Entries, Kind, is_set, list_of, refused, set_class};
use crate::containers::tables::keys_of;
use crate::exceptions::errors;
use crate::host::checks::is_staged_index;
use crate::session;
use crate::values::array;
use crate::values::tensor::{Payload, Tensor};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PySet, PyString, PyTuple};

/// The list of the contents of a dict or set, which the graph holds from now on.
pub fn settled<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    if let Some(list) = list_of(object)? {
        return Ok(list);
    }
    let py = object.py();
    let contents = contents(object)?;
    let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    let entries = tracing.tables().entries_of(object)?;
    let list = entries.get().list.bind(py);
    list.set_slice(0, list.len(), contents.as_any())?;
    object.call_method0("clear")?;
    fill(object, &entries)?;
    Ok(list.clone())
}

/// The pairs or elements of a dict or set of Python's.
pub fn contents<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = object.py();
    for key in keys_of(object)? {
        if !is_key(&key) {
            let message =
                format!("a dict or set in the graph would have a key of type `{}`", key.get_type().name()?);
            return Err(refused(py, &message));
        }
    }
    match object.cast_exact::<PyDict>() {
        Ok(dict) => Ok(dict.items()),
        Err(_) => PyList::new(py, keys_of(object)?),
    }
}

/// True if two dicts or sets of Python's have other keys, all of which a graph can hold.
pub fn keys_differ(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !keys_fit(one)? || !keys_fit(other)? {
        return Ok(false);
    }
    match (one.cast_exact::<PyDict>(), other.cast_exact::<PyDict>()) {
        (Ok(one), Ok(other)) => one.as_any().call_method0("keys")?.ne(other.as_any().call_method0("keys")?),
        _ => one.py().get_type::<PySet>().call_method1("__ne__", (one, other))?.is_truthy(),
    }
}

/// True if a graph can hold the keys of a dict or set of Python's.
pub(super) fn keys_fit(table: &Bound<'_, PyAny>) -> PyResult<bool> {
    for key in keys_of(table)? {
        if !is_key(&key) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Numbers and tuples of numbers.
pub(super) fn is_key(key: &Bound<'_, PyAny>) -> bool {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        return !parts.is_empty() && parts.iter().all(|part| is_key(&part));
    }
    key.is_exact_instance_of::<PyInt>()
        || key.is_exact_instance_of::<PyFloat>()
        || key.is_exact_instance_of::<PyBool>()
        || is_staged_index(key)
}

/// A copy of a set of Python's numbers and texts.
pub fn plain_set<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PySet>>> {
    if !is_set(object) && !object.is_exact_instance_of::<PySet>() {
        return Ok(None);
    }
    let set = PySet::new(object.py(), keys_of(object)?)?;
    let is_plain = |key: Bound<'_, PyAny>| key.is_exact_instance_of::<PyString>() || is_key(&key);
    if !set.iter().all(is_plain) {
        return Ok(None);
    }
    Ok(Some(set))
}

/// Puts entries into an empty dict or set.
fn fill(object: &Bound<'_, PyAny>, entries: &Bound<'_, Entries>) -> PyResult<()> {
    match object.cast_exact::<PyDict>() {
        Ok(dict) => dict.set_item(entries, entries),
        Err(_) => object.call_method1("add", (entries,)).map(drop),
    }
}

/// A new dict or set with what stands in a list of pairs or elements: one of the graph, or one of Python's if the list has
/// no rows of the graph.
pub fn make<'py>(kind: Kind, list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    if session::is_tracing() {
        let made = match kind {
            Kind::Dict => PyDict::new(py).into_any(),
            Kind::Set => set_class(py)?.call0()?,
        };
        let inside = settled(&made)?;
        inside.set_slice(0, inside.len(), list.as_any())?;
        return Ok(made);
    }
    match kind {
        Kind::Set => {
            let keys = list.iter().map(|key| plain_key(&key)).collect::<PyResult<Vec<_>>>()?;
            Ok(PySet::new(py, keys)?.into_any())
        }
        Kind::Dict => {
            let dict = PyDict::new(py);
            for pair in list.iter() {
                dict.set_item(plain_key(&pair.get_item(0)?)?, pair.get_item(1)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// A key as Python's own number, or tuple of such.
fn plain_key<'py>(key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        let parts = parts.iter().map(|part| plain_key(&part)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyTuple::new(key.py(), parts)?.into_any());
    }
    let Ok(tensor) = key.cast::<Tensor>() else { return Ok(key.clone()) };
    match tensor.get().content() {
        Payload::Eager(buffer) => match buffer.scalars().next() {
            Some(scalar) => array::to_python(key.py(), scalar),
            None => Ok(key.clone()),
        },
        Payload::Staged(..) => Ok(key.clone()),
    }
}

//! Positions of keys in dicts and sets.

use gw_trace::{Staged, objects};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet};

use super::entries::{kind, list_of};
use super::is_sought_by_graph;
use super::mixed_keys;
use super::sets::set_operation;
use crate::containers::heap::{heap, value};
use crate::containers::list_object::ListObject;
use crate::containers::lists;
use crate::containers::lists::access::{Index, shown};
use crate::containers::lists::elements::{Elements, has_rows};
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::optional::number_types::as_number;
use crate::values::tensor::Tensor;

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(key_place, module)?)?;
    module.add_function(wrap_pyfunction!(key_found, module)?)?;
    module.add_function(wrap_pyfunction!(set_operation, module)?)
}

/// The position of a key among pairs, or among the elements of a set: -1 if it is nowhere.
#[pyfunction]
fn key_place<'py>(
    list: &Bound<'py, PyList>,
    key: &Bound<'py, PyAny>,
    pairs: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    match place(list, key, pairs)? {
        None => Ok((-1i64).into_pyobject(py)?.into_any()),
        Some((_, at)) => shown(py, at),
    }
}

/// The same; if it is nowhere, the run fails with `KeyError`.
#[pyfunction]
fn key_found<'py>(
    list: &Bound<'py, PyList>,
    key: &Bound<'py, PyAny>,
    pairs: bool,
) -> PyResult<Bound<'py, PyAny>> {
    shown(list.py(), found(list, key, pairs)?)
}

/// The position of a key, which is checked when the graph runs.
fn found(list: &Bound<'_, PyList>, key: &Bound<'_, PyAny>, pairs: bool) -> PyResult<Index> {
    Ok(objects::key(&heap(list.py())?, &ListObject::new(list), &value(key), pairs)?.1)
}

/// `d[key]`, for the pairs of `d`.
pub fn item<'py>(pairs: &Bound<'py, PyList>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = pairs.py();
    if !has_rows(pairs) {
        let parts = |part: usize| {
            PyList::new(py, pairs.iter().map(|pair| pair.get_item(part)).collect::<PyResult<Vec<_>>>()?)
        };
        if let Some(lists) = lists::nested::lists_in(&parts(1)?) {
            let at = found(&parts(0)?, key, false)?;
            return lists::nested::chosen(&lists, &at);
        }
    }
    let host = heap(py)?;
    let found = objects::key(&host, &ListObject::new(pairs), &value(key), true);
    let (held, at) = found.map_err(|error| unfit(pairs, error.into()))?;
    held.at(&host, &at)?.bind(py).get_item(1)
}

/// The same as [`lists::access::unfit`], for pairs.
fn unfit(pairs: &Bound<'_, PyList>, error: PyErr) -> PyErr {
    let values =
        || PyList::new(pairs.py(), pairs.iter().map(|pair| pair.get_item(1)).collect::<PyResult<Vec<_>>>()?);
    match (PyDict::from_sequence(pairs.as_any()), values()) {
        (Ok(dict), Ok(values)) if !has_rows(pairs) => lists::access::unfit(dict.as_any(), &values, error),
        (Ok(_) | Err(_), _) => error,
    }
}

/// `key in container`, for a dict or set; nothing where Python knows.
pub fn contains<'py>(
    key: &Bound<'py, PyAny>,
    container: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = key.py();
    let is_dict = container.is_exact_instance_of::<PyDict>();
    let holds_keys = kind(container).is_some()
        || container.is_instance_of::<PySet>()
        || container.is_instance_of::<PyFrozenSet>();
    let (list, key) = match list_of(container)? {
        Some(list) => (list, key.clone()),
        None if holds_keys && is_sought_by_graph(key)? => comparable(container, key)?,
        None => return Ok(None),
    };
    let truth = match place(&list, &key, is_dict)? {
        None => false.into_pyobject(py)?.to_owned().into_any(),
        Some((_, at)) => {
            let tracing = heap(py)?.tracing().clone();
            let is_there = objects::is_there(&tracing.trace, &at);
            as_number(&Bound::new(py, Tensor::staged(tracing, Staged::strong(is_there)))?)?.into_any()
        }
    };
    Ok(Some(truth))
}

/// The pairs or elements of a dict or set of Python's whose keys may equal a key, and the key to look for among them.
pub fn comparable<'py>(
    container: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyAny>)> {
    let py = key.py();
    if mixed_keys::is_mixed(key) {
        return mixed_keys::numbers(container, key);
    }
    let wanted = Skeleton::of(key, &mut Vec::new())?;
    let list = PyList::empty(py);
    for other in container.try_iter()? {
        let other = other?;
        let mut leaves = Vec::new();
        let alike = wanted.same(&Skeleton::of(&other, &mut leaves)?, py);
        let mut numbers =
            leaves.iter().map(|leaf| operands::plain_operand(leaf.bind(py)).is_ok_and(|o| o.is_some()));
        if !alike || !numbers.all(|number| number) {
            continue;
        }
        match container.cast_exact::<PyDict>() {
            Ok(dict) => list.append((&other, dict.as_any().get_item(&other)?))?,
            Err(_) => list.append(other)?,
        }
    }
    Ok((list, key.clone()))
}

/// The position of a key, and the contents; nothing where no key can equal it.
fn place(
    list: &Bound<'_, PyList>,
    key: &Bound<'_, PyAny>,
    pairs: bool,
) -> PyResult<Option<(Elements, Index)>> {
    Ok(objects::place(&heap(list.py())?, &ListObject::new(list), &value(key), pairs)?)
}

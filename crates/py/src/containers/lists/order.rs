//! Elements of a list in the graph in order, and more of them from elsewhere.

use std::sync::Arc;

use gw_trace::objects::Index;
use gw_trace::{Staged, objects};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::elements::{Elements, elements, list};
use super::settled;
use crate::containers::heap::heap;
use crate::containers::list_object::ListObject;
use crate::containers::tables;
use crate::host::skeleton::Skeleton;
use crate::host_calls::as_it_is;
use crate::values::tensor::{Payload, Tensor};

/// `xs.sort(reverse=…)`
pub fn sort(of: &Bound<'_, PyList>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Some(held) = settled(of)? else { return Ok(()) };
    Ok(ordered(of.py(), &held, options)?.put(&heap(of.py())?, &ListObject::new(of))?)
}

/// `sorted(xs, reverse=…)`
pub fn sorted<'py>(
    of: &Bound<'py, PyList>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    match settled(of)? {
        None => Ok(PyList::empty(py).into_any()),
        Some(held) => Ok(list(py, &ordered(py, &held, options)?)?.into_any()),
    }
}

/// The items of a list of Python's in the order of ranks, each an object of its own.
#[pyfunction]
pub fn in_order_of<'py>(
    items: &Bound<'py, PyList>,
    ranks: &Bound<'py, PyList>,
    descending: bool,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, count) = (items.py(), items.len());
    let host = heap(py)?;
    let (Some(held), Some(ranks)) = (elements(items)?, elements(ranks)?) else { return Ok(Vec::new()) };
    let ordered = objects::ordered(&host, &held, descending, &ranks.leaves)?;
    let item = |at: usize| Ok(ordered.at(&host, &Index::Known(at as i64))?.bind(py).clone());
    (0..count).map(item).collect()
}

/// The elements in their order; with `key`, in order of its results.
fn ordered(py: Python<'_>, held: &Elements, options: Option<&Bound<'_, PyDict>>) -> PyResult<Elements> {
    let (mut descending, mut key) = (false, None);
    for (name, value) in options.into_iter().flat_map(|options| options.iter()) {
        match name.extract::<String>()?.as_str() {
            "reverse" => descending = value.is_truthy()?,
            "key" if !value.is_none() => key = Some(value),
            _ => {}
        }
    }
    let ranks = key.map(|key| ranks(py, held, &key)).transpose()?.unwrap_or_default();
    Ok(objects::ordered(&heap(py)?, held, descending, &ranks)?)
}

/// The results of a key, one for each element.
fn ranks(py: Python<'_>, held: &Elements, key: &Bound<'_, PyAny>) -> PyResult<Vec<Staged>> {
    let ranks = tables::written("ranked", (list(py, held)?, key), py)?;
    Ok(elements(ranks.cast()?)?.map(|ranks| ranks.leaves).unwrap_or_default())
}

/// `xs.extend(items)`, for a tensor: its rows.
pub fn extend(of: &Bound<'_, PyList>, items: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    let Ok(tensor) = items.cast::<Tensor>() else {
        // Python takes the items one by one, if their number is known.
        return items.try_iter()?.try_for_each(|item| of.append(item?));
    };
    let Payload::Staged(tracing, staged) = tensor.get().content() else {
        return items.try_iter()?.try_for_each(|item| of.append(item?));
    };
    if tensor.get().is_number() {
        return items.try_iter().map(drop);
    }
    if tracing.lists().all.begin() {
        as_it_is::watch(py)?;
    }
    let rows = Staged { value: staged.value, weak: staged.weak };
    let more = Elements { element: Arc::new(Skeleton::Leaf), leaves: vec![rows], bound: None };
    of.append(list(py, &more)?.get_item(0)?)
}

/// `min(xs)` and `max(xs)` of tuples: the first or last of them in order.
pub fn extreme<'py>(of: &Bound<'py, PyList>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    let held = super::access::some(of, settled(of)?, "list index out of range")?;
    let is_new = py.version_info() >= (3, 12);
    let text = if is_new { "iterable argument is empty" } else { "arg is an empty sequence" };
    let extreme = objects::extreme(&heap(py)?, &held, name == "max", &format!("{name}() {text}"))?;
    Ok(extreme.bind(py).clone())
}

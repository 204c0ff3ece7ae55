//! Items that are iterated of a dict or set of the graph: its keys, values or pairs as a list, taken when they are asked for.

use gw_trace::objects;
use gw_types::DType;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use super::entries::{kind, list_of, refused, unknown};
use crate::containers::heap::heap;
use crate::containers::lists;
use crate::containers::lists::elements::{self, has_rows};

pub use gw_trace::objects::PairPart as Part;

/// `d.keys()`, `d.values()` or `d.items()` of a dict of the graph, which shows what the dict holds when it is looked at.
#[pyclass(frozen, name = "DictView", module = "graphwright")]
#[derive(Debug)]
pub struct View {
    /// The dict's pairs.
    pub pairs: Py<PyList>,
    /// Part of the items: keys, values or pairs.
    pub part: Part,
}

#[pymethods]
impl View {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Err(unknown(py))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Err(unknown(py))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        lists::each(parts(self.pairs.bind(py), self.part)?.as_any())?.try_iter()
    }
}

/// Iterated items, and the list of the dict's contents, which may not change its length meanwhile.
pub struct Iterated<'py> {
    /// The items.
    pub items: Bound<'py, PyList>,
    /// The contents that they are taken from.
    pub inside: Bound<'py, PyList>,
}

/// Items that Python iterates of a dict of the graph, of a view of one, or, unless its order matters, of a set.
pub fn iterated<'py>(object: &Bound<'py, PyAny>, in_order: bool) -> PyResult<Option<Iterated<'py>>> {
    let py = object.py();
    if let Ok(view) = object.cast::<View>() {
        let inside = view.get().pairs.bind(py).clone();
        return Ok(Some(Iterated { items: parts(&inside, view.get().part)?, inside }));
    }
    let Some(inside) = list_of(object)? else { return Ok(None) };
    let items = match kind(object) {
        Some(super::entries::Kind::Set) if in_order => {
            return Err(refused(
                py,
                "the order in which a set in the graph is iterated is Python's own: use `sorted`",
            ));
        }
        Some(super::entries::Kind::Set) => PyList::new(py, inside.iter())?,
        Some(super::Kind::Dict) | None => parts(&inside, Part::Keys)?,
    };
    Ok(Some(Iterated { items, inside }))
}

/// A list in the graph, or what a function iterates of a dict or set in it.
pub fn staged<'py>(object: &Bound<'py, PyAny>, function: &str) -> PyResult<Option<Bound<'py, PyList>>> {
    if let Some(list) = elements::staged(object) {
        return Ok(Some(list));
    }
    let in_order =
        !matches!(function, "len" | "bool" | "truth" | "sorted" | "max" | "min" | "any" | "all" | "sum");
    let Some(Iterated { items, .. }) = iterated(object, in_order)? else { return Ok(None) };
    if function == "sum" && kind(object) == Some(super::entries::Kind::Set) && holds_floats(&items)? {
        return Err(refused(object.py(), "the floats of a set are added in an order of Python's own"));
    }
    Ok(Some(items))
}

fn holds_floats(list: &Bound<'_, PyList>) -> PyResult<bool> {
    let Some(held) = elements::elements(list)? else { return Ok(false) };
    let tracing = heap(list.py())?.tracing().clone();
    let is_float = |dtype: DType| matches!(dtype, DType::F32 | DType::F64);
    Ok(held.leaves.iter().any(|leaf| is_float(tracing.trace.ty(leaf.value).dtype)))
}

/// A part of each of these pairs, as a new list.
fn parts<'py>(pairs: &Bound<'py, PyList>, part: Part) -> PyResult<Bound<'py, PyList>> {
    let py = pairs.py();
    if !has_rows(pairs) {
        let item = |pair: Bound<'py, PyAny>| match part {
            Part::Keys => pair.get_item(0),
            Part::Values => pair.get_item(1),
            Part::Items => Ok(pair),
        };
        return PyList::new(py, pairs.iter().map(item).collect::<PyResult<Vec<_>>>()?);
    }
    match elements::elements(pairs)? {
        Some(held) => elements::list(py, &objects::of_pairs(&heap(py)?, &held, part)?),
        None => Ok(PyList::empty(py)),
    }
}

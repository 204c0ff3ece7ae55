//! Python lists in the graph. The list object stays what it is, so every name of it stays one list; what changes is what it
//! holds. Once a branch or loop of the graph made it longer or shorter, or a value of the graph is its index, it holds
//! *rows*: one object that stands for as many elements as there are when the graph runs, the rows of tensors.
//!
//! Rows may stand between other elements: `xs.append(v)`, `xs + ys` and `[*xs, v]` are Python's own. What has to know the
//! elements asks [`elements`] for them.

pub mod access;
mod carried;
pub mod chosen;
pub mod doubtful;
pub mod elements;
mod items;
mod loops;
mod methods;
pub mod nested;
pub mod order;
pub mod parting;
pub mod placed;
mod registry;
pub mod row_objects;
pub mod rows;
mod tuples;

use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_ir::CheckKind;
use gw_trace::{Staged, objects};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::containers::heap::heap;
use crate::containers::list_object::ListObject;
use crate::containers::lists::elements::{Elements, elements, has_rows, only, refused, staged, unknown};
use crate::containers::tables;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands::LeafKind;
use crate::session::{self, Feature as _, Tracing};

pub use access::contains;
pub use carried::Lists;
pub use items::{Items, equal, same_or_equal};
pub use loops::{Followed, each_element, element, followed};
pub use methods::{answer, argument, folded, method};
pub use order::extend;
pub use parting::part_with_arrays;
pub use registry::{Open, is_ours, open};
pub use rows::{Rows, known};
pub use tuples::TupleItems;

/// The number of elements of a list, dict or set in the graph, which says whether it is true; nothing where Python knows.
pub fn length(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    let Some(list) = tables::staged(object, "len")? else { return Ok(None) };
    if !has_rows(&list) {
        // Stand-ins for a dict or set have a length of their own, which is not that of the dict.
        let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
        let length = tracing.trace.number(gw_types::Scalar::Int(list.len() as i64));
        return Ok(Some((tracing, Staged::strong(length.value))));
    }
    let Some(held) = elements(&list)? else { return Ok(None) };
    let tracing = heap(object.py())?.tracing().clone();
    let length = Staged::strong(held.length(&tracing.trace));
    Ok(Some((tracing, length)))
}

/// The elements of a list, which from now on stand in it as rows; nothing if it has none.
pub fn settled(list: &Bound<'_, PyList>) -> PyResult<Option<Elements>> {
    Ok(objects::settled(&heap(list.py())?, &ListObject::new(list))?)
}

/// Takes the last element out of a list; the run fails with `KeyError` if there is none.
pub fn popped<'py>(list: &Bound<'py, PyList>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    Ok(objects::pop(&heap(py)?, &ListObject::new(list), CheckKind::Key, text)?.bind(py).clone())
}

/// Takes the last element out of a list; `text` says that there is none.
#[pyfunction]
pub fn take_last<'py>(list: &Bound<'py, PyList>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    access::remove_at(list, &access::Index::Known(-1), text)
}

/// An error if the graph changes a list that is neither the function's own nor an argument nor returned; what such a list
/// held before the function ran, it holds again.
pub fn keep_inside(
    tracing: &Tracing,
    returned: &Bound<'_, PyAny>,
    given: &[Bound<'_, PyAny>],
) -> PyResult<()> {
    let py = returned.py();
    // These hold the objects that the function made, and the lists in them.
    tracing.hidden().forget();
    tracing.lists().placed.forget();
    tracing.calls().forget_made();
    let inside = |object: &Bound<'_, PyAny>| {
        std::iter::once(returned).chain(given).map(|value| holds(value, object)).sum::<usize>()
    };
    let own = |list: &Bound<'_, PyList>| tracing.tables().is_inside(list);
    let list = tracing.lists().close(py, &own, &|list| inside(list.as_any()))?;
    let table = tracing.tables().close(py, &inside)?;
    let (path, place, kind) = match (list, table) {
        (None, None) => return Ok(()),
        (Some((path, place)), _) => (Some(path), place, "list"),
        (None, Some(outside)) => outside,
    };
    let subject = match path {
        Some(path) => format!("`{path}` is"),
        None => "this changes".to_owned(),
    };
    let message = format!(
        "{subject} a {kind} from outside the function, which its graph would change for one call only"
    );
    let help = "make it in the function and return it, or pass a tensor";
    let found = Diagnostic::new(Code::ListInGraph, message).help(help);
    Err(errors::raise(&match place {
        Some(place) => found.at(place, "changed here"),
        None => found,
    }))
}

/// The number of times that a value and its parts hold a list, dict or set.
fn holds(value: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>) -> usize {
    let own = usize::from(value.is(object));
    let inner = crate::host::structure::open(value).ok().flatten();
    own + inner.map_or(0, |(_, items)| items.iter().map(|item| holds(item, object)).sum())
}

/// A list that Python takes items from: the elements of a list, dict or set in the graph as objects, where their number is known.
pub fn each<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = match staged(value) {
        Some(list) => Some(list),
        None => tables::iterated(value, true)?.map(|found| found.items),
    };
    let Some(list) = found else { return Ok(value.clone()) };
    let py = value.py();
    if !has_rows(&list) {
        return Ok(list.into_any());
    }
    let Some(held) = elements(&list)? else { return Ok(value.clone()) };
    let host = heap(py)?;
    let count = held.count(&host.tracing().trace).ok_or_else(|| unknown(py))?;
    let item = |at: usize| elements::at(py, &held, &access::Index::Known(at as i64));
    Ok(PyList::new(py, (0..count).map(item).collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// Lists of the graph as operands: one of single values is one tensor.
pub const LEAF_KIND: LeafKind = LeafKind {
    length,
    operand: |object| {
        let Some(list) = staged(object) else { return Ok(None) };
        let Some(elements) = elements(&list)? else { return Ok(None) };
        let tuples = || refused(object.py(), "a list of tuples in the graph is used as one tensor");
        let rows = only(&elements).ok_or_else(tuples)?;
        Ok(Some(Operand::Staged(heap(object.py())?.tracing().clone(), rows)))
    },
    refusal: |object| object.is_instance_of::<Rows>().then(|| unknown(object.py())),
    ..LeafKind::NONE
};

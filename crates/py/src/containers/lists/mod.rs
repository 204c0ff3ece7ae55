//! Python lists in the graph. The list object stays what it is, so every name of it stays one list; what changes is what it
//! holds. Once a branch or loop of the graph made it longer or shorter, or a value of the graph is its index, it holds
//! *rows*: one object that stands for as many elements as there are when the graph runs, the rows of tensors.
//!
//! Rows may stand between other elements: `xs.append(v)`, `xs + ys` and `[*xs, v]` are Python's own. What has to know the
//! elements asks [`elements`] for them.

pub mod access;
mod carried;
mod doubtful;
pub mod elements;
mod items;
mod loops;
mod methods;
pub mod nested;
mod order;
mod registry;
mod rows;

use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_ir::{CompareOp, Op};
use gw_trace::Staged;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::containers::lists::elements::{Elements, elements, has_rows, list, put, refused, staged, unknown};
use crate::containers::tables;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands::LeafKind;
use crate::host::skeleton::Skeleton;
use crate::session::{self, Feature as _, Tracing};
use crate::values::cell::Cell;
use crate::values::roots;
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;

pub use access::contains;
pub use carried::{Lists, NoElements, is_list, same_list};
pub use items::{Items, Whole, same_or_equal};
pub use loops::{Followed, each_element, followed};
pub use methods::{answer, argument, folded, method};
pub use order::extend;
pub use registry::{Open, open, references};
pub use rows::{Rows, known};

/// So many elements at most are taken out of their tensors again where their number is known.
const MOST_TAKEN_OUT: usize = 32;

/// The number of elements of a list, dict or set in the graph, which says whether it is true; nothing where Python knows.
pub fn length(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    let Some(list) = tables::staged(object, "len")? else { return Ok(None) };
    if !has_rows(&list) {
        // What stands for a dict or set has a length of its own, which is not that of the dict.
        let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
        let length = tracing.trace.number(gw_types::Scalar::Int(list.len() as i64));
        return Ok(Some((tracing, Staged::strong(length.value))));
    }
    let Some(held) = elements(&list)? else { return Ok(None) };
    let length = Staged::strong(held.length());
    Ok(Some((held.tracing, length)))
}

/// The elements of a list, which from now on stand in it as rows; nothing if it has none.
pub fn settled(list: &Bound<'_, PyList>) -> PyResult<Option<Elements>> {
    let Some(elements) = elements(list)? else { return Ok(None) };
    let done = list.len() == 1 && has_rows(list);
    if !done {
        for item in list.iter().filter(|item| !item.is_instance_of::<Rows>()) {
            part_with(&item)?;
        }
        elements.tracing.lists().chosen.reshaping(list, || put(list, &elements))?;
    }
    Ok(Some(elements))
}

/// The arrays in an element are copied into the list's rows, so that what is stored into them later is refused.
fn part_with(item: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut leaves = Vec::new();
    Skeleton::of(item, &mut leaves)?;
    for leaf in leaves {
        if let Ok(tensor) = leaf.bind(item.py()).cast::<Tensor>()
            && !tensor.get().is_number()
        {
            for cell in roots::cells(tensor.get()) {
                Cell::link(&cell, &Cell::of_nobody());
            }
        }
    }
    Ok(())
}

/// The same, where what is stored into a tensor that is no array is not to be seen.
pub fn part_with_arrays(item: &Bound<'_, PyAny>) -> PyResult<()> {
    match item.cast::<Tensor>().map(|tensor| tensor.get().semantics()) {
        Ok(Semantics::Reference) => part_with(item),
        Ok(Semantics::Value | Semantics::Unknown) | Err(_) => Ok(()),
    }
}

/// Says that a list without elements failed since nobody knows yet what its elements are.
pub fn missed(list: &Bound<'_, PyList>) {
    if let Some(tracing) = session::current() {
        tracing.lists().miss(list);
    }
}

/// Takes the last element out of a list; the run fails with `KeyError` if there is none.
pub fn popped<'py>(list: &Bound<'py, PyList>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    let Some(held) = settled(list)? else {
        missed(list);
        return Err(pyo3::exceptions::PyKeyError::new_err(text.to_owned()));
    };
    let some = held.arithmetic(Op::Compare(CompareOp::Gt), held.length(), held.number(0));
    let text_of_key = vec![gw_ir::Piece::Text(text.to_owned())];
    crate::host::checks::check(py, &held.tracing, &[some], gw_ir::CheckKind::Key, text_of_key)?;
    access::remove_at(list, &access::Index::Known(-1), text)
}

/// Takes the last element out of a list; what is said if there is none.
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
    let count = held.count().ok_or_else(|| unknown(py))?;
    let item = |at: usize| held.at(py, &access::Index::Known(at as i64));
    Ok(PyList::new(py, (0..count).map(item).collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// Lists of the graph as operands: one of single values is one tensor.
pub const LEAF_KIND: LeafKind = LeafKind {
    length,
    operand: |object| {
        let Some(list) = staged(object) else { return Ok(None) };
        let Some(elements) = elements(&list)? else { return Ok(None) };
        let tuples = || refused(object.py(), "a list of tuples in the graph is used as one tensor");
        let rows = elements.only().ok_or_else(tuples)?;
        Ok(Some(Operand::Staged(elements.tracing, rows)))
    },
    refusal: |object| object.is_instance_of::<Rows>().then(|| unknown(object.py())),
    ..LeafKind::NONE
};

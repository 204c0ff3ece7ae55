//! Objects that stand in lists for elements of the graph, and for lists that flow through statements.

use super::rows::Rows;
use crate::effects::alias::Same;
use crate::exceptions::errors;
use crate::host::skeleton::Skeleton;
use crate::optional::maybe::Maybe;
use crate::session::{self, Tracing};
use crate::values::array;
use crate::values::cell::Origin;
use crate::values::sharing::MaybeShared;
use crate::values::tensor::{Payload, Tensor};
use gw_trace::{Staged, objects};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

/// Elements of a list of Python's.
pub type Elements = objects::Elements<Skeleton>;

/// The diagnostic where Python alone would look at the elements.
pub fn unknown(py: Python<'_>) -> PyErr {
    errors::at_call(py, objects::elements_unknown())
}

/// The diagnostic of a list that the graph cannot hold.
pub fn refused(py: Python<'_>, message: &str) -> PyErr {
    errors::at_call(py, objects::list_refusal(message))
}

/// The object as a list whose elements the graph holds, if it is one.
pub fn staged<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyList>> {
    let list = object.cast_exact::<PyList>().ok()?;
    let used = session::current().is_some_and(|tracing| tracing.lists().is_used());
    (used && has_rows(list)).then(|| list.clone())
}

/// True if a list has no elements in a branch or loop, which may give it some before it gets here.
pub fn may_fill(list: &Bound<'_, PyList>) -> bool {
    list.is_empty() && session::current().is_some_and(|tracing| tracing.trace.in_region())
}

/// True if rows stand in a list.
pub fn has_rows(list: &Bound<'_, PyList>) -> bool {
    list.iter().any(|item| item.is_exact_instance_of::<Rows>())
}

/// Stands for the contents of a list without elements, whose type is not known.
#[pyclass(frozen, name = "NoElements", module = "graphwright")]
#[derive(Debug)]
pub struct NoElements;

/// True if an object stands for a list.
pub fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<Same>()
}

/// True if two objects stand for one list.
pub fn same_list(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    if a.is_instance_of::<NoElements>() && b.is_instance_of::<NoElements>() {
        return true;
    }
    match (a.cast::<Same>(), b.cast::<Same>()) {
        (Ok(a), Ok(b)) => a.get().0.is(&b.get().0),
        (Ok(_) | Err(_), _) => false,
    }
}

/// The rows of each leaf as a tensor object.
pub fn tensors<'py>(
    py: Python<'py>,
    tracing: &Arc<Tracing>,
    held: &Elements,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let tensor = |&leaf: &Staged| {
        if let Some((bound, lack)) = held.bound {
            let (tracing, shares) = (tracing.clone(), MaybeShared::default());
            let maybe = Maybe { tracing, staged: leaf, bound, lack, shares };
            return Ok(Bound::new(py, maybe)?.into_any());
        }
        let tensor = Tensor::staged(tracing.clone(), leaf).with(Origin::Content);
        Ok(Bound::new(py, tensor)?.into_any())
    };
    held.leaves.iter().map(tensor).collect()
}

/// The only tensor, if an element is a single number or array.
pub fn only(held: &Elements) -> Option<Staged> {
    match (&*held.element, &held.leaves[..]) {
        (Skeleton::Leaf, &[leaf]) => Some(leaf),
        (Skeleton::Leaf | Skeleton::Node(..) | Skeleton::Rows(_), _) => None,
    }
}

/// The elements that leaves stand for in a list: one object per row where the rows are there or their number is small
/// and known, otherwise rows.
pub fn spread<'py>(
    py: Python<'py>,
    element: &Arc<Skeleton>,
    leaves: Vec<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut staged = Vec::new();
    let mut columns: Vec<Vec<Py<PyAny>>> = Vec::new();
    let mut bound = None;
    for leaf in &leaves {
        if let Ok(maybe) = leaf.bind(py).cast::<Maybe>() {
            let maybe = maybe.get();
            bound = Some((maybe.bound, maybe.lack));
            staged.push((maybe.tracing.clone(), maybe.staged));
            continue;
        }
        match leaf.bind(py).cast::<Tensor>().map(|tensor| tensor.get().content()) {
            Ok(Payload::Staged(tracing, leaf)) => staged.push((tracing, leaf)),
            Ok(Payload::Eager(buffer)) => columns.push(
                array::rows(&buffer)
                    .map(|row| Ok(Py::new(py, Tensor::eager(row))?.into_any()))
                    .collect::<PyResult<_>>()?,
            ),
            Err(_) => return Ok(leaves.into_iter().map(|leaf| leaf.into_bound(py)).collect()),
        }
    }
    if let Some((tracing, _)) = staged.first() {
        let tracing = tracing.clone();
        let leaves = staged.into_iter().map(|(_, leaf)| leaf).collect();
        let rows = Rows::new(tracing, Elements { element: element.clone(), leaves, bound });
        return Ok(vec![Bound::new(py, rows)?.into_any()]);
    }
    let count = columns.iter().map(Vec::len).min().unwrap_or(0);
    let row = |at: usize| {
        let leaves: Vec<_> = columns.iter().map(|column| column[at].clone_ref(py)).collect();
        element.rebuild(py, &mut leaves.into_iter())
    };
    (0..count).map(row).collect()
}

//! Lists of names that may be without one: what they hold flows through statements with the doubt, since nobody reads it there.

use gw_ir::ValueId;
use gw_trace::{Lack, Staged};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::row_objects::Elements;
use super::rows::Rows;
use crate::host::skeleton::Skeleton;
use crate::optional::maybe::Maybe;
use crate::values::tensor::Tensor;

/// Test that is true where a name has a value, and its content where it has none.
type Doubt = (ValueId, Lack);

/// The doubt of the first element; nothing unless all are in doubt, which they are together.
pub fn doubt(list: &Bound<'_, PyList>) -> PyResult<Option<Doubt>> {
    let mut shared = None;
    for item in list.iter() {
        let own = doubt_of(&item)?;
        if own.is_none() {
            return Ok(None);
        }
        shared = shared.or(own);
    }
    Ok(shared)
}

fn doubt_of(item: &Bound<'_, PyAny>) -> PyResult<Option<Doubt>> {
    if let Ok(rows) = item.cast::<Rows>() {
        return Ok(rows.get().held.bound);
    }
    let (_, doubts) =
        leaves(item, |leaf| Maybe::unbound(leaf).map(|maybe| (maybe.get().bound, maybe.get().lack)))?;
    // A key of a dict is none of the parts that are in doubt.
    Ok(doubts.into_iter().flatten().next())
}

fn leaves<T>(item: &Bound<'_, PyAny>, each: impl Fn(&Bound<'_, PyAny>) -> T) -> PyResult<(Skeleton, Vec<T>)> {
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(item, &mut leaves)?;
    Ok((skeleton, leaves.iter().map(|leaf| each(leaf.bind(item.py()))).collect()))
}

/// The list as if its name had it.
pub fn sure<'py>(list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
    let py = list.py();
    let items = list.iter().map(|item| {
        if let Ok(rows) = item.cast::<Rows>() {
            let Rows { tracing, held, .. } = rows.get();
            let held = Elements { bound: None, ..held.clone() };
            let rows = Rows::new(tracing.clone(), held);
            return Ok(Bound::new(py, rows)?.into_any());
        }
        let (skeleton, parts) = leaves(&item, |leaf| match Maybe::unbound(leaf) {
            Some(maybe) => here(py, maybe.get()),
            None => Ok(leaf.clone().unbind()),
        })?;
        skeleton.rebuild(py, &mut parts.into_iter().collect::<PyResult<Vec<_>>>()?.into_iter())
    });
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}

fn here(py: Python<'_>, maybe: &Maybe) -> PyResult<Py<PyAny>> {
    let value = maybe.tracing.trace.lift(maybe.staged.value).unwrap_or(maybe.staged.value);
    Ok(Py::new(py, Tensor::staged(maybe.tracing.clone(), Staged { value, ..maybe.staged }))?.into_any())
}

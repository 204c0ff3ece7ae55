//! `any` and `all` over an iterator of Python's: one item is asked for after the other, and those behind one of the graph's in a
//! branch of it. An iterator gives each item once, so that a branch in which something changes cannot be traced again: what
//! asking for an item changes there is an error.

use gw_base::Code;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyTuple};

use crate::errors;
use crate::operators::logic::{Thunk, choose};
use crate::operators::staged_test;
use crate::watch::Watch;

/// How many iterators deep it is looked for what they run over.
const DEEPEST: usize = 8;

/// Whether any item is true; items are taken as long as none is.
#[pyfunction]
pub fn any_of<'py>(items: Bound<'py, PyIterator>) -> PyResult<Bound<'py, PyAny>> {
    first(&items, true, None)
}

/// Whether all items are true; items are taken as long as all are.
#[pyfunction]
pub fn all_of<'py>(items: Bound<'py, PyIterator>) -> PyResult<Bound<'py, PyAny>> {
    first(&items, false, None)
}

/// Whether an item has this truth, or the opposite if none has; those behind the first are not taken.
fn first<'py>(
    items: &Bound<'py, PyIterator>,
    wanted: bool,
    watch: Option<&Watch<'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = items.py();
    let known = |truth: bool| Ok(truth.into_pyobject(py)?.to_owned().into_any());
    for item in items.clone() {
        check_unchanged(py, watch)?;
        let item = item?;
        let Some((tracing, test)) = staged_test(&item)? else {
            if item.is_truthy()? == wanted {
                return known(wanted);
            }
            continue;
        };
        let own = if watch.is_none() { Some(reached(items)?) } else { None };
        tracing.homes.leave(items)?;
        let watch = watch.or(own.as_ref());
        let [found, rest]: [Thunk<'_, 'py>; 2] = [&|| known(wanted), &|| first(items, wanted, watch)];
        return choose(py, tracing, test, if wanted { [found, rest] } else { [rest, found] }, &[]);
    }
    check_unchanged(py, watch)?;
    known(!wanted)
}

fn check_unchanged(py: Python<'_>, watch: Option<&Watch<'_>>) -> PyResult<()> {
    match watch.map_or(Ok(None), |watch| watch.changed(&|| Ok(())))? {
        Some(path) => Err(changed(py, &path)),
        None => Ok(()),
    }
}

fn changed(py: Python<'_>, path: &str) -> PyErr {
    let message = format!(
        "`{path}` is changed by what gives an item here, and a tensor decides whether that is asked for it"
    );
    let help = "write a `for` loop with an `if` and a `break`";
    errors::here(py, Code::BranchesDisagree, message, help)
}

/// What an iterator runs over, as far as it says.
fn reached<'py>(items: &Bound<'py, PyIterator>) -> PyResult<Watch<'py>> {
    let mut named = Vec::new();
    look(items.as_any(), "the item", DEEPEST, &mut named)?;
    Watch::reached(items.py(), &[], named)
}

fn look<'py>(
    object: &Bound<'py, PyAny>,
    path: &str,
    depth: usize,
    named: &mut Vec<(Bound<'py, PyAny>, String)>,
) -> PyResult<()> {
    let py = object.py();
    if !object.is_instance_of::<PyIterator>() {
        named.push((object.clone(), path.to_owned()));
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    if let Some(frame) = object.getattr_opt(intern!(py, "gi_frame"))?.filter(|frame| !frame.is_none()) {
        let variables = PyDict::new(py);
        variables.update(frame.getattr(intern!(py, "f_locals"))?.cast()?)?;
        for (name, value) in variables {
            let name = name.to_string();
            look(&value, if name.starts_with('.') { path } else { &name }, depth - 1, named)?;
        }
    } else if object.get_type().module()? == "builtins"
        && let Ok(parts) = object.call_method0(intern!(py, "__reduce__"))
        && let Ok(parts) = parts.get_item(1)?.cast::<PyTuple>()
    {
        // An iterator over a list says so; one that can only be copied by taking its items does not.
        parts.iter().try_for_each(|part| look(&part, path, depth - 1, named))?;
    }
    Ok(())
}

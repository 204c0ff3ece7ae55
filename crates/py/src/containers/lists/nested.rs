//! One of several lists, chosen by an index of the graph: `graph[v]` for `graph = [[1, 2], [0], []]`. The chosen list is a list
//! of its own that holds what that one holds. What changes it changes the one that it stands for, whichever that is, and
//! what changes one of those changes it ([`changing`]); a change that is not seen where it happens is an error.

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::access::{Index, index_of};
use super::chosen::{Choice, Chosen, Kept};
use super::elements::{at, counted, elements, has_rows, list};
use crate::containers::heap::heap;
use crate::exceptions::errors;
use crate::host::operands;
use crate::session::conv::conv;
use crate::session::{self, Tracing, frames};

/// Carries the change of a list on to those that stand for it, or that it stands for.
fn changed(chosen: &Chosen, tracing: &Tracing, list: &Bound<'_, PyList>) -> PyResult<()> {
    let py = list.py();
    let mut all = std::mem::take(&mut chosen.lock().all);
    let carried = carry(py, tracing, &mut all, list);
    let mut choices = chosen.lock();
    all.append(&mut choices.all);
    choices.all = all;
    drop(choices);
    carried
}

fn carry(py: Python<'_>, tracing: &Tracing, all: &mut [Choice], list: &Bound<'_, PyList>) -> PyResult<()> {
    let mut changed = vec![list.clone()];
    if let Some(choice) = all.iter().find(|choice| choice.list.list.is(list)) {
        if !choice.reaches_here(tracing) {
            return Err(choice.unclear());
        }
        changed = choice.from.iter().map(|kept| kept.list.bind(py).clone()).collect();
        written("put", (PyList::new(py, &changed)?, choice.index.bind(py), list), py)?;
    }
    for choice in all.iter_mut() {
        let is_met = choice.list.list.is(list) || changed.iter().any(|list| choice.stands_for(list));
        if !is_met {
            continue;
        }
        if !choice.reaches_here(tracing) {
            return Err(choice.unclear());
        }
        if !choice.list.list.is(list) {
            let from: Vec<_> = choice.from.iter().map(|kept| kept.list.bind(py).clone()).collect();
            let now = contents(&from, &index_of(choice.index.bind(py))?)?;
            let own = choice.list.list.bind(py);
            own.set_slice(0, own.len(), now.as_any())?;
        }
        choice.look(py);
    }
    Ok(())
}

/// Result of a function of `graphwright._meanings.written_nested`.
fn written<'py>(
    name: &str,
    args: impl pyo3::call::PyCallArgs<'py>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("graphwright._meanings.written_nested")?.getattr(name)?;
    conv(&function)?.call1(args)
}

/// Does what may change a list, and carries the change on to other lists.
pub fn changing<T>(list: &Bound<'_, PyList>, change: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let Some(tracing) = session::current() else { return change() };
    let chosen = &tracing.lists().chosen;
    if chosen.is_empty() || chosen.lock().is_busy {
        return change();
    }
    chosen.check(list.py())?;
    let done = change()?;
    chosen.lock().is_busy = true;
    let carried = changed(chosen, &tracing, list);
    chosen.lock().is_busy = false;
    carried.map(|()| done)
}

/// The items of a list if all of them are lists of Python's.
pub fn lists_in<'py>(of: &Bound<'py, PyList>) -> Option<Vec<Bound<'py, PyList>>> {
    if has_rows(of) {
        return None;
    }
    let inner = |item: Bound<'py, PyAny>| item.cast_into_exact::<PyList>().ok();
    let found: Option<Vec<_>> = of.iter().map(inner).collect();
    found.filter(|lists| !lists.is_empty())
}

/// The list at an index.
pub fn chosen<'py>(lists: &[Bound<'py, PyList>], index: &Index) -> PyResult<Bound<'py, PyAny>> {
    let py = lists[0].py();
    let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    tracing.lists().chosen.check(py)?;
    if let Index::Known(at) = *index {
        let at = if at < 0 { at + lists.len() as i64 } else { at };
        let found = usize::try_from(at).ok().and_then(|at| lists.get(at));
        let found =
            found.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("list index out of range"))?;
        return Ok(found.clone().into_any());
    }
    let positions = elements(&PyList::new(py, 0..lists.len())?)?
        .ok_or_else(|| errors::InternalError::new_err("there are lists"))?;
    positions.judge(&heap(py)?, index, "list index out of range")?;
    let index = at(py, &positions, index)?;
    let list = contents(lists, &index_of(&index)?)?;
    let choice = Choice {
        list: Kept::new(&list),
        from: lists.iter().map(Kept::new).collect(),
        index: index.unbind(),
        region: tracing.trace.region(),
        place: frames::place(py),
    };
    tracing.lists().chosen.lock().all.push(choice);
    Ok(list.into_any())
}

/// A list of what the list at an index holds; there is one.
fn contents<'py>(lists: &[Bound<'py, PyList>], index: &Index) -> PyResult<Bound<'py, PyList>> {
    let py = lists[0].py();
    let (flat, ends) = (PyList::empty(py), PyList::empty(py));
    let mut end = 0i64.into_pyobject(py)?.into_any();
    for list in lists {
        let start = end;
        end = start.add(counted(list)?)?;
        list.iter().try_for_each(|item| flat.append(item))?;
        ends.append((start, &end))?;
    }
    let Some(held) = elements(&flat)? else { return Ok(flat) };
    let ends = elements(&ends)?.ok_or_else(|| errors::InternalError::new_err("there are lists"))?;
    let ends = at(py, &ends, index)?;
    let host = heap(py)?;
    let end = |at: usize| {
        let end = operands::operand(&ends.get_item(at)?)?;
        Ok::<_, PyErr>(operands::stage(host.tracing(), &end).value)
    };
    list(py, &held.cut(&host, Some(end(0)?), Some(end(1)?))?)
}

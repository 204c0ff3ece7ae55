//! One of several lists, chosen by an index of the graph: `graph[v]` for `graph = [[1, 2], [0], []]`. The chosen list is a
//! copy, so neither it nor the lists that it is chosen from may be changed afterwards.

use std::sync::{Mutex, PoisonError};

use gw_base::{Code, Diagnostic, Loc};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::access::Index;
use super::{elements, has_rows, list};
use crate::{current, errors, pack};

/// The lists that were chosen from, and what was chosen, with what they held then.
#[derive(Debug, Default)]
pub struct Chosen(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    list: Py<PyList>,
    held: Vec<Py<PyAny>>,
    place: Option<Loc>,
}

impl Chosen {
    fn keep(&self, list: &Bound<'_, PyList>) {
        let held = list.iter().map(Bound::unbind).collect();
        let kept = Kept { list: list.clone().unbind(), held, place: current::place(list.py()) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    }

    /// An error if one of them was changed since.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for Kept { list, held, place } in all {
            let list = list.bind(py);
            if list.len() == held.len() && list.iter().zip(&held).all(|(now, was)| now.is(was)) {
                continue;
            }
            let message = "an index of the graph chooses one of several lists here, and a list is changed";
            let help = "change no list of lists where an index of the graph is used; for rows of numbers use a tensor, \
                        `gw.zeros((n, m))` and `x[i, j] = v`";
            let found = Diagnostic::new(Code::ListInGraph, message).help(help);
            return Err(errors::raise(&match place {
                Some(place) => found.at(place, "chosen here"),
                None => found,
            }));
        }
        Ok(())
    }
}

/// The items of a list if all of them are lists of Python's.
pub fn lists_in<'py>(of: &Bound<'py, PyList>) -> Option<Vec<Bound<'py, PyList>>> {
    let inner = |item: Bound<'py, PyAny>| {
        let list = item.cast_into_exact::<PyList>().ok()?;
        (!has_rows(&list)).then_some(list)
    };
    let found: Option<Vec<_>> = of.iter().map(inner).collect();
    found.filter(|lists| !lists.is_empty())
}

/// The list at an index.
pub fn chosen<'py>(lists: &[Bound<'py, PyList>], index: &Index) -> PyResult<Bound<'py, PyAny>> {
    let py = lists[0].py();
    let tracing = current::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    let (flat, bounds) = (PyList::empty(py), PyList::empty(py));
    for list in lists {
        let start = flat.len();
        list.iter().try_for_each(|item| flat.append(item))?;
        bounds.append((start, flat.len()))?;
        tracing.lists.chosen.keep(list);
    }
    let bounds = elements(&bounds)?.ok_or_else(|| errors::InternalError::new_err("there are lists"))?;
    bounds.judge(py, index, "list index out of range")?;
    let Some(held) = elements(&flat)? else { return Ok(flat.into_any()) };
    let bound = bounds.at(py, index)?;
    let end = |at: usize| Ok::<_, PyErr>(pack::stage(&tracing, &pack::operand(&bound.get_item(at)?)?).value);
    let made = list(py, &held.cut(py, Some(end(0)?), Some(end(1)?))?)?;
    tracing.lists.chosen.keep(&made);
    Ok(made.into_any())
}

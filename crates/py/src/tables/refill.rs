//! Dicts and sets get back what they held before a statement was traced. Python's iterators go on by the position of an entry,
//! which emptying and filling moves: where the keys are the same in the same order, only values are stored.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet};

use super::keys_of;
use crate::spot::dict_class;

/// Gives a dict or set what a copy of it holds.
pub fn refill(object: &Bound<'_, PyAny>, held: &Bound<'_, PyAny>) -> PyResult<()> {
    match (object.cast_exact::<PyDict>(), held.cast_exact::<PyDict>()) {
        (Ok(dict), Ok(held)) => {
            let held: Vec<_> = held.iter().flat_map(|(key, value)| [key, value]).collect();
            refill_dict(dict, &held)
        }
        _ => refill_set(object, &keys_of(held)?),
    }
}

/// Gives a dict these keys, each followed by its value.
pub fn refill_dict(dict: &Bound<'_, PyDict>, held: &[Bound<'_, PyAny>]) -> PyResult<()> {
    let class = dict_class(dict)?;
    let keys = class.call_method1("__iter__", (dict,))?.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    if !same_objects(&keys, held.chunks_exact(2).map(|pair| &pair[0])) {
        class.call_method1("clear", (dict,))?;
    }
    held.chunks_exact(2)
        .try_for_each(|pair| class.call_method1("__setitem__", (dict, &pair[0], &pair[1])).map(drop))
}

/// Gives a set these elements.
pub fn refill_set(set: &Bound<'_, PyAny>, held: &[Bound<'_, PyAny>]) -> PyResult<()> {
    if same_objects(&keys_of(set)?, held.iter()) {
        return Ok(());
    }
    let class = set.py().get_type::<PySet>();
    class.call_method1("clear", (set,))?;
    class.call_method1("update", (set, PyList::new(set.py(), held)?)).map(drop)
}

fn same_objects<'a, 'py: 'a>(
    now: &[Bound<'py, PyAny>],
    held: impl ExactSizeIterator<Item = &'a Bound<'py, PyAny>>,
) -> bool {
    now.len() == held.len() && now.iter().zip(held).all(|(now, held)| now.is(held))
}

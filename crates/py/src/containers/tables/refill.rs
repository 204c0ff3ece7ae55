//! Dicts and sets get back what they held before a statement was traced. Python's iterators go on by the position of an entry,
//! which emptying and filling moves: where the keys are the same in the same order, only values are stored.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet};

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

/// The class whose methods change what a dict holds: an ordered one keeps the order apart.
pub fn dict_class<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    if dict.is_exact_instance_of::<PyDict>() {
        return Ok(dict.py().get_type::<PyDict>().into_any());
    }
    let ordered = dict.py().import("collections")?.getattr("OrderedDict")?;
    let is_ordered = dict.is_instance(&ordered)?;
    Ok(if is_ordered { ordered } else { dict.py().get_type::<PyDict>().into_any() })
}

/// The keys of a dict, or the elements of a set, as Python holds them.
pub fn keys_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    match object.cast_exact::<PyDict>() {
        Ok(dict) => Ok(dict.keys().iter().collect()),
        // A set of ours refuses to be iterated while the graph holds its elements.
        Err(_) => object.py().get_type::<PySet>().call_method1("__iter__", (object,))?.try_iter()?.collect(),
    }
}

fn same_objects<'a, 'py: 'a>(
    now: &[Bound<'py, PyAny>],
    held: impl ExactSizeIterator<Item = &'a Bound<'py, PyAny>>,
) -> bool {
    now.len() == held.len() && now.iter().zip(held).all(|(now, held)| now.is(held))
}

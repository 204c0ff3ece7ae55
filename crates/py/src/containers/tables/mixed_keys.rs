//! Keys that hold other things than numbers beside values of the graph, such as `("a", x)` and `(State.A, x)`: what the graph does not
//! decide is compared now, and the numbers of the keys that are left are looked for.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use super::making::is_key;
use crate::host::members::{Member, position};
use crate::host::operands;

/// True of such a key.
pub fn is_mixed(key: &Bound<'_, PyAny>) -> bool {
    match key.cast_exact::<PyTuple>() {
        Ok(parts) => parts.iter().any(|part| is_mixed(&part)),
        Err(_) => !is_key(key),
    }
}

/// True if a member of an enumeration that the graph chooses is a key, or in one.
pub fn has_member(key: &Bound<'_, PyAny>) -> bool {
    match key.cast_exact::<PyTuple>() {
        Ok(parts) => parts.iter().any(|part| has_member(&part)),
        Err(_) => key.is_instance_of::<Member>(),
    }
}

/// The pairs or elements of a dict or set of Python's whose keys may equal a key, each key and that one as a tuple of their numbers.
pub fn numbers<'py>(
    container: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyAny>)> {
    let py = key.py();
    let list = PyList::empty(py);
    let mut wanted = Vec::new();
    add_numbers(key, &mut wanted);
    for other in container.try_iter()? {
        let (other, mut found) = (other?, Vec::new());
        if !may_equal(key, &other, &mut found)? {
            continue;
        }
        let found = PyTuple::new(py, found)?;
        match container.cast_exact::<PyDict>() {
            Ok(dict) => list.append((found, dict.as_any().get_item(&other)?))?,
            Err(_) => list.append(found)?,
        }
    }
    Ok((list, PyTuple::new(py, wanted)?.into_any()))
}

/// The numbers of a key; the position stands for a member of an enumeration.
fn add_numbers<'py>(key: &Bound<'py, PyAny>, numbers: &mut Vec<Bound<'py, PyAny>>) {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        parts.iter().for_each(|part| add_numbers(&part, numbers));
    } else if let Ok(member) = key.cast::<Member>() {
        numbers.push(member.get().position.bind(key.py()).clone());
    } else if is_key(key) {
        numbers.push(key.clone());
    }
}

/// True if a key of Python's equals another one wherever the graph decides nothing; takes its numbers where that one has some.
fn may_equal<'py>(
    key: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
    numbers: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<bool> {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        let Ok(others) = other.cast::<PyTuple>() else { return Ok(false) };
        if parts.len() != others.len() {
            return Ok(false);
        }
        for (part, other) in parts.iter().zip(others) {
            if !may_equal(&part, &other, numbers)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    if let Ok(member) = key.cast::<Member>() {
        let is_of_class = other.get_type().is(member.get().class.bind(key.py()));
        let Some(at) = position(other)?.filter(|_| is_of_class) else { return Ok(false) };
        numbers.push(at.into_pyobject(key.py())?.into_any());
        return Ok(true);
    }
    if !is_key(key) {
        return key.eq(other);
    }
    let is_text = other.is_instance_of::<PyString>() || other.is_instance_of::<PyBytes>();
    let is_number = !is_text && operands::plain_operand(other).is_ok_and(|number| number.is_some());
    if is_number {
        numbers.push(other.clone());
    }
    Ok(is_number)
}

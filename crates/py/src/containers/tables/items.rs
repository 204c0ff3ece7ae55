//! Stand-ins for a dict between `d` and `[key]`, and between `d` and `==`, while a graph is built:
//! Python's own, as long as neither it nor the key is in the graph.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::entries::list_of;
use super::lookup::{comparable, item};
use super::making::{contents, is_key, keys_fit, settled};
use super::sets::not;
use super::{is_sought_by_graph, is_staged_key, written};
use crate::containers::lists::elements;
use crate::effects::arguments;
use crate::host::members;
use crate::session;

/// A dict whose items are read, assigned or deleted.
#[pyclass(frozen, name = "DictItems", module = "graphwright")]
#[derive(Debug)]
pub struct Items {
    dict: Py<PyDict>,
    /// True if its items are wanted as places of their own, which those in the graph are not.
    places: bool,
}

impl Items {
    /// Stand-in for a dict; any other value itself.
    pub fn of<'py>(value: &Bound<'py, PyAny>, places: bool) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyDict>() {
            Ok(dict) if session::is_tracing() => {
                Ok(Bound::new(value.py(), Items { dict: dict.clone().unbind(), places })?.into_any())
            }
            Ok(_) | Err(_) => Ok(value.clone()),
        }
    }

    /// True if what is done with an item is Python's own.
    fn is_pythons(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(!is_staged_key(key)? && list_of(self.dict.bind(key.py()).as_any())?.is_none())
    }
}

#[pymethods]
impl Items {
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let dict = self.dict.bind(key.py()).as_any();
        if let (Some(found), None) = (members::item(dict, key)?, list_of(dict)?) {
            return Ok(found);
        }
        if list_of(dict)?.is_none() && !is_sought_by_graph(key)? {
            return dict.get_item(key);
        }
        if self.places {
            return Err(PyLookupError::new_err("an item in the graph is no place of its own"));
        }
        let (pairs, key) = match list_of(dict)? {
            Some(pairs) => (pairs, key.clone()),
            // Contents may come from a later part of the statement.
            None if dict.is_empty()? => (settled(dict)?, key.clone()),
            None => comparable(dict, key)?,
        };
        item(&pairs, &key)
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let dict = self.dict.bind(key.py()).as_any();
        arguments::changing(key.py(), dict);
        if self.is_pythons(key)? && !takes_in(dict, key, value)? {
            return dict.set_item(key, value);
        }
        written("store", (settled(dict)?, key, value), key.py()).map(drop)
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let dict = self.dict.bind(key.py()).as_any();
        arguments::changing(key.py(), dict);
        if self.is_pythons(key)? {
            return dict.del_item(key);
        }
        written("pop", (settled(dict)?, key), key.py()).map(drop)
    }
}

/// True if a dict comes into the graph with a new key of Python's.
fn takes_in(dict: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(tracing) = session::current().filter(|tracing| tracing.tables().take_new_keys()) else {
        return Ok(false);
    };
    let fits = !dict.contains(key)? && is_key(key) && elements::is_element(value)?;
    Ok(fits && tracing.tables().is_reached(dict) && keys_fit(dict)?)
}

/// A dict that is compared.
#[pyclass(frozen, name = "ComparedDict", module = "graphwright")]
#[derive(Debug)]
pub struct Whole(Py<PyDict>);

impl Whole {
    /// Stand-in for a dict; any other value itself.
    pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyDict>() {
            Ok(dict) if session::is_tracing() => {
                Ok(Bound::new(value.py(), Whole(dict.clone().unbind()))?.into_any())
            }
            Ok(_) | Err(_) => Ok(value.clone()),
        }
    }

    /// `d == other`; nothing where that is Python's own.
    fn equals<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let own = self.0.bind(other.py()).as_any();
        let (pairs, others) = (list_of(own)?, list_of(other)?);
        if (pairs.is_none() && others.is_none()) || !other.is_exact_instance_of::<PyDict>() {
            return Ok(None);
        }
        let pairs = pairs.map_or_else(|| contents(own), Ok)?;
        let others = others.map_or_else(|| contents(other), Ok)?;
        written("equal_dicts", (pairs, others), other.py()).map(Some)
    }
}

#[pymethods]
impl Whole {
    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.equals(other)? {
            Some(equal) => Ok(equal),
            None => self.0.bind(other.py()).rich_compare(other, CompareOp::Eq),
        }
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.equals(other)? {
            Some(equal) => not(&equal),
            None => self.0.bind(other.py()).rich_compare(other, CompareOp::Ne),
        }
    }
}

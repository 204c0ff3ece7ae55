//! Stand-in for a tuple between `t` and `[i]` while a graph is built, so that a value of the graph may choose among items that are
//! alike, as it does among those of a list.

use gw_trace::objects;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyTuple};

use super::access::{index_of, unfit};
use super::elements::elements;
use crate::containers::heap::heap;
use crate::host::checks::is_staged_index;
use crate::session;

const NO_ITEM: &str = "tuple index out of range";

/// A tuple whose items are read.
#[pyclass(frozen, name = "TupleItems", module = "graphwright")]
#[derive(Debug)]
pub struct TupleItems(Py<PyTuple>);

impl TupleItems {
    /// Stand-in for a tuple; any other value itself.
    pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyTuple>() {
            Ok(tuple) if session::is_tracing() => {
                Ok(Bound::new(value.py(), Self(tuple.clone().unbind()))?.into_any())
            }
            Ok(_) | Err(_) => Ok(value.clone()),
        }
    }
}

#[pymethods]
impl TupleItems {
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, tuple) = (key.py(), self.0.bind(key.py()));
        if !is_staged_index(key) || key.is_instance_of::<PySlice>() {
            return tuple.as_any().get_item(key);
        }
        let items = PyList::new(py, tuple.iter())?;
        let held = elements(&items).map_err(|error| unfit(tuple.as_any(), &items, error))?;
        let held: objects::Elements<_> = held.ok_or_else(|| PyIndexError::new_err(NO_ITEM))?;
        let (host, index) = (heap(py)?, index_of(key)?);
        held.judge(&host, &index, NO_ITEM)?;
        Ok(held.at(&host, &index)?.bind(py).clone())
    }
}

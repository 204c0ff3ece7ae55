//! What stands for a list between `xs` and `[i]`, and between `xs` and `==`, while a graph is built: Python's own list, as
//! long as neither it nor the index is in the graph.

use gw_ir::Op;
use gw_trace::calls::Call;
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::access::{self, is_staged_index};
use super::{alike, may_fill, nested, staged};
use crate::{arguments, current, pack};

/// A list whose items are read, assigned or deleted.
#[pyclass(frozen, name = "ListItems", module = "graphwright")]
#[derive(Debug)]
pub struct Items {
    /// The list.
    pub list: Py<PyList>,
    /// Whether its items are wanted as places of their own, which those in the graph are not.
    pub places: bool,
}

impl Items {
    /// What stands for a value, itself if it is no list.
    pub fn of<'py>(value: &Bound<'py, PyAny>, places: bool) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyList>() {
            Ok(list) if current::is_tracing() => {
                Ok(Bound::new(value.py(), Items { list: list.clone().unbind(), places })?.into_any())
            }
            Ok(_) | Err(_) => Ok(value.clone()),
        }
    }
}

#[pymethods]
impl Items {
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let list = self.list.bind(key.py());
        if is_pythons(list, key) {
            return list.as_any().get_item(key);
        }
        if self.places {
            return Err(PyLookupError::new_err("an item in the graph is no place of its own"));
        }
        access::get(list, key)
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = self.list.bind(key.py());
        arguments::changing(key.py(), list);
        nested::changing(list, || match is_pythons(list, key) {
            true => list.as_any().set_item(key, value),
            false => access::set(list, key, value),
        })
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = self.list.bind(key.py());
        arguments::changing(key.py(), list);
        nested::changing(list, || match is_pythons(list, key) {
            true => list.as_any().del_item(key),
            false => access::delete(list, key),
        })
    }
}

/// Whether what is done with an item is Python's own.
fn is_pythons(list: &Bound<'_, PyList>, key: &Bound<'_, PyAny>) -> bool {
    let fills = may_fill(list) && !key.is_instance_of::<pyo3::types::PySlice>();
    !fills && !is_staged_index(key) && staged(list).is_none()
}

/// A list that is compared.
#[pyclass(frozen, name = "ComparedList", module = "graphwright")]
#[derive(Debug)]
pub struct Whole(pub Py<PyList>);

impl Whole {
    /// What stands for a value, itself if it is no list.
    pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyList>() {
            Ok(list) if current::is_tracing() => {
                Ok(Bound::new(value.py(), Whole(list.clone().unbind()))?.into_any())
            }
            Ok(_) | Err(_) => Ok(value.clone()),
        }
    }
}

#[pymethods]
impl Whole {
    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let list = self.0.bind(other.py());
        match other.cast_exact::<PyList>() {
            Ok(right) if staged(list).is_some() || staged(right).is_some() => alike::equal(list, right),
            Ok(_) | Err(_) => list.rich_compare(other, pyo3::basic::CompareOp::Eq),
        }
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let list = self.0.bind(other.py());
        match other.cast_exact::<PyList>() {
            Ok(right) if staged(list).is_some() || staged(right).is_some() => {
                let equal = alike::equal(list, right)?;
                pack::call(other.py(), &Call::Unary(Op::Not), &[&equal])
            }
            Ok(_) | Err(_) => list.rich_compare(other, pyo3::basic::CompareOp::Ne),
        }
    }
}

//! Stand-ins for a list between `xs` and `[i]`, and between `xs` and `==`, while a graph is built: Python's own list, as
//! long as neither it nor the index is in the graph.

use gw_trace::objects;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::elements::{may_fill, staged};
use super::{access, nested};
use crate::containers::heap::{given, heap};
use crate::containers::list_object::ListObject;
use crate::effects::arguments;
use crate::host::checks::is_staged_index;
use crate::host::operands;
use crate::optional::leaves::maybes;
use crate::optional::maybe::Maybe;
use crate::optional::number_types::as_number;
use crate::session;

/// A list whose items are read, assigned or deleted.
#[pyclass(frozen, name = "ListItems", module = "graphwright")]
#[derive(Debug)]
pub struct Items {
    /// The list.
    pub list: Py<PyList>,
    /// True if its items are wanted as places of their own, which those in the graph are not.
    pub places: bool,
}

impl Items {
    /// Stand-in for a list; any other value itself.
    pub fn of<'py>(value: &Bound<'py, PyAny>, places: bool) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyList>() {
            Ok(list) if session::is_tracing() => {
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
        if staged(list).is_some() && maybes(value)?.iter().any(|part| Maybe::unbound(part).is_some()) {
            // Branches leave it so where one of them has deleted it; the elements of the list have met already.
            return Ok(());
        }
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

/// True if what is done with an item is Python's own.
fn is_pythons(list: &Bound<'_, PyList>, key: &Bound<'_, PyAny>) -> bool {
    let fills = may_fill(list) && !key.is_instance_of::<pyo3::types::PySlice>();
    !fills && !is_staged_index(key) && staged(list).is_none()
}

/// `a == b` as containers ask it, for two objects at hand.
pub fn same_or_equal<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    if a.is(b) {
        return Ok(true.into_pyobject(py)?.to_owned().into_any());
    }
    let equal = a.rich_compare(b, CompareOp::Eq)?;
    if let (Some(a), Some(b), true) =
        (operands::plain_operand(a)?, operands::plain_operand(b)?, session::is_tracing())
        && a.lengths().is_empty()
        && b.lengths().is_empty()
    {
        objects::tell_apart(&heap(py)?, &given(a), &given(b), None)?;
    }
    Ok(equal)
}

/// `xs == ys`
pub fn equal<'py>(a: &Bound<'py, PyList>, b: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let (py, host) = (a.py(), heap(a.py())?);
    match objects::equal(&host, &ListObject::new(a), &ListObject::new(b))? {
        None => Ok(true.into_pyobject(py)?.to_owned().into_any()),
        Some(equal) => Ok(as_number(host.tensor(equal)?.cast()?)?.into_any()),
    }
}

//! Stands in a list for elements whose number the graph knows.

use std::sync::{Arc, OnceLock};

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::row_objects::{Elements, unknown};
use crate::session::Tracing;

/// Stands for those elements. All that Python itself could do with it is refused: an iterator over the list hands it out.
#[pyclass(frozen, name = "StagedElements", module = "graphwright")]
#[derive(Debug)]
pub struct Rows {
    /// The graph that they belong to.
    pub tracing: Arc<Tracing>,
    /// The elements.
    pub held: Elements,
    /// Address of the list that was read first with it in it.
    owner: OnceLock<usize>,
}

impl Rows {
    /// Stands for these elements.
    pub fn new(tracing: Arc<Tracing>, held: Elements) -> Self {
        Self { tracing, held, owner: OnceLock::new() }
    }

    /// True of rows of objects.
    pub fn are_of_objects(item: &Bound<'_, PyAny>) -> bool {
        item.cast::<Self>().is_ok_and(|rows| rows.get().held.element.has_objects())
    }

    /// True if no other list was read first with it in it.
    pub fn is_of(&self, list: &Bound<'_, PyList>) -> bool {
        let address = list.as_ptr() as usize;
        *self.owner.get_or_init(|| address) == address
    }
}

/// The result of each use of it.
type Refused = PyResult<Py<PyAny>>;

#[pymethods]
impl Rows {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Err(unknown(py))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Err(unknown(py))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Err(unknown(py))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        Err(unknown(py))
    }

    fn __contains__(&self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(unknown(item.py()))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, _operator: CompareOp) -> PyResult<bool> {
        Err(unknown(other.py()))
    }

    fn __iter__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __neg__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __pos__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __abs__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __invert__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __int__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __float__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __index__(&self, py: Python<'_>) -> Refused {
        Err(unknown(py))
    }

    fn __getattr__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __getitem__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rfloordiv__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __lshift__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rlshift__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rshift__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rrshift__(&self, other: &Bound<'_, PyAny>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __pow__(&self, other: &Bound<'_, PyAny>, _modulo: Option<&Bound<'_, PyAny>>) -> Refused {
        Err(unknown(other.py()))
    }

    fn __rpow__(&self, other: &Bound<'_, PyAny>, _modulo: Option<&Bound<'_, PyAny>>) -> Refused {
        Err(unknown(other.py()))
    }
}

/// An item that an iterator of Python's gave; an error if it stands for elements of a list that came into the graph since.
pub fn known(item: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let is_rows = |item: &Bound<'_, PyAny>| item.is_exact_instance_of::<Rows>();
    let has_rows = item.cast_exact::<PyTuple>().is_ok_and(|items| items.iter().any(|item| is_rows(&item)));
    if is_rows(&item) || has_rows { Err(unknown(item.py())) } else { Ok(item) }
}

//! Iterators over dicts and sets of the graph in which nothing stands yet, so that there is no type of an item. Python's own would
//! give what stands there for the contents.

use pyo3::prelude::*;

use crate::containers::lists::Followed;
use crate::containers::tables::entries::list_of;
use crate::iteration::progress;

/// One of these iterators.
#[pyclass(frozen, name = "dict_keyiterator", module = "graphwright")]
#[derive(Debug)]
pub struct Unfilled(Followed);

#[pymethods]
impl Unfilled {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.0.check(py).map(|()| None)
    }
}

/// The iterator over such a dict or set; nothing for any other object.
pub fn unfilled<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    match list_of(object)? {
        Some(inside) if inside.is_empty() => {
            let items = Bound::new(object.py(), Unfilled(Followed::new(&inside)))?;
            Ok(Some(progress::made(items.into_any(), &[])))
        }
        Some(_) | None => Ok(None),
    }
}

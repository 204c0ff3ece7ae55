//! References of the interpreter to objects.

use pyo3::prelude::*;
use pyo3::types::PyList;

/// The number of references to an object, besides ours.
pub fn references(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let count = |object: &Bound<'_, PyAny>| -> PyResult<usize> {
        object.py().import("sys")?.call_method1("getrefcount", (object,))?.extract()
    };
    Ok(count(object)?.saturating_sub(count(PyList::empty(object.py()).as_any())?))
}

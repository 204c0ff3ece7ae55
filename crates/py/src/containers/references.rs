//! References of the interpreter to objects.

use pyo3::prelude::*;
use pyo3::types::PyList;

/// The number of references to an object, besides ours.
pub fn references(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let of_call = count(PyList::empty(object.py()).as_any())?;
    Ok(count(object)?.saturating_sub(of_call))
}

/// The number of references to an object, with ours, as `sys.getrefcount` counts them.
pub fn count(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    object.py().import("sys")?.call_method1("getrefcount", (object,))?.extract()
}

//! Elements of lists in the graph, as Python's objects.

use crate::containers::heap::heap;
use crate::containers::list_object::ListObject;
use crate::values::tensor::Tensor;
use gw_trace::{Staged, objects};
use gw_types::Number;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

use super::placed;
pub use super::row_objects::{Elements, has_rows, may_fill, only, refused, staged, tensors, unknown};

/// A list's elements; nothing if it has none, for then they have no type.
pub fn elements(list: &Bound<'_, PyList>) -> PyResult<Option<Elements>> {
    Ok(objects::elements(&heap(list.py())?, &ListObject::new(list))?)
}

/// True if a list of the graph can hold a value.
pub fn is_element(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(objects::is_element(&heap(value.py())?, &Arc::new(value.clone().unbind()))?)
}

/// A new list of these elements, which other lists may hold too.
pub fn list<'py>(py: Python<'py>, elements: &Elements) -> PyResult<Bound<'py, PyList>> {
    placed::are_copied(&elements.element);
    Ok(elements.to_list(&heap(py)?)?.bind(py).clone())
}

/// The element at an index, which there is.
pub fn at<'py>(py: Python<'py>, held: &Elements, index: &objects::Index) -> PyResult<Bound<'py, PyAny>> {
    Ok(held.at(&heap(py)?, index)?.bind(py).clone())
}

/// The number of elements of a list, as Python sees it.
pub(super) fn counted<'py>(list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    match if has_rows(list) { elements(list)? } else { None } {
        Some(held) => len(py, &held),
        None => Ok(list.len().into_pyobject(py)?.into_any()),
    }
}

/// The number of elements, as Python sees it.
pub fn len<'py>(py: Python<'py>, held: &Elements) -> PyResult<Bound<'py, PyAny>> {
    let host = heap(py)?;
    let trace = &host.tracing().trace;
    match held.count(trace) {
        Some(count) => Ok(count.into_pyobject(py)?.into_any()),
        None => {
            let staged = Staged { value: held.length(trace), weak: Some(Number::Int) };
            Ok(Bound::new(py, Tensor::staged(host.tracing().clone(), staged))?.into_any())
        }
    }
}

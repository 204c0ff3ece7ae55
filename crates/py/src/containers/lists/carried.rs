//! Stand-ins for lists that flow through statements in the graph.

use gw_trace::objects;
use pyo3::prelude::*;

use crate::effects::alias::Same;
use crate::host::PyHost;

/// Stands for the contents of a list without elements, whose type is not known.
#[pyclass(frozen, name = "NoElements", module = "graphwright")]
#[derive(Debug)]
pub struct NoElements;

/// The lists that flow through one statement.
pub type Lists<'a, 'py> = objects::Lists<'a, PyHost<'py>>;

/// True if an object stands for a list.
pub fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<Same>()
}

/// True if two objects stand for one list.
pub fn same_list(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    if a.is_instance_of::<NoElements>() && b.is_instance_of::<NoElements>() {
        return true;
    }
    match (a.cast::<Same>(), b.cast::<Same>()) {
        (Ok(a), Ok(b)) => a.get().0.is(&b.get().0),
        (Ok(_) | Err(_), _) => false,
    }
}

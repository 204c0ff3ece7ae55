//! Python's lists by their identity.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;

/// A list of Python's, by its identity.
#[derive(Debug, Clone)]
pub struct ListObject(Arc<Py<PyList>>);

impl ListObject {
    /// The list object.
    pub fn new(list: &Bound<'_, PyList>) -> Self {
        Self(Arc::new(list.clone().unbind()))
    }

    /// True if it is this object.
    pub fn is(&self, object: &Bound<'_, PyAny>) -> bool {
        self.0.as_ptr() == object.as_ptr()
    }

    /// The list.
    pub fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyList> {
        self.0.bind(py)
    }
}

impl PartialEq for ListObject {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ptr() == other.0.as_ptr()
    }
}

impl Eq for ListObject {}

impl Hash for ListObject {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_ptr().hash(state);
    }
}

//! Values of a backend that a name has on some paths only.

use pyo3::prelude::*;

/// The value of a name on the paths where it has one, of a backend that cannot tell when the function runs.
///
/// Example:
///   >>> gw.autograph.Possible(3).value
///   3
#[pyclass(frozen, module = "graphwright.autograph")]
#[derive(Debug)]
pub struct Possible {
    /// The value.
    #[pyo3(get)]
    pub value: Py<PyAny>,
}

#[pymethods]
impl Possible {
    #[new]
    fn new(value: Py<PyAny>) -> Self {
        Self { value }
    }
}

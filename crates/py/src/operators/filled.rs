//! Arrays of NumPy's that the function makes and stores elements into: arrays of the graph, where a tracing without that was refused.

use pyo3::prelude::*;

use crate::host::lent;
use crate::operators::object::Operators;
use crate::session;

#[pymethods]
impl Operators {
    /// Value of a name into whose value the function stores elements. Python's own array serves as long as what is stored is known
    /// while the function is traced.
    fn filled<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some(tracing) = session::current().filter(|_| lent::is_alone(value)) else {
            return Ok(value.clone());
        };
        if tracing.arrays().fills() {
            return value.py().import("graphwright._meanings.arrays")?.call_method1("of_graph", (value,));
        }
        tracing.arrays().could_fill();
        Ok(value.clone())
    }
}

//! `a ** b`: Python's own, but for integers in a branch or loop of the graph only where it comes to an end.

use gw_base::Code;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::iteration::endless;
use crate::operators::object::Operators;
use crate::session;

#[pymethods]
impl Operators {
    /// `a ** b`
    fn power<'py>(&self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = a.py();
        if endless::has_too_many_digits(a, b)? && session::current().is_some_and(|t| t.trace.in_region()) {
            let message = "this power of integers has more digits than Python can compute, and a branch or loop of the graph \
                           is traced whether or not it is taken";
            let help = "compute it with floats, or outside of the function";
            return Err(errors::here(py, Code::EndlessLoop, message, help));
        }
        a.pow(b, py.None())
    }
}

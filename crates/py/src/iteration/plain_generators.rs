//! Generators that Python alone can ask, such as one that yields in a `try`: their code is not converted, and what it reaches must not
//! stand for a list, dict or optional value of the graph.

use gw_base::Code;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::exceptions::errors;
use crate::host_calls::as_it_is;
use crate::session;

/// A function that makes generators which Python alone can ask.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct MakesPlain {
    function: Py<PyAny>,
}

impl MakesPlain {
    /// Wraps a function whose generators Python asks.
    pub fn of(function: Bound<'_, PyAny>) -> Self {
        Self { function: function.unbind() }
    }
}

#[pymethods]
impl MakesPlain {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plain = self.function.bind(py).call(args, kwargs)?;
        let holds = session::current().is_some_and(|tracing| tracing.holds_containers());
        if holds && held_by(&plain)?.iter().any(as_it_is::shows_stand_in) {
            let message =
                "Python runs this generator as it is, and it reaches a list, dict or set of the graph";
            let help = "yield outside of `try` and `with`, or collect the items in a list and return it";
            return Err(errors::here(py, Code::ListInGraph, message, help));
        }
        Ok(plain)
    }
}

/// The objects that the variables of Python's own generator hold.
pub fn held_by<'py>(plain: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = plain.py();
    let Some(frame) = plain.getattr_opt(intern!(py, "gi_frame"))? else { return Ok(Vec::new()) };
    if frame.is_none() {
        return Ok(Vec::new());
    }
    let held = frame.getattr(intern!(py, "f_locals"))?.call_method0(intern!(py, "values"))?;
    held.try_iter()?.collect()
}

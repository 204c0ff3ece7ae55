//! A `try` sees what is raised while tracing, and nothing of what fails when the graph runs: GW115, where its handlers
//! would have caught that.

use std::sync::Arc;

use gw_trace::{host_call, suspects};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::host::failures::{class_of, not_caught};
use crate::operators::object::Operators;
use crate::session::{self, Tracing};

/// The body of a `try`, as a context manager.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Handled {
    /// A thunk that gives what the handlers catch.
    kinds: Py<PyAny>,
    /// The graph, and how many nodes it had before the body.
    before: Option<(Arc<Tracing>, usize)>,
}

#[pymethods]
impl Operators {
    /// The body of a `try` whose handlers catch `kinds()`.
    fn handled(&self, kinds: Py<PyAny>) -> Handled {
        Handled::new(kinds)
    }
}

impl Handled {
    /// A body that begins now.
    pub fn new(kinds: Py<PyAny>) -> Self {
        let count = |tracing: Arc<Tracing>| {
            let count = tracing.trace.build(|b| b.graph().nodes.len());
            (tracing, count)
        };
        Self { kinds, before: session::current().map(count) }
    }

    /// Stops the tracing if something in the body may raise what is caught.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        let Some((tracing, before)) = &self.before else { return Ok(()) };
        if tracing.trace.is_finished() {
            return Ok(());
        }
        let suspects = tracing.trace.build(|b| suspects(b.graph(), *before));
        let host = tracing.trace.build(|b| host_call(b.graph(), *before));
        if suspects.is_empty() && host.is_none() {
            return Ok(());
        }
        let kinds = self.kinds.bind(py).call0()?;
        if let Some(place) = host {
            // A function of the host's may raise anything.
            tracing.stop(not_caught(&py.get_type::<PyException>(), place)?);
        }
        for (kind, place) in suspects {
            let class = class_of(py, kind);
            if class.is_subclass(&kinds)? {
                tracing.stop(not_caught(&class, place)?);
                break;
            }
        }
        Ok(())
    }
}

#[pymethods]
impl Handled {
    fn __enter__(&self) {}

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyTuple>) -> PyResult<bool> {
        self.check(py).map(|()| false)
    }
}

//! Names that have a value on some paths only, and values that may be `None`.

use crate::session::Tracing;
use crate::values::sharing::MaybeShared;
use gw_ir::ValueId;
use gw_trace::{Lack, Staged};
use pyo3::prelude::*;
use std::sync::Arc;

/// A value that is there only if a bool of the graph is true: a name that may be without one, which converted code reads
/// through `ld`, or what may be `None`.
#[pyclass(frozen, name = "MaybeUnbound", module = "graphwright")]
#[derive(Debug)]
pub struct Maybe {
    /// The graph.
    pub tracing: Arc<Tracing>,
    /// The value that the name has if it has one.
    pub staged: Staged,
    /// True if it has one.
    pub bound: ValueId,
    /// The kind of its absence.
    pub lack: Lack,
    /// The arrays that it may be, or be a part of.
    pub shares: MaybeShared,
}

impl Maybe {
    /// The object as a name that may have no value.
    pub fn unbound<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, Self>> {
        object.cast::<Self>().ok().filter(|maybe| maybe.get().lack == Lack::Unbound)
    }

    /// The object as what may be `None`.
    pub fn optional<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, Self>> {
        object.cast::<Self>().ok().filter(|maybe| maybe.get().lack == Lack::Nothing)
    }
}

/// A name without a value.
#[pyclass(frozen, name = "Unbound", module = "graphwright")]
#[derive(Debug)]
pub struct Unbound;

#[pymethods]
impl Unbound {
    fn __repr__(&self) -> &'static str {
        "<a name without a value>"
    }
}

/// The object that stands for a name without a value.
pub fn unbound(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static THE: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
    let make = || Ok::<_, PyErr>(Py::new(py, Unbound)?.into_any());
    Ok(THE.get_or_try_init(py, make)?.bind(py).clone())
}

/// The bool where it is known: it is a constant, or a branch that is being built is taken for what it is.
pub fn known(tracing: &Tracing, bound: ValueId) -> Option<bool> {
    tracing.trace.known(bound).map(|scalar| scalar.to_bool()).or_else(|| tracing.trace.implied(bound))
}

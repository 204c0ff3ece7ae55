//! Trace types of the user's own: an object's `__tf_tracing_type__` says what it counts by.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use graphwright::function::trace_type::OwnType;
use gw_base::Code;
use pyo3::prelude::*;

use crate::exceptions::errors;

/// Result of an object's `__tf_tracing_type__`: a `gw.types.experimental.TraceType`.
#[derive(Debug, Clone)]
pub struct TraceType(Arc<Py<PyAny>>);

impl TraceType {
    /// The trace type that the object's class defines, if it does.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = object.py();
        let Some(method) = object.get_type().getattr_opt(pyo3::intern!(py, "__tf_tracing_type__"))? else {
            return Ok(None);
        };
        let context = py.import("graphwright.types.experimental")?.getattr("TracingContext")?.call0()?;
        let own = method.call1((object, context))?;
        if own.hasattr(pyo3::intern!(py, "placeholder_value"))? {
            return Ok(Some(Self(Arc::new(own.unbind()))));
        }
        let message = format!(
            "`__tf_tracing_type__` of `{}` gives {}, which is no trace type",
            object.get_type().name()?,
            own.repr()?
        );
        let help = "return an instance of a subclass of `gw.types.experimental.TraceType`";
        Err(errors::here(py, Code::BadArgument, message, help))
    }

    /// Placeholder that the traced function is given for the object.
    pub fn placeholder<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let context = py.import("graphwright.types.experimental")?.getattr("PlaceholderContext")?.call0()?;
        self.0.bind(py).call_method1("placeholder_value", (context,))
    }
}

impl OwnType for TraceType {
    fn is_subtype_of(&self, other: &Self) -> bool {
        Python::attach(|py| {
            let answer = self.0.bind(py).call_method1("is_subtype_of", (other.0.bind(py),));
            answer.and_then(|a| a.is_truthy()).unwrap_or(false)
        })
    }

    fn join(&self, other: &Self) -> Option<Self> {
        Python::attach(|py| {
            let joined =
                self.0.bind(py).call_method1("most_specific_common_supertype", ([other.0.bind(py)],));
            joined.ok().filter(|t| !t.is_none()).map(|t| Self(Arc::new(t.unbind())))
        })
    }
}

impl std::fmt::Display for TraceType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Python::attach(|py| match self.0.bind(py).repr() {
            Ok(text) => write!(f, "{text}"),
            Err(_) => f.write_str("a trace type of its own"),
        })
    }
}

impl PartialEq for TraceType {
    fn eq(&self, other: &Self) -> bool {
        Python::attach(|py| self.0.bind(py).eq(other.0.bind(py)).unwrap_or(false))
    }
}

impl Eq for TraceType {}

impl Hash for TraceType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Python::attach(|py| self.0.bind(py).hash().unwrap_or(0)).hash(state);
    }
}

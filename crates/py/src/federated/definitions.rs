//! The definitions of intrinsics in Python.

use gw_federated::intrinsics::{Exposure, Intrinsic};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::federated::python::Ty;
use crate::federated::types::classes;

/// The definition of an intrinsic: its name, its uri and the template of its types.
///
/// Example:
///   >>> from graphwright.federated.framework import intrinsic_defs
///   >>> intrinsic_defs.FEDERATED_SUM.uri
///   'federated_sum'
#[pyclass(frozen, eq, hash, module = "graphwright.federated")]
#[derive(PartialEq, Eq, Hash)]
pub struct IntrinsicDef(Intrinsic);

static DEFINITIONS: PyOnceLock<Vec<Py<IntrinsicDef>>> = PyOnceLock::new();

fn definitions(py: Python<'_>) -> PyResult<&Vec<Py<IntrinsicDef>>> {
    let make = || Intrinsic::ALL.iter().map(|intrinsic| Py::new(py, IntrinsicDef(*intrinsic))).collect();
    DEFINITIONS.get_or_try_init(py, make)
}

/// Returns the definition of the name `uri`.
pub fn from_uri<'py>(py: Python<'py>, uri: &str) -> PyResult<Option<Bound<'py, IntrinsicDef>>> {
    let found = definitions(py)?.iter().find(|definition| definition.get().0.uri() == uri);
    Ok(found.map(|definition| definition.bind(py).clone()))
}

/// Returns a member of an enumeration of `intrinsic_defs`.
fn exposure<'py>(
    py: Python<'py>,
    enumeration: &str,
    exposure: Option<Exposure>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let name = match exposure {
        None => return Ok(None),
        Some(Exposure::Default) => "DEFAULT",
        Some(Exposure::Secure) => "SECURE",
    };
    let module = py.import("graphwright.federated.intrinsic_defs")?;
    module.getattr(enumeration)?.getattr(name).map(Some)
}

#[pymethods]
impl IntrinsicDef {
    /// The name of the definition.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The name that programs use.
    #[getter]
    fn uri(&self) -> &'static str {
        self.0.uri()
    }

    /// The template of the types of all uses.
    #[getter]
    fn type_signature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let template: Ty = self.0.template();
        classes::handle(py, &template)
    }

    /// The kind of aggregation, if it is one.
    #[getter]
    fn aggregation_kind<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        exposure(py, "AggregationKind", self.0.aggregation())
    }

    /// The kind of broadcast, if it is one.
    #[getter]
    fn broadcast_kind<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        exposure(py, "BroadcastKind", self.0.broadcast())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        let module = py.import("graphwright.federated.intrinsic_defs")?;
        Ok((module.getattr("uri_to_intrinsic_def")?, (self.0.uri(),)))
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("IntrinsicDef('{}')", self.0.uri())
    }
}

/// Returns the definitions of all intrinsics.
#[pyfunction]
fn intrinsic_definitions(py: Python<'_>) -> PyResult<Vec<Bound<'_, IntrinsicDef>>> {
    Ok(definitions(py)?.iter().map(|definition| definition.bind(py).clone()).collect())
}

/// Returns the definition of a name.
///
/// Args:
///   uri: name of an intrinsic.
///
/// Returns:
///   `IntrinsicDef`, or `None`.
///
/// Example:
///   >>> from graphwright.federated.framework import intrinsic_defs
///   >>> intrinsic_defs.uri_to_intrinsic_def("federated_sum").name
///   'FEDERATED_SUM'
#[pyfunction]
fn uri_to_intrinsic_def<'py>(py: Python<'py>, uri: &str) -> PyResult<Option<Bound<'py, IntrinsicDef>>> {
    from_uri(py, uri)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<IntrinsicDef>()?;
    module.add_function(wrap_pyfunction!(uri_to_intrinsic_def, module)?)?;
    module.add_function(wrap_pyfunction!(intrinsic_definitions, module)?)
}

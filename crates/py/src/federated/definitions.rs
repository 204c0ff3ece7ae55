//! The definitions of intrinsics in Python.

use gw_federated::intrinsics::{Exposure, Intrinsic};
use pyo3::prelude::*;

use super::python::Ty;
use super::type_classes;

/// The definition of an intrinsic: its name, its uri and the template of its types.
///
/// Example: `intrinsic_defs.FEDERATED_SUM.type_signature`.
#[pyclass(frozen, eq, hash, module = "graphwright.federated")]
#[derive(PartialEq, Eq, Hash)]
pub struct IntrinsicDef(Intrinsic);

/// Returns the definition of the name `uri`.
pub fn from_uri(uri: &str) -> Option<IntrinsicDef> {
    Intrinsic::from_uri(uri).map(IntrinsicDef)
}

fn exposure(exposure: Option<Exposure>) -> Option<&'static str> {
    exposure.map(|exposure| match exposure {
        Exposure::Default => "DEFAULT",
        Exposure::Secure => "SECURE",
    })
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
        type_classes::handle(py, &template)
    }

    /// The kind of aggregation, `"DEFAULT"` or `"SECURE"`, if it is one.
    #[getter]
    fn _aggregation(&self) -> Option<&'static str> {
        exposure(self.0.aggregation())
    }

    /// The kind of broadcast, `"DEFAULT"` or `"SECURE"`, if it is one.
    #[getter]
    fn _broadcast(&self) -> Option<&'static str> {
        exposure(self.0.broadcast())
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
    Intrinsic::ALL.iter().map(|intrinsic| Bound::new(py, IntrinsicDef(*intrinsic))).collect()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<IntrinsicDef>()?;
    module.add_function(wrap_pyfunction!(intrinsic_definitions, module)?)
}

//! Placements in Python: two objects that are compared by identity.

use gw_federated::Placement;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A set of participants: `CLIENTS` or `SERVER`.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.CLIENTS.uri
///   'clients'
#[pyclass(frozen, eq, hash, module = "graphwright.federated")]
#[derive(PartialEq, Eq, Hash)]
pub struct PlacementLiteral(pub Placement);

static LITERALS: PyOnceLock<Vec<Py<PlacementLiteral>>> = PyOnceLock::new();

/// Returns the object of a placement.
pub fn handle(py: Python<'_>, placement: Placement) -> PyResult<Bound<'_, PlacementLiteral>> {
    let literal = |placement: &Placement| Py::new(py, PlacementLiteral(*placement));
    let literals =
        LITERALS.get_or_try_init(py, || Placement::ALL.iter().map(literal).collect::<PyResult<_>>())?;
    Ok(literals[placement as usize].bind(py).clone())
}

/// Returns the placement of an object; the error names the parameter.
pub fn read(object: &Bound<'_, PyAny>, parameter: &str) -> PyResult<Placement> {
    let found = object.cast::<PlacementLiteral>().map(|literal| literal.get().0);
    let text = || object.repr().map(|text| text.to_string()).unwrap_or_default();
    found.map_err(|_| {
        PyTypeError::new_err(format!("Expected `{parameter}` to be `CLIENTS` or `SERVER`, found {}.", text()))
    })
}

/// Returns the placement of a name.
///
/// Args:
///   uri: name, such as `"clients"`.
///
/// Returns:
///   Placement.
///
/// Raises:
///   ValueError: there is none of that name.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.framework.uri_to_placement_literal(tff.CLIENTS.uri))
///   'CLIENTS'
#[pyfunction]
pub fn uri_to_placement_literal<'py>(py: Python<'py>, uri: &str) -> PyResult<Bound<'py, PlacementLiteral>> {
    let unknown = || PyValueError::new_err(format!("There is no known literal with uri `{uri}`."));
    handle(py, Placement::from_uri(uri).ok_or_else(unknown)?)
}

#[pymethods]
impl PlacementLiteral {
    /// The name, as types print it.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The name that programs use.
    #[getter]
    fn uri(&self) -> &'static str {
        self.0.uri()
    }

    /// Tells if values are all equal here where a type does not say so.
    #[getter]
    fn default_all_equal(&self) -> bool {
        self.0.default_all_equal()
    }

    /// One sentence about the placement.
    #[getter]
    fn description(&self) -> &'static str {
        self.0.description()
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("PlacementLiteral('{}')", self.0.uri())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((
            py.import("graphwright.federated.framework")?.getattr("uri_to_placement_literal")?,
            (self.0.uri(),),
        ))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PlacementLiteral>()?;
    module.add("CLIENTS", handle(module.py(), Placement::Clients)?)?;
    module.add("SERVER", handle(module.py(), Placement::Server)?)?;
    module.add_function(wrap_pyfunction!(uri_to_placement_literal, module)?)
}

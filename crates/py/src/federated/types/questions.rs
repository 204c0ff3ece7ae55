//! Questions about whole types in Python.

use gw_federated::types::Parts;
use pyo3::prelude::*;

use crate::federated::python::Ty;
use crate::federated::types::to_type::to_type;

fn ask(object: &Bound<'_, PyAny>, question: impl FnOnce(&Ty) -> bool) -> PyResult<bool> {
    Ok(question(&to_type(object)?))
}

/// Tells whether a type consists of floating-point tensors.
///
/// Args:
///   type_spec: `tff.Type`.
///
/// Returns:
///   bool.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.framework.is_structure_of_floats(tff.TensorType(np.float32))
///   True
#[pyfunction]
fn is_structure_of_floats(type_spec: &Bound<'_, PyAny>) -> PyResult<bool> {
    ask(type_spec, Ty::is_structure_of_floats)
}

/// Tells whether a type consists of integer tensors.
///
/// Args:
///   type_spec: `tff.Type`.
///
/// Returns:
///   bool.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.framework.is_structure_of_integers(tff.TensorType(np.int32))
///   True
#[pyfunction]
fn is_structure_of_integers(type_spec: &Bound<'_, PyAny>) -> PyResult<bool> {
    ask(type_spec, Ty::is_structure_of_integers)
}

/// Tells whether a type consists of tensors and structs alone.
///
/// Args:
///   type_spec: `tff.Type`.
///
/// Returns:
///   bool.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.framework.is_structure_of_tensors(tff.SequenceType(np.int32))
///   False
#[pyfunction]
fn is_structure_of_tensors(type_spec: &Bound<'_, PyAny>) -> PyResult<bool> {
    ask(type_spec, Ty::is_structure_of_tensors)
}

/// Tells whether a type is federated or has federated parts.
///
/// Args:
///   type_signature: `tff.Type`.
///
/// Returns:
///   bool.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> types = tff.FederatedType(np.int32, tff.CLIENTS), tff.TensorType(np.int32)
///   >>> [tff.framework.contains_federated_types(each) for each in types]
///   [True, False]
#[pyfunction]
fn contains_federated_types(type_signature: &Bound<'_, PyAny>) -> PyResult<bool> {
    ask(type_signature, |ty| ty.parts().meets(Parts::FEDERATED))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(is_structure_of_floats, module)?)?;
    module.add_function(wrap_pyfunction!(is_structure_of_integers, module)?)?;
    module.add_function(wrap_pyfunction!(is_structure_of_tensors, module)?)?;
    module.add_function(wrap_pyfunction!(contains_federated_types, module)?)
}

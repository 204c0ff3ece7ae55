//! Questions about whole types in Python.

use gw_federated::types::Parts;
use pyo3::prelude::*;

use crate::federated::python::Ty;
use crate::federated::types::to_type::to_type;

fn ask(object: &Bound<'_, PyAny>, question: impl FnOnce(&Ty) -> bool) -> PyResult<bool> {
    Ok(question(&to_type(object)?))
}

/// Tells if a type consists of floating-point tensors.
///
/// Example: `is_structure_of_floats(StructType([np.float32]))`.
#[pyfunction]
fn is_structure_of_floats(type_spec: &Bound<'_, PyAny>) -> PyResult<bool> {
    ask(type_spec, Ty::is_structure_of_floats)
}

/// Tells if a type consists of integer tensors.
///
/// Example: `is_structure_of_integers(StructType([np.int32]))`.
#[pyfunction]
fn is_structure_of_integers(type_spec: &Bound<'_, PyAny>) -> PyResult<bool> {
    ask(type_spec, Ty::is_structure_of_integers)
}

/// Tells if a type consists of tensors and structs alone.
///
/// Example: `is_structure_of_tensors(StructType([np.str_]))`.
#[pyfunction]
fn is_structure_of_tensors(type_spec: &Bound<'_, PyAny>) -> PyResult<bool> {
    ask(type_spec, Ty::is_structure_of_tensors)
}

/// Tells if a type is federated or has federated parts.
///
/// Example: `contains_federated_types(FederatedType(np.int32, CLIENTS))`.
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

//! `infer_type`: the type of a Python value.

use gw_federated::types::Field;
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::federated::computation_classes::{Computation, Value};
use crate::federated::containers::{self, Depth};
use crate::federated::python::Ty;
use crate::federated::types::{classes, to_type};
use crate::federated::{block_classes, constants, raised, structure};

/// Returns the type of a value.
///
/// Args:
///   arg: value, array, number or container.
///
/// Returns:
///   `tff.Type`, or `None` for `None`.
///
/// Raises:
///   TypeError: the value has no type.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> [str(tff.framework.infer_type(value)) for value in (np.float32(1.0), [1, 2], {"a": True})]
///   ['float32', '<int32,int32>', '<a=bool>']
#[pyfunction]
pub fn infer_type<'py>(arg: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if arg.is_none() {
        return Ok(None);
    }
    classes::handle(arg.py(), &infer(arg)?).map(Some)
}

/// Returns the type of a value.
pub fn infer(object: &Bound<'_, PyAny>) -> PyResult<Ty> {
    read(object, Depth::default())
}

/// Returns the type of an object that says it itself.
fn typed(object: &Bound<'_, PyAny>) -> PyResult<Option<Ty>> {
    if let Ok(value) = object.cast::<Value>() {
        return Ok(Some(value.get().0.ty().clone()));
    }
    if let Some(block) = block_classes::read(object) {
        return Ok(Some(block.ty().clone()));
    }
    if let Ok(computation) = object.cast::<Computation>() {
        return Ok(Some(computation.get().0.ty().clone()));
    }
    let name = intern!(object.py(), "type_signature");
    if object.is_instance_of::<PyType>() || !object.get_type().hasattr(name)? {
        return Ok(None);
    }
    Ok(classes::read(&object.getattr(name)?))
}

fn read(object: &Bound<'_, PyAny>, depth: Depth) -> PyResult<Ty> {
    if let Some(ty) = to_type::of_tensor(object) {
        return Ok(ty);
    }
    if let Some(constant) = constants::read(object)? {
        return constants::infer(object, &constant);
    }
    if let Some(ty) = typed(object)? {
        return Ok(ty);
    }
    if let Some(opened) = containers::open(object)? {
        let depth = depth.deeper()?;
        let mut fields = Vec::with_capacity(opened.items.len());
        for (name, item) in &opened.items {
            fields.push(Field { name: name.as_deref().map(Into::into), ty: read(item, depth)? });
        }
        let container = if all_pairs(object)? { None } else { opened.container() };
        return Ty::structure(fields, container).map_err(raised::error);
    }
    if containers::is_dataset(object)? {
        return to_type::to_type(object);
    }
    if object.is_none() {
        return Err(PyTypeError::new_err("`None` has no type."));
    }
    Err(PyNotImplementedError::new_err(format!("Unexpected arg found: {}.", object.get_type())))
}

/// Tells if an object is a list or tuple of pairs that begin with a name, which stands for a struct without a container.
fn all_pairs(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !(object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()) {
        return Ok(false);
    }
    let mut some = false;
    for item in object.try_iter()? {
        if structure::pair(&item?)?.is_none_or(|(name, _)| name.is_none()) {
            return Ok(false);
        }
        some = true;
    }
    Ok(some)
}

//! Constants in Python: their types, and the literals that they become.

use gw_federated::literal::{self, Constant};
use gw_federated::types::Dimensions;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyString};

use crate::federated::python::{Block, Object, Ty, is_array};
use crate::federated::raised;
use crate::federated::types::element_types;
use crate::values::tensor::Tensor;

/// Reads a constant; `None` for any other object.
pub fn read(object: &Bound<'_, PyAny>) -> PyResult<Option<Constant>> {
    if element_types::is_scalar(object)? || is_array(object) {
        return read_array(object).map(Some);
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Some(Constant::Bool));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Some(Constant::Integer(object.extract().ok())));
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(Some(Constant::Floating(object.extract()?)));
    }
    if let Ok(number) = object.cast::<PyComplex>() {
        return Ok(Some(Constant::Complex(number.real(), number.imag())));
    }
    let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    Ok(is_text.then_some(Constant::Text))
}

/// Reads an array or a scalar of NumPy's; arrays of objects hold texts.
fn read_array(object: &Bound<'_, PyAny>) -> PyResult<Constant> {
    let dtype = object.getattr("dtype")?;
    let of_objects = dtype.getattr("kind")?.eq("O")?;
    let dtype = if of_objects { None } else { element_types::of_numpy(&dtype)? };
    let sizes = object.getattr("shape")?.extract()?;
    Ok(Constant::Array(dtype.unwrap_or(gw_federated::DType::Str), sizes))
}

/// Returns the type of a constant.
pub fn infer(object: &Bound<'_, PyAny>, constant: &Constant) -> PyResult<Ty> {
    let dtype = literal::infer(constant, || text(object)).map_err(raised::error)?;
    let sizes: Dimensions = match constant {
        Constant::Array(_, sizes) => sizes.iter().copied().map(Some).collect(),
        Constant::Bool
        | Constant::Integer(_)
        | Constant::Floating(_)
        | Constant::Complex(..)
        | Constant::Text => [].into(),
    };
    Ok(Ty::tensor(dtype, Some(sizes)))
}

fn text(object: &Bound<'_, PyAny>) -> String {
    object.str().map(|text| text.to_string()).unwrap_or_default()
}

/// Makes a literal of a value of a type.
pub fn literal(object: &Bound<'_, PyAny>, ty: &Ty) -> PyResult<Block> {
    let value = stored(object)?;
    let constant = read(&value)?;
    let unknown = || {
        let class = object.get_type();
        pyo3::exceptions::PyTypeError::new_err(format!(
            "Expected `value` to be a number, a text or an array, found {class}."
        ))
    };
    literal::check(&constant.ok_or_else(unknown)?, || text(&value), ty).map_err(raised::error)?;
    Ok(Block::literal(Object(value.unbind()), ty.clone()))
}

/// Returns a value as literals hold it: texts are bytes.
fn stored<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if element_types::is_scalar(object)? || is_array(object) {
        let is_text = object.getattr("dtype")?.getattr("kind")?.eq("U")?;
        let bytes = || object.py().import("numpy")?.getattr("bytes_");
        return if is_text { object.call_method1("astype", (bytes()?,)) } else { Ok(object.clone()) };
    }
    match object.cast::<PyString>() {
        Ok(text) => Ok(text.encode_utf8()?.into_any()),
        Err(_) => Ok(object.clone()),
    }
}

/// Returns a tensor of ours that has elements as an array, and any other object itself.
pub fn plain<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if object.is_instance_of::<Tensor>() { object.call_method0("numpy") } else { Ok(object.clone()) }
}

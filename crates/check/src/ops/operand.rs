//! Values as operands: tensors, Python's numbers, lists of these.

use gw_types::{DType, Dim, Number, Shape};

use crate::value::{Tensor, UNKNOWN_LENGTH, Value};

/// An operand of an operation on tensors.
#[derive(Debug, Clone)]
pub struct Operand {
    /// Its dtype and shape.
    pub tensor: Tensor,
    /// For a Python number: its kind, since it takes the dtype of what it meets.
    pub number: Option<Number>,
}

/// The operand that a value surely is.
pub fn operand(value: &Value) -> Option<Operand> {
    if let Value::Tensor(tensor) = value {
        return Some(Operand { tensor: tensor.clone(), number: None });
    }
    if let Some(number) = value.number() {
        return Some(Operand { tensor: Tensor::scalar(None), number: Some(number) });
    }
    if let Value::Str(_) = value {
        return Some(Operand { tensor: Tensor::scalar(Some(DType::Str)), number: None });
    }
    value.items()?;
    let shape = shape_of(value)?;
    Some(Operand { tensor: Tensor { dtype: None, shape: Some(shape) }, number: None })
}

/// True if a value surely is an operand.
pub fn is_operand(value: &Value) -> bool {
    operand(value).is_some()
}

/// The shape of nested lists of numbers; nothing for what may be ragged or hold something else.
pub fn shape_of(value: &Value) -> Option<Shape> {
    if value.number().is_some() || matches!(value, Value::Str(_)) {
        return Some(Shape::scalar());
    }
    if let Value::Tensor(tensor) = value {
        return tensor.shape.clone();
    }
    let items = value.items()?;
    let mut shapes = items.iter().map(shape_of);
    let first = shapes.next().unwrap_or(Some(Shape::scalar()))?;
    let are_alike = shapes.all(|shape| shape.as_ref() == Some(&first));
    let mut dims = vec![Dim::Fixed(items.len())];
    dims.extend(first.0);
    (are_alike && !dims[1..].contains(&UNKNOWN_LENGTH)).then_some(Shape(dims))
}

/// The dtype of a tensor made of nested lists of Python's numbers.
pub fn dtype_of(value: &Value) -> Option<DType> {
    if let Value::Int(known) = value {
        // A wider one makes a tensor of int64.
        return known.filter(|n| i32::try_from(*n).is_ok()).map(|_| DType::I32);
    }
    if let Some(number) = value.number() {
        return Some(number.default_dtype());
    }
    if let Value::Str(_) = value {
        return Some(DType::Str);
    }
    if let Value::Tensor(tensor) = value {
        return tensor.dtype;
    }
    let dtypes: Option<Vec<DType>> = value.items()?.iter().map(dtype_of).collect();
    let dtypes = dtypes?;
    dtypes.iter().all(|dtype| Some(dtype) == dtypes.first()).then(|| dtypes.first().copied()).flatten()
}

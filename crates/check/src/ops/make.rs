//! Operations that make tensors of numbers, lists and shapes.

use gw_types::{DType, Dim, Shape};

use super::operand::{dtype_of, operand, shape_of};
use super::reduce::numbers;
use super::{Call, Judged, Misfit};
use crate::rule::Rule;
use crate::value::{Tensor, UNKNOWN_LENGTH, Value};

/// The dtype that an argument names; `default` if it is left out, nothing if it is not known.
pub(super) fn dtype_at(call: &Call, position: usize, default: Option<DType>) -> Option<DType> {
    match call.args.get(position, "dtype") {
        None | Some(Value::None) => default,
        Some(Value::DType(dtype)) => Some(*dtype),
        Some(Value::Str(name)) => name.parse().ok(),
        Some(_) => None,
    }
}

/// The shape that an argument names; nothing if its rank is not known.
fn shape_at(call: &Call, position: usize, name: &str) -> Result<Option<Shape>, Misfit> {
    let Some(lengths) = numbers(&call.value(position, name)) else { return Ok(None) };
    if let Some(length) = lengths.iter().flatten().find(|n| **n < 0) {
        return Err(negative(*length));
    }
    let dim = |n: &Option<i64>| n.and_then(|n| usize::try_from(n).ok()).map_or(UNKNOWN_LENGTH, Dim::Fixed);
    Ok(Some(Shape(lengths.iter().map(dim).collect())))
}

/// A number that is the length of no axis.
pub(super) fn negative(length: i64) -> Misfit {
    let message = format!("{length} is not the length of an axis");
    Misfit::new(Rule::BadArgument, message, "a length is 0 or more")
}

/// `zeros(shape, dtype=float32)`
pub(super) fn filled(call: &Call) -> Judged {
    let shape = shape_at(call, 0, "shape")?;
    Ok(Value::Tensor(Tensor { dtype: dtype_at(call, 1, Some(DType::F32)), shape }))
}

/// `fill(dims, value)`
pub(super) fn fill(call: &Call) -> Judged {
    let shape = shape_at(call, 0, "dims")?;
    Ok(Value::Tensor(Tensor { dtype: dtype_of(&call.value(1, "value")), shape }))
}

/// `zeros_like(input, dtype=None)`
pub(super) fn like(call: &Call) -> Judged {
    let Some(x) = operand(&call.value(0, "input")) else { return Ok(Value::any_tensor()) };
    let own = if x.number.is_some() { None } else { x.tensor.dtype };
    Ok(Value::Tensor(Tensor { dtype: dtype_at(call, 1, own), shape: x.tensor.shape }))
}

/// `constant(value, dtype=None, shape=None)`
pub(super) fn constant(call: &Call) -> Judged {
    let value = call.value(0, "value");
    let own = shape_of(&value);
    let wanted = call.optional(2, "shape");
    if wanted == Value::None {
        return Ok(Value::Tensor(Tensor { dtype: dtype_at(call, 1, dtype_of(&value)), shape: own }));
    }
    let shape = shape_at(call, 2, "shape")?;
    let sizes = own.as_ref().and_then(Shape::size).zip(shape.as_ref().and_then(Shape::size));
    if let Some((size, room)) = sizes.filter(|(size, room)| size != room && *size != 1) {
        let message = format!("{size} elements do not fill a tensor of {room}");
        return Err(Misfit::new(Rule::WrongShape, message, "give as many elements as the shape has, or one"));
    }
    Ok(Value::Tensor(Tensor { dtype: dtype_at(call, 1, dtype_of(&value)), shape }))
}

/// `convert_to_tensor(value, dtype=None)`
pub(super) fn converted(call: &Call) -> Judged {
    let value = call.value(0, "value");
    let hinted = call.optional(2, "dtype_hint") != Value::None;
    let dtype = dtype_at(call, 1, dtype_of(&value)).filter(|_| !hinted);
    Ok(Value::Tensor(Tensor { dtype, shape: shape_of(&value) }))
}

/// `cast(x, dtype)`
pub(super) fn cast(call: &Call) -> Judged {
    let shape = operand(&call.value(0, "x")).and_then(|x| x.tensor.shape);
    Ok(Value::Tensor(Tensor { dtype: dtype_at(call, 1, None), shape }))
}

/// `range(…)`: one axis.
pub(super) fn range(call: &Call) -> Judged {
    let known = call.args.positional.len() == 1 && call.args.keywords.is_empty() && !call.args.is_open;
    let length = call.value(0, "start").integer().filter(|_| known).and_then(|n| usize::try_from(n).ok());
    Ok(Value::Tensor(Tensor::new(None, vec![length.map_or(UNKNOWN_LENGTH, Dim::Fixed)])))
}

/// `eye(num_rows, num_columns=None)`
pub(super) fn eye(call: &Call) -> Judged {
    let length = |value: &Value| {
        value.integer().and_then(|n| usize::try_from(n).ok()).map_or(UNKNOWN_LENGTH, Dim::Fixed)
    };
    if let Some(number) = call.value(0, "num_rows").integer().filter(|n| *n < 0) {
        return Err(negative(number));
    }
    let rows = length(&call.value(0, "num_rows"));
    let is_square = call.args.positional.len() == 1 && call.args.keywords.is_empty() && !call.args.is_open;
    let shape = is_square.then(|| Shape(vec![rows, rows]));
    Ok(Value::Tensor(Tensor { dtype: None, shape }))
}

/// A tensor without axes, of a dtype that depends on an argument.
pub(super) fn single(_call: &Call) -> Judged {
    Ok(Value::Tensor(Tensor::scalar(None)))
}

/// A tensor of which nothing is known.
pub(super) fn any(_call: &Call) -> Judged {
    Ok(Value::any_tensor())
}

/// `Variable(initial_value)`, which keeps shape and dtype.
pub(super) fn variable(call: &Call) -> Judged {
    let is_plain = call.args.positional.len() == 1
        && call.args.keywords.iter().all(|(name, ..)| matches!(&**name, "name" | "trainable"));
    let value = call.value(0, "initial_value");
    if !is_plain || call.args.is_open {
        return Ok(Value::any_tensor());
    }
    Ok(Value::Tensor(Tensor { dtype: dtype_of(&value), shape: shape_of(&value) }))
}

/// `TensorSpec(shape, dtype=float32)`
pub(super) fn spec(call: &Call) -> Judged {
    let dtype = dtype_at(call, 1, Some(DType::F32));
    let value = call.value(0, "shape");
    if value == Value::None {
        return Ok(Value::OpenSpec);
    }
    let length = |item: &Value| {
        item.integer().and_then(|n| usize::try_from(n).ok()).map_or(UNKNOWN_LENGTH, Dim::Fixed)
    };
    let shape = value.items().map(|items| Shape(items.iter().map(length).collect()));
    Ok(Value::Spec(Tensor { dtype, shape }))
}

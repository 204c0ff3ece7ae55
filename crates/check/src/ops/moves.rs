//! Operations that move elements: known lengths stay known.

use gw_types::{Dim, Shape};

use super::elementwise::together;
use super::make::negative;
use super::operand::{Operand, operand};
use super::reduce::{axes_in, axis_in, numbers};
use super::{Call, Judged, Misfit, Words};
use crate::rule::Rule;
use crate::value::{Tensor, UNKNOWN_LENGTH, Value};

/// The operand at position 0 with its shape; what there is instead where one of them is not known.
fn known(call: &Call, name: &str) -> Result<(Operand, Shape), Value> {
    let Some(x) = operand(&call.value(0, name)) else { return Err(Value::any_tensor()) };
    match x.tensor.shape.clone() {
        Some(shape) => Ok((x, shape)),
        None => Err(Value::Tensor(x.tensor.shaped(None))),
    }
}

fn shaped(x: &Operand, dims: Vec<Dim>) -> Judged {
    Ok(Value::Tensor(x.tensor.shaped(Some(Shape(dims)))))
}

/// `reshape(tensor, shape)`
pub(super) fn reshape(call: &Call) -> Judged {
    let x = operand(&call.value(0, "tensor"));
    let dtype = x.as_ref().and_then(|x| x.tensor.dtype);
    let unknown = Value::Tensor(Tensor { dtype, shape: None });
    let Some(wanted) = numbers(&call.value(1, "shape")) else { return Ok(unknown) };
    let shape = x.and_then(|x| x.tensor.shape);
    let rests = wanted.iter().filter(|n| **n == Some(-1)).count();
    if rests > 1 {
        let message = "only one length can be left to be found out (-1)";
        return Err(Misfit::new(Rule::BadArgument, message, "write the other lengths as numbers"));
    }
    if let Some(length) = wanted.iter().flatten().find(|n| **n < -1) {
        return Err(negative(*length));
    }
    let size = shape.as_ref().and_then(Shape::size);
    let given = wanted.iter().filter(|n| **n != Some(-1)).map(|n| n.and_then(|n| usize::try_from(n).ok()));
    let given: Option<usize> = given.collect::<Option<Vec<_>>>().and_then(product);
    if let (Some(size), Some(given), Some(shape)) = (size, given, &shape) {
        let fits = if rests == 1 { given != 0 && size % given == 0 } else { size == given };
        if !fits {
            return Err(not_reshaped(call, shape, size, &wanted));
        }
    }
    let rest = size.zip(given).filter(|(_, given)| *given != 0).map(|(size, given)| Dim::Fixed(size / given));
    let dim = |n: &Option<i64>| match n {
        Some(-1) => rest.unwrap_or(UNKNOWN_LENGTH),
        Some(n) => usize::try_from(*n).map_or(UNKNOWN_LENGTH, Dim::Fixed),
        None => UNKNOWN_LENGTH,
    };
    Ok(Value::Tensor(Tensor { dtype, shape: Some(Shape(wanted.iter().map(dim).collect())) }))
}

fn product(lengths: Vec<usize>) -> Option<usize> {
    lengths.into_iter().try_fold(1, usize::checked_mul)
}

fn not_reshaped(call: &Call, shape: &Shape, size: usize, wanted: &[Option<i64>]) -> Misfit {
    let wanted: Vec<String> = wanted.iter().map(|n| n.map_or("?".to_owned(), |n| n.to_string())).collect();
    let (words, shape, wanted) = (call.named(0, "tensor"), Words::shape(shape), wanted.join(", "));
    let message = format!("{words} of shape {shape} has {size} elements, which do not fill [{wanted}]");
    Misfit::new(Rule::WrongShape, message, "the product of the lengths stays the same; one of them may be -1")
}

/// `broadcast_to(input, shape)`
pub(super) fn broadcast_to(call: &Call) -> Judged {
    let x = operand(&call.value(0, "input"));
    let dtype = x.as_ref().and_then(|x| x.tensor.dtype);
    let Some(wanted) = numbers(&call.value(1, "shape")) else {
        return Ok(Value::Tensor(Tensor { dtype, shape: None }));
    };
    let dims: Vec<Dim> = wanted
        .iter()
        .map(|n| n.and_then(|n| usize::try_from(n).ok()).map_or(UNKNOWN_LENGTH, Dim::Fixed))
        .collect();
    if let Some(shape) = x.and_then(|x| x.tensor.shape) {
        let pairs = shape.0.iter().rev().zip(dims.iter().rev());
        let differ = |(a, b): (&Dim, &Dim)| a.fixed().zip(b.fixed()).is_some_and(|(a, b)| a != 1 && a != b);
        if shape.rank() > dims.len() || pairs.into_iter().any(differ) {
            let (words, from, to) =
                (call.named(0, "input"), Words::shape(&shape), Words::shape(&Shape(dims)));
            let message = format!("{words} of shape {from} does not broadcast to {to}");
            return Err(Misfit::new(Rule::WrongShape, message, "only axes of length 1 are repeated"));
        }
    }
    Ok(Value::Tensor(Tensor { dtype, shape: Some(Shape(dims)) }))
}

/// `transpose(a, perm=None)`
pub(super) fn transpose(call: &Call) -> Judged {
    let (x, shape) = match known(call, "a") {
        Ok(found) => found,
        Err(value) => return Ok(value),
    };
    let perm = call.optional(1, "perm");
    if perm == Value::None {
        return shaped(&x, shape.0.into_iter().rev().collect());
    }
    let words = call.named(0, "a");
    let Some(items) = perm.items() else { return Ok(Value::Tensor(x.tensor.shaped(None))) };
    let axes: Result<Option<Vec<usize>>, Misfit> =
        items.iter().map(|axis| axis_in(shape.rank(), axis, &words)).collect();
    let Some(axes) = axes? else { return Ok(Value::Tensor(x.tensor.shaped(None))) };
    let mut sorted = axes.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..shape.rank()) {
        let message = format!(
            "{axes:?} is not an order of the axes of {words}, which has {}",
            Words::axes(shape.rank())
        );
        return Err(Misfit::new(Rule::WrongShape, message, "name each axis once"));
    }
    shaped(&x, axes.iter().map(|&axis| shape.0[axis]).collect())
}

/// `expand_dims(input, axis)`
pub(super) fn expand_dims(call: &Call) -> Judged {
    let (x, shape) = match known(call, "input") {
        Ok(found) => found,
        Err(value) => return Ok(value),
    };
    let words = format!("{} with the new one", call.named(0, "input"));
    match axis_in(shape.rank() + 1, &call.value(1, "axis"), &words)? {
        Some(axis) => {
            let mut dims = shape.0;
            dims.insert(axis, Dim::Fixed(1));
            shaped(&x, dims)
        }
        None => Ok(Value::Tensor(x.tensor.shaped(None))),
    }
}

/// `squeeze(input, axis=None)`
pub(super) fn squeeze(call: &Call) -> Judged {
    let (x, shape) = match known(call, "input") {
        Ok(found) => found,
        Err(value) => return Ok(value),
    };
    let axes = call.optional(1, "axis");
    if axes == Value::None && shape.lengths().is_none() {
        return Ok(Value::Tensor(x.tensor.shaped(None)));
    }
    let words = call.named(0, "input");
    let Some(named) = axes_in(shape.rank(), &axes, &words)? else {
        return Ok(Value::Tensor(x.tensor.shaped(None)));
    };
    let is_one = |axis: &usize| shape.0[*axis] == Dim::Fixed(1);
    let gone: Vec<usize> =
        if axes == Value::None { named.into_iter().filter(is_one).collect() } else { named };
    let long = gone.iter().find_map(|&axis| shape.0[axis].fixed().filter(|&n| n != 1).map(|n| (axis, n)));
    if let Some((axis, length)) = long {
        let message = format!("axis {axis} of {words} has length {length}, so it cannot be squeezed");
        return Err(Misfit::new(Rule::BadArgument, message, "only axes of length 1 go away"));
    }
    shaped(&x, shape.0.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, &dim)| dim).collect())
}

/// The operands of `concat` and `stack`: a list in the text.
fn listed(call: &Call) -> Option<Vec<Operand>> {
    let values = call.value(0, "values");
    let items = values.items()?;
    items.iter().map(operand).collect()
}

/// Strings and numbers are not joined.
fn judge_dtypes(operands: &[Operand]) -> Result<(), Misfit> {
    let words: Vec<(&Operand, &str)> =
        operands.iter().map(|operand| (operand, "one of the operands")).collect();
    together(&words)
}

fn same_dtype(operands: &[Operand]) -> Option<gw_types::DType> {
    let first = operands.first()?.tensor.dtype;
    first.filter(|_| operands.iter().all(|o| o.tensor.dtype == first && o.number.is_none()))
}

fn axis_or(call: &Call, default: i64) -> Value {
    call.args.get(1, "axis").cloned().unwrap_or(Value::Int(Some(default)))
}

/// `concat(values, axis=0)`
pub(super) fn concat(call: &Call) -> Judged {
    let Some(operands) = listed(call).filter(|operands| !operands.is_empty()) else {
        return Ok(Value::any_tensor());
    };
    judge_dtypes(&operands)?;
    let dtype = same_dtype(&operands);
    let shapes: Option<Vec<&Shape>> = operands.iter().map(|o| o.tensor.shape.as_ref()).collect();
    let Some(shapes) = shapes else { return Ok(Value::Tensor(Tensor { dtype, shape: None })) };
    let Some(axis) = axis_in(shapes[0].rank(), &axis_or(call, 0), "the first of the tensors")? else {
        return Ok(Value::Tensor(Tensor { dtype, shape: None }));
    };
    let mut dims = shapes[0].0.clone();
    for shape in &shapes[1..] {
        joined(&mut dims, shape, Some(axis), shapes[0])?;
    }
    let lengths: Option<Vec<usize>> = shapes.iter().map(|shape| shape.0[axis].fixed()).collect();
    dims[axis] = lengths.map_or(UNKNOWN_LENGTH, |all| Dim::Fixed(all.iter().sum()));
    Ok(Value::Tensor(Tensor::new(dtype, dims)))
}

/// `stack(values, axis=0)`
pub(super) fn stack(call: &Call) -> Judged {
    let Some(operands) = listed(call).filter(|operands| !operands.is_empty()) else {
        return Ok(Value::any_tensor());
    };
    judge_dtypes(&operands)?;
    let dtype = same_dtype(&operands);
    let shapes: Option<Vec<&Shape>> = operands.iter().map(|o| o.tensor.shape.as_ref()).collect();
    let Some(shapes) = shapes else { return Ok(Value::Tensor(Tensor { dtype, shape: None })) };
    let given = axis_or(call, 0);
    for shape in &shapes {
        axis_in(shape.rank() + 1, &given, "one of the tensors, with the new one,")?;
    }
    let mut dims = shapes[0].0.clone();
    for shape in &shapes[1..] {
        joined(&mut dims, shape, None, shapes[0])?;
    }
    match axis_in(dims.len() + 1, &given, "the stack")? {
        Some(axis) => {
            dims.insert(axis, Dim::Fixed(shapes.len()));
            Ok(Value::Tensor(Tensor::new(dtype, dims)))
        }
        None => Ok(Value::Tensor(Tensor { dtype, shape: None })),
    }
}

/// Takes over what another shape knows of the axes that have to agree.
fn joined(dims: &mut [Dim], other: &Shape, except: Option<usize>, first: &Shape) -> Result<(), Misfit> {
    let misfit = || {
        let (a, b) = (Words::shape(first), Words::shape(other));
        let along = except.map_or(String::new(), |axis| format!(" along axis {axis}"));
        let message = format!("tensors of shapes {a} and {b} cannot be joined{along}");
        Misfit::new(Rule::WrongShape, message, "reshape, slice or pad one of them")
    };
    if other.rank() != dims.len() {
        return Err(misfit());
    }
    for (axis, (mine, &theirs)) in dims.iter_mut().zip(&other.0).enumerate() {
        if Some(axis) == except {
            continue;
        }
        match (mine.fixed(), theirs.fixed()) {
            (Some(a), Some(b)) if a != b => return Err(misfit()),
            (None, Some(_)) => *mine = theirs,
            (Some(_) | None, Some(_) | None) => {}
        }
    }
    Ok(())
}

/// `gather(params, indices, axis=0)`
pub(super) fn gather(call: &Call) -> Judged {
    let (x, shape) = match known(call, "params") {
        Ok(found) => found,
        Err(value) => return Ok(value),
    };
    let axis = call.args.get(2, "axis").cloned().unwrap_or(Value::Int(Some(0)));
    let axis = axis_in(shape.rank(), &axis, &call.named(0, "params"))?;
    let places = call.value(1, "indices");
    if let Some(Dim::Fixed(length)) = axis.map(|axis| shape.0[axis]) {
        listed_in_range(&places, length, &call.named(0, "params"))?;
    }
    let indices = operand(&places).and_then(|o| o.tensor.shape);
    let (Some(axis), Some(indices)) = (axis, indices) else {
        return Ok(Value::Tensor(x.tensor.shaped(None)));
    };
    let mut dims = shape.0;
    dims.splice(axis..=axis, indices.0);
    shaped(&x, dims)
}

/// Python's integers, alone or in a list, as indices of an axis; a tensor's elements are not known.
fn listed_in_range(places: &Value, length: usize, words: &str) -> Result<(), Misfit> {
    let items = places.items().map_or(std::slice::from_ref(places), |items| &items[..]);
    let outside =
        items.iter().filter_map(Value::integer).find(|&n| n >= length as i64 || n < -(length as i64));
    match outside {
        Some(n) => {
            let message =
                format!("index {n} is out of bounds for {words}, which has length {length} along this axis");
            Err(Misfit::new(
                Rule::IndexPastEnd,
                message,
                "an axis of length `n` has the indices 0 to `n - 1`",
            ))
        }
        None => Ok(()),
    }
}

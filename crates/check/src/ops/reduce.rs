//! Operations that fold axes, and the axes that they name.

use gw_types::{DType, Dim, Shape, true_division};

use super::operand::operand;
use super::{Call, Judged, Misfit, Words};
use crate::python;
use crate::rule::Rule;
use crate::value::{Tensor, Value};

/// The dtype of a fold's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// Sums and products: bools are counted.
    Sum,
    /// Floats of integers.
    Mean,
    /// The least or greatest: the same.
    Least,
    /// `all` and `any`.
    Truth,
    /// Positions.
    Place,
}

impl Fold {
    fn dtype(self, dtype: Option<DType>) -> Option<DType> {
        match self {
            Fold::Sum => dtype.filter(|dtype| dtype.is_float()),
            Fold::Mean => dtype.filter(|dtype| dtype.is_number()).map(true_division),
            Fold::Least => dtype,
            Fold::Truth => Some(DType::Bool),
            Fold::Place => Some(DType::I64),
        }
    }
}

/// An axis that is in range, from 0; nothing where it is not known.
pub(super) fn axis_in(rank: usize, axis: &Value, words: &str) -> Result<Option<usize>, Misfit> {
    let Some(axis) = axis.integer() else { return Ok(None) };
    let place = if axis < 0 { axis + rank as i64 } else { axis };
    if (0..rank as i64).contains(&place) {
        return Ok(usize::try_from(place).ok());
    }
    let help = match rank {
        0 => "leave the axis out".to_owned(),
        rank => format!("it is 0 to {}, or -1 to -{rank} from the end", rank - 1),
    };
    let message = format!("there is no axis {axis}: {words} has {}", Words::axes(rank));
    Err(Misfit::new(Rule::BadArgument, message, help))
}

/// The axes that a fold names: all for `None`; nothing where they are not known.
pub(super) fn axes_in(rank: usize, axes: &Value, words: &str) -> Result<Option<Vec<usize>>, Misfit> {
    if *axes == Value::None {
        return Ok(Some((0..rank).collect()));
    }
    let Some(items) = axes.items() else {
        return Ok(axis_in(rank, axes, words)?.map(|axis| vec![axis]));
    };
    let found: Result<Option<Vec<usize>>, Misfit> =
        items.iter().map(|axis| axis_in(rank, axis, words)).collect();
    let found = found?;
    if let Some(axes) = &found
        && let Some(axis) =
            axes.iter().enumerate().find(|(i, axis)| axes[..*i].contains(axis)).map(|(_, axis)| axis)
    {
        let message = format!("axis {axis} of {words} is named twice");
        return Err(Misfit::new(Rule::BadArgument, message, "name each axis once"));
    }
    Ok(found)
}

/// A fold over axes.
pub(super) fn reduced(fold: Fold, x: &Value, words: &str, axes: &Value, keep: &Value) -> Judged {
    let Some(x) = operand(x) else { return Ok(Value::any_tensor()) };
    let dtype = if x.number.is_some() { None } else { fold.dtype(x.tensor.dtype) };
    let unknown = Value::Tensor(Tensor { dtype, shape: None });
    let Some(shape) = &x.tensor.shape else { return Ok(unknown) };
    let found = axes_in(shape.rank(), axes, words)?;
    let keeps = if *keep == Value::None { Some(false) } else { keep.truth() };
    let (Some(found), Some(keeps)) = (found, keeps) else { return Ok(unknown) };
    let kept = |(i, &dim): (usize, &Dim)| match (found.contains(&i), keeps) {
        (true, true) => Some(Dim::Fixed(1)),
        (true, false) => None,
        (false, _) => Some(dim),
    };
    let dims = shape.0.iter().enumerate().filter_map(kept).collect();
    Ok(Value::Tensor(Tensor { dtype, shape: Some(Shape(dims)) }))
}

/// `gw.reduce_…(input_tensor, axis, keepdims)`
pub(super) fn fold(fold: Fold, call: &Call) -> Judged {
    let words = call.named(0, "input_tensor");
    let (axes, keep) = (call.optional(1, "axis"), call.optional(2, "keepdims"));
    reduced(fold, &call.value(0, "input_tensor"), &words, &axes, &keep)
}

/// `argmax(input, axis=0)`
pub(super) fn place(call: &Call) -> Judged {
    let axis = call.args.get(1, "axis").cloned().unwrap_or(Value::Int(Some(0)));
    reduced(Fold::Place, &call.value(0, "input"), &call.named(0, "input"), &axis, &Value::None)
}

/// An operation along one axis that keeps dtype and shape.
pub(super) fn along(call: &Call, name: &str) -> Judged {
    let axis = call.args.get(1, "axis").cloned().unwrap_or(Value::Int(Some(-1)));
    let Some(x) = operand(&call.value(0, name)) else { return Ok(Value::any_tensor()) };
    if let Some(rank) = x.tensor.rank() {
        axis_in(rank, &axis, &call.named(0, name))?;
    }
    let dtype = x.tensor.dtype.filter(|dtype| x.number.is_none() && dtype.is_float());
    Ok(Value::Tensor(Tensor { dtype, shape: x.tensor.shape }))
}

/// The numbers of a permutation or shape.
pub(super) fn numbers(value: &Value) -> Option<Vec<Option<i64>>> {
    if let Value::Int(known) = value { Some(vec![*known]) } else { python::integers(value) }
}

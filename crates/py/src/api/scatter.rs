//! Copies of tensors with other elements in some places, and the elements in some places.

use gw_base::Code;
use gw_ir::{BinaryOp, Keep, UnaryOp};
use gw_runtime::Buffer;
use gw_trace::calls::Call;
use gw_types::{DType, Scalar};
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::store;

macro_rules! scatters {
    ($($(#[$doc:meta])* $name:ident $way:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (tensor, indices, updates, name=None))]
            fn $name<'py>(
                tensor: &Bound<'py, PyAny>,
                indices: &Bound<'py, PyAny>,
                updates: &Bound<'py, PyAny>,
                name: Option<&str>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let _ = name;
                scatter($way, tensor, indices, updates)
            }
        )*

        fn register_scatters(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

scatters! {
    /// Returns a copy with `updates` at `indices`; of several at one place the last stays.
    ///
    /// Args:
    ///   tensor: tensor or array of any shape and dtype.
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices to write.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor of the same shape and dtype.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> gw.tensor_scatter_nd_update(gw.constant([1, 2, 3]), [[1]], [9])
    ///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 9, 3], dtype=int32)>
    tensor_scatter_nd_update Way::Keep(Keep::Last);
    /// Returns a copy with `updates` added at `indices`.
    ///
    /// Args:
    ///   tensor: tensor of numbers, of any shape.
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices to add.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor of the same shape and dtype.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> gw.tensor_scatter_nd_add(gw.constant([1, 2, 3]), [[1]], [9])
    ///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([ 1, 11,  3], dtype=int32)>
    tensor_scatter_nd_add Way::Keep(Keep::Sum);
    /// Returns a copy with `updates` subtracted at `indices`.
    ///
    /// Args:
    ///   tensor: tensor of numbers, of any shape.
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices to subtract.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor of the same shape and dtype.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> gw.tensor_scatter_nd_sub(gw.constant([1, 2, 3]), [[1]], [9])
    ///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([ 1, -7,  3], dtype=int32)>
    tensor_scatter_nd_sub Way::Subtract;
    /// Returns a copy with the greater of its elements and `updates` at `indices`.
    ///
    /// Args:
    ///   tensor: tensor of numbers, of any shape.
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices to compare.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor of the same shape and dtype.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> gw.tensor_scatter_nd_max(gw.constant([1, 2, 3]), [[1]], [9])
    ///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 9, 3], dtype=int32)>
    tensor_scatter_nd_max Way::Keep(Keep::Greatest);
    /// Returns a copy with the lesser of its elements and `updates` at `indices`.
    ///
    /// Args:
    ///   tensor: tensor of numbers, of any shape.
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices to compare.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor of the same shape and dtype.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> gw.tensor_scatter_nd_min(gw.constant([1, 2, 3]), [[1]], [0])
    ///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 0, 3], dtype=int32)>
    tensor_scatter_nd_min Way::Keep(Keep::Least);
}

/// Combination of an element with the update that comes to its place.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// Result of `put` for them.
    Keep(Keep),
    /// Their difference.
    Subtract,
    /// Their quotient.
    Divide,
}

/// A copy of `tensor` with `updates` at `indices`, whose last axis names slices.
pub fn scatter<'py>(
    way: Way,
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    match way {
        Way::Keep(keep) => {
            let x = operands::operand(tensor)?.strong();
            let updates = store::stored(updates, x.dtype())?;
            let operands = vec![x, operands::operand(indices)?, updates];
            operands::tensor(py, operands::apply(py, &Call::ScatterNd(keep), operands)?)
        }
        Way::Subtract => {
            let less = operands::call(py, &Call::unary(UnaryOp::Neg), &[updates])?;
            scatter(Way::Keep(Keep::Sum), tensor, indices, &less)
        }
        // Dividing by one after the other is dividing by the product.
        Way::Divide => {
            let one = 1_i64.into_pyobject(py)?.into_any();
            let ones = operands::call(py, &Call::FullLike(None), &[tensor, &one])?;
            let divisors = scatter(Way::Keep(Keep::Product), &ones, indices, updates)?;
            let floats = operands::operand(tensor)?.dtype().is_fractional();
            let division = if floats { Call::TrueDiv } else { Call::binary(BinaryOp::FloorDiv) };
            operands::call(py, &division, &[tensor, &divisors])
        }
    }
}

/// Gathers the slices that the last axis of `indices` names.
///
/// Args:
///   params: tensor or array of any shape and dtype.
///   indices: tensor of integers; its last axis has one index for each leading axis of `params`.
///   batch_dims: number of leading axes that are batches.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor with the leading axes of `indices`.
///
/// Raises:
///   IndexError: there is no such index.
///
/// Example:
///   >>> gw.gather_nd(gw.constant([[1, 2], [3, 4]]), [[0, 1], [1, 0]])
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (params, indices, batch_dims=0, name=None))]
pub fn gather_nd<'py>(
    params: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    batch_dims: usize,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let places = if batch_dims == 0 { indices.clone() } else { in_batches(params, indices, batch_dims)? };
    operands::call(params.py(), &Call::GatherNd, &[params, &places])
}

/// Indices whose last axis names slices of a tensor, made of such as name slices of a batch: the first `batch_dims` axes of
/// tensor and indices are the batches.
pub fn in_batches<'py>(
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    batch_dims: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = indices.py();
    let [ours, theirs] = [operands::operand(tensor)?.lengths(), operands::operand(indices)?.lengths()];
    let known = theirs.iter().copied().collect::<Option<Vec<usize>>>();
    let fits = batch_dims < theirs.len() && ours.get(..batch_dims) == theirs.get(..batch_dims);
    let Some(places) = known.as_ref().and_then(|lengths| lengths.get(..theirs.len() - 1)).filter(|_| fits)
    else {
        let message =
            format!("{batch_dims} axes are batches, but these are not as long in tensor and indices");
        let help = "give both the same first axes, of known lengths, and the indices one more";
        return Err(errors::here(py, Code::WrongShape, message, help));
    };
    let last = places.len() as i64;
    let number = |axis| {
        let along = operands::tensor(py, Operand::Tensor(numbers_along(axis, places)))?;
        operands::operand(&operands::call(py, &Call::ExpandDims(last), &[&along])?)
    };
    let mut parts = (0..batch_dims).map(number).collect::<PyResult<Vec<_>>>()?;
    let within = operands::operand(indices)?;
    parts.push(operands::apply(py, &Call::Cast(DType::I64), vec![within])?);
    operands::tensor(py, operands::apply(py, &Call::Concat { axis: last }, parts)?)
}

/// A tensor of these lengths whose elements are their own positions along an axis.
fn numbers_along(axis: usize, lengths: &[usize]) -> Buffer {
    let inner: usize = lengths[axis + 1..].iter().product();
    let count: usize = lengths.iter().product();
    let mut bytes = Vec::with_capacity(count * DType::I64.size());
    for at in 0..count {
        Scalar::Int((at / inner % lengths[axis]) as i64).write(DType::I64, &mut bytes);
    }
    Buffer::from_bytes(DType::I64, lengths, &bytes)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_scatters(module)?;
    module.add_function(wrap_pyfunction!(gather_nd, module)?)
}

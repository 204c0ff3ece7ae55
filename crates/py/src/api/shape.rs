//! Functions that move elements without computing on them, and the matrix product.

use gw_base::Code;
use gw_trace::calls::Call;
use pyo3::prelude::*;

use super::arguments::{axes, lengths};
use crate::containers::lists::elements;
use crate::exceptions::errors;
use crate::host::{operand, operands};

/// Arranges the elements in other axes.
///
/// Args:
///   tensor: tensor or array of any shape and dtype.
///   shape: list of lengths; one of them may be -1, for the remaining length.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same dtype.
///
/// Raises:
///   ValueError: the numbers of elements differ (GW202).
///
/// Example:
///   >>> gw.reshape(gw.range(4), [2, -1])
///   <gw.Tensor: shape=(2, 2), dtype=int32, numpy=array([[0, 1],
///          [2, 3]], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (tensor, shape, name=None))]
fn reshape<'py>(
    tensor: &Bound<'py, PyAny>,
    shape: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let (lengths, given) = lengths(shape)?;
    let operands = std::iter::once(operands::operand(tensor)?).chain(given).collect();
    operands::tensor(tensor.py(), operands::apply(tensor.py(), &Call::Reshape(lengths), operands)?)
}

/// Repeats elements along new axes and axes of length 1.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   shape: list of lengths.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of that shape.
///
/// Raises:
///   ValueError: the shape does not fit (GW202).
///
/// Example:
///   >>> gw.broadcast_to(gw.constant([1, 2]), [2, 2])
///   <gw.Tensor: shape=(2, 2), dtype=int32, numpy=array([[1, 2],
///          [1, 2]], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (input, shape, name=None))]
fn broadcast_to<'py>(
    input: &Bound<'py, PyAny>,
    shape: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let (lengths, given) = lengths(shape)?;
    let operands = std::iter::once(operands::operand(input)?.strong()).chain(given).collect();
    operands::tensor(input.py(), operands::apply(input.py(), &Call::BroadcastTo(lengths), operands)?)
}

/// Permutes the axes.
///
/// Args:
///   a: tensor or array of any shape and dtype.
///   perm: the axes in their new order; reversed if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same dtype.
///
/// Raises:
///   ValueError: there is no such axis (GW204).
///
/// Example:
///   >>> gw.transpose(gw.constant([[1, 2], [3, 4]]))
///   <gw.Tensor: shape=(2, 2), dtype=int32, numpy=array([[1, 3],
///          [2, 4]], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (a, perm=None, name=None))]
fn transpose<'py>(
    a: &Bound<'py, PyAny>,
    perm: Option<Vec<i64>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(a.py(), &Call::Transpose(perm), &[a])
}

/// Inserts an axis of length 1.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   axis: place of the new axis.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same dtype.
///
/// Raises:
///   ValueError: there is no such axis (GW204).
///
/// Example:
///   >>> gw.expand_dims(gw.constant([1, 2]), 0)
///   <gw.Tensor: shape=(1, 2), dtype=int32, numpy=array([[1, 2]], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (input, axis, name=None))]
fn expand_dims<'py>(input: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(input.py(), &Call::ExpandDims(axis), &[input])
}

/// Removes axes of length 1.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   axis: axis or list of axes; all of length 1 if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same dtype.
///
/// Raises:
///   ValueError: an axis has another length (GW204).
///
/// Example:
///   >>> gw.squeeze(gw.constant([[1, 2]]))
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (input, axis=None, name=None))]
fn squeeze<'py>(
    input: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(input.py(), &Call::Squeeze(axes(axis)?), &[input])
}

/// Gathers slices of `params` along an axis.
///
/// Args:
///   params: tensor or array of any shape and dtype.
///   indices: tensor of integers, of any shape.
///   axis: the axis.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor with the axes of `indices` in place of the axis.
///
/// Raises:
///   IndexError: there is no such index.
///
/// Example:
///   >>> gw.gather(gw.constant([10, 20, 30]), [2, 0])
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([30, 10], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (params, indices, axis=0, name=None))]
fn gather<'py>(
    params: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    axis: i64,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(params.py(), &Call::Gather { axis }, &[params, indices])
}

/// Joins tensors along an axis.
///
/// Args:
///   values: list of tensors of one dtype.
///   axis: the axis.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Raises:
///   ValueError: the other axes differ (GW202).
///
/// Example:
///   >>> gw.concat([[1, 2], [3]], 0)
///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (values, axis=0, name=None))]
fn concat<'py>(values: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    join(values, &Call::Concat { axis })
}

/// Joins tensors along a new axis.
///
/// Args:
///   values: list of tensors of one dtype and shape.
///   axis: place of the new axis.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor with one axis more.
///
/// Raises:
///   ValueError: the shapes differ (GW202).
///
/// Example:
///   >>> gw.stack([gw.constant(1), gw.constant(2)])
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (values, axis=0, name=None))]
fn stack<'py>(values: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    join(values, &Call::Stack { axis })
}

fn join<'py>(values: &Bound<'py, PyAny>, call: &Call) -> PyResult<Bound<'py, PyAny>> {
    let py = values.py();
    if elements::staged(values).is_some() {
        let Call::Stack { axis: 0 } = call else {
            return Err(elements::refused(
                py,
                "the arrays of a list in the graph are joined along an axis of theirs",
            ));
        };
        return operands::tensor(py, operands::operand(values)?);
    }
    let operands = values.try_iter()?.map(|v| operands::operand(&v?)).collect::<PyResult<Vec<_>>>()?;
    if operands.is_empty() {
        return Err(errors::here(
            py,
            Code::BadArgument,
            "there is nothing to join",
            "give one tensor at least",
        ));
    }
    let strong = matches!(call, Call::Concat { .. });
    let operands =
        if strong { operands.into_iter().map(operand::Operand::strong).collect() } else { operands };
    operands::tensor(py, operands::apply(py, call, operands)?)
}

/// Matrix product of the last two axes; vectors are taken as rows or columns.
///
/// Args:
///   a: tensor `(…, m, k)` of numbers.
///   b: tensor `(…, k, n)` of the same dtype.
///   transpose_a: whether to transpose the matrices of `a` first.
///   transpose_b: whether to transpose the matrices of `b` first.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor `(…, m, n)`.
///
/// Raises:
///   ValueError: the inner lengths differ (GW202).
///
/// Example:
///   >>> gw.matmul(gw.constant([[1.0, 2.0]]), gw.constant([[3.0], [4.0]]))
///   <gw.Tensor: shape=(1, 1), dtype=float32, numpy=array([[11.]], dtype=float32)>
#[pyfunction]
#[pyo3(signature = (a, b, transpose_a=false, transpose_b=false, name=None))]
fn matmul<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    transpose_a: bool,
    transpose_b: bool,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let call = Call::Matmul { transpose_x: transpose_a, transpose_y: transpose_b };
    operands::call(a.py(), &call, &[a, b])
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reshape, module)?)?;
    module.add_function(wrap_pyfunction!(broadcast_to, module)?)?;
    module.add_function(wrap_pyfunction!(transpose, module)?)?;
    module.add_function(wrap_pyfunction!(expand_dims, module)?)?;
    module.add_function(wrap_pyfunction!(squeeze, module)?)?;
    module.add_function(wrap_pyfunction!(gather, module)?)?;
    module.add_function(wrap_pyfunction!(concat, module)?)?;
    module.add_function(wrap_pyfunction!(stack, module)?)?;
    module.add_function(wrap_pyfunction!(matmul, module)?)
}

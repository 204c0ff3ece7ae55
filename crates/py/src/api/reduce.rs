//! Functions that fold axes.

use gw_base::Code;
use gw_ir::{ArgOp, ReduceOp};
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::prelude::*;

use super::arguments::axes;
use crate::exceptions::errors;
use crate::host::operands;
use crate::values::dtype;

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident |$axes:ident, $keep:ident| $call:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (input_tensor, axis=None, keepdims=false, name=None))]
            fn $name<'py>(
                input_tensor: &Bound<'py, PyAny>,
                axis: Option<&Bound<'py, PyAny>>,
                keepdims: bool,
                name: Option<&str>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let _ = name;
                let ($axes, $keep) = (axes(axis)?, keepdims);
                operands::call(input_tensor.py(), &$call, &[input_tensor])
            }
        )*

        fn register_reductions(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

reductions! {
    /// Sums elements over axes.
    ///
    /// Args:
    ///   input_tensor: tensor of numbers, of any shape.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Raises:
    ///   TypeError: the dtype is another one (GW201).
    ///
    /// Example:
    ///   >>> gw.reduce_sum(gw.constant([1, 2]))
    ///   <gw.Tensor: shape=(), dtype=int32, numpy=3>
    reduce_sum |axes, keep| Call::Reduce { op: ReduceOp::Sum, axes, keep };
    /// Multiplies elements over axes.
    ///
    /// Args:
    ///   input_tensor: tensor of numbers, of any shape.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Raises:
    ///   TypeError: the dtype is another one (GW201).
    ///
    /// Example:
    ///   >>> gw.reduce_prod(gw.constant([2, 3]))
    ///   <gw.Tensor: shape=(), dtype=int32, numpy=6>
    reduce_prod |axes, keep| Call::Reduce { op: ReduceOp::Prod, axes, keep };
    /// Returns the greatest elements over axes.
    ///
    /// Args:
    ///   input_tensor: tensor of numbers, of any shape.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Raises:
    ///   TypeError: the dtype is another one (GW201).
    ///
    /// Example:
    ///   >>> gw.reduce_max(gw.constant([1, 2]))
    ///   <gw.Tensor: shape=(), dtype=int32, numpy=2>
    reduce_max |axes, keep| Call::Reduce { op: ReduceOp::Max, axes, keep };
    /// Returns the least elements over axes.
    ///
    /// Args:
    ///   input_tensor: tensor of numbers, of any shape.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Raises:
    ///   TypeError: the dtype is another one (GW201).
    ///
    /// Example:
    ///   >>> gw.reduce_min(gw.constant([1, 2]))
    ///   <gw.Tensor: shape=(), dtype=int32, numpy=1>
    reduce_min |axes, keep| Call::Reduce { op: ReduceOp::Min, axes, keep };
    /// Tells whether all elements are true, over axes.
    ///
    /// Args:
    ///   input_tensor: tensor of bools, of any shape.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Raises:
    ///   TypeError: the dtype is another one (GW201).
    ///
    /// Example:
    ///   >>> gw.reduce_all(gw.constant([True, False]))
    ///   <gw.Tensor: shape=(), dtype=bool, numpy=False>
    reduce_all |axes, keep| Call::Reduce { op: ReduceOp::All, axes, keep };
    /// Tells whether any element is true, over axes.
    ///
    /// Args:
    ///   input_tensor: tensor of bools, of any shape.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Raises:
    ///   TypeError: the dtype is another one (GW201).
    ///
    /// Example:
    ///   >>> gw.reduce_any(gw.constant([True, False]))
    ///   <gw.Tensor: shape=(), dtype=bool, numpy=True>
    reduce_any |axes, keep| Call::Reduce { op: ReduceOp::Any, axes, keep };
    /// Computes means over axes; of integers in `float64`.
    ///
    /// Args:
    ///   input_tensor: tensor of numbers, of any shape.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Raises:
    ///   TypeError: the dtype is another one (GW201).
    ///
    /// Example:
    ///   >>> gw.reduce_mean(gw.constant([1.0, 2.0]))
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=1.5>
    reduce_mean |axes, keep| Call::Mean { axes, keep };
    /// Computes variances over axes: means of squared distances from the mean.
    ///
    /// Args:
    ///   input_tensor: tensor of any shape, of floats or of complex numbers.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes; of complex numbers the real variance.
    ///
    /// Example:
    ///   >>> gw.math.reduce_variance(gw.constant([1.0, 5.0]))
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=4.0>
    reduce_variance |axes, keep| Call::Variance { axes, keep };
    /// Computes standard deviations over axes.
    ///
    /// Args:
    ///   input_tensor: tensor of any shape, of floats or of complex numbers.
    ///   axis: an axis or a list of axes; all of them if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor without the axes; of complex numbers the real deviation.
    ///
    /// Example:
    ///   >>> gw.math.reduce_std(gw.constant([1.0, 5.0]))
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=2.0>
    reduce_std |axes, keep| Call::Deviation { axes, keep };
}

/// Returns the index of the greatest element along an axis, the first of several.
///
/// Args:
///   input: tensor of numbers, of any shape.
///   axis: the axis.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   `int64` tensor without the axis.
///
/// Example:
///   >>> gw.argmax(gw.constant([3, 9, 9]))
///   <gw.Tensor: shape=(), dtype=int64, numpy=1>
#[pyfunction]
#[pyo3(signature = (input, axis=0, name=None))]
fn argmax<'py>(input: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(input.py(), &Call::Arg { op: ArgOp::Max, axis }, &[input])
}

/// Returns the index of the least element along an axis, the first of several.
///
/// Args:
///   input: tensor of numbers, of any shape.
///   axis: the axis.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   `int64` tensor without the axis.
///
/// Example:
///   >>> gw.argmin(gw.constant([3, 9, 1]))
///   <gw.Tensor: shape=(), dtype=int64, numpy=2>
#[pyfunction]
#[pyo3(signature = (input, axis=0, name=None))]
fn argmin<'py>(input: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(input.py(), &Call::Arg { op: ArgOp::Min, axis }, &[input])
}

/// Sorts elements along an axis.
///
/// NaN counts as greater than every number.
///
/// Args:
///   values: tensor of numbers, of any shape.
///   axis: the axis; the last one by default.
///   direction: `"ASCENDING"` or `"DESCENDING"`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same shape and dtype.
///
/// Example:
///   >>> gw.sort(gw.constant([3, 1, 2]))
///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (values, axis=-1, direction="ASCENDING", name=None))]
fn sort<'py>(
    values: &Bound<'py, PyAny>,
    axis: i64,
    direction: &str,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let descending = descends(values.py(), direction)?;
    operands::call(values.py(), &Call::Sort { axis, descending, places: false }, &[values])
}

/// Returns the indices that would sort elements along an axis.
///
/// Equal elements keep their order.
///
/// Args:
///   values: tensor of numbers, of any shape.
///   axis: the axis; the last one by default.
///   direction: `"ASCENDING"` or `"DESCENDING"`.
///   stable: accepted as in TensorFlow; the order is always stable.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   `int64` tensor of the same shape.
///
/// Example:
///   >>> gw.argsort(gw.constant([3, 1, 2]))
///   <gw.Tensor: shape=(3,), dtype=int64, numpy=array([1, 2, 0])>
#[pyfunction]
#[pyo3(signature = (values, axis=-1, direction="ASCENDING", stable=false, name=None))]
fn argsort<'py>(
    values: &Bound<'py, PyAny>,
    axis: i64,
    direction: &str,
    stable: bool,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = (name, stable);
    let descending = descends(values.py(), direction)?;
    operands::call(values.py(), &Call::Sort { axis, descending, places: true }, &[values])
}

/// Returns the greatest elements along the last axis and their indices.
///
/// Args:
///   input: tensor of numbers with at least one axis.
///   k: number of elements, a Python int; 1 if it is `None`.
///   sorted: accepted as in TensorFlow; the elements are always sorted.
///   index_type: dtype of the indices, `int32` or `int64`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Named tuple `TopK(values, indices)`, greatest first.
///
/// Raises:
///   ValueError: `k` is no number that is known now (GW204).
///
/// Example:
///   >>> values, indices = gw.math.top_k(gw.constant([1, 9, 4]), 2)
///   >>> values.tolist(), indices.tolist()
///   ([9, 4], [1, 2])
#[pyfunction]
#[pyo3(signature = (input, k=None, sorted=true, index_type=None, name=None))]
fn top_k<'py>(
    input: &Bound<'py, PyAny>,
    k: Option<&Bound<'py, PyAny>>,
    sorted: bool,
    index_type: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let (_, py) = ((sorted, name), input.py());
    let Ok(count) = k.map_or(Ok(1), |k| k.extract::<usize>()) else {
        let message = "`k` is not a number of elements that is known now";
        return Err(errors::here(py, Code::BadArgument, message, "give a Python int that is not negative"));
    };
    let dtype = index_type.map_or(Ok(DType::I32), dtype::parse)?;
    let x = operands::operand(input)?.strong();
    let places = operands::apply(py, &Call::Top { count }, vec![x.clone()])?;
    let values = operands::apply(py, &Call::Picked, vec![x, places.clone()])?;
    let places = operands::apply(py, &Call::Cast(dtype), vec![places])?;
    let made = py.import("graphwright._top_k")?.getattr("TopK")?;
    made.call1((operands::tensor(py, values)?, operands::tensor(py, places)?))
}

fn descends(py: Python<'_>, direction: &str) -> PyResult<bool> {
    match direction {
        "ASCENDING" => Ok(false),
        "DESCENDING" => Ok(true),
        other => {
            let message = format!("`direction` is {other:?}");
            Err(errors::here(py, Code::BadArgument, message, "it is \"ASCENDING\" or \"DESCENDING\""))
        }
    }
}

/// Computes `exp(x) / sum(exp(x))` along an axis.
///
/// Args:
///   logits: tensor of any shape, `float32` or `float64`.
///   axis: the axis; the last one by default.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same shape and dtype.
///
/// Example:
///   >>> gw.softmax(gw.constant([0.0, 0.0]))
///   <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
#[pyfunction]
#[pyo3(signature = (logits, axis=-1, name=None))]
fn softmax<'py>(logits: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(logits.py(), &Call::Softmax { axis }, &[logits])
}

/// The number of elements that are not zero, over axes.
#[pyfunction]
fn counted_nonzero<'py>(
    input: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
    dtype: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Call::CountNonzero { axes: axes(axis)?, keep: keepdims, dtype: dtype::parse(dtype)? };
    operands::call(input.py(), &call, &[input])
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_reductions(module)?;
    module.add_function(wrap_pyfunction!(argmax, module)?)?;
    module.add_function(wrap_pyfunction!(argmin, module)?)?;
    module.add_function(wrap_pyfunction!(sort, module)?)?;
    module.add_function(wrap_pyfunction!(argsort, module)?)?;
    module.add_function(wrap_pyfunction!(top_k, module)?)?;
    module.add_function(wrap_pyfunction!(counted_nonzero, module)?)?;
    module.add_function(wrap_pyfunction!(softmax, module)?)
}

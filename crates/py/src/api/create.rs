//! Functions that make tensors.

use gw_base::Code;
use gw_runtime::Buffer;
use gw_trace::calls::{Call, Length};
use gw_types::{DType, Kind, Scalar};
use pyo3::prelude::*;

use super::arguments::lengths;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::{array, dtype};

/// A tensor with the elements of `value`: a number, a string, nested lists, a NumPy array. Python's own numbers become `int32`
/// (`int64` where they do not fit), `float32` and `bool`, unless `dtype` says otherwise.
///
/// Args:
///   value: number, string, nested list, or array.
///   dtype: dtype; taken from the value if it is `None`.
///   shape: list of lengths that the value is repeated to.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Raises:
///   TypeError: the elements are of no dtype (GW301).
///   ValueError: lists are not of one length.
///
/// Example:
///   >>> gw.constant([[1, 2], [3, 4]])
///   <gw.Tensor: shape=(2, 2), dtype=int32, numpy=array([[1, 2],
///          [3, 4]], dtype=int32)>
///   >>> gw.constant(1.5, gw.float64)
///   <gw.Tensor: shape=(), dtype=float64, numpy=1.5>
#[pyfunction]
#[pyo3(signature = (value, dtype=None, shape=None, name=None))]
fn constant<'py>(
    value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    shape: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let py = value.py();
    let wanted = dtype.filter(|d| !d.is_none()).map(dtype::parse).transpose()?;
    let made = typed(value, wanted)?;
    let Some(shape) = shape.filter(|s| !s.is_none()) else { return operands::tensor(py, made) };
    let (lengths, given) = lengths(shape)?;
    let call = if made.lengths().is_empty() { Call::BroadcastTo(lengths) } else { Call::Reshape(lengths) };
    let operands = std::iter::once(made).chain(given).collect();
    operands::tensor(py, operands::apply(py, &call, operands)?)
}

/// Converts a value to a tensor.
///
/// Args:
///   value: number, string, nested list, array, variable or tensor.
///   dtype: dtype that it has to have.
///   dtype_hint: dtype to take where the value says none.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Raises:
///   TypeError: the value is of another dtype, or of none.
///
/// Example:
///   >>> gw.convert_to_tensor([1.0, 2.0])
///   <gw.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
#[pyfunction]
#[pyo3(signature = (value, dtype=None, dtype_hint=None, name=None))]
fn convert_to_tensor<'py>(
    value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    dtype_hint: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = (dtype_hint, name);
    let wanted = dtype.filter(|d| !d.is_none()).map(dtype::parse).transpose()?;
    operands::tensor(value.py(), typed(value, wanted)?)
}

/// The value as an operand of this dtype. Numbers convert where nothing is lost; tensors never change type.
pub(super) fn typed(value: &Bound<'_, PyAny>, wanted: Option<DType>) -> PyResult<Operand> {
    let Some(wanted) = wanted else {
        return Ok(match operands::operand(value)?.strong() {
            Operand::Tensor(buffer) => operands::constant(buffer),
            other @ (Operand::Staged(..) | Operand::Number(_)) => other,
        });
    };
    if wanted == DType::U64
        && value.is_exact_instance_of::<pyo3::types::PyInt>()
        && let Ok(word) = value.extract()
    {
        return Ok(operands::constant(Buffer::scalar(wanted, Scalar::Nat(word))));
    }
    if let Some(number) = array::number(value)? {
        return Ok(operands::constant(Buffer::scalar(wanted, exact(value.py(), number, wanted)?)));
    }
    match operands::operand(&precise(value, wanted)?)? {
        Operand::Tensor(buffer) if buffer.dtype() == wanted => Ok(operands::constant(buffer)),
        found @ Operand::Staged(..) if found.dtype() == wanted => Ok(found),
        Operand::Tensor(buffer)
            if !value.is_instance_of::<crate::values::tensor::Tensor>()
                && buffer.dtype().is_number() == wanted.is_number() =>
        {
            operands::held(value.py(), &buffer, wanted).map(operands::constant)
        }
        // A list without elements has any dtype.
        Operand::Tensor(buffer) if is_list(value) && buffer.lengths().contains(&0) => {
            Ok(operands::constant(Buffer::from_bytes(wanted, buffer.lengths(), &[])))
        }
        found @ (Operand::Staged(..) | Operand::Tensor(_) | Operand::Number(_)) => {
            let [is, not] = [found.dtype(), wanted].map(gw_types::DType::python_name);
            let message = format!("this is a tensor of `{is}`, not of `{not}`");
            Err(errors::here(value.py(), Code::WrongDType, message, "use `gw.cast`"))
        }
    }
}

fn is_list(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<pyo3::types::PyList>() || value.is_instance_of::<pyo3::types::PyTuple>()
}

/// Lists as NumPy arrays of the wanted type, so that no digit is lost on the way.
fn precise<'py>(value: &Bound<'py, PyAny>, wanted: DType) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if !is_list(value) {
        return Ok(value.clone());
    }
    let name = if wanted == DType::Bool { "bool" } else { wanted.python_name() };
    let numpy = py.import("numpy")?;
    let made = errors::trying(|| numpy.call_method1("asarray", (value, name)));
    Ok(made.unwrap_or_else(|_| value.clone()))
}

/// A number that `wanted` can hold.
pub(super) fn exact(py: Python<'_>, number: Scalar, wanted: DType) -> PyResult<Scalar> {
    let fits = match (number, wanted.kind()) {
        (Scalar::Float(_), Kind::Int | Kind::Bool) => false,
        (Scalar::Complex(..), Kind::Bool | Kind::Int | Kind::Float) => false,
        (Scalar::Int(i), Kind::Int) => wanted.holds(i.into()),
        (Scalar::Int(i), Kind::Bool) => i == 0 || i == 1,
        (Scalar::Nat(_), Kind::Int | Kind::Bool) => wanted.holds(number.to_integer()),
        (_, Kind::Text) | (Scalar::Text(_), _) => false,
        (Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) | Scalar::Float(_), _) => true,
        (Scalar::Complex(..), Kind::Complex) => true,
    };
    if fits {
        return Ok(number);
    }
    let message = format!("this number does not fit `{}`", wanted.python_name());
    Err(errors::here(py, Code::NotATensor, message, "choose a dtype that holds it"))
}

fn filled<'py>(py: Python<'py>, shape: &Bound<'py, PyAny>, value: Operand) -> PyResult<Bound<'py, PyAny>> {
    let (lengths, given) = lengths(shape)?;
    if lengths.iter().any(|l| matches!(l, Length::Known(n) if *n < 0)) {
        let message = "the length of an axis cannot be negative";
        return Err(errors::here(py, Code::BadArgument, message, "write a number from 0 on"));
    }
    let operands = std::iter::once(value).chain(given).collect();
    operands::tensor(py, operands::apply(py, &Call::BroadcastTo(lengths), operands)?)
}

fn number_of_type(py: Python<'_>, n: i64, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Operand> {
    let dtype = dtype.filter(|d| !d.is_none()).map_or(Ok(DType::F32), dtype::parse)?;
    if n != 0 && !dtype.is_number() {
        let message = "a tensor of strings holds no numbers";
        return Err(errors::here(py, Code::WrongDType, message, "use `gw.fill` with the string"));
    }
    Ok(Operand::Tensor(Buffer::scalar(dtype, Scalar::Int(n))))
}

/// Returns a tensor of zeros, or of empty strings.
///
/// Args:
///   shape: list of lengths, numbers or tensors.
///   dtype: dtype; `float32` if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Example:
///   >>> gw.zeros([2])
///   <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, name=None))]
fn zeros<'py>(
    shape: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    filled(shape.py(), shape, number_of_type(shape.py(), 0, dtype)?)
}

/// Returns a tensor of ones.
///
/// Args:
///   shape: list of lengths, numbers or tensors.
///   dtype: dtype; `float32` if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Example:
///   >>> gw.ones([2], gw.int32)
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (shape, dtype=None, name=None))]
fn ones<'py>(
    shape: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    filled(shape.py(), shape, number_of_type(shape.py(), 1, dtype)?)
}

/// Returns a tensor with one value everywhere.
///
/// Args:
///   dims: list of lengths, numbers or tensors.
///   value: the value.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Example:
///   >>> gw.fill([2], 7)
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([7, 7], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (dims, value, name=None))]
fn fill<'py>(
    dims: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    filled(dims.py(), dims, operands::operand(value)?.strong())
}

/// Returns zeros in the shape of a tensor.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   dtype: dtype; that of the tensor if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same shape.
///
/// Example:
///   >>> gw.zeros_like(gw.constant([1, 2]))
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([0, 0], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (input, dtype=None, name=None))]
fn zeros_like<'py>(
    input: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    full_like(input, 0, dtype)
}

/// Returns ones in the shape of a tensor.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   dtype: dtype; that of the tensor if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same shape.
///
/// Example:
///   >>> gw.ones_like(gw.constant([1, 2]))
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (input, dtype=None, name=None))]
fn ones_like<'py>(
    input: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    full_like(input, 1, dtype)
}

fn full_like<'py>(
    input: &Bound<'py, PyAny>,
    n: i64,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = input.py();
    let dtype = dtype.filter(|d| !d.is_none()).map(dtype::parse).transpose()?;
    let operands = vec![operands::operand(input)?.strong(), Operand::Number(Scalar::Int(n))];
    operands::tensor(py, operands::apply(py, &Call::FullLike(dtype), operands)?)
}

/// Counts from a start up to a limit, which is left out; floats are `start + i * delta`.
///
/// Args:
///   start: number or tensor; the limit if it is the only argument.
///   limit: number or tensor.
///   delta: step, number or tensor.
///   dtype: dtype; that of the arguments if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Vector of numbers.
///
/// Raises:
///   ValueError: the step is zero, or a range of floats has no end.
///
/// Example:
///   >>> gw.range(5)
///   <gw.Tensor: shape=(5,), dtype=int32, numpy=array([0, 1, 2, 3, 4], dtype=int32)>
///   >>> gw.range(2, 8, 3)
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([2, 5], dtype=int32)>
///   >>> gw.range(1.0, 0.0, -0.25).numpy().tolist()
///   [1.0, 0.75, 0.5, 0.25]
#[pyfunction]
#[pyo3(signature = (start, limit=None, delta=None, dtype=None, name=None))]
fn range<'py>(
    start: &Bound<'py, PyAny>,
    limit: Option<&Bound<'py, PyAny>>,
    delta: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let py = start.py();
    let given = |o: Option<&Bound<'py, PyAny>>| o.filter(|o| !o.is_none()).map(operands::operand).transpose();
    let dtype = dtype.filter(|d| !d.is_none()).map(dtype::parse).transpose()?;
    let first = operands::operand(start)?;
    let (start, stop) = match given(limit)? {
        Some(stop) => (first, stop),
        None => (Operand::Number(Scalar::Int(0)), first),
    };
    let step = given(delta)?.unwrap_or(Operand::Number(Scalar::Int(1)));
    operands::tensor(py, operands::apply(py, &Call::Range(dtype), vec![start, stop, step])?)
}

/// Returns the lengths of the axes as a vector.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   out_type: `int32` or `int64`; `int32` if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Vector of integers.
///
/// Example:
///   >>> gw.shape(gw.ones([2, 3]))
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (input, out_type=None, name=None))]
fn shape<'py>(
    input: &Bound<'py, PyAny>,
    out_type: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let dtype = out_type.filter(|d| !d.is_none()).map_or(Ok(DType::I32), dtype::parse)?;
    operands::call(input.py(), &Call::ShapeOf(dtype), &[input])
}

/// Counts the elements.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   out_type: `int32` or `int64`; `int32` if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Scalar tensor.
///
/// Example:
///   >>> gw.size(gw.ones([2, 3]))
///   <gw.Tensor: shape=(), dtype=int32, numpy=6>
#[pyfunction]
#[pyo3(signature = (input, out_type=None, name=None))]
fn size<'py>(
    input: &Bound<'py, PyAny>,
    out_type: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let dtype = out_type.filter(|d| !d.is_none()).map_or(Ok(DType::I32), dtype::parse)?;
    operands::call(input.py(), &Call::SizeOf(dtype), &[input])
}

/// Counts the axes.
///
/// Args:
///   input: tensor or array of any shape and dtype.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Scalar `int32` tensor.
///
/// Example:
///   >>> gw.rank(gw.ones([2, 3]))
///   <gw.Tensor: shape=(), dtype=int32, numpy=2>
#[pyfunction]
#[pyo3(signature = (input, name=None))]
fn rank<'py>(input: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let rank = operands::operand(input)?.lengths().len() as i64;
    operands::tensor(input.py(), operands::constant(Buffer::scalar(DType::I32, Scalar::Int(rank))))
}

/// Returns rows of zeros with a one at given indices.
///
/// Args:
///   indices: tensor of integers, of any shape.
///   depth: length of the rows.
///   dtype: dtype; `float32` if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor `(*indices.shape, depth)`.
///
/// Example:
///   >>> gw.one_hot(gw.constant([0, 2]), 3)
///   <gw.Tensor: shape=(2, 3), dtype=float32, numpy=array([[1., 0., 0.],
///          [0., 0., 1.]], dtype=float32)>
#[pyfunction]
#[pyo3(signature = (indices, depth, dtype=None, name=None))]
fn one_hot<'py>(
    indices: &Bound<'py, PyAny>,
    depth: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let length: i64 = depth.extract()?;
    let depth = usize::try_from(length).map_err(|_| {
        let message = format!("`depth` of `gw.one_hot` is {length}: an axis cannot have a negative length");
        let help = "give the number of classes, 0 or more";
        errors::here(indices.py(), Code::BadArgument, message, help)
    })?;
    let dtype = dtype.filter(|d| !d.is_none()).map_or(Ok(DType::F32), dtype::parse)?;
    operands::call(indices.py(), &Call::OneHot { depth, dtype }, &[indices])
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(constant, module)?)?;
    module.add_function(wrap_pyfunction!(convert_to_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(zeros, module)?)?;
    module.add_function(wrap_pyfunction!(ones, module)?)?;
    module.add_function(wrap_pyfunction!(fill, module)?)?;
    module.add_function(wrap_pyfunction!(zeros_like, module)?)?;
    module.add_function(wrap_pyfunction!(ones_like, module)?)?;
    module.add_function(wrap_pyfunction!(range, module)?)?;
    module.add_function(wrap_pyfunction!(shape, module)?)?;
    module.add_function(wrap_pyfunction!(size, module)?)?;
    module.add_function(wrap_pyfunction!(rank, module)?)?;
    module.add_function(wrap_pyfunction!(one_hot, module)?)
}

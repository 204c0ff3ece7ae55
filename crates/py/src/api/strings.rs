//! Functions of strings: `graphwright.strings`.

use gw_base::Code;
use gw_ir::StringOp;
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::strings;

/// Refuses options that `graphwright.strings` does not support, instead of doing something else.
fn only(py: Python<'_>, name: &str, given: &str, known: &str) -> PyResult<()> {
    if given == known {
        return Ok(());
    }
    let message = format!("`{name}={given:?}` is not known here; there is {known:?}");
    Err(errors::here(py, Code::BadArgument, message, "leave it out, or look at the strings in Python"))
}

/// Counts the bytes of each string.
///
/// Args:
///   input: string tensor.
///   unit: `"BYTE"`.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   `int32` tensor.
///
/// Example:
///   >>> gw.strings.length(gw.constant(["a", "bcd"]))
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>
#[pyfunction]
#[pyo3(signature = (input, unit="BYTE", name=None))]
fn string_length<'py>(
    input: &Bound<'py, PyAny>,
    unit: &str,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let py = input.py();
    only(py, "unit", unit, "BYTE")?;
    let length = operands::apply(py, &Call::unary(StringOp::Length), vec![operands::operand(input)?])?;
    operands::tensor(py, operands::apply(py, &Call::Cast(DType::I32), vec![length])?)
}

/// Replaces small letters of ASCII by capitals.
///
/// Args:
///   input: string tensor.
///   encoding: accepted as in TensorFlow.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   String tensor.
///
/// Example:
///   >>> gw.strings.upper(gw.constant("abC")).item()
///   b'ABC'
#[pyfunction]
#[pyo3(signature = (input, encoding="", name=None))]
fn string_upper<'py>(
    input: &Bound<'py, PyAny>,
    encoding: &str,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    letters(StringOp::Upper, input, encoding)
}

/// Replaces capitals of ASCII by small letters.
///
/// Args:
///   input: string tensor.
///   encoding: accepted as in TensorFlow.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   String tensor.
///
/// Example:
///   >>> gw.strings.lower(gw.constant("ABc")).item()
///   b'abc'
#[pyfunction]
#[pyo3(signature = (input, encoding="", name=None))]
fn string_lower<'py>(
    input: &Bound<'py, PyAny>,
    encoding: &str,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    letters(StringOp::Lower, input, encoding)
}

/// Each byte that is a letter of ASCII by an op: other encodings have letters of their own.
fn letters<'py>(op: StringOp, input: &Bound<'py, PyAny>, encoding: &str) -> PyResult<Bound<'py, PyAny>> {
    only(input.py(), "encoding", encoding, "")?;
    operands::call(input.py(), &Call::unary(op), &[input])
}

/// Joins strings elementwise.
///
/// Args:
///   inputs: list of string tensors.
///   separator: text between them.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   String tensor.
///
/// Example:
///   >>> gw.strings.join([gw.constant(["a", "b"]), "c"], "-").tolist()
///   [b'a-c', b'b-c']
#[pyfunction]
#[pyo3(signature = (inputs, separator="", name=None))]
fn string_join<'py>(
    inputs: &Bound<'py, PyAny>,
    separator: &str,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let py = inputs.py();
    let between = strings::of_text(separator.as_bytes());
    let append = |x, y| operands::apply(py, &Call::binary(StringOp::Append), vec![x, y]);
    let mut joined: Option<Operand> = None;
    for input in inputs.try_iter()? {
        let next = operands::operand(&input?)?;
        joined = Some(match joined {
            None => next,
            Some(before) if separator.is_empty() => append(before, next)?,
            Some(before) => append(append(before, Operand::Tensor(between.clone()))?, next)?,
        });
    }
    operands::tensor(py, joined.unwrap_or_else(|| Operand::Tensor(strings::of_text(b""))))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(string_length, module)?)?;
    module.add_function(wrap_pyfunction!(string_upper, module)?)?;
    module.add_function(wrap_pyfunction!(string_lower, module)?)?;
    module.add_function(wrap_pyfunction!(string_join, module)?)
}

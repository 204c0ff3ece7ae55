//! Functions that move elements without computing on them, and the matrix product.

use gw_base::Code;
use gw_trace::calls::Call;
use pyo3::prelude::*;

use super::{axes, lengths};
use crate::containers::lists::elements;
use crate::exceptions::errors;
use crate::host::{operand, operands};

/// The same elements in other axes; -1 is what is left over.
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

/// The elements repeated along new axes and axes of length 1.
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

/// The axes permuted; reversed if no permutation is given.
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

/// A new axis of length 1.
#[pyfunction]
#[pyo3(signature = (input, axis, name=None))]
fn expand_dims<'py>(input: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(input.py(), &Call::ExpandDims(axis), &[input])
}

/// Without axes of length 1: those named, or all.
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

/// Rows (or columns, …) by their numbers.
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

/// Joined along an axis.
#[pyfunction]
#[pyo3(signature = (values, axis=0, name=None))]
fn concat<'py>(values: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    join(values, &Call::Concat { axis })
}

/// Joined along a new axis.
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

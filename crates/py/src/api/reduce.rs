//! Functions that fold axes.

use gw_base::Code;
use gw_ir::{ArgOp, ReduceOp};
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::prelude::*;

use super::axes;
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
    /// Sum over axes (all, if none is named).
    reduce_sum |axes, keep| Call::Reduce { op: ReduceOp::Sum, axes, keep };
    /// Product over axes.
    reduce_prod |axes, keep| Call::Reduce { op: ReduceOp::Prod, axes, keep };
    /// Greatest over axes.
    reduce_max |axes, keep| Call::Reduce { op: ReduceOp::Max, axes, keep };
    /// Least over axes.
    reduce_min |axes, keep| Call::Reduce { op: ReduceOp::Min, axes, keep };
    /// True if all are true.
    reduce_all |axes, keep| Call::Reduce { op: ReduceOp::All, axes, keep };
    /// True if any is true.
    reduce_any |axes, keep| Call::Reduce { op: ReduceOp::Any, axes, keep };
    /// Mean over axes; of integers in `float64`.
    reduce_mean |axes, keep| Call::Mean { axes, keep };
}

/// Where the greatest element of an axis is (the first of several), as `int64`.
#[pyfunction]
#[pyo3(signature = (input, axis=0, name=None))]
fn argmax<'py>(input: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(input.py(), &Call::Arg { op: ArgOp::Max, axis }, &[input])
}

/// Where the least element of an axis is (the first of several), as `int64`.
#[pyfunction]
#[pyo3(signature = (input, axis=0, name=None))]
fn argmin<'py>(input: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(input.py(), &Call::Arg { op: ArgOp::Min, axis }, &[input])
}

/// The elements along an axis, from the least to the greatest or (`"DESCENDING"`) back; NaN counts as the greatest.
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

/// Where the elements along an axis are, in order, as `int64`; equal ones keep their order, `stable` or not.
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

/// The greatest elements along the last axis, from the greatest down, and where they are: a `TopK` of `values` and
/// `indices`. Of equal ones the first comes first, `sorted` or not; NaN is the greatest.
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

/// `e ** x / sum(e ** x)` along an axis.
#[pyfunction]
#[pyo3(signature = (logits, axis=-1, name=None))]
fn softmax<'py>(logits: &Bound<'py, PyAny>, axis: i64, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(logits.py(), &Call::Softmax { axis }, &[logits])
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_reductions(module)?;
    module.add_function(wrap_pyfunction!(argmax, module)?)?;
    module.add_function(wrap_pyfunction!(argmin, module)?)?;
    module.add_function(wrap_pyfunction!(sort, module)?)?;
    module.add_function(wrap_pyfunction!(argsort, module)?)?;
    module.add_function(wrap_pyfunction!(top_k, module)?)?;
    module.add_function(wrap_pyfunction!(softmax, module)?)
}

//! Copies of tensors with other elements in some places.

use gw_ir::{Keep, Op};
use gw_trace::calls::Call;
use pyo3::prelude::*;

use crate::{pack, store};

/// A copy of `tensor` with `updates` at `indices`, whose last axis names slices; of several at one place the last.
#[pyfunction]
#[pyo3(signature = (tensor, indices, updates, name=None))]
fn tensor_scatter_nd_update<'py>(
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    scatter(Keep::Last, tensor, indices, updates)
}

/// A copy of `tensor` with `updates` added at `indices`, whose last axis names slices.
#[pyfunction]
#[pyo3(signature = (tensor, indices, updates, name=None))]
fn tensor_scatter_nd_add<'py>(
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    scatter(Keep::Sum, tensor, indices, updates)
}

/// A copy of `tensor` with `updates` subtracted at `indices`, whose last axis names slices.
#[pyfunction]
#[pyo3(signature = (tensor, indices, updates, name=None))]
fn tensor_scatter_nd_sub<'py>(
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let less = pack::call(tensor.py(), &Call::Unary(Op::Neg), &[updates])?;
    scatter(Keep::Sum, tensor, indices, &less)
}

/// A copy of `tensor` with the greater of its elements and `updates` at `indices`, whose last axis names slices.
#[pyfunction]
#[pyo3(signature = (tensor, indices, updates, name=None))]
fn tensor_scatter_nd_max<'py>(
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    scatter(Keep::Greatest, tensor, indices, updates)
}

/// A copy of `tensor` with the lesser of its elements and `updates` at `indices`, whose last axis names slices.
#[pyfunction]
#[pyo3(signature = (tensor, indices, updates, name=None))]
fn tensor_scatter_nd_min<'py>(
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    scatter(Keep::Least, tensor, indices, updates)
}

fn scatter<'py>(
    keep: Keep,
    tensor: &Bound<'py, PyAny>,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let x = pack::operand(tensor)?.strong();
    let updates = store::stored(updates, x.dtype())?;
    let operands = vec![x, pack::operand(indices)?, updates];
    pack::tensor(py, pack::apply(py, &Call::ScatterNd(keep), operands)?)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(tensor_scatter_nd_update, module)?)?;
    module.add_function(wrap_pyfunction!(tensor_scatter_nd_add, module)?)?;
    module.add_function(wrap_pyfunction!(tensor_scatter_nd_sub, module)?)?;
    module.add_function(wrap_pyfunction!(tensor_scatter_nd_max, module)?)?;
    module.add_function(wrap_pyfunction!(tensor_scatter_nd_min, module)?)
}

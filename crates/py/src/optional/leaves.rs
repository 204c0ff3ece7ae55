//! Leaves of a value: its tensors, the arrays of Python's own and the values under a condition.

use crate::host::skeleton::Skeleton;
use crate::optional::maybe::Maybe;
use crate::values::array;
use crate::values::tensor::Tensor;
use pyo3::prelude::*;

/// The tensor objects in a value.
pub fn tensors<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Tensor>>> {
    if let Ok(tensor) = value.cast::<Tensor>() {
        return Ok(vec![tensor.clone()]);
    }
    let mut leaves = Vec::new();
    Skeleton::of(value, &mut leaves)?;
    Ok(leaves.into_iter().filter_map(|leaf| leaf.into_bound(value.py()).cast_into::<Tensor>().ok()).collect())
}

/// The arrays of Python's own in a value.
pub fn arrays_of_python<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if array::is_array(value) {
        return Ok(vec![value.clone()]);
    }
    if value.is_instance_of::<Tensor>() {
        return Ok(Vec::new());
    }
    let mut leaves = Vec::new();
    Skeleton::of(value, &mut leaves)?;
    Ok(leaves.into_iter().map(|leaf| leaf.into_bound(value.py())).filter(array::is_array).collect())
}

/// The parts of a value of which the graph decides whether they are there.
pub fn maybes<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Maybe>>> {
    if let Ok(maybe) = value.cast::<Maybe>() {
        return Ok(vec![maybe.clone()]);
    }
    let mut leaves = Vec::new();
    Skeleton::of(value, &mut leaves)?;
    Ok(leaves.into_iter().filter_map(|leaf| leaf.into_bound(value.py()).cast_into::<Maybe>().ok()).collect())
}

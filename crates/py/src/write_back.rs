//! Arguments that a function stores into: the caller's tensors and NumPy arrays take the new elements after the run.

use gw_base::Code;
use gw_runtime::Buffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cell::{self, Origin};
use crate::stage::Written;
use crate::tensor::{Payload, Tensor};
use crate::{array, errors};

/// The objects of a call that take new elements; an error if one of them cannot, before anything runs.
pub fn targets<'py>(
    py: Python<'py>,
    written: &[Written],
    tensors: &[Bound<'py, PyAny>],
    outside: &[(Py<Tensor>, Buffer)],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut targets = Vec::with_capacity(written.len());
    for Written { at, name } in written {
        let Some(target) = tensors.get(*at) else { return Err(not_stored(py, name, "no tensor")) };
        judge(target, name)?;
        let others = tensors.iter().enumerate().filter(|(other, _)| other != at);
        for (_, other) in others {
            if overlaps(target, other)? {
                return Err(twice(py, name));
            }
        }
        if outside.iter().any(|(other, _)| other.is(target)) {
            return Err(twice(py, name));
        }
        targets.push(target.clone());
    }
    Ok(targets)
}

/// Puts the new elements into the objects.
pub fn write(py: Python<'_>, targets: &[Bound<'_, PyAny>], elements: Vec<Buffer>) -> PyResult<()> {
    for (target, buffer) in targets.iter().zip(elements) {
        match target.cast::<Tensor>() {
            Ok(tensor) => drop(tensor.get().cell().replace(Payload::Eager(buffer))),
            Err(_) => {
                let array = array::to_numpy(py, &buffer)?;
                py.import("numpy")?.call_method1("copyto", (target, array))?;
            }
        }
    }
    Ok(())
}

fn judge(target: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    let py = target.py();
    if let Ok(tensor) = target.cast::<Tensor>() {
        let part = tensor.get().origin() == Origin::Part;
        return if part { Err(cell::part(py)) } else { Ok(()) };
    }
    if !array::is_array(target) {
        return Err(not_stored(py, name, &format!("a `{}`", target.get_type().name()?)));
    }
    if target.getattr("flags")?.getattr("writeable")?.is_truthy()? {
        return Ok(());
    }
    Err(PyValueError::new_err("assignment destination is read-only"))
}

fn overlaps(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    if a.is(b) {
        return Ok(true);
    }
    let arrays = array::is_array(a) && array::is_array(b);
    Ok(arrays && a.py().import("numpy")?.call_method1("may_share_memory", (a, b))?.is_truthy()?)
}

fn not_stored(py: Python<'_>, name: &str, found: &str) -> PyErr {
    let message = format!("`{name}` is stored into by the function, but the call gives {found}");
    errors::here(
        py,
        Code::ArgumentChanged,
        message,
        "give a tensor or a NumPy array, which takes the elements",
    )
}

fn twice(py: Python<'_>, name: &str) -> PyErr {
    let message =
        format!("`{name}` is stored into by the function, which gets or uses the same array once more");
    errors::here(py, Code::StoreUnclear, message, "give a copy, `x.copy()`, for one of them")
}

//! `to_host` and `to_accelerator`: the program says that a value is meant to cross between the graph and the host.

use gw_base::{Code, Diagnostic, Loc};
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operands;
use crate::values::tensor::{Payload, Tensor};

#[pymethods]
impl Tensor {
    /// Marks that a copy to the host is meant.
    ///
    /// Returns:
    ///   The same tensor.
    ///
    /// Example:
    ///   >>> gw.constant(1.0).to_host()
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=1.0>
    fn to_host<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        mark(slf)
    }

    /// Marks that a copy into the graph is meant.
    ///
    /// Returns:
    ///   The same tensor.
    ///
    /// Example:
    ///   >>> gw.constant(1.0).to_accelerator()
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=1.0>
    fn to_accelerator<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        mark(slf)
    }
}

fn mark<'py>(tensor: &Bound<'py, Tensor>) -> Bound<'py, Tensor> {
    if let Payload::Staged(tracing, staged) = tensor.get().content() {
        tracing.host_side().marked().insert(staged.value);
    }
    tensor.clone()
}

/// A value as a tensor that is meant to cross between the graph and the host.
#[pyfunction]
fn copied<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let tensor = match value.cast::<Tensor>() {
        Ok(tensor) => tensor.clone().into_any(),
        Err(_) => operands::tensor(value.py(), operands::operand(value)?)?,
    };
    Ok(mark(tensor.cast::<Tensor>()?).into_any())
}

/// The exception for a diagnostic at a place: `(file, line, column, end_line, end_column)`.
#[pyfunction]
fn diagnosed_at(code: &str, message: &str, help: &str, place: Option<(String, u32, u32, u32, u32)>) -> PyErr {
    let Some(&code) = Code::ALL.iter().find(|known| known.text() == code) else {
        return PySystemError::new_err(format!("`{code}` is not a diagnostic"));
    };
    let found = Diagnostic::new(code, message).help(help);
    let at = |(file, line, column, end_line, end_column): (String, u32, u32, u32, u32)| Loc {
        file: file.into(),
        line,
        column,
        end_line,
        end_column,
        within: None,
    };
    errors::raise(&place.map(at).into_iter().fold(found, |found, at| found.at(at, "")))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(copied, module)?)?;
    module.add_function(wrap_pyfunction!(diagnosed_at, module)?)
}

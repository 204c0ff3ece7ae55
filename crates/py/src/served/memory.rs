//! Whose memory the arrays are that a call of the host gives a graph.

use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;

use crate::cell::{Cell, Origin};
use crate::pack::{self, Operand};
use crate::semantics::Semantics;
use crate::tensor::Tensor;

/// Who else may use the arrays that a call gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// They are tensors, which operators never change.
    Tensors,
    /// Nobody: each call makes new NumPy arrays.
    New,
    /// The host may: they are parts of its own objects.
    Host,
}

impl Memory {
    /// The one that the Python package calls by a name.
    pub fn named(name: &str) -> PyResult<Self> {
        match name {
            "tensors" => Ok(Self::Tensors),
            "new" => Ok(Self::New),
            "host" => Ok(Self::Host),
            other => Err(PySystemError::new_err(format!("no memory is called `{other}`"))),
        }
    }

    /// A result of a call as an object of the graph. Numbers have no memory.
    pub fn hold(self, py: Python<'_>, result: Operand) -> PyResult<Py<PyAny>> {
        if self == Self::Tensors || result.lengths().is_empty() {
            return Ok(pack::tensor(py, result)?.unbind());
        }
        let mut array = Tensor::of(pack::payload(result));
        array.know(Semantics::Reference);
        if self == Self::Host {
            array = array.with(Origin::Host);
            Cell::link(array.cell(), &Cell::of_nobody());
        }
        Ok(Bound::new(py, array)?.into_any().unbind())
    }
}

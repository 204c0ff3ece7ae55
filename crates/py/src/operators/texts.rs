//! What an assertion or `print` says when the graph runs: the tensors in its text have their values only then.

use gw_ir::Piece;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::operators::{Operators, staged_value};
use crate::pack::Operand;
use crate::print::Text;

/// The parts of an f-string with a tensor of the graph among them.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Message {
    parts: Py<PyTuple>,
}

impl Message {
    /// The parts, in order.
    pub fn parts<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.parts.bind(py).clone()
    }
}

#[pymethods]
impl Message {
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let mut parts = self.parts.bind(py).iter();
        parts.try_fold(String::new(), |text, part| Ok(text + &part.str()?.to_string_lossy()))
    }
}

#[pymethods]
impl Operators {
    /// The text that an f-string of these parts is, or its parts if it has to wait for the graph.
    #[pyo3(signature = (*parts))]
    fn text<'py>(&self, parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = parts.py();
        for part in parts.iter() {
            if staged_value(&part)?.is_some() {
                return Ok(Bound::new(py, Message { parts: parts.clone().unbind() })?.into_any());
            }
        }
        let format = py.import("builtins")?.getattr("format")?;
        let mut text = Vec::new();
        for part in parts.iter() {
            text.push(format.call1((part,))?);
        }
        pyo3::types::PyString::new(py, "").call_method1("join", (text,))
    }
}

/// The pieces of a message and the tensors in it, which are the operands from `first` on.
pub fn message(object: &Bound<'_, PyAny>, first: usize) -> PyResult<(Vec<Piece>, Vec<Operand>)> {
    let mut text = Text::python(object.py());
    text.object(object)?;
    for piece in &mut text.pieces {
        match piece {
            Piece::Operand(at) | Piece::Python(at) => *at += first,
            Piece::Text(_) => {}
        }
    }
    Ok((text.pieces, text.operands))
}

//! `x.shape` and `len(x)` as the program reads them: a length that only the run of a graph knows is a value of the graph.

use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::{DType, Number};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::host::operand::Operand;
use crate::host::operands;
use crate::session::frames;
use crate::values::tensor::{Payload, Tensor};

/// Owner of an attribute `shape`: a value itself, but for tensors with a length that only the run knows in the user's code. This
/// package's own functions ask for lengths that are known while tracing.
pub fn shaped<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_open =
        |tensor: &Tensor| matches!(tensor.content(), Payload::Staged(..)) && tensor.lengths().contains(&None);
    match value.cast::<Tensor>() {
        Ok(tensor) if is_open(tensor.get()) && frames::in_users_code(value.py()) => {
            Ok(Bound::new(value.py(), Shaped { tensor: tensor.clone().unbind() })?.into_any())
        }
        _ => Ok(value.clone()),
    }
}

/// Stand-in for a tensor with lengths that only the run knows, of which `.shape` is read.
#[pyclass(frozen, module = "graphwright")]
struct Shaped {
    tensor: Py<Tensor>,
}

#[pymethods]
impl Shaped {
    /// Lengths of the axes: Python's numbers and, where only the run knows, values of the graph.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.tensor.bind(py).as_any();
        let known = self.tensor.get().lengths();
        let lengths = known.iter().enumerate().map(|(axis, length)| match length {
            Some(length) => Ok(length.into_pyobject(py)?.into_any()),
            None => length_of(tensor, axis),
        });
        staged_object(py, lengths.collect::<PyResult<_>>()?)
    }
}

/// The length of an axis, which counts as a number of Python's.
pub fn length_of<'py>(tensor: &Bound<'py, PyAny>, axis: usize) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let length =
        operands::apply(py, &Call::DimOf(axis as i64, DType::I64), vec![operands::operand(tensor)?])?;
    operands::tensor(
        py,
        match length {
            Operand::Staged(tracing, staged) => {
                Operand::Staged(tracing, Staged { value: staged.value, weak: Some(Number::Int) })
            }
            known @ (Operand::Tensor(_) | Operand::Number(_)) => known,
        },
    )
}

/// The object for a shape with lengths that only the run of a graph knows.
fn staged_object<'py>(py: Python<'py>, lengths: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
    let find = || Ok::<_, PyErr>(py.import("graphwright._shape")?.getattr("StagedShape")?.unbind());
    CLASS.get_or_try_init(py, find)?.bind(py).call1((PyTuple::new(py, lengths)?,))
}

//! `graphwright.Tensor`: elements that are there, or a value of a graph that is being built.

use std::sync::{Arc, OnceLock};

use gw_base::Code;
use gw_runtime::Buffer;
use gw_trace::{Staged, describe};
use gw_types::{DType, Dim, Scalar};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::convert::written::{self, Asked};
use crate::exceptions::errors;
use crate::session::{Tracing, frames};
use crate::values::array;
use crate::values::cell::{self, Cell, Origin};
use crate::values::sharing::Sharing;

/// An array of elements of one type, eager or in a graph.
#[pyclass(frozen, name = "Tensor", module = "graphwright", weakref)]
///
/// A store into it, `x[i] = v`, replaces its value; see `cell`.
///
/// Example:
///   >>> x = gw.constant([[1, 2], [3, 4]])
///   >>> x.shape, x.dtype.name, (x + 1).tolist()
///   ((2, 2), 'int32', [[2, 3], [4, 5]])
#[derive(Debug)]
pub struct Tensor {
    /// The value that it was made with.
    pub(crate) made: Payload,
    /// The value that it holds now, once that may differ.
    cell: OnceLock<Arc<Cell>>,
    born: u64,
    origin: Origin,
    original: Option<Py<Tensor>>,
    /// The memory that it shares with others.
    pub sharing: Sharing,
}

/// The content of a tensor.
#[derive(Debug, Clone)]
pub enum Payload {
    /// Elements.
    Eager(Buffer),
    /// A value of a graph.
    Staged(Arc<Tracing>, Staged),
}

impl Tensor {
    /// A tensor of elements.
    pub fn eager(buffer: Buffer) -> Self {
        Self::of(Payload::Eager(buffer))
    }

    /// A value of a graph.
    pub fn staged(tracing: Arc<Tracing>, staged: Staged) -> Self {
        Self::of(Payload::Staged(tracing, staged))
    }

    /// Another object that holds the same, of the same kind of array.
    pub fn duplicate(&self) -> Self {
        let copy = Self::of(self.content());
        if copy.is_staged() {
            copy.know(self.semantics());
        }
        copy
    }

    /// An array of its own that holds this.
    pub fn of(made: Payload) -> Self {
        let born = if matches!(made, Payload::Staged(..)) { cell::now() } else { 0 };
        let (origin, sharing) = (Origin::Own, Sharing::default());
        Self { made, cell: OnceLock::new(), born, origin, original: None, sharing }
    }

    /// The same, where it comes from somewhere else.
    pub fn with(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// A tensor with the value that another one holds now, in its place while it may be stored into.
    pub fn snapshot(original: &Bound<'_, Self>) -> Self {
        let mut now = Self::of(original.get().content());
        now.original = Some(original.clone().unbind());
        now.know(original.get().semantics());
        now
    }

    /// The tensor in whose place this stands.
    pub fn original(&self) -> Option<&Py<Tensor>> {
        self.original.as_ref()
    }

    /// Origin of the tensor.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The value that it holds.
    pub fn content(&self) -> Payload {
        match self.view() {
            Some(view) => view.content(&self.made),
            None => self.cell.get().map_or_else(|| self.made.clone(), |cell| cell.content()),
        }
    }

    /// The cell that a store changes.
    pub fn cell(&self) -> &Arc<Cell> {
        self.cell.get_or_init(|| Arc::new(Cell::new(self.born, self.made.clone())))
    }

    /// The same, if it was ever needed.
    pub fn cell_if_any(&self) -> Option<&Arc<Cell>> {
        self.cell.get()
    }

    /// The value that it was made with.
    pub fn made(&self) -> &Payload {
        &self.made
    }

    /// True if it is a value of a graph.
    pub fn is_staged(&self) -> bool {
        matches!(self.made, Payload::Staged(..))
    }

    /// True if it has no axes.
    pub fn is_number(&self) -> bool {
        self.lengths().is_empty()
    }

    /// Element type.
    pub fn element(&self) -> DType {
        match &self.made {
            Payload::Eager(buffer) => buffer.dtype(),
            Payload::Staged(tracing, staged) => tracing.trace.ty(staged.value).dtype,
        }
    }

    /// Lengths of the axes, where they are known.
    pub fn lengths(&self) -> Vec<Option<usize>> {
        match &self.made {
            Payload::Eager(buffer) => buffer.lengths().iter().map(|&n| Some(n)).collect(),
            Payload::Staged(tracing, staged) => {
                tracing.trace.ty(staged.value).shape.0.iter().map(|d: &Dim| d.fixed()).collect()
            }
        }
    }

    /// GW122 if it may be a part of an array that was stored into since.
    pub fn check_fresh(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_stale() { Err(errors::at_call(py, cell::stale())) } else { Ok(()) }
    }

    /// The diagnostic of a tensor of a graph that has been built: it has no value any more.
    pub(crate) fn leaked(py: Python<'_>, tracing: &Tracing, staged: Staged) -> PyErr {
        errors::raise(&tracing.trace.leaked(staged.value, "function", frames::place(py)))
    }

    /// The elements; GW108 for a tensor of the graph, GW111 for one of a graph that has been built.
    pub fn elements(&self, py: Python<'_>, wanted: &str) -> PyResult<Buffer> {
        match self.content() {
            Payload::Eager(buffer) => Ok(buffer),
            Payload::Staged(tracing, staged) if tracing.trace.is_finished() => {
                Err(Self::leaked(py, &tracing, staged))
            }
            Payload::Staged(tracing, staged) => {
                let general = || {
                    let ty = describe(&tracing.trace.ty(staged.value), staged.weak);
                    let message =
                        format!("a tensor of the graph ({ty}) has no value yet, so it cannot be {wanted}");
                    let help = "do it outside the function, or keep to tensor operations inside";
                    errors::here(py, Code::TensorAsNumber, message, help)
                };
                Err(written::refusal(py, Asked::Value(wanted)).unwrap_or_else(general))
            }
        }
    }

    /// The only element as a Python number or bytes.
    pub(crate) fn known_number<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::to_python(py, self.only(py, "a Python number")?)
    }

    pub(crate) fn only(&self, py: Python<'_>, wanted: &str) -> PyResult<Scalar> {
        let buffer = self.elements(py, wanted)?;
        let shape = buffer.lengths();
        array::only(&buffer).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "only a tensor of one element can be {wanted}; this one has shape {shape:?}"
            ))
        })
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        if let Some(cell) = self.cell.get() {
            cell.leave();
        }
    }
}

//! `graphwright.TensorSpec`: what is known of a tensor before it is there.

use gw_base::Code;
use gw_runtime::Buffer;
use gw_types::{DType, TensorType};
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::values::{dtype, shapes, tensor};

/// Describes a tensor by dtype and shape.
///
/// `None` stands for a length that is not known; `shape=None` for any number of axes.
///
/// Example:
///   >>> gw.TensorSpec([None, 3], gw.float32)
///   TensorSpec(shape=(None, 3), dtype=float32, name=None)
#[pyclass(frozen, eq, hash, name = "TensorSpec", module = "graphwright", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PyTensorSpec {
    /// Lengths of the axes; nothing is said by them if the number of axes is not known.
    pub lengths: Vec<Option<usize>>,
    /// True if the number of axes is not known.
    pub unranked: bool,
    /// Element type.
    pub element: DType,
    /// Name of the parameter.
    pub label: Option<String>,
}

#[pymethods]
impl PyTensorSpec {
    #[new]
    #[pyo3(signature = (shape, dtype=None, name=None))]
    fn new(
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
    ) -> PyResult<Self> {
        let unranked = is_unranked(shape)?;
        let lengths = if unranked { Vec::new() } else { lengths(shape)? };
        let element = dtype.map_or(Ok(DType::F32), dtype::parse)?;
        Ok(Self { lengths, unranked, element, label: name })
    }

    /// Returns the spec of a tensor.
    ///
    /// Args:
    ///   tensor: tensor or array of any shape and dtype.
    ///   name: name of the argument.
    ///
    /// Returns:
    ///   `TensorSpec`.
    ///
    /// Example:
    ///   >>> gw.TensorSpec.from_tensor(gw.ones([2, 3]))
    ///   TensorSpec(shape=(2, 3), dtype=float32, name=None)
    #[staticmethod]
    #[pyo3(signature = (tensor, name=None))]
    fn from_tensor(tensor: &Bound<'_, tensor::Tensor>, name: Option<String>) -> Self {
        let tensor = tensor.get();
        Self { lengths: tensor.lengths(), unranked: false, element: tensor.element(), label: name }
    }

    /// Lengths of the axes, a `TensorShape`.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.unranked {
            return py.import("graphwright._shape")?.getattr("TensorShape")?.call1((py.None(),));
        }
        shapes::shape_object(py, &self.lengths)
    }

    /// Element type.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, dtype::PyDType>> {
        dtype::object(py, self.element)
    }

    /// Name of the parameter.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// As Python writes it.
    pub fn __repr__(&self) -> String {
        format!(
            "TensorSpec(shape={}, dtype={}, name={})",
            self.text(),
            self.element.python_name(),
            self.label_text()
        )
    }
}

/// Lengths of axes, `None` where a length is not known.
///
/// # Errors
/// GW202 for `None`: the number of axes is always known; GW204 for what is no length.
pub fn lengths(shape: &Bound<'_, PyAny>) -> PyResult<Vec<Option<usize>>> {
    if shape.is_none() {
        let message = "the number of axes has to be known here";
        return Err(errors::here(shape.py(), Code::WrongShape, message, "write `[None, None]`, not `None`"));
    }
    shape.try_iter()?.map(|n| length(&n?)).collect()
}

/// The diagnostic of a call that gives a spec where it has to give a tensor.
pub fn no_tensor(py: Python<'_>) -> PyErr {
    let message = "a call needs tensors, but is given a `TensorSpec`";
    errors::here(py, Code::NotATensor, message, "ask `get_concrete_function` for the graph, and call that")
}

/// True if a shape leaves the number of axes open: `None`, or `TensorShape(None)`.
pub fn is_unranked(shape: &Bound<'_, PyAny>) -> PyResult<bool> {
    let unknown = shape.py().import("graphwright._shape")?.getattr("UnknownShape")?;
    Ok(shape.is_none() || shape.is_instance(&unknown)?)
}

impl PyTensorSpec {
    /// The spec of a value of a graph.
    pub fn of_type(ty: &TensorType, label: Option<String>) -> Self {
        let lengths = ty.shape.0.iter().map(|d| d.fixed()).collect();
        Self { lengths, unranked: false, element: ty.dtype, label }
    }

    /// The specs of a graph's parameters, with the names that they have.
    pub fn of_parameters(graph: &gw_ir::Graph) -> Vec<Self> {
        let spec = |&v: &gw_ir::ValueId| Self::of_type(graph.ty(v), graph.values[v].name.clone());
        graph.params().iter().map(spec).collect()
    }

    /// The spec of elements.
    pub fn of_buffer(buffer: &Buffer) -> Self {
        let lengths = buffer.lengths().iter().map(|&n| Some(n)).collect();
        Self { lengths, unranked: false, element: buffer.dtype(), label: None }
    }

    /// The same for so many axes of any length.
    pub fn of_rank(&self, rank: usize) -> Self {
        Self { lengths: vec![None; rank], unranked: false, ..self.clone() }
    }

    /// The same for any number of axes.
    pub fn of_any_rank(&self) -> Self {
        Self { lengths: Vec::new(), unranked: true, ..self.clone() }
    }

    /// True if a tensor with axes of these lengths can be one of these.
    pub fn takes(&self, lengths: &[Option<usize>]) -> bool {
        let same = |(w, f): (&Option<usize>, &Option<usize>)| w.is_none() || f.is_none() || w == f;
        self.unranked || (self.lengths.len() == lengths.len() && self.lengths.iter().zip(lengths).all(same))
    }

    /// The shape as Python writes a tuple.
    pub fn text(&self) -> String {
        if self.unranked {
            return "<unknown>".to_owned();
        }
        let axes: Vec<_> =
            self.lengths.iter().map(|n| n.map_or("None".to_owned(), |n| n.to_string())).collect();
        let comma = if axes.len() == 1 { "," } else { "" };
        format!("({}{comma})", axes.join(", "))
    }

    fn label_text(&self) -> String {
        self.label.as_ref().map_or("None".to_owned(), |l| format!("'{l}'"))
    }
}

/// The length of an axis, or `None`.
fn length(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if given.is_none() {
        return Ok(None);
    }
    given.extract().map(Some).or_else(|_| {
        let message = format!("{} is not the length of an axis", given.repr()?);
        let help = "write a number from 0 on, or `None` where the length is not known";
        Err(errors::here(given.py(), Code::BadArgument, message, help))
    })
}

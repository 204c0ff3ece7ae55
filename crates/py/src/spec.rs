//! `graphwright.TensorSpec`: what is known of a tensor before it is there.

use gw_types::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::{dtype, tensor};

/// Element type and lengths of the axes, `None` where a length is not known.
#[pyclass(frozen, eq, hash, name = "TensorSpec", module = "graphwright", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PyTensorSpec {
    /// Lengths of the axes.
    pub lengths: Vec<Option<usize>>,
    /// Element type.
    pub element: DType,
    /// What the parameter is called.
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
        if shape.is_none() {
            let message = "GW202: a TensorSpec needs the number of axes: write `[None, None]`, not `None`";
            return Err(PyTypeError::new_err(message));
        }
        let lengths = shape.try_iter()?.map(|n| n?.extract()).collect::<PyResult<_>>()?;
        let element = dtype.map_or(Ok(DType::F32), dtype::parse)?;
        Ok(Self { lengths, element, label: name })
    }

    /// The spec of a tensor.
    #[staticmethod]
    #[pyo3(signature = (tensor, name=None))]
    fn from_tensor(tensor: &Bound<'_, tensor::Tensor>, name: Option<String>) -> Self {
        let tensor = tensor.get();
        Self { lengths: tensor.lengths(), element: tensor.element(), label: name }
    }

    /// Lengths of the axes, a `TensorShape`.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        tensor::shape_object(py, &self.lengths)
    }

    /// Element type.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, dtype::PyDType>> {
        dtype::object(py, self.element)
    }

    /// What the parameter is called.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.label.as_deref()
    }

    fn __repr__(&self) -> String {
        format!(
            "TensorSpec(shape={}, dtype={}, name={})",
            self.text(),
            self.element.python_name(),
            self.label_text()
        )
    }
}

impl PyTensorSpec {
    /// The shape as Python writes a tuple.
    pub fn text(&self) -> String {
        let axes: Vec<_> =
            self.lengths.iter().map(|n| n.map_or("None".to_owned(), |n| n.to_string())).collect();
        let comma = if axes.len() == 1 { "," } else { "" };
        format!("({}{comma})", axes.join(", "))
    }

    fn label_text(&self) -> String {
        self.label.as_ref().map_or("None".to_owned(), |l| format!("'{l}'"))
    }
}

//! `x.sum()` and the like: what a NumPy array folds as a method, a tensor folds as NumPy's function does.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::tensor::Tensor;

#[pymethods]
impl Tensor {
    /// True if all elements are true.
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn all<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "all", axis, keepdims)
    }

    /// True if any element is true.
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn any<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "any", axis, keepdims)
    }

    /// The sum of the elements.
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn sum<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "sum", axis, keepdims)
    }

    /// The product of the elements.
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn prod<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "prod", axis, keepdims)
    }

    /// The mean of the elements.
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn mean<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "mean", axis, keepdims)
    }

    /// The greatest element.
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn max<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "max", axis, keepdims)
    }

    /// The least element.
    #[pyo3(signature = (axis=None, *, keepdims=false))]
    fn min<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "min", axis, keepdims)
    }
}

/// NumPy's function of this name, which asks the tensor what it means.
fn fold<'py>(
    tensor: &Bound<'py, Tensor>,
    name: &str,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let options = PyDict::new(py);
    options.set_item("axis", axis)?;
    options.set_item("keepdims", keepdims)?;
    py.import("numpy")?.getattr(name)?.call((tensor,), Some(&options))
}

//! `x.sum()` and the like: what a NumPy array folds as a method, a tensor folds as NumPy's function does.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::tensor::Tensor;

#[pymethods]
impl Tensor {
    /// Tells whether all elements are true.
    ///
    /// Args:
    ///   axis: axis or list of axes; all if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   options: further arguments of NumPy's method of this name.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Example:
    ///   >>> gw.constant([True, False]).all().item()
    ///   False
    #[pyo3(signature = (axis=None, *, keepdims=false, **options))]
    fn all<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "all", axis, keepdims, options)
    }

    /// Tells whether any element is true.
    ///
    /// Args:
    ///   axis: axis or list of axes; all if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   options: further arguments of NumPy's method of this name.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Example:
    ///   >>> gw.constant([True, False]).any().item()
    ///   True
    #[pyo3(signature = (axis=None, *, keepdims=false, **options))]
    fn any<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "any", axis, keepdims, options)
    }

    /// Sums the elements.
    ///
    /// Args:
    ///   axis: axis or list of axes; all if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   options: further arguments of NumPy's method of this name.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Example:
    ///   >>> gw.constant([2, 3]).sum().item()
    ///   5
    #[pyo3(signature = (axis=None, *, keepdims=false, **options))]
    fn sum<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "sum", axis, keepdims, options)
    }

    /// Multiplies the elements.
    ///
    /// Args:
    ///   axis: axis or list of axes; all if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   options: further arguments of NumPy's method of this name.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Example:
    ///   >>> gw.constant([2, 3]).prod().item()
    ///   6
    #[pyo3(signature = (axis=None, *, keepdims=false, **options))]
    fn prod<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "prod", axis, keepdims, options)
    }

    /// Computes the mean.
    ///
    /// Args:
    ///   axis: axis or list of axes; all if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   options: further arguments of NumPy's method of this name.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Example:
    ///   >>> gw.constant([1.0, 3.0]).mean().item()
    ///   2.0
    #[pyo3(signature = (axis=None, *, keepdims=false, **options))]
    fn mean<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "mean", axis, keepdims, options)
    }

    /// Returns the greatest element.
    ///
    /// Args:
    ///   axis: axis or list of axes; all if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   options: further arguments of NumPy's method of this name.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Example:
    ///   >>> gw.constant([1, 3]).max().item()
    ///   3
    #[pyo3(signature = (axis=None, *, keepdims=false, **options))]
    fn max<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "max", axis, keepdims, options)
    }

    /// Returns the least element.
    ///
    /// Args:
    ///   axis: axis or list of axes; all if it is `None`.
    ///   keepdims: whether the axes stay, with length 1.
    ///   options: further arguments of NumPy's method of this name.
    ///
    /// Returns:
    ///   Tensor without the axes.
    ///
    /// Example:
    ///   >>> gw.constant([1, 3]).min().item()
    ///   1
    #[pyo3(signature = (axis=None, *, keepdims=false, **options))]
    fn min<'py>(
        slf: &Bound<'py, Self>,
        axis: Option<&Bound<'py, PyAny>>,
        keepdims: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fold(slf, "min", axis, keepdims, options)
    }
}

/// NumPy's function of this name, which asks the tensor what it means.
fn fold<'py>(
    tensor: &Bound<'py, Tensor>,
    name: &str,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let options = options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
    options.set_item("axis", axis)?;
    options.set_item("keepdims", keepdims)?;
    py.import("numpy")?.getattr(name)?.call((tensor,), Some(&options))
}

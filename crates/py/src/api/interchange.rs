//! Exchange of elements with other array libraries: DLPack, the device, and the namespace of the Array API.

use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::exceptions::errors;
use crate::values::array;
use crate::values::tensor::Tensor;
use gw_base::Code;
use gw_types::DType;

/// The only device.
const DEVICE: &str = "cpu";
/// Versions of the Array API that the namespace has, the latest first.
const VERSIONS: [&str; 4] = ["2024.12", "2023.12", "2022.12", "2021.12"];
/// DLPack's number of memory of the processor.
const PROCESSOR: (i32, i32) = (1, 0);

#[pymethods]
impl Tensor {
    /// Device that holds the elements: `"cpu"`.
    #[getter]
    fn device(&self) -> &'static str {
        DEVICE
    }

    /// Returns the tensor on a device, of which there is one.
    ///
    /// Args:
    ///   device: `"cpu"`.
    ///   stream: accepted as in the Array API; must be None.
    ///
    /// Returns:
    ///   The tensor itself.
    ///
    /// Raises:
    ///   ValueError: there is no such device.
    ///
    /// Example:
    ///   >>> gw.constant([1]).to_device("cpu").device
    ///   'cpu'
    #[pyo3(signature = (device, *, stream=None))]
    fn to_device<'py>(
        slf: &Bound<'py, Self>,
        device: &Bound<'py, PyAny>,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        if device.extract::<&str>().ok() != Some(DEVICE) || stream.is_some() {
            return Err(PyValueError::new_err(format!("there is one device, {DEVICE:?}, without streams")));
        }
        Ok(slf.clone())
    }

    #[pyo3(signature = (*, api_version=None))]
    fn __array_namespace__<'py>(
        slf: &Bound<'py, Self>,
        api_version: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(wanted) = api_version
            && !VERSIONS.contains(&wanted)
        {
            let message =
                format!("there is no version {wanted} of the Array API here; there is {}", VERSIONS[0]);
            return Err(PyValueError::new_err(message));
        }
        Ok(slf.py().import("graphwright.array_api")?.into_any())
    }

    /// A capsule of DLPack with a copy of the elements.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if dl_device.is_some_and(|device| device != PROCESSOR) || stream.is_some() || copy == Some(false) {
            let message = "the elements are copied into memory of the processor, without a stream";
            return Err(PyBufferError::new_err(message));
        }
        if !self.element().is_number() || self.element() == DType::BF16 {
            let message = format!("NumPy makes no DLPack capsule of `{}`", self.element().python_name());
            let help = "take strings out as a list, `x.tolist()`, and cast `bfloat16` to `float32`";
            return Err(errors::here(py, Code::NotATensor, message, help));
        }
        let options = PyDict::new(py);
        if let Some(version) = max_version {
            options.set_item("max_version", version)?;
        }
        let array = array::to_numpy(py, &self.elements(py, "a DLPack capsule")?)?;
        match array.call_method("__dlpack__", (), Some(&options)) {
            // NumPy 1 knows no versions.
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => {
                array.call_method0("__dlpack__")
            }
            capsule => capsule,
        }
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        PROCESSOR
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyComplex>().call1((self.item(py)?,))
    }
}

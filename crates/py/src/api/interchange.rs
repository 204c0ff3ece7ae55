//! Exchange of elements with other array libraries: DLPack, the device, and the namespace of the Array API.
#![allow(unsafe_code, reason = "memory that is shared with other libraries is given by its address")]

use gw_runtime::Buffer;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::exceptions::errors;
use crate::host::operands;
use crate::host_calls::memory;
use crate::values::array;
use crate::values::tensor::Tensor;
use gw_base::Code;
use gw_types::DType;

/// The only device.
const DEVICE: &str = "cpu";
/// Versions of the Array API that the namespace has, the latest first.
const VERSIONS: [&str; 5] = ["2025.12", "2024.12", "2023.12", "2022.12", "2021.12"];
/// Owners of the elements of a tensor that lends them: itself, and what lends.
const OWN: usize = 2;
/// The module that knows other libraries.
const EXCHANGE: &str = "graphwright._exchange";
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

    /// A NumPy array of the elements: where they lie and only to be read, or a copy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_store(py)?;
        let elements = self.elements(py, "a NumPy array")?;
        let wanted = dtype.map(|dtype| py.import("numpy")?.call_method1("dtype", (dtype,))).transpose()?;
        let array =
            if copy == Some(false) { memory::lent(py, &elements) } else { array::to_numpy(py, &elements) }?;
        let Some(wanted) =
            wanted.filter(|wanted| !array.getattr("dtype").is_ok_and(|own| own.eq(wanted).unwrap_or(false)))
        else {
            return Ok(array);
        };
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "another dtype wants a copy of the elements, which `copy=False` forbids",
            ));
        }
        array.call_method1("astype", (wanted,))
    }

    /// A view of the elements that cannot change them, for `memoryview` and what reads buffers.
    // SAFETY: the interpreter gives a view that may be filled.
    unsafe fn __getbuffer__(
        slf: &Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        let (py, tensor) = (slf.py(), slf.get());
        tensor.check_store(py)?;
        if !tensor.element().is_number() {
            return Err(PyBufferError::new_err(
                "strings are no buffer of bytes; take them out by `x.tolist()`",
            ));
        }
        let array = memory::lent(py, &tensor.elements(py, "a buffer")?)?;
        // SAFETY: the interpreter gives a view to be filled, and the array fills it and is what it refers to.
        match unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), view, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(py)),
        }
    }

    /// A capsule of DLPack: the elements where they lie, only to be read, or a copy for those who know no versions of it.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if dl_device.is_some_and(|device| device != PROCESSOR) || stream.is_some() {
            let message = "the elements lie in memory of the processor, which has no stream";
            return Err(PyBufferError::new_err(message));
        }
        if !self.element().is_number() || self.element() == DType::BF16 {
            let message = format!("NumPy makes no DLPack capsule of `{}`", self.element().python_name());
            let help = "take strings out as a list, `x.tolist()`, and cast `bfloat16` to `float32`";
            return Err(errors::here(py, Code::NotATensor, message, help));
        }
        let elements = self.elements(py, "a DLPack capsule")?;
        // A capsule without a version cannot say that its elements are only to be read.
        let says_read_only = max_version.is_some_and(|(major, _)| major >= 1);
        // Some libraries store into what is only to be read: that reaches no graph's constant, and no other tensor.
        let is_apart = says_read_only && elements.owners() <= OWN;
        if copy == Some(true) || (copy.is_none() && !is_apart) {
            let options = PyDict::new(py);
            if says_read_only {
                options.set_item("max_version", max_version)?;
            }
            return array::to_numpy(py, &elements)?.call_method("__dlpack__", (), Some(&options));
        }
        if !says_read_only {
            let message = "elements that are only to be read are lent from version 1.0 of DLPack on: give `max_version`";
            return Err(PyBufferError::new_err(message));
        }
        let options = PyDict::new(py);
        options.set_item("max_version", max_version)?;
        memory::lent(py, &elements)?.call_method("__dlpack__", (), Some(&options))
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        PROCESSOR
    }

    #[pyo3(signature = (r#type=None))]
    fn __arrow_array__<'py>(
        slf: &Bound<'py, Self>,
        r#type: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(EXCHANGE)?.call_method1("arrow_array", (slf, r#type))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        slf: &Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(EXCHANGE)?.call_method1("arrow_capsule", (slf, requested_schema))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyComplex>().call1((self.known_number(py)?,))
    }
}

/// A tensor over the elements of a NumPy array, where they lie; `None` where they have to be copied.
///
/// Bools are copied: memory of others may hold bytes that are neither 0 nor 1.
#[pyfunction]
fn over_elements<'py>(array: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = array.py();
    let untyped = array.cast::<PyUntypedArray>()?;
    let is_number = |dtype: &DType| dtype.is_number() && *dtype != DType::Bool;
    let Some(dtype) = array::element_type(untyped).filter(is_number) else { return Ok(None) };
    let data = array.getattr("__array_interface__")?.get_item("data")?;
    let address: usize = data.get_item(0)?.extract()?;
    let is_apart = !untyped.is_c_contiguous() || !address.is_multiple_of(dtype.part().size());
    if is_apart || untyped.is_empty() {
        return Ok(None);
    }
    let start = std::ptr::with_exposed_provenance::<u8>(address);
    let owner = Box::new(array.clone().unbind());
    // SAFETY: the array, which is kept, holds its elements there in rows without gaps; who shares its memory agrees not to
    // change it, as the page of `gw.from_dlpack` says.
    let buffer = unsafe { Buffer::from_foreign(dtype, untyped.shape(), start, owner) };
    operands::tensor(py, operands::constant(buffer)).map(Some)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(over_elements, module)?)
}

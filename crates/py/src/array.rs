//! NumPy arrays and Python numbers as buffers, and back.

use gw_base::Code;
use gw_runtime::Buffer;
use gw_types::{DType, Scalar};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

use crate::{dtype, errors};

/// A Python number; `None` for anything else. An integer beyond 64 bits is an error.
pub fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if let Ok(b) = object.cast::<PyBool>() {
        return Ok(Some(Scalar::Bool(b.is_true())));
    }
    if object.cast_exact::<PyInt>().is_ok() {
        let wide = object.extract::<i64>();
        let message = "this integer does not fit 64 bits, so it cannot become a tensor";
        let help = "use a float, or compute with Python's integers before the tensors come in";
        let refused = |_| errors::here(object.py(), Code::NotATensor, message, help);
        return wide.map(|i| Some(Scalar::Int(i))).map_err(refused);
    }
    if object.cast_exact::<PyFloat>().is_ok() {
        return object.extract::<f64>().map(|x| Some(Scalar::Float(x)));
    }
    Ok(None)
}

/// The value of a number of a subclass of Python's own, such as a member of an `IntEnum`.
pub fn member(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if object.is_instance_of::<PyInt>() {
        return object.extract::<i64>().map(|i| Some(Scalar::Int(i)));
    }
    if object.is_instance_of::<PyFloat>() {
        return object.extract::<f64>().map(|x| Some(Scalar::Float(x)));
    }
    Ok(None)
}

/// Whether an object is a NumPy array.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    object.cast::<PyUntypedArray>().is_ok()
}

/// A NumPy array or NumPy scalar as a buffer; `None` for anything else. Dtypes that we lack are an error.
pub fn from_numpy(object: &Bound<'_, PyAny>) -> PyResult<Option<Buffer>> {
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return from_array(array).map(Some);
    }
    let numpy = object.py().import("numpy")?;
    if object.is_instance(&numpy.getattr("generic")?)? {
        let array = numpy.call_method1("asarray", (object,))?;
        return from_array(array.cast::<PyUntypedArray>()?).map(Some);
    }
    Ok(None)
}

fn from_array(array: &Bound<'_, PyUntypedArray>) -> PyResult<Buffer> {
    if !array.dtype().getattr("isnative")?.is_truthy()? {
        let native = array.dtype().call_method1("newbyteorder", ("=",))?;
        return from_array(array.call_method1("astype", (native,))?.cast::<PyUntypedArray>()?);
    }
    let name: String = array.dtype().getattr("name")?.extract()?;
    let dtype: DType = name.parse().map_err(|_| dtype::unsupported(array.py(), &name))?;
    match dtype {
        DType::Bool => copy_in::<bool>(array, dtype),
        DType::I32 => copy_in::<i32>(array, dtype),
        DType::I64 => copy_in::<i64>(array, dtype),
        DType::F32 => copy_in::<f32>(array, dtype),
        DType::F64 => copy_in::<f64>(array, dtype),
    }
}

/// An element that has bytes.
trait Element: numpy::Element + Copy {
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($ty:ty),*) => {$(
        impl Element for $ty {
            fn put(self, out: &mut Vec<u8>) { out.extend_from_slice(&self.to_ne_bytes()); }
            fn get(bytes: &[u8]) -> Self { <$ty>::from_ne_bytes(bytes.try_into().expect("one element")) }
        }
    )*};
}
elements!(i32, i64, f32, f64);

impl Element for bool {
    fn put(self, out: &mut Vec<u8>) {
        out.push(u8::from(self));
    }
    fn get(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

fn copy_in<T: Element>(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> PyResult<Buffer> {
    let array = array.cast::<PyArrayDyn<T>>()?.try_readonly()?;
    let view = array.as_array();
    let mut bytes = Vec::with_capacity(view.len() * dtype.size());
    match view.as_slice() {
        Some(elements) => elements.iter().for_each(|e| e.put(&mut bytes)),
        None => view.iter().for_each(|e| e.put(&mut bytes)),
    }
    Ok(Buffer::from_bytes(dtype, view.shape(), &bytes))
}

/// A new NumPy array with the buffer's elements.
pub fn to_numpy<'py>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    match buffer.dtype() {
        DType::Bool => copy_out::<bool>(py, buffer),
        DType::I32 => copy_out::<i32>(py, buffer),
        DType::I64 => copy_out::<i64>(py, buffer),
        DType::F32 => copy_out::<f32>(py, buffer),
        DType::F64 => copy_out::<f64>(py, buffer),
    }
}

fn copy_out<'py, T: Element>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    let elements: Vec<T> = buffer.bytes().chunks_exact(buffer.dtype().size()).map(T::get).collect();
    let flat = numpy::PyArray1::from_vec(py, elements);
    Ok(flat.reshape(buffer.lengths().to_vec())?.into_any())
}

/// The buffer's only element.
pub fn only(buffer: &Buffer) -> Option<Scalar> {
    (buffer.bytes().len() == buffer.dtype().size()).then(|| Scalar::read(buffer.dtype(), buffer.bytes()))
}

/// A scalar as a Python number.
pub fn to_python(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    Ok(match scalar {
        Scalar::Bool(b) => b.into_pyobject(py)?.to_owned().into_any(),
        Scalar::Int(i) => i.into_pyobject(py)?.into_any(),
        Scalar::Float(x) => x.into_pyobject(py)?.into_any(),
    })
}

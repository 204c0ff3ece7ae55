//! Python's strings and bytes as tensors, and back: a string is its UTF-8 bytes, and what comes back is `bytes`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Code;
use gw_runtime::Buffer;
use gw_types::{DType, Scalar, Text, Texts};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple, PyType};

use crate::exceptions::errors;
use crate::host::nesting;
use crate::session::{Feature, FeatureSlot, Tracing};
use crate::values::{array, strings};

/// True if an object is a `str` or `bytes`.
pub fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>()
}

/// A `str` or `bytes` as a buffer; `None` for anything else.
pub fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Buffer>> {
    let mut texts = Texts::default();
    Ok(text(object, &mut texts)?.map(|text| Buffer::scalar(DType::Str, Scalar::Text(text))))
}

/// A single string of these bytes.
pub fn of_text(bytes: &[u8]) -> Buffer {
    let mut texts = Texts::default();
    let text = texts.make(bytes);
    Buffer::scalar(DType::Str, Scalar::Text(text))
}

fn text(object: &Bound<'_, PyAny>, texts: &mut Texts) -> PyResult<Option<Text>> {
    if let Ok(string) = object.cast::<PyString>() {
        let bytes = string.to_str().map_err(|_| half_a_pair(object.py()))?;
        return Ok(Some(texts.make(bytes.as_bytes())));
    }
    Ok(object.cast::<PyBytes>().ok().map(|bytes| texts.make(bytes.as_bytes())))
}

fn half_a_pair(py: Python<'_>) -> PyErr {
    let message = "a text with half of a surrogate pair has no bytes in UTF-8, so it cannot become a tensor";
    errors::here(py, Code::NotATensor, message, "give bytes: `text.encode(\"utf-8\", \"surrogatepass\")`")
}

impl Feature for Mutex<Texts> {
    fn slot() -> FeatureSlot {
        FeatureSlot::Texts
    }
}

impl Tracing {
    /// Python's strings that may become values of the graph.
    pub fn texts(&self) -> MutexGuard<'_, Texts> {
        self.feature::<Mutex<Texts>>().lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A `str` or `bytes` that can become a value of a graph, as a string that `texts` keeps: it is no more than that, and has
/// bytes in UTF-8.
pub fn plain(object: &Bound<'_, PyAny>, texts: &mut Texts) -> Option<Text> {
    let plain = object.is_exact_instance_of::<PyString>() || object.is_exact_instance_of::<PyBytes>();
    plain.then(|| text(object, texts).ok().flatten())?
}

/// True if the first thing that is neither a list nor a tuple is a `str` or `bytes`.
pub fn begins(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return object.try_iter()?.next().map_or(Ok(false), |first| begins(&first?));
    }
    Ok(is_text(object))
}

/// Nested lists of `str` and `bytes` as a buffer.
pub fn from_lists(object: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let py = object.py();
    let objects = py.import("numpy")?.call_method1("asarray", (object, "object"));
    let array = objects.map_err(|error| strings::ragged(py, error))?;
    from_array(array.cast::<PyUntypedArray>()?)
}

/// An array of strings or of Python objects as a buffer; an error if one of them is no `str` or `bytes`.
pub fn from_array(array: &Bound<'_, PyUntypedArray>) -> PyResult<Buffer> {
    let (mut texts, mut bytes) = (Texts::default(), Vec::new());
    let elements = array.call_method0("ravel")?.call_method0("tolist")?;
    for element in elements.try_iter()? {
        let element = element?;
        let Some(text) = text(&element, &mut texts)? else { return Err(no_text(&elements, &element)) };
        Scalar::Text(text).write(DType::Str, &mut bytes);
    }
    Ok(Buffer::from_bytes(DType::Str, array.shape(), &bytes))
}

/// The diagnostic of objects among which is one that is no string.
fn no_text(elements: &Bound<'_, PyAny>, element: &Bound<'_, PyAny>) -> PyErr {
    let py = elements.py();
    if element.is_instance_of::<PyList>() || element.is_instance_of::<PyTuple>() {
        return strings::uneven(py);
    }
    let all: Vec<_> = elements.try_iter().into_iter().flatten().flatten().collect();
    if let Some(error) = all.iter().find_map(|one| array::number(one).err()) {
        return error;
    }
    let kind = element.get_type().name().map_or_else(|_| "object".to_owned(), |n| n.to_string());
    if !all.iter().any(is_text) {
        let message = format!("an array of Python's objects cannot become a tensor (found `{kind}`)");
        return errors::here(
            py,
            Code::NotATensor,
            message,
            "give it a dtype of numbers: `array.astype(float)`",
        );
    }
    let message = format!("cannot mix strings and other objects in one tensor (found `{kind}`)");
    errors::here(py, Code::NotATensor, message, "a tensor holds numbers or strings; make all of one kind")
}

/// A new NumPy array of `bytes`.
pub fn to_numpy<'py>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    let elements: Vec<_> = buffer.scalars().map(|text| to_python(py, text.to_text())).collect();
    let flat = py.import("numpy")?.call_method1("array", (PyList::new(py, elements)?, "object"))?;
    flat.call_method1("reshape", (PyTuple::new(py, buffer.lengths())?,))
}

/// A string as `bytes`.
pub fn to_python(py: Python<'_>, text: Text) -> Bound<'_, PyBytes> {
    text.with(|bytes| PyBytes::new(py, bytes))
}

/// Two equal texts.
pub fn same_text(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let of = |class: &Bound<'_, PyType>| a.get_type().is(class) && b.get_type().is(class);
    let texts = of(&a.py().get_type::<PyString>()) || of(&a.py().get_type::<PyBytes>());
    texts && a.eq(b).unwrap_or(false)
}

/// The diagnostic of nested lists of different lengths.
pub fn ragged(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<pyo3::exceptions::PyValueError>(py) {
        return error;
    }
    if error.value(py).to_string().contains("maximum number of dimension") {
        return nesting::too_deep(py);
    }
    uneven(py)
}

/// The same, of lists that were found to be so.
pub fn uneven(py: Python<'_>) -> PyErr {
    let message = "lists of different lengths cannot become a tensor";
    errors::here(py, Code::NotATensor, message, "give all rows one length, e.g. by padding them")
}

//! Fields of f-strings, as Python formats them.

use gw_runtime::{TensorView, format_python};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::values::tensor::{Payload, Tensor};

/// A field of an f-string, with a value of the graph.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Field {
    /// The value.
    pub value: Py<PyAny>,
    /// The way in which it is shown.
    pub shown: Shown,
}

/// The way in which a field shows its value.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    conversion: Option<char>,
    format: Option<String>,
    /// True if tensors are written as the graph writes them, by their elements.
    by_elements: bool,
}

impl Shown {
    /// A conversion, one of `s`, `r`, `a`, and the text behind `:`.
    pub fn new(conversion: Option<char>, format: Option<String>) -> Self {
        Self { conversion, format, by_elements: false }
    }

    /// As `print` shows values of the graph.
    pub fn by_elements() -> Self {
        Self { by_elements: true, ..Self::default() }
    }

    /// The text of a value.
    pub fn text<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        if let (true, Ok(tensor)) = (self.by_elements, value.cast::<Tensor>())
            && let Payload::Eager(buffer) = tensor.get().content()
        {
            let mut text = String::new();
            let lengths = buffer.lengths().to_vec();
            format_python(
                &TensorView { dtype: buffer.dtype(), lengths, bytes: buffer.bytes() },
                None,
                &mut text,
            );
            return Ok(PyString::new(value.py(), &text));
        }
        let value = match self.conversion {
            Some('r') => value.repr()?.into_any(),
            Some('a') => value.py().import("builtins")?.call_method1("ascii", (value,))?,
            Some(_) => value.str()?.into_any(),
            None => value.clone(),
        };
        let format = self.format.as_deref().unwrap_or_default();
        let made = value.py().import("builtins")?.call_method1("format", (value, format))?;
        Ok(made.cast_into()?)
    }
}

//! Fields of f-strings, as Python formats them.

use pyo3::prelude::*;
use pyo3::types::PyString;

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
}

impl Shown {
    /// A conversion, one of `s`, `r`, `a`, and the text behind `:`.
    pub fn new(conversion: Option<char>, format: Option<String>) -> Self {
        Self { conversion, format }
    }

    /// The text of a value.
    pub fn text<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
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

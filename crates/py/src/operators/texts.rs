//! Texts of assertions and `print` that are made when the graph runs: the tensors in its text have their values only then.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyString, PyTuple};

use crate::host::checks::staged_value;
use crate::host::messages::{Message, of_exception};
use crate::host::shown::{has_no_text, shows_tensor};
use crate::host_calls::host_value::{self, HostValue};
use crate::host_calls::shown::{Field, Shown};
use crate::operators::object::Operators;
use crate::session;

/// `str` while a graph is built.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct StagedStr;

#[pymethods]
impl StagedStr {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let (Ok(error), None) = (args.get_item(0), kwargs)
            && let Some(parts) = of_exception(&error)?
        {
            // The text of an exception that holds a text is that text.
            return match &parts[..] {
                [one] if host_value::is_text(one) => Ok(one.clone()),
                parts => Ok(Bound::new(py, Message::new(&PyTuple::new(py, parts)?)?)?.into_any()),
            };
        }
        let tracing = session::current().filter(|tracing| tracing.host_side().observed().is_some());
        if let (Some(_), Ok(value), 1, None) = (tracing, args.get_item(0), args.len(), kwargs)
            && (host_value::is_in(&value) || staged_value(&value)?.is_some())
        {
            let field = Field { value: value.unbind(), shown: Shown::new(Some('s'), None) };
            let message = Message::new(&PyTuple::new(py, [Bound::new(py, field)?])?)?;
            return py.get_type::<HostValue>().call_method1("_of_text", (Bound::new(py, message)?,));
        }
        known(py.get_type::<PyString>().call(args, kwargs)?)
    }
}

/// A function of Python's that makes a text now, while a graph is built.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct KnownText(Py<PyAny>);

#[pymethods]
impl KnownText {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        known(self.0.bind(py).call(args, kwargs)?)
    }
}

/// True of `format` and of the method of texts of that name.
fn formats(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = function.py();
    if function.is(py.import("builtins")?.getattr(intern!(py, "format"))?) {
        return Ok(true);
    }
    // Nothing of the user's is asked for its attributes.
    if !function.is_exact_instance_of::<PyCFunction>()
        || !function.getattr(intern!(py, "__self__"))?.is_exact_instance_of::<PyString>()
    {
        return Ok(false);
    }
    let name: String = function.getattr(intern!(py, "__name__"))?.extract()?;
    Ok(matches!(&*name, "format" | "format_map"))
}

/// A text that is known now: one that shows a tensor of the graph is refused.
pub fn known(text: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    match text.cast::<PyString>() {
        Ok(shown) if shows_tensor(&shown.to_string_lossy()) => Err(has_no_text(text.py())),
        Ok(_) | Err(_) => Ok(text),
    }
}

/// Callable for use in place of `function`, if that is `str` and a graph is being built.
pub fn staged<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    if !session::is_tracing() {
        return Ok(None);
    }
    if formats(function)? {
        return Ok(Some(Bound::new(py, KnownText(function.clone().unbind()))?.into_any()));
    }
    if !function.is(py.get_type::<PyString>()) {
        return Ok(None);
    }
    Ok(Some(Bound::new(py, StagedStr)?.into_any()))
}

#[pymethods]
impl Operators {
    /// The text that an f-string of these parts is, or its parts if it has to wait for the graph.
    #[pyo3(signature = (*parts))]
    fn text<'py>(&self, parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = parts.py();
        for part in parts.iter() {
            let waits = part.is_instance_of::<Message>()
                || part.is_instance_of::<Field>()
                || of_exception(&part)?.is_some();
            if waits || staged_value(&part)?.is_some() {
                return Ok(Bound::new(py, Message::new(parts)?)?.into_any());
            }
        }
        let format = py.import("builtins")?.getattr("format")?;
        let mut texts = Vec::new();
        for part in parts.iter() {
            texts.push(format.call1((part,))?.cast_into::<PyString>()?);
        }
        if texts.iter().any(|text| shows_tensor(&text.to_string_lossy())) {
            return Ok(Bound::new(py, Message::new(parts)?)?.into_any());
        }
        PyString::new(py, "").call_method1("join", (texts,))
    }
}

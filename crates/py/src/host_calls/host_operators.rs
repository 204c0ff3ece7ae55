//! Comparisons, truth and texts of values of host code: the graph asks the host each time.

use std::sync::Arc;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple};

use super::Seen;
use super::answer_types::Promises;
use super::ask::Asked;
use super::memory::Memory;
use crate::dependencies::guards::is_literal;
use crate::host_calls::host_value::{self, HostValue, OfHost, unknown};
use crate::session;

#[pymethods]
impl HostValue {
    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !(is_literal(other) || other.is_instance_of::<Self>()) {
            return Err(unknown());
        }
        let name = match operator {
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        let function = slf.py().import("operator")?.getattr(name)?;
        told_bool(&function, &[slf.as_any(), other])
    }

    /// Its text, as `print` shows it.
    fn _text<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let text = slf.py().get_type::<PyString>().into_any();
        told(&text, &[slf.as_any()], &text)
    }

    /// The text that a message will be.
    #[staticmethod]
    fn _of_text<'py>(message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        text_of(message.py().get_type::<PyString>().as_any(), &[message])
    }

    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_texts("add", [slf.as_any(), other])
    }

    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_texts("add", [other, slf.as_any()])
    }

    fn __mod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_texts("mod", [slf.as_any(), other])
    }

    /// Its text as `repr` gives it.
    fn _repr<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        text_of(&slf.py().import("builtins")?.getattr("repr")?, &[slf.as_any()])
    }

    /// Its truth, as the test of a statement asks it.
    fn _is_true<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        told_bool(&slf.py().import("operator")?.getattr("truth")?, &[slf.as_any()])
    }
}

/// The text that an operator gives of texts.
fn of_texts<'py>(operator: &str, given: [&Bound<'py, PyAny>; 2]) -> PyResult<Bound<'py, PyAny>> {
    let is_text = |one: &Bound<'_, PyAny>| one.is_exact_instance_of::<PyString>() || host_value::is_text(one);
    if !given.iter().all(|one| is_text(one)) {
        return Err(unknown());
    }
    text_of(&given[0].py().import("operator")?.getattr(operator)?, &given)
}

/// A text that a function without effects gives when the graph runs.
fn text_of<'py>(function: &Bound<'py, PyAny>, given: &[&Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let text = OfHost { class: py.get_type::<PyString>().unbind() };
    told(function, given, Bound::new(py, text)?.as_any())
}

/// A truth that a function without effects gives when the graph runs.
fn told_bool<'py>(function: &Bound<'py, PyAny>, given: &[&Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    told(function, given, function.py().get_type::<PyBool>().as_any())
}

/// A value of a class that a function without effects gives when the graph runs.
fn told<'py>(
    function: &Bound<'py, PyAny>,
    given: &[&Bound<'py, PyAny>],
    gives: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let tracing = session::current().ok_or_else(unknown)?;
    let name: String = function.getattr("__name__")?.extract()?;
    let promises = Arc::new(Promises::of(&name, gives)?);
    Asked { name: &name, function, promises: &promises, memory: Memory::Tensors, seen: Seen::Again }.plainly(
        &tracing,
        &PyTuple::new(py, given)?,
        &PyDict::new(py),
    )
}

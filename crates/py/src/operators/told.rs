//! Texts that are arguments of host code: their fields are formatted when the graph calls it.

use std::cell::Cell;

use gw_types::DType;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::host::checks::staged_value;
use crate::host::messages::Message;
use crate::host::shown::{has_no_text, shows_tensor};
use crate::host_calls::host_value::HostValue;
use crate::host_calls::shown::{Field, Shown};
use crate::host_calls::{HostFunction, observed};
use crate::operators::object::Operators;
use crate::session;
use crate::session::conv::conv;
use crate::values::tensor::Tensor;

thread_local! {
    /// The number of the call whose texts may wait: that of host code while a graph is built.
    static TELLS: Cell<Option<u32>> = const { Cell::new(None) };
}

#[pymethods]
impl Operators {
    /// The callable to call in place of `function`, which the texts of a call are arguments of.
    fn conv_told<'py>(&self, function: &Bound<'py, PyAny>, call: u32) -> PyResult<Bound<'py, PyAny>> {
        let called = if self.recursive { conv(function)? } else { function.clone() };
        let waits = session::is_tracing() && is_called_by_graph(function)?;
        TELLS.set(waits.then_some(call));
        Ok(called)
    }

    /// A field of a text among the arguments of a call: its text, or what it will show.
    fn field<'py>(
        &self,
        call: Option<u32>,
        value: &Bound<'py, PyAny>,
        conversion: Option<char>,
        format: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shown = Shown::new(conversion, format);
        let waits = if call.is_some() { TELLS.get() == call } else { calls_all_host_code() };
        if waits && (value.is_instance_of::<HostValue>() || staged_value(value)?.is_some()) {
            let field = Field { value: value.clone().unbind(), shown };
            return Ok(Bound::new(value.py(), field)?.into_any());
        }
        let text = shown.text(value)?;
        if !value.is_instance_of::<Tensor>() && shows_tensor(&text.to_string_lossy()) {
            return Err(has_no_text(value.py()));
        }
        Ok(text.into_any())
    }

    /// A field of a text that is printed, with a format if another field has one: its text, or what it will show.
    fn shown<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        conversion: Option<char>,
        format: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let format = format.filter(|format| !format.is_empty());
        if let Some((tracing, staged)) = staged_value(value)? {
            let ty = tracing.trace.ty(staged.value);
            let is_number = ty.rank() == 0 && ty.dtype != DType::Str;
            let shown = match (conversion, format) {
                (None | Some('s'), None) => Shown::by_elements(),
                // Numbers are written in one way; an array has another text for `repr`.
                (Some(_), None) if is_number => Shown::by_elements(),
                (None, format) => Shown::new(None, format),
                (Some(_), _) => return Err(has_no_text(value.py())),
            };
            let field = Field { value: value.clone().unbind(), shown };
            return Ok(Bound::new(value.py(), field)?.into_any());
        }
        self.field(None, value, conversion, format)
    }

    /// The text of these parts, which the host makes when the graph runs if one of them waits for it.
    #[pyo3(signature = (*parts))]
    fn made_text<'py>(&self, parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.told(parts)?;
        if text.is_instance_of::<Message>() {
            return parts.py().get_type::<HostValue>().call_method1("_of_text", (text,));
        }
        if observed::is_watched() {
            observed::note_given(&text);
        }
        Ok(text)
    }

    /// The text of these parts, or what will be it.
    #[pyo3(signature = (*parts))]
    fn told<'py>(&self, parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = parts.py();
        if parts.iter().any(|part| part.is_instance_of::<Field>()) {
            return Ok(Bound::new(py, Message::new(parts)?)?.into_any());
        }
        PyString::new(py, "").call_method1("join", (parts,))
    }
}

/// True if a graph is built that calls all host code.
fn calls_all_host_code() -> bool {
    session::current().is_some_and(|tracing| tracing.host_side().observed().is_some())
}

/// True of a function that the graph being built calls when it runs.
fn is_called_by_graph(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = function.py();
    let plain = function.getattr_opt(intern!(py, "__func__"))?.unwrap_or_else(|| function.clone());
    if plain.is_instance_of::<HostFunction>() {
        return Ok(true);
    }
    if !calls_all_host_code() {
        return Ok(false);
    }
    py.import("graphwright._meanings.pure")?.call_method1("is_host_code", (function, false))?.extract()
}

//! The texts of tensors: what they show of themselves, and what is said of a method that they lack.

use gw_base::Code;
use gw_types::Kind;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyString};

use crate::convert::written::{self, Asked};
use crate::exceptions::errors;
use crate::session::own_files;
use crate::session::top_frame::top_frame;
use crate::values::array;
use crate::values::shapes::plain_shape;
use crate::values::tensor::{Payload, Tensor};
use crate::{convert, session};

impl Tensor {
    /// Error for a use of the text of a value that has none while the graph is built.
    fn no_text(&self, py: Python<'_>) -> PyErr {
        written::refusal(py, Asked::Text).unwrap_or_else(|| {
            let message = "a tensor of the graph has no value yet, so it cannot be put into a text";
            let help =
                "give the tensor itself to `gw.print` or as the message of `assert`; `repr` shows its type";
            errors::here(py, Code::TensorAsText, message, help)
        })
    }
}

/// True if the user's code puts a container into a text by an operator, which calls nothing that could be seen.
fn is_formatted(py: Python<'_>) -> bool {
    let Some(frame) = top_frame(py) else { return false };
    let ask = || py.import("graphwright._bytecode")?.call_method1("is_formatting", (&frame,))?.is_truthy();
    let file = || frame.getattr("f_code")?.getattr("co_filename")?.extract::<String>();
    ask().unwrap_or(false) && file().is_ok_and(|file| !own_files::is_ours(py, &file))
}

#[pymethods]
impl Tensor {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape = plain_shape(&self.lengths());
        let dtype = self.element().python_name();
        match self.content() {
            Payload::Eager(buffer) => {
                let values = array::to_numpy(py, &buffer)?;
                let values = if self.ndim() == 0 { values.call_method0("item")? } else { values };
                Ok(format!("<gw.Tensor: shape={shape}, dtype={dtype}, numpy={}>", values.repr()?))
            }
            // Nothing tells there that a container of tensors is put into a text.
            Payload::Staged(tracing, _)
                if !tracing.trace.is_finished() && (convert::is_unread(py) || is_formatted(py)) =>
            {
                Err(self.no_text(py))
            }
            Payload::Staged(tracing, _) => {
                let graph = tracing.trace.name();
                Ok(format!("<gw.Tensor: shape={shape}, dtype={dtype}, in the graph of `{graph}`>"))
            }
        }
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        match self.content() {
            Payload::Eager(buffer) => {
                let values = array::to_numpy(py, &buffer)?;
                let values = if self.ndim() == 0 { values.call_method0("item")? } else { values };
                let shape = plain_shape(&self.lengths());
                Ok(format!(
                    "gw.Tensor({}, shape={shape}, dtype={})",
                    values.str()?,
                    self.element().python_name()
                ))
            }
            Payload::Staged(tracing, _) if tracing.trace.is_finished() => self.__repr__(py),
            Payload::Staged(..) => Err(self.no_text(py)),
        }
    }

    fn __format__(slf: &Bound<'_, Self>, spec: &str) -> PyResult<String> {
        let this = slf.get();
        if let Payload::Staged(tracing, _) = this.content()
            && !tracing.trace.is_finished()
        {
            return Err(this.no_text(slf.py()));
        }
        if spec.is_empty() {
            return this.__str__(slf.py());
        }
        this.known_number(slf.py())?.call_method1("__format__", (spec,))?.extract()
    }

    /// A method of arrays that tensors lack, with what there is in its place.
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let lacks = format!("'graphwright.Tensor' object has no attribute '{name}'");
        let is_public = !name.starts_with('_');
        let remedies = if is_public { py.import("graphwright._remedies").ok() } else { None };
        let found = remedies.and_then(|remedies| remedies.call_method1("attribute", (name,)).ok());
        let remedy: Option<String> = found.and_then(|found| found.extract().ok());
        let text = remedy.map_or_else(|| lacks.clone(), |remedy| format!("{lacks}; {remedy}"));
        if is_public && self.is_staged() && session::is_tracing() && self.host_has(py, name)? {
            let help = "do it outside of the function, or say it with the functions of tensors";
            return Err(errors::lacking(py, &text, help));
        }
        Err(PyAttributeError::new_err(text))
    }
}

impl Tensor {
    /// True if the number, text or array that the program has in place of the tensor has an attribute.
    fn host_has(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        let class = match (self.ndim(), self.element().kind()) {
            (0, Kind::Bool | Kind::Int) => py.get_type::<PyInt>().into_any(),
            (0, Kind::Float) => py.get_type::<PyFloat>().into_any(),
            (0, Kind::Complex) => py.get_type::<PyComplex>().into_any(),
            (0, Kind::Text) => py.get_type::<PyString>().into_any(),
            (_, Kind::Bool | Kind::Int | Kind::Float | Kind::Complex | Kind::Text) => {
                py.import("numpy")?.getattr("ndarray")?
            }
        };
        class.hasattr(name)
    }
}

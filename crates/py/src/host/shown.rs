//! Objects as the graph shows them when it runs: pieces of text, and the values between them.

use crate::exceptions::errors;
use crate::host::messages::{self, Message};
use crate::host::operand::Operand;
use crate::host::{operands, shown};
use crate::host_calls::host_value::HostValue;
use crate::host_calls::observed;
use crate::optional::maybe::{self, Maybe};
use crate::optional::undecided;
use crate::session::{Tracing, frames};
use crate::values::array;
use crate::values::tensor::Tensor;
use gw_base::Code;
use gw_ir::{Attr, Op, Piece, PrintFormat, Stream};
use gw_runtime::{TensorView, format_python, format_tensor};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// Style in which objects are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As `gw.print` does: texts in containers without quotes, arrays as their elements.
    Ours,
    /// As Python's `print` does; `quoted` inside a container.
    Python { quoted: bool },
}

/// A text under construction, with the operands that stand in it.
pub struct Text<'py> {
    py: Python<'py>,
    style: Style,
    /// Its parts.
    pub pieces: Vec<Piece>,
    /// The tensors in it.
    pub operands: Vec<Operand>,
}

impl<'py> Text<'py> {
    /// An empty text in the style of `gw.print`.
    pub fn ours(py: Python<'py>) -> Self {
        Self { py, style: Style::Ours, pieces: Vec::new(), operands: Vec::new() }
    }

    /// An empty text in the style of Python.
    pub fn python(py: Python<'py>) -> Self {
        Self { style: Style::Python { quoted: false }, ..Self::ours(py) }
    }

    /// Adds a text as it stands.
    pub fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            Some(Piece::Operand(_) | Piece::Python(_)) | None => {
                self.pieces.push(Piece::Text(text.to_owned()))
            }
        }
    }

    /// Tensors stand in the text as operands, containers are spelled out, anything else is written as `str` writes it.
    pub fn object(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if object.is_instance_of::<HostValue>() {
            return self.object(&object.call_method0(intern!(self.py, "_text"))?);
        }
        if let Some(maybe) = maybe::Maybe::optional(object) {
            return Err(shown::no_text(maybe));
        }
        if let Ok(maybe) = object.cast::<maybe::Maybe>() {
            return self.object(&operands::value_of(maybe.as_any())?);
        }
        if let Ok(message) = object.cast::<Message>() {
            return message.get().parts(self.py).iter().try_for_each(|part| self.object(&part));
        }
        if let Some(parts) = messages::of_exception(object)? {
            return parts.iter().try_for_each(|part| self.object(part));
        }
        if array::number(object).is_err() {
            // An integer of more than 64 bits is Python's own.
            return self.known(object);
        }
        undecided::check_shown(object, "print")?;
        match operands::plain_operand(object)? {
            Some(Operand::Number(_)) => self.known(object)?,
            Some(Operand::Tensor(_))
                if self.style != Style::Ours
                    && !(observed::is_watched() && object.is_instance_of::<Tensor>()) =>
            {
                self.known(object)?;
            }
            Some(operand)
                if self.style == (Style::Python { quoted: true }) && !operand.dtype().is_number() =>
            {
                let message =
                    "Python shows a string in a container as `repr` does, and this one has no value yet";
                let help = "print the string itself, or give the container to `gw.print`";
                return Err(errors::here(self.py, Code::TensorAsText, message, help));
            }
            Some(operand) => {
                let at = self.operands.len();
                self.pieces.push(if self.style == Style::Ours {
                    Piece::Operand(at)
                } else {
                    Piece::Python(at)
                });
                self.operands.push(operand);
            }
            None => return self.container(object),
        }
        Ok(())
    }

    /// Writes an object whose text is known now.
    fn known(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match self.style {
            Style::Python { quoted: true } => object.repr()?,
            Style::Python { quoted: false } | Style::Ours => object.str()?,
        };
        let text = text.to_string_lossy();
        if self.style != Style::Ours && shows_tensor(&text) {
            return Err(has_no_text(self.py));
        }
        self.push(&text);
        Ok(())
    }

    fn inside(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let outside = self.style;
        if outside != Style::Ours {
            self.style = Style::Python { quoted: true };
        }
        let done = self.object(object);
        self.style = outside;
        done
    }

    fn container(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.push("{");
            for (i, (key, value)) in dict.iter().enumerate() {
                self.push(if i == 0 { "" } else { ", " });
                self.push(&format!("{}: ", key.repr()?));
                self.inside(&value)?;
            }
            self.push("}");
        } else if object.is_exact_instance_of::<PyList>() {
            self.items("[", object, "]")?;
        } else if is_shown_as_tuple(object)? && self.style != Style::Ours && object.len()? == 1 {
            self.items("(", object, ",)")?;
        } else if is_shown_as_tuple(object)?
            || (self.style == Style::Ours && object.is_instance_of::<PyTuple>())
        {
            self.items("(", object, ")")?;
        } else {
            self.known(object)?;
        }
        Ok(())
    }

    /// The whole text, if no tensor is in it.
    pub fn known_now(&self) -> Option<String> {
        match &self.pieces[..] {
            [] => Some(String::new()),
            [Piece::Text(text)] => Some(text.clone()),
            _ => None,
        }
    }

    /// The text is printed when the graph runs.
    pub fn stage(self, tracing: &Tracing, stream: Stream, summarize: Option<usize>) -> PyResult<()> {
        let format = PrintFormat { pieces: self.pieces, stream, summarize };
        let values: Vec<_> = self.operands.iter().map(|o| operands::stage(tracing, o).value).collect();
        tracing.trace.set_place(frames::place(self.py));
        let made = tracing.trace.build(|b| b.effect(Op::Print, Attr::Print(format), &values));
        made.map_err(|u| errors::unfit(self.py, u))
    }

    fn items(&mut self, open: &str, object: &Bound<'_, PyAny>, close: &str) -> PyResult<()> {
        self.push(open);
        for (i, item) in object.try_iter()?.enumerate() {
            self.push(if i == 0 { "" } else { ", " });
            self.inside(&item?)?;
        }
        self.push(close);
        Ok(())
    }
}

impl Text<'_> {
    /// The whole text, where no value in it is of a graph.
    pub fn now(&self, summarize: Option<usize>) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Operand(at) => self.add_operand(*at, format_tensor, summarize, &mut text),
                Piece::Python(at) => self.add_operand(*at, format_python, summarize, &mut text),
            }
        }
        text
    }

    fn add_operand(
        &self,
        at: usize,
        format: fn(&TensorView, Option<usize>, &mut String),
        summarize: Option<usize>,
        text: &mut String,
    ) {
        if let Operand::Tensor(buffer) = self.operands[at].clone().strong() {
            let lengths = buffer.lengths().to_vec();
            format(&TensorView { dtype: buffer.dtype(), lengths, bytes: buffer.bytes() }, summarize, text);
        }
    }
}

/// The diagnostic where a text is made of it: which text that is must be known.
pub fn no_text(maybe: &Bound<'_, Maybe>) -> PyErr {
    let message = "this text shows a value that is `None` on some paths only";
    let help = "write one text under `if … is None:`, and another under `else:`";
    errors::here(maybe.py(), Code::TensorAsText, message, help)
}

/// True of a text with a tensor of the graph in it.
pub fn shows_tensor(text: &str) -> bool {
    text.contains("<gw.Tensor: ") && text.contains(", in the graph of `")
}

/// The refusal of such a text.
pub fn has_no_text(py: Python<'_>) -> PyErr {
    let message = "the text of this object shows a tensor of the graph, which has no value yet";
    let help = "print its tensors themselves; lists, tuples and dicts of them are spelled out";
    errors::here(py, Code::TensorAsText, message, help)
}

/// True of a tuple whose class leaves the text to `tuple`.
fn is_shown_as_tuple(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    let text = intern!(py, "__repr__");
    Ok(object.is_exact_instance_of::<PyTuple>()
        || object.is_instance_of::<PyTuple>()
            && object.get_type().getattr(text)?.is(&py.get_type::<PyTuple>().getattr(text)?))
}

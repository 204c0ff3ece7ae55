//! `graphwright.print`: a text with tensors in it, written when the graph runs, or now.

use gw_base::Code;
use gw_ir::{Attr, Op, Piece, PrintFormat, Stream};
use gw_runtime::{HostFn, TensorView, format_tensor};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::current;
use crate::pack::{self, Operand};
use crate::world::PythonHost;
use crate::{errors, host, operators};

/// A text under construction, with the operands that stand in it.
pub struct Text<'py> {
    py: Python<'py>,
    /// Its parts.
    pub pieces: Vec<Piece>,
    /// The tensors in it.
    pub operands: Vec<Operand>,
}

impl<'py> Text<'py> {
    /// An empty text.
    pub fn new(py: Python<'py>) -> Self {
        Self { py, pieces: Vec::new(), operands: Vec::new() }
    }

    fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            Some(Piece::Operand(_)) | None => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Tensors stand in the text as operands, containers are spelled out, anything else is written as `str` writes it.
    pub fn object(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(maybe) = object.cast::<host::Maybe>() {
            return self.object(&operators::read(self.py, maybe)?);
        }
        match pack::plain_operand(object)? {
            Some(Operand::Number(_)) => self.push(&object.str()?.to_string_lossy()),
            Some(operand) => {
                self.pieces.push(Piece::Operand(self.operands.len()));
                self.operands.push(operand);
            }
            None => return self.container(object),
        }
        Ok(())
    }

    fn container(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.push("{");
            for (i, (key, value)) in dict.iter().enumerate() {
                self.push(if i == 0 { "" } else { ", " });
                self.push(&format!("{}: ", key.repr()?));
                self.object(&value)?;
            }
            self.push("}");
        } else if object.is_exact_instance_of::<PyList>() {
            self.items("[", object, "]")?;
        } else if object.is_instance_of::<PyTuple>() {
            self.items("(", object, ")")?;
        } else {
            self.push(&object.str()?.to_string_lossy());
        }
        Ok(())
    }

    fn items(&mut self, open: &str, object: &Bound<'_, PyAny>, close: &str) -> PyResult<()> {
        self.push(open);
        for (i, item) in object.try_iter()?.enumerate() {
            self.push(if i == 0 { "" } else { ", " });
            self.object(&item?)?;
        }
        self.push(close);
        Ok(())
    }
}

/// Prints values, tensors as their elements, when the graph runs; in eager code, now.
///
/// `output_stream` is `sys.stderr` (the default) or `sys.stdout`; `summarize` says how many elements at each end of an
/// axis are shown, -1 shows all.
#[pyfunction]
#[pyo3(name = "print", signature = (*inputs, output_stream=None, summarize=None, sep=" ", end="\n", name=None))]
pub fn print_(
    py: Python<'_>,
    inputs: &Bound<'_, PyTuple>,
    output_stream: Option<&Bound<'_, PyAny>>,
    summarize: Option<i64>,
    sep: &str,
    end: &str,
    name: Option<&str>,
) -> PyResult<()> {
    let _ = name;
    let stream = stream(py, output_stream)?;
    let summarize = usize::try_from(summarize.unwrap_or(3)).ok();
    let mut text = Text::new(py);
    for (i, input) in inputs.iter().enumerate() {
        text.push(if i == 0 { "" } else { sep });
        text.object(&input)?;
    }
    text.push(end);
    let Text { pieces, operands, .. } = text;
    let format = PrintFormat { pieces, stream, summarize };
    let Some(tracing) = current::current() else { return now(&format, &operands) };
    let values: Vec<_> = operands.iter().map(|o| pack::stage(&tracing, o).value).collect();
    tracing.trace.set_place(current::place(py));
    let made = tracing.trace.build(|b| b.effect(Op::Print, Attr::Print(format), &values));
    made.map_err(|u| errors::unfit(py, u))
}

fn stream(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Stream> {
    let sys = py.import("sys")?;
    let Some(given) = given else { return Ok(Stream::Stderr) };
    match given {
        given if given.is(&sys.getattr("stderr")?) => Ok(Stream::Stderr),
        given if given.is(&sys.getattr("stdout")?) => Ok(Stream::Stdout),
        _ => {
            let message = "`output_stream` is `sys.stderr` or `sys.stdout`";
            Err(errors::here(py, Code::BadArgument, message, "print to a file of your own after the call"))
        }
    }
}

fn now(format: &PrintFormat, operands: &[Operand]) -> PyResult<()> {
    let mut text = String::new();
    for piece in &format.pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Operand(at) => match operands[*at].clone().strong() {
                Operand::Tensor(buffer) => {
                    let view = TensorView {
                        dtype: buffer.dtype(),
                        lengths: buffer.lengths().to_vec(),
                        bytes: buffer.bytes(),
                    };
                    format_tensor(&view, format.summarize, &mut text);
                }
                // Without an open graph there are no values of one.
                Operand::Staged(..) | Operand::Number(_) => {}
            },
        }
    }
    let stream = match format.stream {
        Stream::Stderr => gw_runtime::Stream::Stderr,
        Stream::Stdout => gw_runtime::Stream::Stdout,
    };
    PythonHost::default().print(stream, &text).map_err(errors::host_failed)
}

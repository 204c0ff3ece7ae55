//! `graphwright.print`: a text with tensors in it, written when the graph runs, or now.

use gw_base::Code;
use gw_ir::Stream;
use gw_runtime::HostFn;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyTuple};

use crate::exceptions::{errors, run_errors};
use crate::host::shown::Text;
use crate::host_calls::process_state::PythonHost;
use crate::{host_calls, session};

/// Prints values, tensors as their elements, when the graph runs; in eager code, now.
///
/// `output_stream` is `sys.stderr` (the default), `sys.stdout`, a level of `logging`, or `"file://"` and a path, to which is
/// added; `summarize` says how many elements at each end of an
/// axis are shown, -1 shows all.
///
/// Args:
///   inputs: values; tensors are printed with their elements.
///   output_stream: `sys.stdout`, `sys.stderr`, or a file name `"file://…"`.
///   summarize: number of elements shown at each end; all if it is -1.
///   sep: text between values.
///   end: text behind the last value.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Nothing.
///
/// Example:
///   >>> import sys
///   >>> gw.print("x =", gw.constant([1, 2]), output_stream=sys.stdout)
///   x = [1 2]
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
    let target = Target::of(py, output_stream)?;
    if let (Some(tracing), Target::Host(writer)) = (session::current(), &target) {
        let options = PyDict::new(py);
        options.set_item("output_stream", output_stream)?;
        options.set_item("summarize", summarize)?;
        options.set_item("sep", sep)?;
        options.set_item("end", end)?;
        return host_calls::printed(&tracing, writer, inputs, &options);
    }
    let summarize = usize::try_from(summarize.unwrap_or(3)).ok();
    let mut text = Text::ours(py);
    for (i, input) in inputs.iter().enumerate() {
        text.push(if i == 0 { "" } else { sep });
        text.object(&input)?;
    }
    text.push(end);
    match (session::current(), target) {
        (Some(tracing), Target::Stream(stream)) => text.stage(&tracing, stream, summarize),
        (_, Target::Stream(stream)) => {
            let stream = match stream {
                Stream::Stderr => gw_runtime::Stream::Stderr,
                Stream::Stdout => gw_runtime::Stream::Stdout,
            };
            PythonHost::default().print(stream, &text.now(summarize)).map_err(run_errors::host_failed)
        }
        (_, Target::Host(_)) => {
            let write = py.import("graphwright._host")?.getattr("write")?;
            write.call1((output_stream, text.now(summarize))).map(drop)
        }
    }
}

/// Destination of a text.
enum Target<'py> {
    /// The graph writes there.
    Stream(Stream),
    /// Python does: the function that prints.
    Host(Bound<'py, PyAny>),
}

impl<'py> Target<'py> {
    fn of(py: Python<'py>, given: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let sys = py.import("sys")?;
        let Some(given) = given else { return Ok(Self::Stream(Stream::Stderr)) };
        if given.is(&sys.getattr("stderr")?) {
            return Ok(Self::Stream(Stream::Stderr));
        }
        if given.is(&sys.getattr("stdout")?) {
            return Ok(Self::Stream(Stream::Stdout));
        }
        let is_file = given.extract::<&str>().is_ok_and(|path| path.starts_with("file://"));
        if is_file || given.is_exact_instance_of::<PyInt>() {
            return Ok(Self::Host(py.import("graphwright._native")?.getattr("print")?));
        }
        let message =
            "`output_stream` is `sys.stderr`, `sys.stdout`, a level of `logging`, or `file://` and a path";
        Err(errors::here(py, Code::BadArgument, message, "print to a file of your own after the call"))
    }
}

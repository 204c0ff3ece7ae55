//! State of the process: the eager cache and the channel through which native code speaks to Python.

use std::sync::OnceLock;

use graphwright::Eager;
use gw_runtime::{Buffer, HostError, HostFn, Stream};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::host_calls::alone;
use std::sync::Arc;

/// The eager calls that were compiled so far.
pub fn eager() -> &'static Eager {
    static EAGER: OnceLock<Eager> = OnceLock::new();
    EAGER.get_or_init(Eager::default)
}

/// A runner of a graph in place of its native code: from its inputs to its results.
pub type Elsewhere<'a> = &'a dyn Fn(&[Buffer]) -> PyResult<Vec<Buffer>>;

/// Answers of the calls of one run, in their order.
pub type Answers = Arc<[Vec<Buffer>]>;

/// The host's functions that a run calls.
pub trait HostCalls: std::fmt::Debug + Send {
    /// Calls a function with these arguments.
    ///
    /// # Errors
    /// Exceptions of the function.
    fn call(&mut self, py: Python<'_>, function: usize, args: Vec<Buffer>) -> PyResult<Vec<Buffer>>;

    /// Notes that the run has printed a text.
    fn printed(&mut self);
}

/// Native code's way back to Python: prints go to `sys.stderr` and `sys.stdout` as they are at that moment.
#[derive(Debug, Default)]
pub struct PythonHost<'a> {
    /// Exception that a signal handler raised to interrupt the run.
    pub interrupt: Option<PyErr>,
    /// The functions that the run calls.
    pub serving: Option<&'a mut dyn HostCalls>,
    /// Answers of an earlier run of the same, and how many of them have been given again.
    again: Option<(Answers, usize)>,
}

impl<'a> PythonHost<'a> {
    /// For a run that calls these functions.
    pub fn serving(serving: Option<&'a mut dyn HostCalls>) -> Self {
        Self { serving, ..Self::default() }
    }

    /// For a run in which functions are not called again: they gave this.
    pub fn again(answers: Answers) -> Self {
        Self { again: Some((answers, 0)), ..Self::default() }
    }
}

impl HostFn for PythonHost<'_> {
    fn call(&mut self, function: usize, args: Vec<Buffer>) -> Result<Vec<Buffer>, HostError> {
        if let Some((answers, at)) = &mut self.again {
            let lost = || -> HostError {
                Box::new(PyRuntimeError::new_err("the host is called anew on the way back"))
            };
            let given = answers.get(*at).cloned().ok_or_else(lost)?;
            *at += 1;
            return Ok(given);
        }
        let Some(serving) = &mut self.serving else {
            return Err(Box::new(PyRuntimeError::new_err("nobody serves the calls of this graph")));
        };
        Python::attach(|py| alone::host(py, || serving.call(py, function, args)))
            .map_err(|e| -> HostError { Box::new(e) })
    }

    fn print(&mut self, stream: Stream, text: &str) -> Result<(), HostError> {
        if let Some(serving) = &mut self.serving {
            serving.printed();
        }
        Python::attach(|py| write(py, stream, text)).map_err(|e| -> HostError { Box::new(e) })
    }

    fn check_interrupt(&mut self) -> bool {
        self.interrupt = Python::attach(|py| py.check_signals()).err();
        self.interrupt.is_some()
    }
}

fn write(py: Python<'_>, stream: Stream, text: &str) -> PyResult<()> {
    let name = match stream {
        Stream::Stderr => "stderr",
        Stream::Stdout => "stdout",
    };
    let file = py.import("sys")?.getattr(name)?;
    if !file.is_none() {
        file.call_method1("write", (text,))?;
        file.call_method0("flush")?;
    }
    Ok(())
}

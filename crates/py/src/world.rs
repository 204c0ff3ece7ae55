//! What is one per process: the eager cache and the channel through which native code speaks to Python.

use std::sync::OnceLock;

use graphwright::Eager;
use gw_runtime::{HostError, HostFn, Stream};
use pyo3::prelude::*;

/// The eager calls that were compiled so far.
pub fn eager() -> &'static Eager {
    static EAGER: OnceLock<Eager> = OnceLock::new();
    EAGER.get_or_init(Eager::default)
}

/// Native code's way back to Python: prints go to `sys.stderr` and `sys.stdout` as they are at that moment.
#[derive(Debug, Default)]
pub struct PythonHost {
    /// What a signal handler raised to interrupt the run.
    pub interrupt: Option<PyErr>,
}

impl HostFn for PythonHost {
    fn print(&mut self, stream: Stream, text: &str) -> Result<(), HostError> {
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

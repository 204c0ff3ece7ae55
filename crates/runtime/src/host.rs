//! The host's side of a running graph.

use crate::{Buffer, HostError};

/// Stream that a text goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The host's standard error.
    Stderr,
    /// The host's standard output.
    Stdout,
}

/// Services that a running graph asks of its host, always on the thread that called `run`.
pub trait HostFn {
    /// Writes a text as it stands.
    ///
    /// # Errors
    /// Exception of the host; the run ends with it.
    fn print(&mut self, stream: Stream, text: &str) -> Result<(), HostError>;

    /// Calls a function of the host's, by its number among those that the graph calls.
    ///
    /// # Errors
    /// Exception of the function; the run ends with it.
    fn call(&mut self, function: usize, args: Vec<Buffer>) -> Result<Vec<Buffer>, HostError> {
        let _ = args;
        Err(Box::new(format!("nobody serves calls of function {function}")))
    }

    /// True if the user wants the run to end; asked now and then by long loops.
    fn check_interrupt(&mut self) -> bool {
        false
    }
}

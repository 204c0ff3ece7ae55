//! The host's side of a function: whether its graph may call the host, and what is said of copies between the two.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The fate of calls of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostCode {
    /// The graph calls what differs from call to call, and what is marked.
    Auto,
    /// The graph calls all host code, whose first answers say what it gives.
    Run,
    /// Python runs while the graph is built, and the graph calls what is marked.
    Trace,
    /// An error (GW504).
    Refuse,
}

impl HostCode {
    /// The one of this name.
    pub(super) fn of(word: &str) -> PyResult<Self> {
        match word {
            "auto" => Ok(HostCode::Auto),
            "run" => Ok(HostCode::Run),
            "trace" => Ok(HostCode::Trace),
            "refuse" => Ok(HostCode::Refuse),
            other => {
                let message =
                    format!("host_code is \"auto\", \"run\", \"trace\" or \"refuse\", not {other:?}");
                Err(PyValueError::new_err(message))
            }
        }
    }
}

/// The words for what is done about copies that nobody asked for.
const COPIES: [&str; 3] = ["warn", "allow", "error"];

/// The same, if it is one of these words.
pub(super) fn implicit_copies(word: &str) -> PyResult<String> {
    if COPIES.contains(&word) {
        return Ok(word.to_owned());
    }
    let message = format!("implicit_copies is \"warn\", \"allow\" or \"error\", not {word:?}");
    Err(PyValueError::new_err(message))
}

/// Warns of copies between a graph and the host that nobody asked for, or refuses them (GW501, GW502): those of these crossings, by
/// the function's word or the process's.
pub(super) fn judge(crossings: &Bound<'_, PyList>, said: Option<&str>) -> PyResult<()> {
    let py = crossings.py();
    py.import("graphwright._partition")?.call_method1("judge_copies", (crossings, said)).map(drop)
}

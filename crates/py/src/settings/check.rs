//! The static checker, for the command line.

use pyo3::prelude::*;

/// Carries out `graphwright check` with these arguments, of which `-` stands for `input`: the text for the standard
/// output, the one for the standard error, and the exit status.
#[pyfunction]
pub fn check_files(py: Python<'_>, arguments: Vec<String>, input: &str) -> (String, String, u8) {
    let answer = py.detach(|| gw_check::command(&arguments, &mut || input.to_owned()));
    (answer.output, answer.complaint, answer.status)
}

/// The page of a diagnostic; none if there is no such code.
#[pyfunction]
pub fn page(code: &str) -> Option<&'static str> {
    gw_check::page(code)
}

/// Serves an editor over standard input and output until it ends; what is wrong with its messages, if anything is.
#[pyfunction]
pub fn serve_editor(py: Python<'_>) -> Option<String> {
    py.detach(|| gw_check::serve().err())
}

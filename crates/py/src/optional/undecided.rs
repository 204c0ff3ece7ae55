//! Numbers of which the graph decides the type, where plain Python shows one.

use crate::exceptions::errors;
use crate::session::Tracing;
use crate::values::tensor::{Payload, Tensor};
use gw_base::Code;
use gw_trace::Staged;
use gw_types::Number;
use pyo3::prelude::*;

/// GW103 if `asked` would show host code, or a reader, a number as one of another type than plain Python does.
pub fn check_shown(value: &Bound<'_, PyAny>, asked: &str) -> PyResult<()> {
    let Some((tracing, staged)) = staged(value) else { return Ok(()) };
    let undecided_of = |number: &Number| number.is_open();
    match staged.weak.filter(undecided_of) {
        Some(number) if tracing.host_side().observed().is_some() => Err(undecided(value.py(), number, asked)),
        Some(_) | None => Ok(()),
    }
}

pub fn undecided(py: Python<'_>, number: Number, asked: &str) -> PyErr {
    let message =
        format!("`{asked}` asks for the type of a number that is {} where the graph decides", number.text());
    let help =
        "give it one type on all paths, e.g. begin with `0.0` in place of `0`, or convert it with `float`";
    errors::here(py, Code::BranchesDisagree, message, help)
}

pub fn staged(value: &Bound<'_, PyAny>) -> Option<(std::sync::Arc<Tracing>, Staged)> {
    match value.cast::<Tensor>().ok()?.get().content() {
        Payload::Staged(tracing, staged) => Some((tracing, staged)),
        Payload::Eager(_) => None,
    }
}

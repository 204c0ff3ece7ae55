//! Conditions that the functions of `graphwright.debugging` judge: now, or when the graph runs.

use gw_ir::CheckKind;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::exceptions::errors;
use crate::host::shown::Text;
use crate::host::shown_checks::behind_test;
use crate::host::{checks, operands};
use crate::session;

/// Raises `InvalidArgumentError` unless a condition holds; `parts` are its text, tensors among them.
#[pyfunction]
#[pyo3(signature = (condition, parts, summarize=None))]
fn require(
    py: Python<'_>,
    condition: &Bound<'_, PyAny>,
    parts: &Bound<'_, PyTuple>,
    summarize: Option<i64>,
) -> PyResult<()> {
    let mut text = Text::ours(py);
    parts.iter().try_for_each(|part| text.object(&part))?;
    let summarize = usize::try_from(summarize.unwrap_or(3)).ok();
    let Some(tracing) = session::current() else {
        return if condition.is_truthy()? {
            Ok(())
        } else {
            Err(errors::invalid_argument(text.now(summarize)))
        };
    };
    let ok = operands::stage(&tracing, &operands::operand(condition)?);
    let mut values = vec![checks::test_of(py, &tracing, ok)?];
    values.extend(text.operands.iter().map(|operand| operands::stage(&tracing, operand).value));
    let pieces = behind_test(text.pieces);
    checks::check_shown(py, &tracing, &values, CheckKind::Argument, (pieces, summarize))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(require, module)?)
}

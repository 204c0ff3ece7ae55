//! Checks of a graph whose texts show objects of the program.

use crate::host::checks::{self, staged_test};
use crate::host::operands;
use crate::host::shown::Text;
use gw_ir::{CheckKind, Piece};
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Puts a check into the graph, of which these are the parts of the text.
pub fn put_check(
    py: Python<'_>,
    ok: &Bound<'_, PyAny>,
    kind: &str,
    parts: &Bound<'_, PyTuple>,
    limit: bool,
) -> PyResult<()> {
    let unknown = || PySystemError::new_err(format!("`{kind}` is not raised by a graph"));
    let kind = CheckKind::from_text(kind).ok_or_else(unknown)?;
    let mut text = Text::python(py);
    parts.iter().try_for_each(|part| text.object(&part))?;
    match staged_test(ok)? {
        Some((tracing, ok)) => {
            let shown = text.operands.iter().map(|operand| operands::stage(&tracing, operand).value);
            let values: Vec<_> = [ok].into_iter().chain(shown).collect();
            let put = if limit { checks::check_limit } else { checks::check };
            put(py, &tracing, &values, kind, behind_test(text.pieces))
        }
        None => Err(PySystemError::new_err("what is checked is known already")),
    }
}

/// The pieces of a message where the test stands before what they show.
pub fn behind_test(pieces: Vec<Piece>) -> Vec<Piece> {
    let behind = |piece| match piece {
        Piece::Operand(at) => Piece::Operand(at + 1),
        Piece::Python(at) => Piece::Python(at + 1),
        text @ Piece::Text(_) => text,
    };
    pieces.into_iter().map(behind).collect()
}

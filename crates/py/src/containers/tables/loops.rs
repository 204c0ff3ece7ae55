//! Loops over dicts and sets of the graph.

use crate::calls::callable::callable;
use crate::containers::heap::heap;
use crate::containers::list_object::ListObject;
use crate::containers::lists;
use crate::containers::lists::elements::{self, has_rows};
use crate::containers::tables::view::Iterated;
use crate::effects::places::PyState;
use crate::host::{checks, operands};
use crate::iteration::python_for::python_for;
use crate::operators::logic::not;
use gw_ir::{BinaryOp, CheckKind, Piece as Text};
use gw_trace::calls::Call;
use gw_trace::objects::Walking;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// `for item in d: body(item)` and the like, which end with Python's `RuntimeError` if the dict changes its length meanwhile.
pub fn each<'py>(
    found: &Iterated<'py>,
    extra_test: Option<&Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let (py, Iterated { items, inside }) = (body.py(), found);
    if !has_rows(items) {
        return python_for(items.as_any(), extra_test, body, state);
    }
    let Some(before) = elements::elements(inside)? else { return Ok(()) };
    let length = elements::len(py, &before)?.unbind();
    let (list, held) = (inside.clone().unbind(), inside.get_item(0)?.unbind());
    let test = extra_test.map(|test| test.clone().unbind());
    let go_on = callable(py, move |py| {
        let go = match &test {
            Some(test) => test.call0(py)?.into_bound(py),
            None => true.into_pyobject(py)?.to_owned().into_any(),
        };
        let list = list.bind(py);
        let is_same = list.len() == 1 && list.get_item(0)?.is(&held);
        if let (false, Some(now)) = (is_same, elements::elements(list)?) {
            let same = length.bind(py).rich_compare(elements::len(py, &now)?, CompareOp::Eq)?;
            check_size(py, &go, &same)?;
        }
        Ok(go.unbind())
    })?;
    let host = heap(py)?;
    let _walking = Walking::new(&host, &ListObject::new(inside));
    lists::each_element(items, 0, Some(&go_on), body, state)
}

/// Fails with Python's `RuntimeError` when the graph runs if a loop goes on over a dict whose length is not the same.
fn check_size(py: Python<'_>, go: &Bound<'_, PyAny>, same: &Bound<'_, PyAny>) -> PyResult<()> {
    let ends = not(go)?;
    let ok = match checks::staged_test(&ends)? {
        None if ends.is_truthy()? => return Ok(()),
        None => same.clone(),
        Some(_) => operands::call(py, &Call::binary(BinaryOp::Or), &[&ends, same])?,
    };
    let text = Text::Text("dictionary changed size during iteration".to_owned());
    match checks::staged_test(&ok)? {
        Some((tracing, ok)) => checks::check(py, &tracing, &[ok], CheckKind::Runtime, vec![text]),
        None if ok.is_truthy()? => Ok(()),
        None => Err(PyRuntimeError::new_err("dictionary changed size during iteration")),
    }
}

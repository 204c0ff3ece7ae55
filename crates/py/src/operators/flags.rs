//! The flag that `break` sets, a variable of the function: false while the body of its loop runs, and asked before each round.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFunction, PyTuple};

use crate::calls::callable;
use crate::exceptions::errors::InternalError;
use crate::host::checks::test_of;
use crate::operators::{Decides, decides, logic, tested};
use crate::values::tensor::Tensor;
use gw_trace::Staged;

/// Test of a loop whose body sets the flag of this name, evaluated before each iteration: `not flag and test()`.
pub fn unless<'py>(
    flag: &str,
    body: &Bound<'py, PyAny>,
    test: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (cell, test) = (cell(flag, body)?.unbind(), test.map(|test| test.clone().unbind()));
    callable::callable(body.py(), move |py| {
        let left = cell.bind(py).getattr(pyo3::intern!(py, "cell_contents"))?;
        let goes_on = logic::not(&left)?;
        Ok(match &test {
            Some(test) => logic::and(&goes_on, test.bind(py))?.unbind(),
            None => goes_on.unbind(),
        })
    })
}

/// The cell that a function shares with the one around it under a name.
fn cell<'py>(name: &str, function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let lacks = || InternalError::new_err(format!("no block has a cell for `{name}`"));
    let function = function.cast::<PyFunction>()?;
    let free = function.getattr(pyo3::intern!(py, "__code__"))?.getattr(pyo3::intern!(py, "co_freevars"))?;
    let at =
        free.cast::<PyTuple>()?.iter().position(|free| free.eq(name).unwrap_or(false)).ok_or_else(lacks)?;
    function.getattr(pyo3::intern!(py, "__closure__"))?.cast::<PyTuple>()?.get_item(at)
}

/// True if a test leaves a loop, as a bool of Python's or of the graph.
pub fn leaves<'py>(test: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, test) = (test.py(), &tested(test)?);
    let bool = |value: bool| PyBool::new(py, value).to_owned().into_any();
    match decides(test)? {
        Decides::Python => Ok(bool(test.is_truthy()?)),
        Decides::Graph(tracing, staged) => {
            let test = test_of(py, &tracing, staged)?;
            Ok(Bound::new(py, Tensor::staged(tracing, Staged::strong(test)))?.into_any())
        }
        Decides::Backend(backend) => {
            let [yes, no] = [true, false].map(|value| {
                let value = bool(value).unbind();
                callable::callable(py, move |py| Ok(value.clone_ref(py)))
            });
            let (yes, no) = (yes?, no?);
            backend.expression("if_exp", &[test, &yes, &no], &[])
        }
    }
}

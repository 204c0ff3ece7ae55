//! The memory that a call works in: the caller's own arrays or copies of them, for `graphwright._report`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::function::Function;
use crate::function::concrete_function::ConcreteFunction;
use crate::function::fast_match::Positional;
use crate::host::lent;
use crate::values::array;

/// An argument that is an array or is stored into: its number among the graph's parameters, the object, true if it is stored
/// into, and the reason for which each call copies it, if it does.
type Place<'py> = (usize, Bound<'py, PyAny>, bool, Option<&'static str>);

/// Places of the arguments of a call of one graph of a function.
#[pyfunction]
pub fn memory<'py>(
    function: &Bound<'py, Function>,
    concrete: &ConcreteFunction,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Place<'py>>> {
    let (py, function, trace) = (function.py(), function.get(), concrete.trace());
    let call = function.parameters(py)?.bind(args, kwargs)?;
    let given = Positional { owner: None, arguments: &call.positional };
    let is_found = call.keyword.is_none() && function.traces.with_alike(py, given, |_, _| ()).is_some();
    let for_all = match () {
        () if !trace.served.is_empty() => Some("the graph calls the host"),
        () if trace.is_done_again => Some("plain Python may do the call again"),
        () if !is_found => Some("the call finds its graph by types"),
        () => None,
    };
    let one = |(at, object): (usize, Bound<'py, PyAny>)| {
        let stored = trace.written.iter().any(|written| written.at == at);
        let is_array = array::is_array(&object);
        let copied = if is_array { for_all.and(lent::reason_to_copy(&object)).or(for_all) } else { None };
        (is_array || stored).then_some((at, object, stored, copied))
    };
    Ok(function.tensors(&call)?.into_iter().enumerate().filter_map(one).collect())
}

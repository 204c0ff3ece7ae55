//! Conversion of functions that a graph may call: it guards what they read.

use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::operators::names;
use crate::{convert, session};

/// The converted twin of a function, for the graph that is being built, if there is one.
///
/// # Errors
/// As [`convert::convert`], and GW103 for a global that has a value on some paths only.
pub fn convert<'py>(
    function: &Bound<'py, PyFunction>,
    operators: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyFunction>> {
    let (converted, reads) = convert::convert(function, operators)?;
    if let (Some(tracing), Some(reads)) = (session::current(), reads) {
        tracing.met_function(function, &reads)?;
        names::check_globals(function)?;
    }
    Ok(converted)
}

//! The functions of `gw.autograph` that convert: a function converted, its lowered Python, and what the tests ask.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::convert::{self, converted};
use crate::operators::object;
use crate::session::libraries;

/// A function with its control flow converted, and nothing traced. `source` is the text that it was compiled from,
/// where Python does not know it; what it calls is converted too if `recursive`.
#[pyfunction]
#[pyo3(signature = (entity, recursive=true, source=None))]
fn to_graph<'py>(
    entity: &Bound<'py, PyAny>,
    recursive: bool,
    source: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = entity.py();
    let plain = plain_function(entity)?;
    let plain = plain.cast::<PyFunction>()?;
    give_source(plain.as_any(), source)?;
    let operators = if recursive { object::the(py)? } else { object::shallow(py)? };
    let converted = converted::convert(plain, operators.as_any())?.into_any();
    match entity.getattr_opt("__self__")? {
        Some(owner) if entity.hasattr("__func__")? => {
            py.import("types")?.getattr("MethodType")?.call1((converted, owner))
        }
        Some(_) | None => Ok(converted),
    }
}

/// The lowered Python of a function.
#[pyfunction]
#[pyo3(signature = (entity, source=None))]
fn to_code(entity: &Bound<'_, PyAny>, source: Option<&str>) -> PyResult<String> {
    let plain = plain_function(entity)?;
    give_source(&plain, source)?;
    convert::to_code(plain.cast::<PyFunction>()?)
}

/// Makes the text known that a function was compiled from; GW002 if it is not that text.
pub fn give_source(entity: &Bound<'_, PyAny>, source: Option<&str>) -> PyResult<()> {
    let Some(text) = source else { return Ok(()) };
    convert::give_source(plain_function(entity)?.cast::<PyFunction>()?, text)
}

/// The plain function behind a Function, a method, a callable object or a plain function.
fn plain_function<'py>(entity: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let mut found = entity.clone();
    for name in ["python_function", "__func__"] {
        found = found.getattr_opt(name)?.unwrap_or(found);
    }
    if libraries::is_cached(&found)? {
        return plain_function(&found.getattr("__wrapped__")?);
    }
    if found.is_instance_of::<PyFunction>() {
        return Ok(found);
    }
    Err(PyTypeError::new_err("only functions written in Python can be converted"))
}

/// A function converted for operators of one's own; what a converted function calls, and the tests of conversion use.
#[pyfunction]
fn convert_with<'py>(
    function: &Bound<'py, PyFunction>,
    operators: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyFunction>> {
    converted::convert(function, operators)
}

/// True if a code object was made by conversion.
#[pyfunction]
fn is_converted(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    convert::is_converted(code)
}

/// True if a code object is a block of a statement, made by conversion.
#[pyfunction]
fn is_block(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    convert::is_block(code)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(convert_with, module)?)?;
    module.add_function(wrap_pyfunction!(is_converted, module)?)?;
    module.add_function(wrap_pyfunction!(is_block, module)?)?;
    module.add_function(wrap_pyfunction!(to_graph, module)?)?;
    module.add_function(wrap_pyfunction!(to_code, module)?)
}

//! The parameters of Python functions.

use gw_federated::packing::{Parameter, Passing, Signature};
use gw_federated::types::Name;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

/// Flags of code objects: `*args` and `**kwargs`.
const VARIADIC: u32 = 0x04 | 0x08;

/// Reads the parameters of a callable.
pub fn read(function: &Bound<'_, PyAny>) -> PyResult<Signature> {
    let name = function_name(function)?.unwrap_or_default();
    let parameters = match plain(function)? {
        Some(parameters) => parameters,
        None => inspected(function)?,
    };
    Ok(Signature { function: name.into(), parameters })
}

/// Returns the name of a callable that has one.
pub fn function_name(function: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let name = function.getattr_opt(intern!(function.py(), "__name__"))?;
    Ok(name.and_then(|name| name.extract().ok()))
}

/// Reads the parameters of a plain function from its code, if nothing in its attributes says others.
fn plain(function: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Parameter>>> {
    let py = function.py();
    if !function.is_instance_of::<PyFunction>() {
        return Ok(None);
    }
    let attributes = function.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
    let code = function.getattr(intern!(py, "__code__"))?;
    let flags: u32 = code.getattr(intern!(py, "co_flags"))?.extract()?;
    let keyword_only: usize = code.getattr(intern!(py, "co_kwonlyargcount"))?.extract()?;
    if !attributes.is_empty() || flags & VARIADIC != 0 || keyword_only > 0 {
        return Ok(None);
    }
    let count: usize = code.getattr(intern!(py, "co_argcount"))?.extract()?;
    let positional_only: usize = code.getattr(intern!(py, "co_posonlyargcount"))?.extract()?;
    let names = code.getattr(intern!(py, "co_varnames"))?.cast_into::<PyTuple>()?;
    let defaults = function.getattr(intern!(py, "__defaults__"))?.cast_into::<PyTuple>().ok();
    let first_default = count.saturating_sub(defaults.as_ref().map_or(0, |defaults| defaults.len()));
    let mut parameters = Vec::with_capacity(count);
    for (index, name) in names.iter().take(count).enumerate() {
        let passing = if index < positional_only { Passing::PositionalOnly } else { Passing::Either };
        let default = match (&defaults, index.checked_sub(first_default)) {
            (Some(defaults), Some(index)) => Some(defaults.get_item(index)?.repr()?.to_string()),
            _ => None,
        };
        parameters.push(Parameter { name: name.extract::<String>()?.into(), passing, default });
    }
    Ok(Some(parameters))
}

/// Reads the parameters of any callable with `inspect`.
fn inspected(function: &Bound<'_, PyAny>) -> PyResult<Vec<Parameter>> {
    let py = function.py();
    let inspect = py.import(intern!(py, "inspect"))?;
    let declared =
        inspect.call_method1("signature", (function,))?.getattr("parameters")?.call_method0("values")?;
    let empty = inspect.getattr("Parameter")?.getattr("empty")?;
    let mut parameters = Vec::new();
    for parameter in declared.try_iter()? {
        let parameter = parameter?;
        let name: Name = parameter.getattr("name")?.extract::<String>()?.into();
        let kind: String = parameter.getattr("kind")?.getattr("name")?.extract()?;
        let default = parameter.getattr("default")?;
        let default = if default.is(&empty) { None } else { Some(default.repr()?.to_string()) };
        parameters.push(Parameter { name, passing: passing(&kind), default });
    }
    Ok(parameters)
}

fn passing(kind: &str) -> Passing {
    match kind {
        "POSITIONAL_OR_KEYWORD" => Passing::Either,
        "POSITIONAL_ONLY" => Passing::PositionalOnly,
        "KEYWORD_ONLY" => Passing::KeywordOnly,
        _ => Passing::Variadic,
    }
}

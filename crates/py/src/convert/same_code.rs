//! Comparison of code that runs with code that is compiled anew from its text.

use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyString, PyTuple};

/// True if two code objects do the same: bytecode, names and constants, inner code included.
///
/// Code that a test runner rewrote to explain its assertions is taken for the same.
pub fn same_code(running: &Bound<'_, PyAny>, compiled: &Bound<'_, PyAny>) -> PyResult<bool> {
    for names in [get!(running, "co_names")?, get!(running, "co_varnames")?] {
        for name in names.cast::<PyTuple>()? {
            if name.cast::<PyString>()?.to_str()?.starts_with("@py") {
                return Ok(true);
            }
        }
    }
    let py = running.py();
    let attributes = [
        pyo3::intern!(py, "co_code"),
        pyo3::intern!(py, "co_names"),
        pyo3::intern!(py, "co_varnames"),
        pyo3::intern!(py, "co_freevars"),
        pyo3::intern!(py, "co_cellvars"),
        pyo3::intern!(py, "co_argcount"),
    ];
    for attribute in attributes {
        if !running.getattr(attribute)?.eq(compiled.getattr(attribute)?)? {
            return Ok(false);
        }
    }
    let (ours, theirs) = (get!(compiled, "co_consts")?, get!(running, "co_consts")?);
    let (ours, theirs) = (ours.cast::<PyTuple>()?, theirs.cast::<PyTuple>()?);
    if ours.len() != theirs.len() {
        return Ok(false);
    }
    let code = running.get_type();
    for (our, their) in ours.iter().zip(theirs) {
        if their.is_instance(&code)? {
            if !our.is_instance(&code)? || !same_code(&their, &our)? {
                return Ok(false);
            }
        } else if !same_constant(&our, &their)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Python 3.12 cuts the text of f-strings into pieces of its own, so that bytecode with them cannot be compared.
pub fn same_names(running: &Bound<'_, PyAny>, compiled: &Bound<'_, PyAny>) -> PyResult<bool> {
    for attribute in ["co_names", "co_varnames", "co_freevars", "co_argcount"] {
        if !running.getattr(attribute)?.eq(compiled.getattr(attribute)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Equal and of one type; code that the interpreter carries has tuples for sets. Before CPython 3.11 the qualified names
/// of inner code are constants: what stands around the function differs in them.
fn same_constant(our: &Bound<'_, PyAny>, their: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let (Ok(our), Ok(their)) = (our.cast::<PyFrozenSet>(), their.cast::<PyTuple>()) {
        return our.eq(PyFrozenSet::new(their.py(), their)?);
    }
    if !our.get_type().is(their.get_type()) {
        return Ok(false);
    }
    if our.eq(their)? {
        return Ok(true);
    }
    let (ours, theirs) = (our.repr()?.to_string(), their.repr()?.to_string());
    let inner = ours.trim_start_matches('\'').trim_start_matches("<factory>.<locals>.");
    Ok(ours == theirs || (inner.contains(".<locals>.") && theirs.ends_with(inner)))
}

/// True if two code objects stand at the same columns, as far as this Python knows columns.
pub fn same_columns(running: &Bound<'_, PyAny>, compiled: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(positions) = get!(running, "co_positions") else { return Ok(true) };
    let list = running.py().get_type::<pyo3::types::PyList>();
    let ours = list.call1((compiled.call_method0("co_positions")?,))?;
    list.call1((positions.call0()?,))?.eq(ours)
}

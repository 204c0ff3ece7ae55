//! Conversions are kept: one per code object, and the last ones per function.
//!
//! Keys are the addresses of objects, checked through weak references: code objects compare equal when they only look
//! alike, and a function that is gone must not be kept alive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gw_lower::Chain;
use pyo3::prelude::*;
use pyo3::types::{PyFunction, PyWeakrefMethods, PyWeakrefReference};

use crate::convert::twin;

/// Converted code, and the name of the variable that holds its operators.
pub struct Converted {
    /// The code object.
    pub code: Py<PyAny>,
    /// The free variable for the operators.
    pub operators: String,
    /// The attributes that the function reads of names.
    pub reads: Arc<[Chain]>,
}

struct OfCode {
    key: Py<PyWeakrefReference>,
    converted: Arc<Converted>,
}

struct OfFunction {
    key: Py<PyWeakrefReference>,
    code: usize,
    defaults: [Py<PyAny>; 2],
    operators: usize,
    twin: Py<PyFunction>,
}

static CODES: Mutex<Option<HashMap<usize, OfCode>>> = Mutex::new(None);
static FUNCTIONS: Mutex<Option<HashMap<usize, OfFunction>>> = Mutex::new(None);
/// Beyond this many, entries of objects that are gone are swept out; then all, if that did not help.
const KEPT: usize = 4096;

fn address(object: &Bound<'_, PyAny>) -> usize {
    object.as_ptr() as usize
}

/// The converted code of a function, made at first.
pub fn of_code(
    function: &Bound<'_, PyFunction>,
    make: impl FnOnce() -> PyResult<Converted>,
) -> PyResult<Arc<Converted>> {
    let py = function.py();
    let code = function.getattr(pyo3::intern!(py, "__code__"))?;
    if let Ok(codes) = CODES.lock()
        && let Some(found) = codes.as_ref().and_then(|codes| codes.get(&address(&code)))
        && found.key.bind(py).upgrade().is_some_and(|alive| alive.is(&code))
    {
        return Ok(found.converted.clone());
    }
    let converted = Arc::new(make()?);
    let key = PyWeakrefReference::new(&code)?.unbind();
    if let Ok(mut codes) = CODES.lock() {
        let codes = codes.get_or_insert_default();
        sweep(py, codes, |entry| &entry.key);
        codes.insert(address(&code), OfCode { key, converted: converted.clone() });
    }
    Ok(converted)
}

/// The twin of a function. One without a closure is kept, as long as its defaults stay what they were.
pub fn of_function<'py>(
    function: &Bound<'py, PyFunction>,
    operators: &Bound<'py, PyAny>,
    converted: &Converted,
) -> PyResult<Bound<'py, PyFunction>> {
    let py = function.py();
    if !function.getattr(pyo3::intern!(py, "__closure__"))?.is_none() {
        return twin(function, operators, converted);
    }
    let defaults = [
        function.getattr(pyo3::intern!(py, "__defaults__"))?,
        function.getattr(pyo3::intern!(py, "__kwdefaults__"))?,
    ];
    let code = converted.code.as_ptr() as usize;
    if let Ok(functions) = FUNCTIONS.lock()
        && let Some(found) = functions.as_ref().and_then(|functions| functions.get(&address(function)))
        && found.code == code
        && found.operators == address(operators)
        && found.defaults.iter().zip(&defaults).all(|(known, now)| known.is(now))
        && found.key.bind(py).upgrade().is_some_and(|alive| alive.is(function))
    {
        return Ok(found.twin.bind(py).clone());
    }
    let made = twin(function, operators, converted)?;
    let key = PyWeakrefReference::new(function)?.unbind();
    let entry = OfFunction {
        key,
        code,
        defaults: defaults.map(Bound::unbind),
        operators: address(operators),
        twin: made.clone().unbind(),
    };
    if let Ok(mut functions) = FUNCTIONS.lock() {
        let functions = functions.get_or_insert_default();
        sweep(py, functions, |entry| &entry.key);
        functions.insert(address(function), entry);
    }
    Ok(made)
}

fn sweep<T>(py: Python<'_>, entries: &mut HashMap<usize, T>, key: impl Fn(&T) -> &Py<PyWeakrefReference>) {
    if entries.len() < KEPT {
        return;
    }
    entries.retain(|_, entry| key(entry).bind(py).upgrade().is_some());
    if entries.len() == KEPT {
        entries.clear();
    }
}

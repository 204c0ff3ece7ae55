//! Conversions are kept: one per code object and operators, and the last ones per function.
//!
//! Keys are the addresses of objects, checked through weak references: code objects compare equal when they only look
//! alike, and a function that is gone must not be kept alive.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use gw_lower::{Pushed, Reads};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyWeakrefMethods, PyWeakrefReference};

use crate::convert::twin;

/// Converted code, which holds its operators.
pub struct Converted {
    /// The code object.
    pub code: Py<PyAny>,
    /// Names that the function reads.
    pub reads: Arc<Reads>,
}

struct OfCode<T> {
    key: Py<PyWeakrefReference>,
    converted: T,
}

struct OfFunction {
    key: Py<PyWeakrefReference>,
    code: usize,
    defaults: [Py<PyAny>; 2],
    twin: Py<PyFunction>,
}

/// Results for code objects, by their address and that of the operators, which it keeps alive.
type Codes<T> = Mutex<Option<HashMap<(usize, usize), OfCode<T>>>>;

static CODES: Codes<Arc<Converted>> = Mutex::new(None);
static EMITTING: Codes<Option<Arc<Converted>>> = Mutex::new(None);
static MANAGING: Codes<Option<Arc<Converted>>> = Mutex::new(None);
static READS: Codes<Arc<Reads>> = Mutex::new(None);
static FUNCTIONS: Mutex<Option<HashMap<usize, OfFunction>>> = Mutex::new(None);
/// Beyond this many, entries of objects that are gone are swept out; then all, if that did not help.
const KEPT: usize = 4096;

fn address(object: &Bound<'_, PyAny>) -> usize {
    object.as_ptr() as usize
}

/// The converted code of a function, made at first.
pub fn of_code(
    function: &Bound<'_, PyFunction>,
    operators: &Bound<'_, PyAny>,
    make: impl FnOnce() -> PyResult<Converted>,
) -> PyResult<Arc<Converted>> {
    known_or_made(&CODES, function, operators, || make().map(Arc::new))
}

/// Reads of a function, found at first.
pub fn reads_of_code(
    function: &Bound<'_, PyFunction>,
    operators: &Bound<'_, PyAny>,
    find: impl FnOnce() -> PyResult<Reads>,
) -> PyResult<Arc<Reads>> {
    known_or_made(&READS, function, operators, || find().map(Arc::new))
}

/// The code of what else a generator may become, if there is such code.
pub fn of_pushed(
    function: &Bound<'_, PyFunction>,
    operators: &Bound<'_, PyAny>,
    pushed: Pushed,
    make: impl FnOnce() -> PyResult<Option<Converted>>,
) -> PyResult<Option<Arc<Converted>>> {
    let codes = match pushed {
        Pushed::Emitting => &EMITTING,
        Pushed::Managing => &MANAGING,
    };
    known_or_made(codes, function, operators, || Ok(make()?.map(Arc::new)))
}

fn known_or_made<T: Clone>(
    codes: &Codes<T>,
    function: &Bound<'_, PyFunction>,
    operators: &Bound<'_, PyAny>,
    make: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    let py = function.py();
    let code = get!(function, "__code__")?;
    let place = (address(&code), address(operators));
    if let Ok(codes) = codes.lock()
        && let Some(found) = codes.as_ref().and_then(|codes| codes.get(&place))
        && found.key.bind(py).upgrade().is_some_and(|alive| alive.is(&code))
    {
        return Ok(found.converted.clone());
    }
    let converted = make()?;
    let key = PyWeakrefReference::new(&code)?.unbind();
    let entry = OfCode { key, converted: converted.clone() };
    drop(put(py, codes, place, entry, |entry| &entry.key));
    Ok(converted)
}

/// The twin of a function. One without a closure is kept, as long as its defaults stay what they were, if it is of a module:
/// the twin holds the names of the module, and these the function, which would never go with names that can go.
pub fn of_function<'py>(
    function: &Bound<'py, PyFunction>,
    converted: &Converted,
) -> PyResult<Bound<'py, PyFunction>> {
    let py = function.py();
    if !get!(function, "__closure__")?.is_none() {
        return twin(function, converted);
    }
    let defaults = [get!(function, "__defaults__")?, get!(function, "__kwdefaults__")?];
    let code = converted.code.as_ptr() as usize;
    if let Ok(functions) = FUNCTIONS.lock()
        && let Some(found) = functions.as_ref().and_then(|functions| functions.get(&address(function)))
        && found.code == code
        && found.defaults.iter().zip(&defaults).all(|(known, now)| known.is(now))
        && found.key.bind(py).upgrade().is_some_and(|alive| alive.is(function))
    {
        return Ok(found.twin.bind(py).clone());
    }
    let made = twin(function, converted)?;
    if !is_of_module(function)? {
        return Ok(made);
    }
    let key = PyWeakrefReference::new(function)?.unbind();
    let entry = OfFunction { key, code, defaults: defaults.map(Bound::unbind), twin: made.clone().unbind() };
    drop(put(py, &FUNCTIONS, address(function), entry, |entry| &entry.key));
    Ok(made)
}

/// True if a function's globals are those of a module that has been imported.
fn is_of_module(function: &Bound<'_, PyFunction>) -> PyResult<bool> {
    let py = function.py();
    let globals = get!(function, "__globals__")?.cast_into::<PyDict>()?;
    let Some(name) = globals.get_item(intern!(py, "__name__"))? else { return Ok(false) };
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
    let Ok(module) = modules.get_item(name) else { return Ok(false) };
    Ok(module.getattr_opt(intern!(py, "__dict__"))?.is_some_and(|names| names.is(&globals)))
}

/// Keeps an entry; gives those that go for it, so that they go without the lock: code of the user's may run then.
fn put<K: Eq + Hash, T>(
    py: Python<'_>,
    entries: &Mutex<Option<HashMap<K, T>>>,
    place: K,
    entry: T,
    key: impl Fn(&T) -> &Py<PyWeakrefReference>,
) -> Vec<T> {
    // Objects that are looked up here may be about to be deleted, and are then dropped without the lock.
    let mut alive = Vec::new();
    let is_gone = |_: &K, entry: &mut T| {
        let object = key(entry).bind(py).upgrade();
        let gone = object.is_none();
        alive.extend(object);
        gone
    };
    let Ok(mut entries) = entries.lock() else { return vec![entry] };
    let entries = entries.get_or_insert_default();
    let mut gone = Vec::new();
    if entries.len() >= KEPT {
        gone.extend(entries.extract_if(is_gone).map(|(_, entry)| entry));
        if entries.len() == KEPT {
            gone.extend(entries.drain().map(|(_, entry)| entry));
        }
    }
    gone.extend(entries.insert(place, entry));
    gone
}

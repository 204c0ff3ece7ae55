//! Calls that Python itself makes of functions of the user's: operators, getters and setters of classes. While a graph is built,
//! those with a value of the graph among their arguments run converted, as every other function does.
//!
//! The interpreter calls a function through the pointer that the function holds for that. Functions that a graph may let Python call
//! get [`call`] there, which is the interpreter's own way wherever no graph is built.
#![allow(
    unsafe_code,
    reason = "the interpreter calls functions through a pointer, for which there is no safe binding"
)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::ffi::{self, PyObject, vectorcallfunc};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyTuple};

use crate::convert;
use crate::host_calls::as_it_is::reaches_graph;
use crate::session::{self, conv::conv, libraries};

/// The interpreter's own way to call a function.
static OWN: OnceLock<vectorcallfunc> = OnceLock::new();

/// The functions that have another way, until the graph is built.
static HELD: Mutex<Vec<Py<PyFunction>>> = Mutex::new(Vec::new());

thread_local! {
    /// True while the arguments of such a call are looked at, which may call functions itself.
    static LOOKS: Cell<bool> = const { Cell::new(false) };
}

/// Lets calls of a function that Python makes run converted while a graph is built.
pub fn convert_where_python_calls(function: &Bound<'_, PyFunction>) -> PyResult<()> {
    // A generator of the graph's kind gives Python no items.
    let code = function.getattr(intern!(function.py(), "__code__"))?;
    if convert::makes_generator(&code)? || !libraries::is_users(function.as_any())? {
        return Ok(());
    }
    let Some(place) = pointer(function) else { return Ok(()) };
    // SAFETY: the place is the function's own, and the interpreter is held.
    let now = unsafe { *place };
    let own = *OWN.get_or_init(|| now);
    if now as usize == own as usize {
        set(function, place, call);
        HELD.lock().unwrap_or_else(PoisonError::into_inner).push(function.clone().unbind());
    }
    Ok(())
}

/// Gives functions the interpreter's own way back where no graph is built any more: their calls cost what they did.
pub fn let_go(py: Python<'_>) {
    let held = std::mem::take(&mut *HELD.lock().unwrap_or_else(PoisonError::into_inner));
    for function in held {
        let function = function.bind(py);
        if let (Some(place), Some(own)) = (pointer(function), OWN.get()) {
            set(function, place, *own);
        }
    }
}

/// The place at which a function holds the pointer.
fn pointer(function: &Bound<'_, PyFunction>) -> Option<*mut vectorcallfunc> {
    let class = function.get_type();
    // SAFETY: the class of functions says at which offset its instances hold it; a non-null pointer is a `vectorcallfunc`.
    unsafe {
        let offset = (*class.as_type_ptr()).tp_vectorcall_offset;
        let place = function.as_ptr().cast::<u8>().offset(offset).cast::<Option<vectorcallfunc>>();
        (offset > 0 && (*place).is_some()).then_some(place.cast())
    }
}

/// Puts a way to call the function there. From 3.12 on the interpreter must be told, for it has calls that go past the pointer.
#[cfg(Py_3_12)]
fn set(function: &Bound<'_, PyFunction>, _: *mut vectorcallfunc, way: vectorcallfunc) {
    unsafe extern "C" {
        fn PyFunction_SetVectorcall(function: *mut PyObject, way: vectorcallfunc);
    }
    // SAFETY: a function, and a way to call it that keeps the interpreter's contract.
    unsafe { PyFunction_SetVectorcall(function.as_ptr(), way) }
}

#[cfg(not(Py_3_12))]
fn set(_: &Bound<'_, PyFunction>, place: *mut vectorcallfunc, way: vectorcallfunc) {
    // SAFETY: the place is the function's own, and the interpreter is held.
    unsafe { *place = way }
}

/// Calls a function for Python.
unsafe extern "C" fn call(
    function: *mut PyObject,
    arguments: *const *mut PyObject,
    count: usize,
    names: *mut PyObject,
) -> *mut PyObject {
    let Some(own) = OWN.get() else { return std::ptr::null_mut() };
    if !session::is_tracing() || LOOKS.replace(true) {
        // SAFETY: what the interpreter gave is handed on.
        return unsafe { own(function, arguments, count, names) };
    }
    let converted = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the interpreter, which is held, gives as many arguments as it says, then one for each name.
        unsafe { converted(function, arguments, count, names) }
    }));
    LOOKS.set(false);
    match converted {
        // SAFETY: a callable, and what the interpreter gave for the other one.
        Ok(Some(converted)) => unsafe {
            let result = ffi::PyObject_Vectorcall(converted, arguments, count, names);
            ffi::Py_DECREF(converted);
            result
        },
        // SAFETY: what the interpreter gave is handed on.
        Ok(None) | Err(_) => unsafe { own(function, arguments, count, names) },
    }
}

/// A new reference to the converted twin of a function, if one of its arguments is of the graph; a function that cannot be converted
/// runs as it is.
///
/// # Safety
/// The interpreter is held, and the pointers are what it gives a function that it calls.
unsafe fn converted(
    function: *mut PyObject,
    arguments: *const *mut PyObject,
    count: usize,
    names: *mut PyObject,
) -> Option<*mut PyObject> {
    // SAFETY: the interpreter is held wherever it calls.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: pointers to objects that the caller holds, so many and one for each name.
    let (function, arguments) = unsafe {
        let named = if names.is_null() { 0 } else { ffi::PyTuple_GET_SIZE(names) as usize };
        let positional = ffi::PyVectorcall_NARGS(count) as usize;
        let count = positional + named;
        // Without arguments there may be no place for them.
        let all = if count == 0 { &[] } else { std::slice::from_raw_parts(arguments, count) };
        (Bound::from_borrowed_ptr(py, function), all)
    };
    // SAFETY: as above.
    let reaches =
        |argument: &*mut PyObject| reaches_graph(&unsafe { Bound::from_borrowed_ptr(py, *argument) });
    if !arguments.iter().any(reaches) {
        return None;
    }
    let plain = function.cast::<PyFunction>().ok()?;
    if libraries::stays(plain).ok()? || convert::reads(plain).is_err() {
        return None;
    }
    let converted = conv(&function).ok()?;
    let name = plain.getattr(intern!(py, "__name__")).ok()?;
    let is_step = name.eq(intern!(py, "__next__")).ok()?;
    Some(if is_step { asked(&converted).ok()? } else { converted }.into_ptr())
}

/// A `__next__` that notes that Python itself asks for an item: it has no place for a test of the graph that says if there is one.
fn asked<'py>(next: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, next) = (next.py(), next.clone().unbind());
    let step = move |args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>| {
        let py = args.py();
        let step = || next.call(py, args, kwargs);
        session::current().map_or_else(step, |tracing| tracing.tries().asked_by_python(step))
    };
    Ok(PyCFunction::new_closure(py, None, None, step)?.into_any())
}

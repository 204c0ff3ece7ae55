//! Calls of functions by the interpreter's short way: the arguments stand where the caller has put them, and no tuple is made of them.
//!
//! The interpreter takes the way to call an object from a place in the object, if its class says where that is. Classes say it from the first
//! call of one of their objects on, which comes by the long way.
#![allow(
    unsafe_code,
    reason = "the interpreter calls objects through a pointer, for which there is no safe binding"
)]

use std::fmt;
use std::marker::PhantomData;

use pyo3::ffi::{self, Py_ssize_t, PyObject, vectorcallfunc};
use pyo3::impl_::trampoline::{MethodDef, fastcall_cfunction_with_keywords};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{Borrowed, PyClass};

/// An object that the interpreter calls by the short way.
pub trait Callable: PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync {
    /// The place from which the interpreter takes the way.
    fn entry(&self) -> &Entry;

    /// A call with arguments by position and by name.
    fn call_short<'py>(
        &self,
        py: Python<'py>,
        positional: &[Bound<'py, PyAny>],
        keyword: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>>;
}

/// The way to call an object, which the interpreter reads.
#[repr(transparent)]
pub struct Entry(vectorcallfunc);

impl Entry {
    /// That of the objects of a class.
    pub fn of<T: Callable>() -> Self {
        Self(call::<T>)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({:p})", self.0 as *const ())
    }
}

/// Says where the objects of this one's class have their entry, unless that is known.
pub fn tell<T: Callable>(object: &Bound<'_, T>) {
    let class = object.as_any().get_type().as_type_ptr();
    let offset = std::ptr::from_ref(object.get().entry()).addr() - object.as_ptr().addr();
    // SAFETY: the class is that of the object, and its objects, which have no other layout, hold a `vectorcallfunc` there.
    unsafe {
        if ffi::PyType_HasFeature(class, ffi::Py_TPFLAGS_HAVE_VECTORCALL) == 0 {
            (*class).tp_vectorcall_offset = offset as Py_ssize_t;
            add_flag(class, ffi::Py_TPFLAGS_HAVE_VECTORCALL);
        }
    }
}

/// # Safety
/// The class is one, and the interpreter is held.
#[cfg(not(Py_GIL_DISABLED))]
unsafe fn add_flag(class: *mut ffi::PyTypeObject, flag: std::ffi::c_ulong) {
    // SAFETY: the interpreter is held, so nobody else changes the flags.
    unsafe { (*class).tp_flags |= flag }
}

/// # Safety
/// The class is one.
#[cfg(Py_GIL_DISABLED)]
unsafe fn add_flag(class: *mut ffi::PyTypeObject, flag: std::ffi::c_ulong) {
    // SAFETY: a class, whose flags are atomic.
    unsafe { (*class).tp_flags.fetch_or(flag, std::sync::atomic::Ordering::SeqCst) };
}

/// The interpreter's call.
unsafe extern "C" fn call<T: Callable>(
    object: *mut PyObject,
    arguments: *const *mut PyObject,
    count: usize,
    names: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the interpreter, which is held, calls an object whose entry this is, with as many arguments as it says.
    unsafe {
        let count = ffi::PyVectorcall_NARGS(count);
        fastcall_cfunction_with_keywords::<Method<T>>(object, arguments, count, names)
    }
}

struct Method<T>(PhantomData<T>);

impl<T: Callable> MethodDef<fastcall_cfunction_with_keywords::Func> for Method<T> {
    const METH: fastcall_cfunction_with_keywords::Func = method::<T>;
}

/// # Safety
/// The object is a `T`, and the arguments are as many as `count` says, and then one for each name.
unsafe fn method<T: Callable>(
    py: Python<'_>,
    object: *mut PyObject,
    arguments: *const *mut PyObject,
    count: Py_ssize_t,
    names: *mut PyObject,
) -> PyResult<*mut PyObject> {
    // SAFETY: the caller's promise.
    let (object, names) = unsafe { (Borrowed::from_ptr(py, object), Borrowed::from_ptr_or_opt(py, names)) };
    // SAFETY: likewise.
    let object: Borrowed<'_, '_, T> = unsafe { object.cast_unchecked() };
    let names =
        names.map(|names| names.cast::<pyo3::types::PyTuple>().map(|names| names.to_owned())).transpose()?;
    let positional = count as usize;
    let all = positional + names.as_ref().map_or(0, |names| names.len());
    // SAFETY: so many objects stand there, which the caller holds; a `Bound` is the pointer to one. Without arguments there may be no
    // place for them.
    let all: &[Bound<'_, PyAny>] =
        if all == 0 { &[] } else { unsafe { std::slice::from_raw_parts(arguments.cast(), all) } };
    let (positional, named) = all.split_at(positional);
    let keyword = names.map(|names| {
        let keyword = PyDict::new(py);
        names.iter().zip(named).try_for_each(|(name, value)| keyword.set_item(name, value)).map(|()| keyword)
    });
    let keyword = keyword.transpose()?;
    object.get().call_short(py, positional, keyword.as_ref()).map(Bound::into_ptr)
}

//! Objects of Python's own that change by methods of which no code of the user's shows it: queues, locks, connections.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Classes of Python's own whose objects change by methods that no code of the user's shows: their modules and names.
const OPAQUE: &[(&str, &str)] = &[
    ("_queue", "SimpleQueue"),
    ("_socket", "socket"),
    ("_thread", "RLock"),
    ("_thread", "lock"),
    ("mmap", "mmap"),
    ("multiprocessing.connection", "_ConnectionBase"),
    ("multiprocessing.queues", "Queue"),
    ("multiprocessing.queues", "SimpleQueue"),
    ("multiprocessing.synchronize", "Barrier"),
    ("multiprocessing.synchronize", "Condition"),
    ("multiprocessing.synchronize", "Event"),
    ("multiprocessing.synchronize", "SemLock"),
    ("queue", "Queue"),
    ("sqlite3", "Connection"),
    ("sqlite3", "Cursor"),
    ("threading", "Barrier"),
    ("threading", "Condition"),
    ("threading", "Event"),
    ("threading", "Semaphore"),
    ("threading", "Thread"),
];

/// Classes of Python's own some of whose methods change their objects out of sight.
const CHANGEABLE: &[(&str, &str)] = &[("_contextvars", "ContextVar"), ("xml.etree.ElementTree", "Element")];

/// True of an object of a class some of whose methods change it out of sight.
pub fn is_changeable(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    is_of(object, CHANGEABLE)
}

/// True of an object of such a class, or of one that inherits from it.
pub fn is_opaque(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    is_of(object, OPAQUE)
}

fn is_of(object: &Bound<'_, PyAny>, classes: &[(&str, &str)]) -> PyResult<bool> {
    let py = object.py();
    for class in object.get_type().mro().iter() {
        let class = class.cast_into::<PyType>()?;
        let (module, name) = (class.getattr(intern!(py, "__module__"))?.str()?, class.name()?);
        let (module, name) = (module.to_string_lossy(), name.to_string_lossy());
        if classes.contains(&(&*module, &*name)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True of a file: an iterator over its lines, which most functions that take it do not ask for.
pub fn is_file(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let find = || Ok::<_, PyErr>(py.import("io")?.getattr("IOBase")?.unbind());
    object.is_instance(CLASS.get_or_try_init(py, find)?.bind(py))
}

/// True of an object whose methods draw random numbers.
pub fn is_random(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static CLASSES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let find = || Ok::<_, PyErr>(py.import("graphwright._meanings.impure")?.getattr("RANDOM")?.unbind());
    object.is_instance(CLASSES.get_or_try_init(py, find)?.bind(py))
}

/// Functions that take an iterator and do not ask it.
const LOOK: &[&str] = &[
    "append",
    "callable",
    "dir",
    "getattr",
    "hasattr",
    "hash",
    "id",
    "insert",
    "isinstance",
    "issubclass",
    "iter",
    "next",
    "repr",
    "setattr",
    "str",
    "type",
    "vars",
];

/// True of one of these functions.
pub fn only_looks(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name = function.getattr_opt(intern!(function.py(), "__name__"))?;
    let name = name.and_then(|name| name.extract::<String>().ok());
    Ok(name.is_some_and(|name| LOOK.contains(&&*name)))
}

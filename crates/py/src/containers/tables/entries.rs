//! Dicts and sets that may be in a graph, and the list in them that holds their contents there.

use crate::containers::tables::keys_of;
use crate::exceptions::errors;
use crate::session;
use gw_base::Code;
use gw_trace::objects::table_refusal;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};

pub use gw_trace::objects::TableKind as Kind;

/// Entries that stand in a dict or set for its contents in the graph. All that Python itself could do with it is refused.
#[pyclass(frozen, name = "StagedEntries", module = "graphwright")]
#[derive(Debug)]
pub struct Entries {
    /// The pairs or elements.
    pub(super) list: Py<PyList>,
    /// The address of the dict or set that they are the contents of.
    pub(super) owner: usize,
}

#[pymethods]
impl Entries {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Err(unknown(py))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Err(unknown(py))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, _operator: pyo3::basic::CompareOp) -> PyResult<bool> {
        Err(unknown(other.py()))
    }

    fn __hash__(slf: &Bound<'_, Self>) -> usize {
        slf.as_ptr() as usize
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Err(unknown(py))
    }

    fn __getattr__(&self, name: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Err(unknown(name.py()))
    }
}

/// The diagnostic where Python alone would look at the contents.
pub fn unknown(py: Python<'_>) -> PyErr {
    let message =
        "this dict or set has keys of the graph, so what it holds is known only when the graph runs";
    let help = "use its methods, `d[key]`, `len`, `in`, `sorted` or, of a dict, a `for` loop, in a converted function";
    errors::here(py, Code::ListInGraph, message, help)
}

/// The diagnostic of a dict or set that the graph cannot hold.
pub fn refused(py: Python<'_>, message: &str) -> PyErr {
    errors::at_call(py, table_refusal(message))
}

/// True if an object is a dict or set that may be in a graph.
pub fn kind(object: &Bound<'_, PyAny>) -> Option<Kind> {
    if object.is_exact_instance_of::<PyDict>() {
        return Some(Kind::Dict);
    }
    is_set(object).then_some(Kind::Set)
}

/// True if an object is a set that was made while a graph was built. Others are Python's alone: their operators would not
/// see what the graph holds.
pub fn is_set(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    set_class(object.py()).is_ok_and(|ours| class.is(ours))
}

/// The class of such sets.
pub fn set_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let import = || {
        let class = py.import("graphwright._meanings.sets")?.getattr("Set")?;
        Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
    };
    Ok(CLASS.get_or_try_init(py, import)?.bind(py))
}

/// The list that holds the contents of a dict or set in the graph, if it is one.
pub fn list_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    let py = object.py();
    let is_used = || session::current().is_some_and(|tracing| tracing.tables().is_used());
    if kind(object).is_none() || !is_used() {
        return Ok(None);
    }
    let mut keys = keys_of(object)?.into_iter();
    let Some(entries) = keys.find_map(|key| key.cast_into::<Entries>().ok()) else { return Ok(None) };
    let entries = entries.get();
    if keys_of(object)?.len() != 1 || entries.owner != object.as_ptr() as usize {
        let message = "Python's own operators took this dict or set of the graph apart";
        let help = "use `d | e` and methods: `a.union(b)`, `a.difference(b)`, `d.update(e)`, `d.copy()`; a key that is a text cannot \
                    stand beside keys of the graph";
        return Err(errors::here(py, Code::ListInGraph, message, help));
    }
    Ok(Some(entries.list.bind(py).clone()))
}

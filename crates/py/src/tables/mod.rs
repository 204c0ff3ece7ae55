//! Python dicts and sets in the graph. The object stays what it is, so every name of it stays one dict; once a value of the
//! graph is a key, it holds one object, its *entries*, and these hold a list of the graph: of the pairs of a dict in the
//! order in which they came, of the elements of a set. What a statement changes of that list flows as any list's contents
//! do.
//!
//! What dicts and sets do is written in Python over these lists, in `graphwright._meanings.written_tables`.

mod carried;
mod items;
mod lookup;
mod methods;
mod refill;
mod registry;
mod sets;
mod undisturbed;
mod view;

use gw_base::Code;
use gw_types::DType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PySet, PyString, PyTuple, PyType};

use crate::conv::conv;
use crate::host::Maybe;
use crate::lists::access::is_staged_index;
use crate::session;
use crate::tensor::{Payload, Tensor};
use crate::{array, errors};

pub use carried::Tables;
pub use items::{Items, Whole};
pub use lookup::{contains, register};
pub use methods::{constructor, dict_of, method, set_of};
pub use refill::{dict_class, keys_of, refill_dict, refill_set};
pub use undisturbed::{Undisturbed, iterated_table};
pub use view::{View, each, iterated, staged};

/// What a dict or set of the graph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `dict`
    Dict,
    /// `set`
    Set,
}

/// What stands in a dict or set for its contents in the graph. All that Python itself could do with it is refused.
#[pyclass(frozen, name = "StagedEntries", module = "graphwright")]
#[derive(Debug)]
pub struct Entries {
    /// The pairs or elements.
    list: Py<PyList>,
    /// The address of the dict or set that they are the contents of.
    owner: usize,
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

/// What is said where Python alone would look at the contents.
pub fn unknown(py: Python<'_>) -> PyErr {
    let message =
        "this dict or set has keys of the graph, so what it holds is known only when the graph runs";
    let help = "use its methods, `d[key]`, `len`, `in`, `sorted` or, of a dict, a `for` loop, in a converted function";
    errors::here(py, Code::ListInGraph, message, help)
}

/// What is said of a dict or set that the graph cannot hold.
pub fn refused(py: Python<'_>, message: &str) -> PyErr {
    let help = "the keys of a dict or set in the graph are numbers or tuples of numbers, and the values of a dict are \
                tensors and numbers of one dtype and shape, or tuples of them";
    errors::here(py, Code::ListInGraph, message, help)
}

/// Whether an object is a dict or set that may be in a graph.
pub fn kind(object: &Bound<'_, PyAny>) -> Option<Kind> {
    if object.is_exact_instance_of::<PyDict>() {
        return Some(Kind::Dict);
    }
    is_set(object).then_some(Kind::Set)
}

/// Whether an object is a set that was made while a graph was built. Others are Python's alone: their operators would not
/// see what the graph holds.
pub fn is_set(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    set_class(object.py()).is_ok_and(|ours| class.is(ours))
}

/// The class of such sets.
fn set_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
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
        let help = "use methods: `a.union(b)`, `a.difference(b)`, `d.update(e)`, `d.copy()`; a key that is a text cannot \
                    stand beside keys of the graph";
        return Err(errors::here(py, Code::ListInGraph, message, help));
    }
    Ok(Some(entries.list.bind(py).clone()))
}

/// Whether a value of the graph is a key, or in one; an error if that is a string, which would come back as other than
/// Python's.
pub fn is_staged_key(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        return parts.iter().try_fold(false, |any, part| Ok(is_staged_key(&part)? || any));
    }
    let dtype = match (key.cast::<Tensor>(), key.cast::<Maybe>()) {
        (Ok(tensor), _) => Some(tensor.get().element()),
        (Err(_), Ok(maybe)) => Some(maybe.get().tracing.trace.ty(maybe.get().staged.value).dtype),
        (Err(_), Err(_)) => None,
    };
    let staged = is_staged_index(key);
    if staged && dtype == Some(DType::Str) {
        return Err(refused(key.py(), "a string of the graph is the key of a dict or set"));
    }
    Ok(staged)
}

/// The list of the contents of a dict or set, which the graph holds from now on.
pub fn settled<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    if let Some(list) = list_of(object)? {
        return Ok(list);
    }
    let py = object.py();
    let contents = contents(object)?;
    let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    let entries = tracing.tables().entries_of(object)?;
    let list = entries.get().list.bind(py);
    list.set_slice(0, list.len(), contents.as_any())?;
    object.call_method0("clear")?;
    fill(object, &entries)?;
    Ok(list.clone())
}

/// The pairs or elements of a dict or set of Python's.
pub fn contents<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = object.py();
    for key in keys_of(object)? {
        if !is_key(&key) {
            let message =
                format!("a dict or set in the graph would have a key of type `{}`", key.get_type().name()?);
            return Err(refused(py, &message));
        }
    }
    match object.cast_exact::<PyDict>() {
        Ok(dict) => Ok(dict.items()),
        Err(_) => PyList::new(py, keys_of(object)?),
    }
}

/// Whether two dicts or sets of Python's have other keys, all of which a graph can hold.
pub fn keys_differ(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !keys_fit(one)? || !keys_fit(other)? {
        return Ok(false);
    }
    match (one.cast_exact::<PyDict>(), other.cast_exact::<PyDict>()) {
        (Ok(one), Ok(other)) => one.as_any().call_method0("keys")?.ne(other.as_any().call_method0("keys")?),
        _ => one.py().get_type::<PySet>().call_method1("__ne__", (one, other))?.is_truthy(),
    }
}

/// Whether a graph can hold the keys of a dict or set of Python's.
fn keys_fit(table: &Bound<'_, PyAny>) -> PyResult<bool> {
    for key in keys_of(table)? {
        if !is_key(&key) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Numbers and tuples of numbers.
fn is_key(key: &Bound<'_, PyAny>) -> bool {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        return !parts.is_empty() && parts.iter().all(|part| is_key(&part));
    }
    key.is_exact_instance_of::<PyInt>()
        || key.is_exact_instance_of::<PyFloat>()
        || key.is_exact_instance_of::<PyBool>()
        || is_staged_index(key)
}

/// A copy of a set of Python's numbers and texts.
pub fn plain_set<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PySet>>> {
    if !is_set(object) && !object.is_exact_instance_of::<PySet>() {
        return Ok(None);
    }
    let set = PySet::new(object.py(), keys_of(object)?)?;
    let is_plain = |key: Bound<'_, PyAny>| key.is_exact_instance_of::<PyString>() || is_key(&key);
    if !set.iter().all(is_plain) {
        return Ok(None);
    }
    Ok(Some(set))
}

/// Puts entries into an empty dict or set.
fn fill(object: &Bound<'_, PyAny>, entries: &Bound<'_, Entries>) -> PyResult<()> {
    match object.cast_exact::<PyDict>() {
        Ok(dict) => dict.set_item(entries, entries),
        Err(_) => object.call_method1("add", (entries,)).map(drop),
    }
}

/// A new dict or set with what stands in a list of pairs or elements: one of the graph, or one of Python's if the list has
/// no rows of the graph.
pub fn make<'py>(kind: Kind, list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    if session::is_tracing() {
        let made = match kind {
            Kind::Dict => PyDict::new(py).into_any(),
            Kind::Set => set_class(py)?.call0()?,
        };
        let inside = settled(&made)?;
        inside.set_slice(0, inside.len(), list.as_any())?;
        return Ok(made);
    }
    match kind {
        Kind::Set => {
            let keys = list.iter().map(|key| plain_key(&key)).collect::<PyResult<Vec<_>>>()?;
            Ok(PySet::new(py, keys)?.into_any())
        }
        Kind::Dict => {
            let dict = PyDict::new(py);
            for pair in list.iter() {
                dict.set_item(plain_key(&pair.get_item(0)?)?, pair.get_item(1)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// A key as Python's own number, or tuple of such.
fn plain_key<'py>(key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        let parts = parts.iter().map(|part| plain_key(&part)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyTuple::new(key.py(), parts)?.into_any());
    }
    let Ok(tensor) = key.cast::<Tensor>() else { return Ok(key.clone()) };
    match tensor.get().content() {
        Payload::Eager(buffer) => match buffer.scalars().next() {
            Some(scalar) => array::to_python(key.py(), scalar),
            None => Ok(key.clone()),
        },
        Payload::Staged(..) => Ok(key.clone()),
    }
}

/// What a function of `graphwright._meanings.written_tables` gives.
pub fn written<'py>(
    name: &str,
    args: impl pyo3::call::PyCallArgs<'py>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("graphwright._meanings.written_tables")?.getattr(name)?;
    conv(&function)?.call1(args)
}

//! Python as a host of the federated language: containers are classes, payloads are objects, handles are held weakly.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use gw_federated::types::{self, Interner, Interns};
use gw_federated::{Host, Payload, blocks};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple, PyType, PyWeakrefReference};

/// Python.
pub struct PyHost;

/// A type of the language.
pub type Ty = types::Type<PyHost>;
/// A building block of the language.
pub type Block = blocks::Block<PyHost>;

/// A class of containers.
pub struct Container(pub Py<PyType>);

/// A Python object that a block carries.
pub struct Object(pub Py<PyAny>);

/// Room for a weak reference to the only handle of a type or a block.
#[derive(Default)]
pub struct Slot(Mutex<Option<Py<PyWeakrefReference>>>);

static TYPES: OnceLock<Interner<PyHost>> = OnceLock::new();

impl Host for PyHost {
    type Container = Container;
    type Payload = Object;
    type TypeSlot = Slot;
    type BlockSlot = Slot;

    fn container_name(container: &Container) -> String {
        Python::attach(|py| container.0.bind(py).name().map(|name| name.to_string()).unwrap_or_default())
    }

    fn container_in_sequence(container: &Container) -> Container {
        Python::attach(|py| {
            let is_list = container.0.is(py.get_type::<PyList>());
            if is_list { Container(py.get_type::<PyTuple>().unbind()) } else { container.clone() }
        })
    }

    fn ordered_mapping() -> Container {
        Python::attach(|py| {
            let class =
                py.import(intern!(py, "collections")).and_then(|module| module.getattr("OrderedDict"));
            let class = class.and_then(|class| Ok(class.cast_into::<PyType>()?));
            Container(class.unwrap_or_else(|_| py.get_type::<PyDict>()).unbind())
        })
    }

    fn plain_list() -> Container {
        Python::attach(|py| Container(py.get_type::<PyList>().unbind()))
    }
}

impl Interns for PyHost {
    fn interner() -> &'static Interner<PyHost> {
        TYPES.get_or_init(Interner::default)
    }
}

impl Clone for Container {
    fn clone(&self) -> Container {
        Python::attach(|py| Container(self.0.clone_ref(py)))
    }
}

impl PartialEq for Container {
    fn eq(&self, other: &Container) -> bool {
        self.0.is(&other.0)
    }
}

impl Eq for Container {}

impl Hash for Container {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.0.as_ptr().addr().hash(state);
    }
}

impl Payload for Object {
    fn text(&self) -> String {
        Python::attach(|py| {
            let text = self.0.bind(py).str().map(|text| text.to_string());
            text.unwrap_or_else(|_| "<unprintable>".to_owned())
        })
    }

    fn constructor(&self) -> String {
        Python::attach(|py| written(self.0.bind(py)).unwrap_or_else(|_| "<unprintable>".to_owned()))
    }

    fn address(&self) -> usize {
        self.0.as_ptr().addr()
    }

    fn same(&self, other: &Object) -> bool {
        self.0.is(&other.0) || Python::attach(|py| equal(self.0.bind(py), other.0.bind(py)).unwrap_or(false))
    }

    fn hash(&self) -> u64 {
        Python::attach(|py| hash_of(self.0.bind(py)).unwrap_or(0)).cast_unsigned() as u64
    }
}

/// Returns the answer of a comparison, or what tells Python to ask the other object.
pub fn answer(py: Python<'_>, equal: Option<bool>) -> Py<PyAny> {
    match equal {
        Some(equal) => PyBool::new(py, equal).to_owned().into_any().unbind(),
        None => py.NotImplemented(),
    }
}

/// Tells if an object is an array of NumPy's.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    object.cast::<numpy::PyUntypedArray>().is_ok()
}

fn written(object: &Bound<'_, PyAny>) -> PyResult<String> {
    if !is_array(object) {
        return Ok(object.repr()?.to_string());
    }
    let items = object.call_method0("tolist")?.repr()?;
    let class = object.getattr("dtype")?.getattr("type")?.getattr("__name__")?;
    Ok(format!("np.array({items}, dtype=np.{class})"))
}

fn equal(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_array(one) || is_array(other) {
        return one.py().import("numpy")?.call_method1("array_equal", (one, other))?.is_truthy();
    }
    one.eq(other)
}

fn hash_of(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    if is_array(object) {
        let items = object.call_method0("flatten")?.call_method0("tolist")?;
        return PyTuple::new(object.py(), items.try_iter()?.collect::<PyResult<Vec<_>>>()?)?.hash();
    }
    object.hash()
}

impl Slot {
    /// Returns the handle, if it is alive.
    fn living<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let weak = held.as_ref().map(|weak| weak.clone_ref(py));
        drop(held);
        weak.and_then(|weak| weak.bind(py).upgrade())
    }

    /// Returns the handle, and makes it if it is not alive. No lock is held while Python runs.
    pub fn get_or_make<'py>(
        &self,
        py: Python<'py>,
        make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(handle) = self.living(py) {
            return Ok(handle);
        }
        let made = make()?;
        let weak = PyWeakrefReference::new(&made)?.unbind();
        if let Some(handle) = self.living(py) {
            return Ok(handle);
        }
        let old = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(weak);
        drop(old);
        Ok(made)
    }
}

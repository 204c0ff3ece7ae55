//! Who says what a statement on a value means: one table from types to backends, the graph's own types first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_trace::Staged;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};

use crate::host::Maybe;
use crate::libraries;
use crate::lists;
use crate::operators::backend::Backend;
use crate::operators::staged_value;
use crate::session::{self, Tracing};
use crate::special_methods;
use crate::tensor::Tensor;

/// Who says what a statement on a value means.
pub enum Decides<'py> {
    /// Python, while the function runs.
    Python,
    /// The graph that is being traced, in which this is the value.
    Graph(Arc<Tracing>, Staged),
    /// A backend that was registered for the value's type.
    Backend(Backend<'py>),
}

/// A row of the table.
struct Row {
    class: Py<PyType>,
    owner: Owner,
}

enum Owner {
    Graph,
    Backend(Py<PyAny>),
}

type Rows = MutexGuard<'static, Vec<Row>>;

fn rows(py: Python<'_>) -> Rows {
    static ROWS: PyOnceLock<Mutex<Vec<Row>>> = PyOnceLock::new();
    let ours = |class: Bound<'_, PyType>| Row { class: class.unbind(), owner: Owner::Graph };
    let make = || Mutex::new(vec![ours(py.get_type::<Tensor>()), ours(py.get_type::<Maybe>())]);
    ROWS.get_or_init(py, make).lock().unwrap_or_else(PoisonError::into_inner)
}

impl Owner {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Owner::Graph => Owner::Graph,
            Owner::Backend(backend) => Owner::Backend(backend.clone_ref(py)),
        }
    }
}

/// Who says what a statement on this value means.
pub fn decides<'py>(value: &Bound<'py, PyAny>) -> PyResult<Decides<'py>> {
    if is_plain(value) {
        return Ok(Decides::Python);
    }
    if let Some((tracing, length)) = lists::length(value)? {
        return Ok(Decides::Graph(tracing, length));
    }
    Ok(match owner(&value.get_type())? {
        None => Decides::Python,
        Some(Owner::Graph) => match staged_value(value)? {
            Some((tracing, staged)) => Decides::Graph(tracing, staged),
            None => Decides::Python,
        },
        Some(Owner::Backend(backend)) => {
            Decides::Backend(Backend::new(backend.into_bound(value.py()), value))
        }
    })
}

/// False where Python decides every value: no graph is being built, and no backend is registered.
pub fn may_decide_others(py: Python<'_>) -> bool {
    session::is_tracing() || rows(py).iter().any(|row| matches!(row.owner, Owner::Backend(_)))
}

/// The value that decides a test: what the method of an object gives that Python asks for its truth, else the object itself.
pub fn tested<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_asked = session::is_tracing() && !is_plain(object) && owner(&object.get_type())?.is_none();
    let truth = if is_asked { special_methods::truth(object)? } else { None };
    Ok(truth.unwrap_or_else(|| object.clone()))
}

/// What every program is full of: Python decides, and the table is not asked.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_none()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyString>()
}

/// The row for a type: its own, else that of its nearest base, else of the first abstract class that says it is one.
fn owner(class: &Bound<'_, PyType>) -> PyResult<Option<Owner>> {
    let py = class.py();
    let rows = rows(py);
    let of = |class: &Bound<'_, PyAny>| rows.iter().find(|row| row.class.is(class));
    if let Some(row) = of(class.as_any()) {
        return Ok(Some(row.owner.clone_ref(py)));
    }
    if rows.iter().all(|row| matches!(row.owner, Owner::Graph)) {
        return Ok(None);
    }
    if let Some(row) = class.mro().iter().find_map(|base| of(&base)) {
        return Ok(Some(row.owner.clone_ref(py)));
    }
    let is_abstract = |row: &&Row| !row.class.bind(py).get_type().is(py.get_type::<PyType>());
    let part = |row: &Row| (row.class.clone_ref(py), row.owner.clone_ref(py));
    let candidates: Vec<_> = rows.iter().filter(is_abstract).map(part).collect();
    drop(rows);
    for (base, owner) in candidates {
        if class.is_subclass(base.bind(py))? {
            return Ok(Some(owner));
        }
    }
    Ok(None)
}

/// Whether a value is one of a registered backend.
pub fn is_foreign(value: &Bound<'_, PyAny>) -> bool {
    matches!(owner(&value.get_type()), Ok(Some(Owner::Backend(_))))
}

/// Registers a backend for a type and its subclasses.
#[pyfunction]
#[pyo3(signature = (r#type, backend, /))]
pub fn register_backend(r#type: &Bound<'_, PyType>, backend: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = backend.py();
    let plain = [
        py.get_type::<PyAny>(),
        py.get_type::<PyBool>(),
        py.get_type::<PyInt>(),
        py.get_type::<PyFloat>(),
        py.get_type::<PyString>(),
        py.None().bind(py).get_type(),
    ];
    if plain.iter().any(|class| class.is(r#type)) {
        return Err(PyTypeError::new_err(format!(
            "what statements on `{}` mean is Python's to say",
            r#type.name()?
        )));
    }
    let packages: Vec<String> = backend.getattr("packages")?.extract()?;
    let mut rows = rows(py);
    if rows.iter().any(|row| row.class.is(r#type)) {
        return Err(PyValueError::new_err(format!("`{}` has a backend already", r#type.name()?)));
    }
    rows.push(Row { class: r#type.clone().unbind(), owner: Owner::Backend(backend.clone().unbind()) });
    libraries::set_packages(r#type, packages);
    Ok(())
}

/// Takes the backend of a type back; types that have none are left alone.
#[pyfunction]
#[pyo3(signature = (r#type, /))]
pub fn unregister_backend(r#type: &Bound<'_, PyType>) {
    let is_it = |row: &Row| row.class.is(r#type) && matches!(row.owner, Owner::Backend(_));
    let mut rows = rows(r#type.py());
    let at = rows.iter().position(is_it);
    let taken = at.map(|at| rows.remove(at));
    if taken.is_some() {
        libraries::set_packages(r#type, Vec::new());
    }
    // What the row held may run code of its own when it goes.
    drop(rows);
    drop(taken);
}

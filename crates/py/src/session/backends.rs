//! Backends that are registered for classes of other packages: they say what statements on values of these classes mean.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType};

/// A class with its backend.
struct Row {
    class: Py<PyType>,
    backend: Py<PyAny>,
    /// Packages whose code is the backend's, not the user's.
    packages: Vec<String>,
}

static ROWS: Mutex<Vec<Row>> = Mutex::new(Vec::new());

fn rows() -> MutexGuard<'static, Vec<Row>> {
    ROWS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if any backend is registered.
pub fn are_registered() -> bool {
    !rows().is_empty()
}

/// The backend of a class: its own, else that of its nearest base, else of the first abstract class that says it is one.
///
/// # Errors
/// Exceptions of an abstract class that is asked.
pub fn of<'py>(class: &Bound<'py, PyType>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = class.py();
    let rows = rows();
    if rows.is_empty() {
        return Ok(None);
    }
    let of = |class: Bound<'_, PyAny>| rows.iter().find(|row| row.class.is(&class));
    if let Some(row) = class.mro().iter().find_map(of) {
        return Ok(Some(row.backend.bind(py).clone()));
    }
    let is_abstract = |row: &&Row| !row.class.bind(py).get_type().is(py.get_type::<PyType>());
    let part = |row: &Row| (row.class.clone_ref(py), row.backend.clone_ref(py));
    let candidates: Vec<_> = rows.iter().filter(is_abstract).map(part).collect();
    drop(rows);
    for (base, backend) in candidates {
        if class.is_subclass(base.bind(py))? {
            return Ok(Some(backend.into_bound(py)));
        }
    }
    Ok(None)
}

/// True if a value is one of a registered backend.
pub fn is_foreign(value: &Bound<'_, PyAny>) -> bool {
    matches!(of(&value.get_type()), Ok(Some(_)))
}

/// True if a package belongs to a registered backend: its functions are neither converted nor watched.
pub fn has_package(package: &str) -> bool {
    rows().iter().any(|row| row.packages.iter().any(|own| own == package))
}

/// Registers a backend for a type and its subclasses.
///
/// # Errors
/// A type of Python's own, and one that has a backend.
pub fn register(r#type: &Bound<'_, PyType>, backend: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = backend.py();
    let plain = [
        py.get_type::<PyAny>(),
        py.get_type::<PyBool>(),
        py.get_type::<PyInt>(),
        py.get_type::<PyFloat>(),
        py.get_type::<PyComplex>(),
        py.get_type::<PyString>(),
        py.None().bind(py).get_type(),
    ];
    if plain.iter().any(|class| class.is(r#type)) {
        return Err(PyTypeError::new_err(format!(
            "what statements on `{}` mean is Python's to say",
            r#type.name()?
        )));
    }
    let packages = backend.getattr("packages")?.extract()?;
    let mut rows = rows();
    if rows.iter().any(|row| row.class.is(r#type)) {
        return Err(taken(r#type)?);
    }
    rows.push(Row { class: r#type.clone().unbind(), backend: backend.clone().unbind(), packages });
    Ok(())
}

/// Takes the backend of a type back; types that have none are left alone.
#[pyfunction]
#[pyo3(signature = (r#type, /))]
pub fn unregister_backend(r#type: &Bound<'_, PyType>) {
    let mut rows = rows();
    let at = rows.iter().position(|row| row.class.is(r#type));
    let taken = at.map(|at| rows.remove(at));
    // Objects in the row may run code of their own when they are dropped.
    drop(rows);
    drop(taken);
}

/// The exception for a type that has a backend.
///
/// # Errors
/// A type without a name.
pub fn taken(class: &Bound<'_, PyType>) -> PyResult<PyErr> {
    Ok(PyValueError::new_err(format!("`{}` has a backend already", class.name()?)))
}

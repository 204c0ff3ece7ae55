//! Functions and methods that run as graphs, for those who only have to recognise them: their classes are made far above.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The class of functions, and that of methods.
static CLASSES: PyOnceLock<[Py<PyType>; 2]> = PyOnceLock::new();

/// Makes the classes known.
pub fn register<'py>(py: Python<'py>, function: Bound<'py, PyType>, method: Bound<'py, PyType>) {
    CLASSES.get_or_init(py, || [function.unbind(), method.unbind()]);
}

fn is_of(object: &Bound<'_, PyAny>, class: usize) -> bool {
    CLASSES.get(object.py()).is_some_and(|known| object.get_type().is(known[class].bind(object.py())))
}

/// True if an object is what `gw.function` makes of a function.
pub fn is_graph_function(object: &Bound<'_, PyAny>) -> bool {
    is_of(object, 0)
}

/// True if it is such a function with the object that it is a method of.
pub fn is_graph_method(object: &Bound<'_, PyAny>) -> bool {
    is_of(object, 1)
}

/// The function of the user's in one that runs as graphs; any other object itself.
pub fn undecorated(object: Bound<'_, PyAny>) -> Bound<'_, PyAny> {
    if !is_graph_function(&object) {
        return object;
    }
    object.getattr(intern!(object.py(), "python_function")).unwrap_or(object)
}

/// The function of the user's in a method that runs as graphs, and the object.
pub fn method_parts<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<[Bound<'py, PyAny>; 2]>> {
    if !is_graph_method(object) {
        return Ok(None);
    }
    let py = object.py();
    Ok(Some([object.getattr(intern!(py, "python_function"))?, object.getattr(intern!(py, "__self__"))?]))
}

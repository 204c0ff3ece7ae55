//! The listener to graphs as they are traced, before any pass: tests compare them with the graphs of another commit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gw_ir::Graph;
use pyo3::prelude::*;

static IS_HEARD: AtomicBool = AtomicBool::new(false);
static LISTENER: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Tells the listener of a graph; an exception that it raises ends the trace.
pub fn tell(py: Python<'_>, graph: &Graph) -> PyResult<()> {
    if !IS_HEARD.load(Ordering::Relaxed) {
        return Ok(());
    }
    let locked = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
    let listener = locked.as_ref().map(|listener| listener.clone_ref(py));
    drop(locked);
    match listener {
        Some(listener) => listener.call1(py, (gw_ir::text::print(graph),)).map(drop),
        None => Ok(()),
    }
}

/// Calls `listener(text)` with the text of each graph that a trace gives, before any pass; `None` ends it.
#[pyfunction]
#[pyo3(signature = (listener))]
fn listen_to_graphs(listener: Option<Py<PyAny>>) {
    IS_HEARD.store(listener.is_some(), Ordering::Relaxed);
    let before = std::mem::replace(&mut *LISTENER.lock().unwrap_or_else(PoisonError::into_inner), listener);
    drop(before);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(listen_to_graphs, module)?)
}

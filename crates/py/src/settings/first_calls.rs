//! The listener to first calls, which take longest: `graphwright.config.set_progress` shows them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

/// The work of a first call.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    /// Python runs the converted function.
    Tracing,
    /// The graph becomes native code.
    Compiling,
    /// The native code runs.
    Running,
}

static IS_HEARD: AtomicBool = AtomicBool::new(false);
static LISTENER: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

impl Work {
    fn word(self) -> &'static str {
        match self {
            Work::Tracing => "tracing",
            Work::Compiling => "compiling",
            Work::Running => "running",
        }
    }
}

/// Does work of the first call of a function, and tells the listener when it begins and ends.
pub fn during<T>(py: Python<'_>, function: &str, stage: Work, work: impl FnOnce() -> T) -> T {
    if !IS_HEARD.load(Ordering::Relaxed) {
        return work();
    }
    tell(py, function, Some(stage));
    let result = work();
    tell(py, function, None);
    result
}

fn tell(py: Python<'_>, function: &str, stage: Option<Work>) {
    let locked = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
    let listener = locked.as_ref().map(|listener| listener.clone_ref(py));
    drop(locked);
    if let Some(listener) = listener {
        // A listener that fails has no say in the program.
        drop(listener.call1(py, (function, stage.map(Work::word))));
    }
}

/// Calls `listener(function, stage)` where work of a first call begins, with `None` for the stage where it ends.
#[pyfunction]
#[pyo3(signature = (listener))]
fn listen_to_first_calls(listener: Option<Py<PyAny>>) {
    IS_HEARD.store(listener.is_some(), Ordering::Relaxed);
    let before = std::mem::replace(&mut *LISTENER.lock().unwrap_or_else(PoisonError::into_inner), listener);
    drop(before);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(listen_to_first_calls, module)?)
}

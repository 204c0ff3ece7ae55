//! What Python answers a function while it is traced and may answer otherwise in a later call, such as the text of a file.

use pyo3::prelude::*;

use crate::current;
use crate::guards::{Place, Was};
use crate::traces::Held;

/// Says that the function does while it is traced what each call does anew: the graph is good for one call.
#[pyfunction]
fn done_by_each_call(py: Python<'_>, name: &str) {
    let Some(tracing) = current::current() else { return };
    let world = py.None().into_bound(py);
    tracing.recorder().add(Place::Contents(Held::of(&world)), Was::Differing, name.to_owned());
}

/// Guards what a function of this package answers: the graph is good while that stays.
#[pyfunction]
fn guard_answer(asked: Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    let Some(tracing) = current::current() else { return Ok(()) };
    let answer = asked.call0()?;
    tracing.recorder().add(Place::Answer(asked.unbind()), Was::of(Some(&answer)), name.to_owned());
    Ok(())
}

/// The functions that the meanings of Python's own call.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(done_by_each_call, module)?)?;
    module.add_function(wrap_pyfunction!(guard_answer, module)?)
}

//! The door to how tensors of different element types meet.

use gw_types::Promotion;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The mode's name.
#[pyfunction]
pub fn dtype_promotion() -> &'static str {
    graphwright::promotion::said().text()
}

/// Says the mode by its name.
#[pyfunction]
pub fn set_dtype_promotion(mode: &str) -> PyResult<()> {
    let Some(found) = Promotion::ALL.into_iter().find(|known| known.text() == mode) else {
        let message = format!("mode is {mode:?}: it is \"standard\" or \"strict\"");
        return Err(PyValueError::new_err(message));
    };
    graphwright::promotion::set(found);
    Ok(())
}

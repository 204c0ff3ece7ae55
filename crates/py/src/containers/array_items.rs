//! Stand-in for a NumPy array of the host's between `a` and `[i]` while a graph is built: NumPy's own, unless a value of the graph is among the
//! indices. Then the graph holds what the array holds now, as it does where the array is an operand; a change between calls is a guard's.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::host::checks::is_staged_index;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host_calls::memory::Memory;
use crate::session;
use crate::values::array::is_array;

/// A NumPy array whose items are read, assigned or deleted.
#[pyclass(frozen, name = "ArrayItems", module = "graphwright")]
#[derive(Debug)]
pub struct ArrayItems(Py<PyAny>);

impl ArrayItems {
    /// Stand-in for an array; any other value itself.
    pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if !session::is_tracing() || !is_array(value) {
            return Ok(value.clone());
        }
        Ok(Bound::new(value.py(), Self(value.clone().unbind()))?.into_any())
    }
}

#[pymethods]
impl ArrayItems {
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.0.bind(key.py());
        if !has_staged_index(key) {
            return array.get_item(key);
        }
        // A part of it is a view of memory that Python holds: a store into it would not reach it there.
        let held = operands::operand(array)?;
        let held = match session::current() {
            Some(tracing) => Operand::Staged(tracing.clone(), operands::stage(&tracing, &held)),
            None => held,
        };
        Memory::Host.hold(key.py(), held)?.bind(key.py()).get_item(key)
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.bind(key.py()).set_item(key, value)
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.bind(key.py()).del_item(key)
    }
}

/// True if a value of the graph is among the indices.
fn has_staged_index(key: &Bound<'_, PyAny>) -> bool {
    match key.cast::<PyTuple>() {
        Ok(parts) => parts.iter().any(|part| is_staged_index(&part)),
        Err(_) => is_staged_index(key),
    }
}

//! Variables that a function finds around it. A function that is made while a graph is built, and called when the graph runs, would
//! find the last value of each name that the building goes on to change:
//!
//! ```python
//! for layer in range(3):
//!     gw.py_function(lambda x: log(layer, x), [x], [])      # Python logs 0, 1, 2
//! ```

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

/// The variables of closures that a function reads, with what they held.
#[derive(Debug, Default)]
pub(super) struct Cells(Vec<(Py<PyAny>, Py<PyAny>)>);

impl Cells {
    /// As they are now.
    pub fn of(function: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some(closure) = closure(function)? else { return Ok(Self::default()) };
        let held =
            closure.iter().filter_map(|cell| Some((cell.clone(), cell.getattr("cell_contents").ok()?)));
        Ok(Self(held.map(|(cell, content)| (cell.unbind(), content.unbind())).collect()))
    }

    /// The function with what it found then, if it would find something else now.
    pub fn frozen<'py>(&self, function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = function.py();
        let changed = PyDict::new(py);
        let Some(closure) = closure(function)? else { return Ok(None) };
        let names = function.getattr("__code__")?.getattr("co_freevars")?;
        for (cell, name) in closure.iter().zip(names.try_iter()?) {
            let Some((_, held)) = self.0.iter().find(|(known, _)| known.is(&cell)) else { continue };
            let is_same = cell.getattr("cell_contents").is_ok_and(|now| now.is(held));
            if !is_same {
                changed.set_item(name?, held)?;
            }
        }
        if changed.is_empty() {
            return Ok(None);
        }
        py.import("graphwright._host")?.call_method1("frozen", (function, changed)).map(Some)
    }
}

fn closure<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if !function.is_instance_of::<PyFunction>() {
        return Ok(None);
    }
    Ok(function.getattr("__closure__")?.cast_into::<PyTuple>().ok())
}

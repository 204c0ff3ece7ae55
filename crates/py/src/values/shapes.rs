//! Shapes as Python sees and writes them.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The object for a shape: a tuple that knows `rank` and `as_list`.
pub fn shape_object<'py>(py: Python<'py>, lengths: &[Option<usize>]) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
    let find = || Ok::<_, PyErr>(py.import("graphwright._shape")?.getattr("TensorShape")?.unbind());
    CLASS.get_or_try_init(py, find)?.bind(py).call1((PyTuple::new(py, lengths)?,))
}

/// A shape as Python writes a tuple.
pub fn plain_shape(lengths: &[Option<usize>]) -> String {
    let axes: Vec<_> = lengths.iter().map(|n| n.map_or("None".to_owned(), |n| n.to_string())).collect();
    let comma = if axes.len() == 1 { "," } else { "" };
    format!("({}{comma})", axes.join(", "))
}

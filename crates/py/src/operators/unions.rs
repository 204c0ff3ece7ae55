//! `a | b` and `a |= b`: Python's own, but for a dict of the graph, where they are its methods.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::containers::tables::entries::list_of;
use crate::operators::object::Operators;

#[pymethods]
impl Operators {
    /// `a | b`
    fn united<'py>(&self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        joined("joined", a, b).unwrap_or_else(|| a.bitor(b))
    }

    /// `a |= b`: what `a` is then.
    fn united_in_place<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ior = || a.py().import("operator")?.call_method1("ior", (a, b));
        joined("joined_in_place", a, b).unwrap_or_else(ior)
    }
}

/// Two dicts of which the graph holds one; nothing for other objects.
fn joined<'py>(
    how: &str,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    let is_dict = |object: &Bound<'py, PyAny>| object.is_exact_instance_of::<PyDict>();
    if !is_dict(a) || !is_dict(b) {
        return None;
    }
    match (list_of(a), list_of(b)) {
        (Ok(None), Ok(None)) => None,
        (Err(error), _) | (_, Err(error)) => Some(Err(error)),
        (Ok(_), Ok(_)) => {
            let meanings = a.py().import("graphwright._meanings.unions");
            Some(meanings.and_then(|meanings| meanings.call_method1(how, (a, b))))
        }
    }
}

//! A tuple, list, dict or the like that may be `None`: the structure and a bool of the graph that says whether it is there.
//!
//! Taken apart or asked for an item, it must be there; otherwise that is Python's `TypeError` when the graph runs.

use gw_base::Code;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::exceptions::errors;
use crate::host::operands::LeafKind;
use crate::optional::maybe;
use crate::values::tensor::{Payload, Tensor};

/// A structure that may be `None`.
#[pyclass(frozen, name = "MaybeStructure", module = "graphwright")]
#[derive(Debug)]
pub struct MaybeStructure {
    /// True if it is there: a bool of the graph.
    pub(crate) there: Py<PyAny>,
    /// The structure.
    pub(crate) value: Py<PyAny>,
}

impl MaybeStructure {
    /// The structure if `there`, otherwise `None`; one that may be either if only the graph knows.
    pub fn make<'py>(there: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = there.py();
        let known = match there.cast::<Tensor>().map(|tensor| tensor.get().content()) {
            Ok(Payload::Staged(tracing, staged)) => maybe::known(&tracing, staged.value),
            Ok(Payload::Eager(_)) => Some(there.is_truthy()?),
            // A description of the bool stands for one that is true.
            Err(_) => Some(!there.is_exact_instance_of::<PyBool>() || there.is_truthy()?),
        };
        match known {
            Some(true) => Ok(value.clone()),
            Some(false) => Ok(py.None().into_bound(py)),
            None => {
                let maybe = Self { there: there.clone().unbind(), value: value.clone().unbind() };
                Ok(Bound::new(py, maybe)?.into_any())
            }
        }
    }

    /// The bool and the structure.
    pub fn items<'py>(&self, py: Python<'py>) -> [Bound<'py, PyAny>; 2] {
        [self.there.bind(py).clone(), self.value.bind(py).clone()]
    }

    /// The bool.
    pub fn there<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.there.bind(py)
    }

    /// The diagnostic of a use for which it must be known whether it is there.
    pub fn refused(py: Python<'_>, what: &str) -> PyErr {
        let message = format!("{what} a structure that may be `None`");
        errors::here(py, Code::BranchesDisagree, message, "test it with `is None` first")
    }
}

/// Structures that may be `None` as operands: they are none.
pub const LEAF_KIND: LeafKind = LeafKind {
    refusal: |object| {
        let is_one = object.is_instance_of::<MaybeStructure>();
        is_one.then(|| MaybeStructure::refused(object.py(), "a tensor is made of"))
    },
    ..LeafKind::NONE
};

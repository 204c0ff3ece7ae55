//! A tuple, list, dict or the like that may be `None`: the structure and a bool of the graph that says whether it is there.
//!
//! Taken apart or asked for an item, it must be there; otherwise that is Python's `TypeError` when the graph runs.

use gw_base::Code;
use gw_ir::{CheckKind, Piece};
use gw_trace::Staged;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors;
use crate::operators::check;
use crate::optional::{self, Used};
use crate::pack::LeafKind;
use crate::tensor::{Payload, Tensor};

/// A structure that may be `None`.
#[pyclass(frozen, name = "MaybeStructure", module = "graphwright")]
#[derive(Debug)]
pub struct MaybeStructure {
    /// Whether it is there: a bool of the graph.
    there: Py<PyAny>,
    /// The structure.
    value: Py<PyAny>,
}

impl MaybeStructure {
    /// The structure if `there`, otherwise `None`; one that may be either if only the graph knows.
    pub fn make<'py>(there: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = there.py();
        let known = match there.cast::<Tensor>().map(|tensor| tensor.get().content()) {
            Ok(Payload::Staged(tracing, staged)) => optional::known(&tracing, staged.value),
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

    /// The structure, which there must be for this use.
    pub fn value<'py>(&self, py: Python<'py>, used: Used<'_, 'py>) -> PyResult<&Bound<'py, PyAny>> {
        if let Some((tracing, Staged { value: there, .. })) =
            crate::operators::staged_value(self.there.bind(py))?
            && optional::known(&tracing, there) != Some(true)
        {
            check(py, &tracing, &[there], CheckKind::Type, vec![Piece::Text(used.text())])?;
        }
        Ok(self.value.bind(py))
    }

    /// What is said of a use for which it must be known whether it is there.
    pub fn refused(py: Python<'_>, what: &str) -> PyErr {
        let message = format!("{what} a structure that may be `None`");
        errors::here(py, Code::BranchesDisagree, message, "test it with `is None` first")
    }
}

#[pymethods]
impl MaybeStructure {
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.value(py, Used::Iterated)?.try_iter()?.into_any())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.value(py, Used::Measured)?.len()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.value(key.py(), Used::Indexed)?.get_item(key)
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(Self::refused(key.py(), "an item is stored into"))
    }

    fn __contains__(&self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(Self::refused(item.py(), "an item is looked for in"))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Err(Self::refused(py, "this is a test of"))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Err(Self::refused(py, "this is the text of"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.__str__(py)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        Err(Self::refused(py, "this is the hash of"))
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        match operator {
            CompareOp::Eq if other.is_none() => optional::is_none(slf),
            CompareOp::Ne if other.is_none() => crate::operators::logic::not(&optional::is_none(slf)?),
            CompareOp::Eq | CompareOp::Ne | CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                Err(Self::refused(slf.py(), "this compares"))
            }
        }
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let known = match crate::operators::staged_value(self.there.bind(py))? {
            Some((tracing, there)) => optional::known(&tracing, there.value),
            None => None,
        };
        match known {
            Some(true) => self.value.bind(py).getattr(name),
            Some(false) | None => Err(Self::refused(py, &format!("`.{name}` is read of"))),
        }
    }
}

/// What a function returns, if it is a structure that it returns on some paths only: its leaves are there on those.
pub fn returned<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    use crate::maybe::Maybe;
    use crate::skeleton::Skeleton;
    let py = value.py();
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(value, &mut leaves)?;
    let mut there = None;
    for leaf in &mut leaves {
        let Some(maybe) = Maybe::unbound(leaf.bind(py)).map(|maybe| maybe.get()) else { continue };
        there = Some(Tensor::staged(maybe.tracing.clone(), Staged::strong(maybe.bound)));
        *leaf = Py::new(py, maybe.there(maybe.staged))?.into_any();
    }
    let Some(there) = there else { return Ok(None) };
    let value = skeleton.rebuild(py, &mut leaves.into_iter())?;
    MaybeStructure::make(Bound::new(py, there)?.as_any(), &value).map(Some)
}

/// Structures that may be `None` as operands: they are none.
pub const LEAF_KIND: LeafKind = LeafKind {
    refusal: |object| {
        let is_one = object.is_instance_of::<MaybeStructure>();
        is_one.then(|| MaybeStructure::refused(object.py(), "a tensor is made of"))
    },
    ..LeafKind::NONE
};

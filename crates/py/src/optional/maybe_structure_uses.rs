//! Uses of structures that may be `None`: each checks that the structure is there, or is refused.

use crate::host::checks::check;
use crate::operators::compare::members;
use crate::operators::logic::not;
use crate::optional::maybe_structure::MaybeStructure;
use crate::optional::used::Used;
use crate::optional::{self, maybe};
use crate::values::tensor::Tensor;
use gw_ir::{CheckKind, Piece};
use gw_trace::Staged;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;

impl MaybeStructure {
    /// The structure, which there must be for this use.
    pub fn value<'py>(&self, py: Python<'py>, used: Used<'_, 'py>) -> PyResult<&Bound<'py, PyAny>> {
        if let Some((tracing, Staged { value: there, .. })) =
            crate::host::checks::staged_value(self.there.bind(py))?
            && maybe::known(&tracing, there) != Some(true)
        {
            check(py, &tracing, &[there], CheckKind::Type, vec![Piece::Text(used.text())])?;
        }
        Ok(self.value.bind(py))
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
        if let (CompareOp::Eq | CompareOp::Ne, Some(same)) = (operator, members::equal(slf, other)?) {
            return if matches!(operator, CompareOp::Ne) { not(&same) } else { Ok(same) };
        }
        match operator {
            CompareOp::Eq if other.is_none() => optional::is_none(slf),
            CompareOp::Ne if other.is_none() => not(&optional::is_none(slf)?),
            CompareOp::Eq | CompareOp::Ne | CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                Err(Self::refused(slf.py(), "this compares"))
            }
        }
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let known = match crate::host::checks::staged_value(self.there.bind(py))? {
            Some((tracing, there)) => maybe::known(&tracing, there.value),
            None => None,
        };
        match known {
            Some(true) => self.value.bind(py).getattr(name),
            Some(false) | None => Err(Self::refused(py, &format!("`.{name}` is read of"))),
        }
    }
}

/// Return value of a function, if it is a structure that it returns on some paths only: its leaves are there on
/// those.
pub fn returned<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    use crate::host::skeleton::Skeleton;
    use crate::optional::maybe::Maybe;
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

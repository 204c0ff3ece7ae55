//! The exceptions that are raised in place of a graph: which one, with which values and where, the graph's results say.

use gw_base::Loc;
use gw_ir::ValueId;
use gw_runtime::Buffer;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::handlers::{copied, parts_of, show};
use crate::exceptions::errors;
use crate::exceptions::traceback;
use crate::function::output::As;
use crate::host::skeleton::Skeleton;
use crate::session;
use crate::values::array;
use crate::values::tensor::{Payload, Tensor};

/// As many exceptions that led to one another are raised as they were.
pub const LONGEST_CHAIN: usize = 8;

/// The exceptions that are raised in place of a graph, in the order of their numbers, which begin with 1.
#[derive(Debug, Default)]
pub struct Raises {
    pub(super) forms: Vec<Form>,
    /// The places in the user's text, by the numbers that exceptions show behind what they hold.
    pub(super) places: Vec<Option<Loc>>,
}

/// One exception.
#[derive(Debug)]
pub(super) struct Form {
    /// As it was while tracing.
    error: Py<PyAny>,
    /// Structure of its contents, without the leaves.
    shown: Skeleton,
    /// The leaves, or the forms of those that are values of the graph.
    leaves: Vec<Result<Py<PyAny>, As>>,
    /// Location in the user's text, unless a value of the graph says which it is.
    place: Option<Loc>,
    is_told: bool,
}

impl Form {
    /// Of an exception that was thrown while tracing; the values of the graph that it holds join `values`.
    pub(super) fn of(
        error: &Bound<'_, PyAny>,
        (place, told): (Option<Loc>, Option<ValueId>),
        values: &mut Vec<ValueId>,
    ) -> PyResult<Self> {
        values.extend(told);
        let mut leaves = Vec::new();
        let shown = Skeleton::of(&parts_of(error, LONGEST_CHAIN)?, &mut leaves)?;
        let value = |leaf: Py<PyAny>| match leaf
            .bind(error.py())
            .cast::<Tensor>()
            .map(|tensor| tensor.get().content())
        {
            Ok(Payload::Staged(tracing, staged)) => {
                values.push(staged.value);
                Err(As::shown(&tracing, staged))
            }
            Ok(Payload::Eager(_)) | Err(_) => Ok(leaf),
        };
        forget(error, LONGEST_CHAIN)?;
        let leaves = leaves.into_iter().map(value).collect();
        Ok(Self { error: error.clone().unbind(), shown, leaves, place, is_told: told.is_some() })
    }

    /// The exception anew, with these values.
    fn raise(
        &self,
        py: Python<'_>,
        places: &[Option<Loc>],
        mut values: impl Iterator<Item = Buffer>,
    ) -> PyResult<PyErr> {
        let told = if self.is_told { values.next() } else { None };
        let told = told.and_then(|number| places.get(number.scalars().next()?.to_i64() as usize));
        let leaf = |leaf: &Result<Py<PyAny>, As>| match leaf {
            Ok(leaf) => Ok(leaf.clone_ref(py)),
            Err(shown) => match values.next() {
                Some(buffer) => shown.object(py, buffer),
                None => Err(errors::InternalError::new_err("too few values")),
            },
        };
        let leaves = self.leaves.iter().map(leaf).collect::<PyResult<Vec<_>>>()?;
        let shown = self.shown.rebuild(py, &mut leaves.into_iter())?;
        let copy = copied(self.error.bind(py), LONGEST_CHAIN)?;
        show(&copy, &shown, &written)?;
        let error = PyErr::from_value(copy);
        if let Some(place) = told.unwrap_or(&self.place) {
            traceback::place(py, &error, place);
        }
        Ok(error)
    }

    fn count(&self) -> usize {
        usize::from(self.is_told) + self.leaves.iter().filter(|leaf| leaf.is_err()).count()
    }
}

impl Raises {
    /// The number of results of the graph that are about exceptions.
    pub fn count(&self) -> usize {
        1 + self.forms.iter().map(Form::count).sum::<usize>()
    }

    /// True if an exception was raised, by the first of these results.
    pub fn has_raised(number: &Buffer) -> bool {
        number.scalars().any(|number| number.to_i64() != 0)
    }

    /// The exception of which these results tell, if one was raised.
    pub fn raised(&self, py: Python<'_>, results: Vec<Buffer>) -> PyResult<Option<PyErr>> {
        let mut results = results.into_iter();
        let number: usize = match results.next() {
            Some(number) => array::to_numpy(py, &number)?.call_method0("item")?.extract()?,
            None => 0,
        };
        for (at, form) in self.forms.iter().enumerate() {
            let values: Vec<_> = results.by_ref().take(form.count()).collect();
            if at + 1 == number {
                return form.raise(py, &self.places, values.into_iter()).map(Some);
            }
        }
        Ok(None)
    }
}

/// Takes the frames of the tracing, and all that they hold, from an exception and those that led to it; of those that the graph
/// raises, their places stay.
fn forget(error: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
    let py = error.py();
    let at = session::current().and_then(|tracing| tracing.tries().place_of(error));
    let lines = at.map(|at| traceback::entries(py, &at, None)).transpose()?.flatten();
    error.setattr("__traceback__", lines)?;
    for name in ["__cause__", "__context__"] {
        let before = error.getattr(name)?;
        if depth > 0 && !before.is_none() {
            forget(&before, depth - 1)?;
        }
    }
    Ok(())
}

/// A text whose values are there.
fn written(parts: Bound<'_, PyTuple>) -> PyResult<Bound<'_, PyAny>> {
    let mut text = String::new();
    for part in parts.iter() {
        let part = match part.cast::<Tensor>() {
            Ok(tensor) if tensor.get().is_number() => tensor.call_method0("item")?,
            Ok(tensor) => tensor.call_method0("numpy")?,
            Err(_) => part,
        };
        text.push_str(&part.str()?.to_string_lossy());
    }
    Ok(text.into_pyobject(parts.py())?.into_any())
}

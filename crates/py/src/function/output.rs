//! The results of a graph as the object that its function returns.

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::ValueId;
use gw_runtime::Buffer;
use gw_trace::Staged;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySet, PyString, PyTuple};

use crate::containers::tables::making;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::host::values;
use crate::operators;
use crate::optional::maybe::Maybe;
use crate::optional::poison;
use crate::session::Tracing;
use crate::values::spec::PyTensorSpec;
use crate::values::tensor::{Payload, Tensor};
use crate::values::{array, cell};

/// The structure of what a function returns.
#[derive(Debug)]
pub struct Output {
    skeleton: Skeleton,
    leaves: Vec<Leaf>,
}

/// One leaf of what a function returns.
#[derive(Debug)]
enum Leaf {
    /// The next of the graph's results.
    Result(As),
    /// The next of the graph's results, or `None` unless the one after that is true.
    Optional(As),
    /// The same at each call: `None`, or text.
    Constant(Py<PyAny>),
    /// A new set of the same numbers and texts at each call.
    Set(Py<PySet>),
}

/// The form that a result of the graph has in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum As {
    Tensor,
    Number,
    /// NumPy's object in its place: an array, or a number of its own.
    Numpy,
}

impl As {
    /// Python's number if it is weak, a tensor if not.
    pub fn of(tracing: &Tracing, staged: Staged) -> Self {
        let is_number = staged.weak.is_some() && tracing.trace.ty(staged.value).is_scalar();
        if is_number { As::Number } else { As::Tensor }
    }

    /// The same of what an exception shows, which is NumPy's own where it was computed of what is.
    pub fn shown(tracing: &Tracing, staged: Staged) -> Self {
        let shown = Self::of(tracing, staged);
        if shown == Self::Tensor && tracing.trace.is_of_library(staged.value) { Self::Numpy } else { shown }
    }

    /// The object for this result.
    pub fn object(self, py: Python<'_>, buffer: Buffer) -> PyResult<Py<PyAny>> {
        if self == As::Numpy {
            let array = array::to_numpy(py, &buffer)?;
            let is_single = buffer.lengths().is_empty();
            let shown =
                if is_single { array.get_item(PyTuple::empty(py)) } else { array.call_method0("copy") };
            return shown.map(Bound::unbind);
        }
        // The numbers of a list are rows of one tensor, and become elements of it.
        let number = match self {
            As::Number if buffer.lengths().is_empty() => buffer.scalars().next(),
            As::Number | As::Tensor | As::Numpy => None,
        };
        match number {
            Some(number) => array::to_python(py, number).map(Bound::unbind),
            None => Ok(Py::new(py, Tensor::eager(buffer))?.into_any()),
        }
    }
}

impl Output {
    /// Takes what a traced function returned apart; gives the graph's results too. `returns` finds the `return`s; with
    /// `numbers`, those that are Python's come back as such.
    pub fn of(
        py: Python<'_>,
        tracing: &Tracing,
        returned: &Bound<'_, PyAny>,
        returns: &dyn Fn() -> Vec<Loc>,
        numbers: bool,
    ) -> PyResult<(Self, Vec<ValueId>)> {
        let (skeleton, objects) = values::parts(returned)?;
        let mut leaves = Vec::with_capacity(objects.len());
        let mut values = Vec::with_capacity(objects.len());
        for object in objects {
            let leaf = object.bind(py);
            if leaf.is_none() || leaf.is_instance_of::<PyString>() || leaf.is_instance_of::<PyBytes>() {
                leaves.push(Leaf::Constant(object));
            } else if let Some(set) = making::plain_set(leaf)? {
                leaves.push(Leaf::Set(set.unbind()));
            } else if let Some(maybe) = Maybe::optional(leaf) {
                let maybe = maybe.get();
                let here = |value| tracing.trace.lift(value).unwrap_or(value);
                values.extend([here(maybe.staged.value), here(maybe.bound)]);
                leaves.push(Leaf::Optional(if numbers { As::of(tracing, maybe.staged) } else { As::Tensor }));
            } else if numbers && array::number(leaf)?.is_some() {
                leaves.push(Leaf::Constant(object));
            } else {
                let weak = staged(leaf)?.and_then(|operand| match operand {
                    Operand::Staged(_, staged) if numbers => Some(As::of(tracing, staged)),
                    Operand::Staged(..) | Operand::Tensor(_) | Operand::Number(_) => None,
                });
                values.push(result(tracing, leaf, returns)?);
                leaves.push(Leaf::Result(weak.unwrap_or(As::Tensor)));
            }
        }
        Ok((Self { skeleton, leaves }, values))
    }

    /// The number of the graph's results that it takes.
    pub fn results(&self) -> usize {
        let results = |leaf: &Leaf| match leaf {
            Leaf::Result(_) => 1,
            Leaf::Optional(_) => 2,
            Leaf::Constant(_) | Leaf::Set(_) => 0,
        };
        self.leaves.iter().map(results).sum()
    }

    /// The returned object, with specs in place of tensors.
    pub fn specs<'py>(&self, py: Python<'py>, results: Vec<PyTensorSpec>) -> PyResult<Bound<'py, PyAny>> {
        let mut results = results.into_iter();
        self.rebuild(py, |_| Ok(Py::new(py, results.next().expect("one result per leaf"))?.into_any()))
    }

    /// The object with these results in it.
    pub fn tensors<'py>(&self, py: Python<'py>, results: Vec<Buffer>) -> PyResult<Bound<'py, PyAny>> {
        let mut results = results.into_iter();
        self.rebuild(py, |shown| shown.object(py, results.next().expect("one result per leaf")))
    }

    fn rebuild<'py>(
        &self,
        py: Python<'py>,
        mut result: impl FnMut(As) -> PyResult<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let (Skeleton::Leaf, [Leaf::Result(shown)]) = (&self.skeleton, self.leaves.as_slice()) {
            return Ok(result(*shown)?.into_bound(py));
        }
        let leaf = |leaf: &Leaf| match leaf {
            Leaf::Result(shown) => result(*shown),
            Leaf::Optional(shown) => {
                let (value, bound) = (result(*shown)?, result(As::Tensor)?);
                let is_there = bound.bind(py).cast::<Tensor>().map_or(Ok(true), |bound| bound.is_truthy());
                Ok(if is_there? { value } else { py.None() })
            }
            Leaf::Constant(object) => Ok(object.clone_ref(py)),
            Leaf::Set(set) => Ok(set.bind(py).call_method0("copy")?.unbind()),
        };
        let leaves = self.leaves.iter().map(leaf).collect::<PyResult<Vec<_>>>()?;
        self.skeleton.rebuild(py, &mut leaves.into_iter())
    }
}

/// A leaf that is a value of the graph.
pub fn staged(leaf: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    let Ok(tensor) = leaf.cast::<Tensor>() else { return Ok(None) };
    match tensor.get().content() {
        Payload::Staged(..) => operands::plain_operand(leaf),
        Payload::Eager(_) => Ok(None),
    }
}

/// A returned leaf as a result of the graph.
fn result(tracing: &Tracing, leaf: &Bound<'_, PyAny>, returns: &dyn Fn() -> Vec<Loc>) -> PyResult<ValueId> {
    let py = leaf.py();
    poison::refuse(leaf)?;
    if let Ok(maybe) = leaf.cast::<Maybe>() {
        return result(tracing, &operators::read(py, maybe)?, returns);
    }
    match operands::plain_operand(leaf)? {
        Some(operand) => Ok(operands::stage(tracing, &operand).value),
        None => {
            let kind = leaf.get_type().name()?.to_string();
            let message =
                format!("the function returns a value of type `{kind}`, which a graph cannot return");
            let help = "return tensors, numbers, `None`, or tuples, lists and dicts of them";
            Err(at_places(py, Diagnostic::new(Code::ResultNotTensor, message).help(help), returns()))
        }
    }
}

/// GW122 if a function returns what may be a part of an array that was stored into since.
pub fn check_returned(value: &Bound<'_, PyAny>, returns: &dyn Fn() -> Vec<Loc>) -> PyResult<()> {
    let (py, mut leaves) = (value.py(), Vec::new());
    Skeleton::of(value, &mut leaves)?;
    for leaf in leaves.iter().map(|leaf| leaf.bind(py)) {
        let is_stale = leaf.cast::<Tensor>().is_ok_and(|tensor| tensor.get().is_stale())
            || leaf.cast::<Maybe>().is_ok_and(|maybe| maybe.get().is_stale());
        if is_stale || poison::is_stale(leaf) {
            return Err(at_places(py, cell::stale(), returns()));
        }
    }
    Ok(())
}

/// A diagnostic at places of a function, where they are known.
pub fn at_places(py: Python<'_>, found: Diagnostic, places: Vec<Loc>) -> PyErr {
    if places.is_empty() {
        return errors::at_call(py, found);
    }
    let text = if places.len() == 1 { "" } else { "one of these" };
    errors::raise(&places.into_iter().fold(found, |found, place| found.at(place, text)))
}

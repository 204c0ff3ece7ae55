//! The `input_signature` of a function: one `TensorSpec`, or a structure of them, per argument.

use gw_base::Code;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::exceptions::errors;
use crate::function::trace_type::{self, Arguments, Part};
use crate::host::structure;
use crate::values::spec::PyTensorSpec;

/// Requirements on the arguments.
#[derive(Debug)]
pub struct Signature(Vec<Py<PyAny>>);

impl Signature {
    /// From a sequence; GW302 if something in it is no `TensorSpec` and no structure of them.
    pub fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let specs = given.try_iter().map_err(|_| no_signature(given.py()))?.collect::<PyResult<Vec<_>>>()?;
        specs.iter().try_for_each(check)?;
        Ok(Self(specs.into_iter().map(Bound::unbind).collect()))
    }

    /// The number of arguments that it speaks of.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Specifications of all arguments.
    pub fn specs<'py>(&self, py: Python<'py>) -> impl Iterator<Item = Bound<'py, PyAny>> {
        self.0.iter().map(move |spec| spec.bind(py).clone())
    }

    /// Specification of one argument.
    pub fn spec<'py>(&self, py: Python<'py>, at: usize) -> Bound<'py, PyAny> {
        self.0[at].bind(py).clone()
    }

    /// As it was given.
    pub fn given<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0)
    }

    /// Adds an argument, cast and narrowed to what the signature says; GW302 if it does not fit.
    pub fn take(&self, at: usize, object: &Bound<'_, PyAny>, into: &mut Arguments) -> PyResult<()> {
        take(self.0[at].bind(object.py()), object, into)
    }

    /// Adds the tensors in an argument, in the order in which the signature speaks of them.
    pub fn tensors<'py>(
        &self,
        at: usize,
        object: &Bound<'py, PyAny>,
        found: &mut Vec<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        tensors(self.0[at].bind(object.py()), object, found)
    }

    /// An argument of a call while a graph is built, cast to what the signature says; GW302 if it does not fit.
    pub fn admit<'py>(&self, at: usize, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        admit(self.0[at].bind(object.py()), object)
    }
}

fn check(spec: &Bound<'_, PyAny>) -> PyResult<()> {
    if spec.is_instance_of::<PyTensorSpec>() {
        return Ok(());
    }
    let (_, items) = structure::open(spec)?.ok_or_else(|| no_signature(spec.py()))?;
    items.iter().try_for_each(check)
}

fn no_signature(py: Python<'_>) -> PyErr {
    let message =
        "an input signature is a sequence of `gw.TensorSpec` or structures of them, one per argument";
    errors::here(py, Code::SignatureMismatch, message, "write e.g. `input_signature=[gw.TensorSpec([None])]`")
}

fn take(spec: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>, into: &mut Arguments) -> PyResult<()> {
    if let Ok(spec) = spec.cast::<PyTensorSpec>() {
        return into.take_signed(object, spec.get());
    }
    let (kind, specs, items) = both(spec, object)?;
    let frame = into.frame(&kind)?;
    into.parts.push(Part::Structure(frame, items.len()));
    specs.iter().zip(&items).try_for_each(|(spec, item)| take(spec, item, into))
}

fn admit<'py>(spec: &Bound<'py, PyAny>, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(spec) = spec.cast::<PyTensorSpec>() {
        return trace_type::admit(object, spec.get());
    }
    let (kind, specs, items) = both(spec, object)?;
    let items = specs.iter().zip(&items).map(|(spec, item)| admit(spec, item)).collect::<PyResult<_>>()?;
    kind.close(object.py(), items)
}

fn tensors<'py>(
    spec: &Bound<'py, PyAny>,
    object: &Bound<'py, PyAny>,
    found: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    if spec.is_instance_of::<PyTensorSpec>() {
        found.push(object.clone());
        return Ok(());
    }
    let (_, specs, items) = both(spec, object)?;
    specs.iter().zip(&items).try_for_each(|(spec, item)| tensors(spec, item, found))
}

type Both<'py> = (structure::Kind, Vec<Bound<'py, PyAny>>, Vec<Bound<'py, PyAny>>);

/// A structure of the signature and the argument's items, if the argument has that structure.
fn both<'py>(spec: &Bound<'py, PyAny>, object: &Bound<'py, PyAny>) -> PyResult<Both<'py>> {
    let py = object.py();
    let wanted = structure::open(spec)?;
    let found = structure::open(object)?;
    if let (Some((kind, specs)), Some((like, items))) = (wanted, found)
        && kind.same(&like, py)
        && specs.len() == items.len()
    {
        return Ok((kind, specs, items));
    }
    let message =
        format!("the input signature takes {}, but the call gives {}", spec.repr()?, object.repr()?);
    Err(errors::here(
        py,
        Code::SignatureMismatch,
        message,
        "give the structure that the signature says, keys in its order",
    ))
}

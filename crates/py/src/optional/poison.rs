//! A name that the graph cannot hold: an object of Python's on some paths, no value on the others. Nothing is wrong as long
//! as nobody reads it; to read it is the error of the statement that left it so.

use gw_base::{Diagnostic, Loc};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::exceptions::errors;
use crate::host::operands::LeafKind;
use crate::optional::used::Used;
use crate::session::{self, frames};

/// The value of such a name.
#[pyclass(frozen, name = "Unclear", module = "graphwright")]
#[derive(Debug)]
pub struct Unclear(pub Diagnostic, Option<Loc>);

impl Unclear {
    /// For a diagnostic; one without a place is about the place where the name is read, or about this one.
    pub fn new(why: Diagnostic, otherwise: Option<Loc>) -> Self {
        Self(why, otherwise)
    }

    /// The diagnostic of a read, which nothing that the program catches makes good.
    pub fn error(&self) -> PyErr {
        if self.0.labels.is_empty() {
            let place = Python::attach(frames::place).or_else(|| self.1.clone());
            return errors::raise(&place.into_iter().fold(self.0.clone(), |why, place| why.at(place, "")));
        }
        if let Some(tracing) = session::current() {
            tracing.stop(self.0.clone());
        }
        errors::raise(&self.0)
    }
}

/// An error if an object stands for such a name.
pub fn refuse(object: &Bound<'_, PyAny>) -> PyResult<()> {
    object.cast::<Unclear>().map_or(Ok(()), |unclear| Err(unclear.get().error()))
}

/// True if an object stands for what may be a part of an array that was stored into since.
pub fn is_stale(object: &Bound<'_, PyAny>) -> bool {
    object.cast::<Unclear>().is_ok_and(|unclear| unclear.get().0.labels.is_empty())
}

/// Whatever is done with it.
pub fn read<'py>(slf: &Bound<'py, Unclear>, _: Used<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    Err(slf.get().error())
}

/// `name < other` and the like.
pub fn compare<'py>(
    slf: &Bound<'py, Unclear>,
    _: &Bound<'py, PyAny>,
    _: CompareOp,
) -> PyResult<Bound<'py, PyAny>> {
    Err(slf.get().error())
}

#[pymethods]
impl Unclear {
    fn __getattr__(&self, name: &str) -> PyResult<()> {
        // Python itself looks for these.
        let asked = name.starts_with("__") && name.ends_with("__");
        Err(if asked { PyAttributeError::new_err(name.to_owned()) } else { self.error() })
    }

    fn __setattr__(&self, _name: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(self.error())
    }

    fn __delattr__(&self, _name: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(self.error())
    }

    fn __setitem__(&self, _key: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(self.error())
    }

    fn __delitem__(&self, _key: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(self.error())
    }

    fn __contains__(&self, _item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(self.error())
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __call__(&self, _args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(self.error())
    }

    /// NumPy's functions look no further where this is there.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array_function__(
        &self,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(self.error())
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array_ufunc__(
        &self,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(self.error())
    }

    fn __enter__(&self) -> PyResult<()> {
        Err(self.error())
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) -> PyResult<()> {
        Err(self.error())
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(self.error())
    }

    fn __str__(&self) -> PyResult<String> {
        Err(self.error())
    }

    fn __repr__(&self) -> PyResult<String> {
        Err(self.error())
    }

    fn __format__(&self, _spec: &str) -> PyResult<String> {
        Err(self.error())
    }
}

/// Values that are not known, as operands: each use of one is refused.
pub const LEAF_KIND: LeafKind = LeafKind { refusal: |object| refuse(object).err(), ..LeafKind::NONE };

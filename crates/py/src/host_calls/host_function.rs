//! `graphwright.host`: a function that stays Python's. In a graph each call of it calls the host.

use std::sync::{Arc, OnceLock};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::answer_types::Promises;
use super::ask::{Asked, name_of};
use super::memory::Memory;
use super::{Seen, observed};

use crate::session;

/// A function that graphs call where it stands in the program.
#[pyclass(frozen, dict, weakref, name = "HostFunction", module = "graphwright")]
#[derive(Debug)]
pub struct HostFunction {
    function: Py<PyAny>,
    /// The name in messages, where the function's own does not say enough.
    name: Option<String>,
    /// Types that its annotation promises, once they were asked for.
    promises: OnceLock<Arc<Promises>>,
    /// Ownership of the arrays that it gives.
    memory: Memory,
}

#[pymethods]
impl HostFunction {
    #[new]
    fn new(function: &Bound<'_, PyAny>) -> Self {
        Self {
            function: function.clone().unbind(),
            name: None,
            promises: OnceLock::new(),
            memory: Memory::Host,
        }
    }

    /// A function that is called `name` in messages and promises what `gives` says; `memory` says
    /// whose its arrays are.
    #[staticmethod]
    fn promising(
        function: &Bound<'_, PyAny>,
        gives: &Bound<'_, PyAny>,
        name: &str,
        memory: &str,
    ) -> PyResult<Self> {
        let promises = OnceLock::from(Arc::new(Promises::of(name, gives)?));
        Ok(Self {
            function: function.clone().unbind(),
            name: Some(name.to_owned()),
            promises,
            memory: Memory::named(memory)?,
        })
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let function = self.function.bind(py);
        let Some(tracing) = session::current() else {
            return observed::apart(|| function.call(args, kwargs));
        };
        let promises = self.promises(function)?;
        let none = PyDict::new(py);
        let name = self.name.clone().unwrap_or_else(|| name_of(function));
        let asked =
            Asked { name: &name, function, promises: &promises, memory: self.memory, seen: Seen::Nowhere };
        asked.plainly(&tracing, args, kwargs.unwrap_or(&none))
    }

    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: &Bound<'py, PyAny>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if object.is_none() {
            return Ok(slf.as_any().clone());
        }
        slf.py().import("types")?.getattr("MethodType")?.call1((slf, object))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<gw.host: {}>", self.function.bind(py).repr()?))
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.function.bind(py).getattr("__qualname__")?.unbind())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)
    }
}

impl HostFunction {
    /// Types that its annotation promises.
    fn promises(&self, function: &Bound<'_, PyAny>) -> PyResult<Arc<Promises>> {
        if let Some(known) = self.promises.get() {
            return Ok(known.clone());
        }
        let said = function.py().import("graphwright._host")?.call_method1("promised", (function,))?;
        let promises = Arc::new(Promises::of(&name_of(function), &said)?);
        Ok(self.promises.get_or_init(|| promises).clone())
    }
}

//! Backends of value types that are not ours: the methods of a `graphwright.autograph.Backend`, asked from here.

use gw_base::Code;
use gw_trace::Slot;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::effects::places::{Places, PyState};
use crate::effects::watch::guarded;
use crate::exceptions::{errors, raised};
use crate::optional::maybe::{Unbound, unbound};
use crate::session::frames;

/// A registered backend, asked about a value.
pub struct Backend<'py> {
    object: Bound<'py, PyAny>,
    value: Bound<'py, PyAny>,
}

/// The variables that a statement may give values to.
///
/// A backend's methods get it for the statement that they stage.
///
/// Example:
///   >>> class Traced(gw.autograph.Backend):
///   ...     def if_stmt(self, test, body, orelse, state):
///   ...         body()
///   ...         print(state.names, state.get())
///   >>> class Test:
///   ...     pass
///   >>> def chosen(test):
///   ...     y = 1
///   ...     if test:
///   ...         y = 2
///   ...     return y
///   >>> with gw.autograph.register_backend(Test, Traced()):
///   ...     _ = gw.autograph.to_graph(chosen)(Test())
///   ('y',) (2,)
#[pyclass(frozen, name = "State", module = "graphwright.autograph")]
#[derive(Debug)]
pub struct BackendState {
    /// As the user knows them.
    #[pyo3(get)]
    names: Py<PyTuple>,
    places: Places,
}

#[pymethods]
impl BackendState {
    /// Returns the values that the variables have now.
    ///
    /// Returns:
    ///   Tuple.
    ///
    /// Example:
    ///   >>> class Traced(gw.autograph.Backend):
    ///   ...     def if_stmt(self, test, body, orelse, state):
    ///   ...         before = state.get()
    ///   ...         body()
    ///   ...         print(before, state.get())
    ///   >>> class Test:
    ///   ...     pass
    ///   >>> def chosen(test):
    ///   ...     y = 1
    ///   ...     if test:
    ///   ...         y = 2
    ///   ...     return y
    ///   >>> with gw.autograph.register_backend(Test, Traced()):
    ///   ...     _ = gw.autograph.to_graph(chosen)(Test())
    ///   (1,) (2,)
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.places.get(py)
    }

    /// Gives the variables values.
    ///
    /// Args:
    ///   values: one value for each variable.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Example:
    ///   >>> class Traced(gw.autograph.Backend):
    ///   ...     def if_stmt(self, test, body, orelse, state):
    ///   ...         state.set([7])
    ///   >>> class Test:
    ///   ...     pass
    ///   >>> def chosen(test):
    ///   ...     y = 1
    ///   ...     if test:
    ///   ...         y = 2
    ///   ...     return y
    ///   >>> with gw.autograph.register_backend(Test, Traced()):
    ///   ...     gw.autograph.to_graph(chosen)(Test())
    ///   7
    fn set(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.places.set(&PyTuple::new(py, values.try_iter()?.collect::<PyResult<Vec<_>>>()?)?)
    }

    /// Tells whether a value is the mark of a variable without one.
    ///
    /// Args:
    ///   value: value from `get`.
    ///
    /// Returns:
    ///   bool.
    ///
    /// Example:
    ///   >>> class Traced(gw.autograph.Backend):
    ///   ...     def if_stmt(self, test, body, orelse, state):
    ///   ...         print([state.is_unbound(value) for value in state.get()])
    ///   ...         body()
    ///   >>> class Test:
    ///   ...     pass
    ///   >>> def chosen(test):
    ///   ...     if test:
    ///   ...         y = 2
    ///   ...     return y
    ///   >>> with gw.autograph.register_backend(Test, Traced()):
    ///   ...     gw.autograph.to_graph(chosen)(Test())
    ///   [True]
    ///   2
    #[staticmethod]
    fn is_unbound(value: &Bound<'_, PyAny>) -> bool {
        value.is_instance_of::<Unbound>()
    }

    /// The mark of a variable without a value.
    #[getter]
    fn unbound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        unbound(py)
    }
}

/// The attribute of an exception that stopped a backend: the exception to raise where it is caught.
const STOPPED: &str = "__graphwright_stopped__";

/// Marks an exception that stopped a backend. Whether Python would have raised it nobody knows, so that it may not be
/// caught; one that takes no attributes is not marked.
fn mark(py: Python<'_>, error: &PyErr) {
    let place = frames::place(py);
    let Ok(diagnostic) = raised::caught(error, place.as_ref(), py) else { return };
    let instead = errors::raise(&diagnostic).into_value(py).into_bound(py);
    let _ = instead.setattr(STOPPED, &instead);
    let _ = error.value(py).setattr(STOPPED, instead);
}

/// Raises GW112 if the exception being handled is the one that stopped a backend.
pub fn check_not_caught(py: Python<'_>) -> PyResult<()> {
    let handled = py.import("sys")?.call_method0("exc_info")?.get_item(1)?;
    match handled.getattr_opt(STOPPED)? {
        Some(instead) => Err(PyErr::from_value(instead)),
        None => Ok(()),
    }
}

impl<'py> Backend<'py> {
    /// The backend that decides what is done with `value`.
    pub fn new(object: Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> Self {
        Self { object, value: value.clone() }
    }

    /// Asks for a statement with these blocks; what they change in place is an error of this code.
    pub fn statement(
        &self,
        method: &str,
        code: Code,
        parts: &[&Bound<'py, PyAny>],
        state: &PyState<'_, 'py>,
        blocks: &[&Bound<'py, PyAny>],
    ) -> PyResult<()> {
        let py = self.object.py();
        let slots = state.slots()?;
        let flowing = BackendState {
            names: PyTuple::new(py, slots.iter().map(Slot::text))?.unbind(),
            places: state.shared()?,
        };
        let flowing = Bound::new(py, flowing)?.into_any();
        let arguments = PyTuple::new(py, [parts, &[&flowing]].concat())?;
        let asked = guarded(py, code, Some((state, &slots)), blocks, |_| {
            Ok(self.ask(method, arguments).map(drop)?)
        });
        asked.inspect_err(|error| mark(py, error))
    }

    /// Asks for the value of an expression with these parts, of which `blocks` are thunks.
    pub fn expression(
        &self,
        method: &str,
        parts: &[&Bound<'py, PyAny>],
        blocks: &[&Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        let arguments = PyTuple::new(py, parts)?;
        let asked = guarded(py, Code::BranchesDisagree, None, blocks, |_| Ok(self.ask(method, arguments)?));
        asked.inspect_err(|error| mark(py, error))
    }

    /// Asks what a function of Python's own gives for these arguments.
    pub fn call(
        &self,
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let none = PyDict::new(function.py());
        self.ask("call", (function, args, kwargs.unwrap_or(&none)))
    }

    fn ask(&self, method: &str, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.object.call_method1(method, arguments).map_err(|error| self.located(error))
    }

    /// A `graphwright.autograph.Refusal` as the diagnostic that it asks for, at the user's statement.
    fn located(&self, error: PyErr) -> PyErr {
        let py = self.object.py();
        self.diagnostic(py, &error).unwrap_or_else(Some).unwrap_or(error)
    }

    fn diagnostic(&self, py: Python<'_>, error: &PyErr) -> PyResult<Option<PyErr>> {
        let refusal = py.import("graphwright.autograph")?.getattr("Refusal")?;
        let error = error.value(py);
        if !error.is_instance(&refusal)? {
            return Ok(None);
        }
        let text = |name: &str| error.getattr(name)?.extract::<String>();
        let wanted = text("code")?;
        let code = Code::ALL.iter().find(|code| code.text() == wanted);
        let code =
            *code.ok_or_else(|| PySystemError::new_err(format!("no diagnostic is called {wanted}")))?;
        let message = text("message")?.replace("{type}", &self.value.get_type().name()?.to_string_lossy());
        Ok(Some(errors::here(py, code, message, &text("help")?)))
    }
}

//! Operators that converted code calls for a `with`, see `withs`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::iteration::withs::{self, Manager};
use crate::operators::object::Operators;
use crate::session::{self, recursion_limit};

#[pymethods]
impl Operators {
    /// The manager that a `with` enters and leaves, a context manager of which nothing was called yet.
    fn manager(&self, context: &Bound<'_, PyAny>) -> PyResult<Manager> {
        Manager::new(context, self.recursive)
    }

    /// Enters a manager and runs `body()`; `rest(outcome)` runs what stands for the body and leaves the manager. What entering
    /// gave is assigned to the name `target`, if it is one.
    fn with_stmt(
        &self,
        manager: &Bound<'_, Manager>,
        body: &Bound<'_, PyAny>,
        rest: &Bound<'_, PyAny>,
        target: Option<&str>,
        state: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let ran = match session::current() {
            Some(tracing) => withs::staged(&tracing, manager, [body, rest], target, state),
            None => {
                manager.get().enter(body.py()).and_then(|()| recursion_limit::call(rest, (body,)).map(drop))
            }
        };
        manager.get().forget();
        ran
    }

    /// The value that entering a manager gave.
    fn entered<'py>(&self, manager: &Bound<'py, Manager>) -> PyResult<Bound<'py, PyAny>> {
        manager.get().entered(manager.py())
    }

    /// Leaves a manager, with the exception that is handled now if `raised`; whether that goes on.
    fn leave<'py>(&self, manager: &Bound<'py, Manager>, raised: bool) -> PyResult<Bound<'py, PyAny>> {
        manager.get().leave(manager.py(), raised)
    }

    /// A context manager for a `with` that stays: itself, or what looks at the graph when it is left.
    fn managed<'py>(&self, context: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        withs::managed(context, self.recursive)
    }
}

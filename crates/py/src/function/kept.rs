//! Graphs of Python functions in the cache, and the calls that ask for them.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graphwright::function::explain;
use graphwright::function::graph_cache::{self, Asking, Kept};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::dependencies::guards;
use crate::function::Function;
use crate::function::concrete::CompiledTrace;
use crate::function::own_type::TraceType;
use crate::function::parameters::Call;
use crate::function::trace_type::{Arguments, Part};
use crate::session::libraries;

/// The graphs of one Python function.
pub type Traces = graph_cache::Traces<CompiledTrace>;

impl Kept for CompiledTrace {
    type Own = TraceType;

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn number(&self) -> usize {
        self.number
    }

    fn used(&self) -> &AtomicU64 {
        &self.used
    }

    fn bytes(&self) -> usize {
        self.size()
    }

    fn has_pattern(&self) -> bool {
        self.pattern.is_some()
    }
}

/// A call that asks for a graph.
#[derive(Clone, Copy)]
pub struct Asked<'a, 'py>(pub Python<'py>, pub &'a Arguments);

impl Asking<CompiledTrace> for Asked<'_, '_> {
    type Error = PyErr;

    fn parts(&self) -> &[Part] {
        &self.1.parts
    }

    fn admits(&self, graph: &CompiledTrace) -> bool {
        graph.admits(self.0, self.1)
    }

    fn lives(&self, graph: &CompiledTrace) -> bool {
        graph.lives(self.0)
    }

    fn wait(&self, wait: impl FnOnce() + Send) -> PyResult<()> {
        self.0.detach(wait);
        self.0.check_signals()
    }
}

/// No graphs yet; a thread that waits for the lock lets Python go.
pub fn none() -> Traces {
    Traces::new(wait_for)
}

fn wait_for<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    Python::attach(|py| mutex.lock_py_attached(py)).unwrap_or_else(PoisonError::into_inner)
}

impl Function {
    /// Traces and compiles. Nothing is kept unless all of it succeeds.
    pub(super) fn make(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
    ) -> PyResult<Arc<CompiledTrace>> {
        let before = self.traces.nearest(&arguments.parts);
        // Tracing may change what the guards look at.
        let same = before.as_ref().filter(|before| before.parts == arguments.parts);
        let reason = |before: &Arc<CompiledTrace>| {
            before.setting_that_differs().or_else(|| guards::reason(py, &before.guards))
        };
        let guard = same.and_then(reason);
        let concrete = self.make_kept(py, call, arguments)?;
        if let Some(before) = before.filter(|before| !Arc::ptr_eq(before, &concrete)) {
            let parameters = self.parameters(py)?;
            let names = |at| parameters.name(at);
            let reason = guard.unwrap_or_else(|| explain::reason(&before.parts, &concrete.parts, &names));
            // Functions of this package run for many users' programs, each with graphs of its own.
            let aloud = libraries::is_users(self.python_function.bind(py))?;
            if let Some(warning) = self.traces.note(&self.shared.name, reason, aloud) {
                let category = py.import("graphwright.errors")?.getattr("RetracingWarning")?;
                py.import("warnings")?.call_method1("warn", (warning, category, 2))?;
            }
        }
        Ok(concrete)
    }

    /// A graph that is made unless another thread has made it meanwhile, and that later calls find.
    pub(super) fn make_kept(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
    ) -> PyResult<Arc<CompiledTrace>> {
        self.traces.make(&Asked(py, arguments), || {
            arguments.refuse_other_methods(py)?;
            self.make_now(py, call, arguments)
        })
    }
}

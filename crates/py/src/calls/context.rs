//! Python as a host of functions of the graph.

use std::sync::Arc;

use gw_base::Diagnostic;
use gw_ir::FunctionId;
use gw_trace::{CallOf, CalleeOf, CallsOf, Endless, FunctionCall, Functions};
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::calls::call_node;
use crate::effects::alias::Mark;
use crate::effects::watched_container::same;
use crate::exceptions::errors::{Failed, InternalError};
use crate::exceptions::raised;
use crate::exceptions::tries::{Calling, Forms, Heard};
use crate::host::PyHost;
use crate::host::skeleton::Skeleton;
use crate::optional::maybe::Unbound;
use crate::values::array;

type Value = Arc<Py<PyAny>>;

/// A call that is being traced.
pub type PyCall = FunctionCall<Value, Skeleton, Context>;

/// The objects that a function can reach, with what each holds.
pub type Reach = Vec<Vec<Py<PyAny>>>;

/// Context of a call besides its arguments.
#[derive(Debug, Clone)]
pub struct Context {
    /// The exceptions that the `try` statements around meet: the function tells what of that it raises.
    pub heard: Arc<Heard>,
    /// The exceptions that it raises of those.
    pub forms: Arc<Forms>,
    /// The function, so that its address stays its own.
    pub own: Arc<Py<PyAny>>,
}

impl<'py> Functions for PyHost<'py> {
    type Context = Context;
    type Reach = Reach;

    fn calls(&self) -> &CallsOf<Self> {
        self.tracing().calls()
    }

    fn same_context(&self, a: &Context, b: &Context) -> bool {
        a.heard.is(&b.heard)
    }

    fn same_reach(&self, a: &Reach, b: &Reach) -> bool {
        let bound = |held: &[Py<PyAny>]| -> Vec<_> {
            held.iter().map(|object| object.bind(self.py()).clone()).collect()
        };
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&bound(a), &bound(b)))
    }

    fn enter_call(&self, is_function: bool) {
        self.tracing().regions().enter_call(self.tracing(), is_function);
    }

    fn leave_call(&self, undo: bool) {
        self.tracing().regions().leave_call(undo);
    }

    fn objects(&self) -> usize {
        self.tracing().boxes().mark().0
    }

    fn take_back(&self, objects: usize) {
        self.tracing().boxes().rewind(Mark(objects));
    }

    fn stores(&self) -> usize {
        self.tracing().regions().stores()
    }

    fn stopped(&self) -> Option<Diagnostic> {
        self.tracing().stopped()
    }

    fn go_on(&self, stopped: Option<Diagnostic>) {
        self.tracing().go_on(stopped);
    }

    fn is_passing(&self, error: &Failed) -> bool {
        match error {
            Failed::Python(error) => raised::is_passing(self.py(), error),
            Failed::Diagnosed(_) => false,
        }
    }

    fn sees_calls(&self) -> bool {
        self.tracing().tries().sees_calls(self.tracing())
    }

    fn lets_pass(&self, function: FunctionId) -> bool {
        self.tracing().tries().lets_pass(self.py(), self.tracing(), function)
    }

    fn is_immutable(&self, leaf: &Value) -> bool {
        let object = leaf.bind(self.py());
        let is_number = array::narrow_number(object).is_some();
        object.is_none() || is_number || object.is_exact_instance_of::<PyString>()
    }

    fn endless(&self, name: &str, why: Endless) -> Failed {
        Failed::Python(match why {
            Endless::EveryPath => PyRecursionError::new_err(format!(
                "maximum recursion depth exceeded: `{name}` calls itself on every path"
            )),
            Endless::Unsettled => InternalError::new_err("what a function returns does not settle"),
        })
    }

    fn check_stores(&self, callee: &CalleeOf<Self>, values: &[Value]) -> Result<(), Failed> {
        Ok(call_node::check_stores(self, callee, values)?)
    }

    fn raise_told(
        &self,
        call: &CallOf<Self>,
        function: FunctionId,
        result: &Value,
        told: &[Value],
    ) -> Result<(), Failed> {
        if call.context.heard.is_empty() {
            self.tracing().tries().meets_call(self.tracing(), function);
        }
        let calling = Calling { host: self, heard: &call.context.heard, forms: &call.context.forms };
        Ok(calling.raise(told, !result.bind(self.py()).is_instance_of::<Unbound>())?)
    }

    fn link(&self, result: &Value, values: &[Value]) -> Result<(), Failed> {
        Ok(call_node::link(result.bind(self.py()), values)?)
    }
}

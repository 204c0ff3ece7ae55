//! The interface to a host whose functions become functions of the graph.

use gw_base::{Code, Diagnostic};
use gw_ir::FunctionId;

use super::call::FunctionCall;
use super::callee::Callee;
use super::calls::Calls;
use crate::{Host, Seen};

/// A call in a host's trace.
pub type CallOf<H> = FunctionCall<<H as Host>::Value, <H as Host>::Skeleton, <H as Functions>::Context>;

/// A function of the graph in a host's trace.
pub type CalleeOf<H> = Callee<<H as Host>::Value, <H as Host>::Skeleton>;

/// The calls of a host's trace.
pub type CallsOf<H> =
    Calls<<H as Host>::Value, <H as Host>::Skeleton, <H as Functions>::Context, <H as Functions>::Reach>;

/// The reason why a function of the graph cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endless {
    /// None of its paths returns without calling it again.
    EveryPath,
    /// Each round finds something else.
    Unsettled,
}

/// A host whose functions become functions of the graph where they call themselves, or are called often.
pub trait Functions: Host {
    /// The host's knowledge of a call besides its arguments, such as the exceptions that are met around it.
    type Context: Clone;
    /// The objects that a function can reach, which are no values of the graph.
    type Reach;

    /// The calls of the trace.
    fn calls(&self) -> &CallsOf<Self>;

    /// True if a function that is made for a call in the one context is one for the other.
    fn same_context(&self, a: &Self::Context, b: &Self::Context) -> bool;

    /// True if a function reaches the same objects, which hold the same.
    fn same_reach(&self, a: &Self::Reach, b: &Self::Reach) -> bool;

    /// Begins a call that may have to be traced anew, as a function of the graph if `is_function`.
    fn enter_call(&self, is_function: bool) {
        let _ = is_function;
    }

    /// Ends it; with `undo`, what it stored into holds again what it held before.
    fn leave_call(&self, undo: bool) {
        let _ = undo;
    }

    /// The number of objects that the host keeps of the trace.
    fn objects(&self) -> usize {
        0
    }

    /// Lets go of the objects that were kept since there were so many.
    fn take_back(&self, objects: usize) {
        let _ = objects;
    }

    /// The number of stores into values so far.
    fn stores(&self) -> usize {
        0
    }

    /// The reason why the graph is not the program's, although tracing goes on.
    fn stopped(&self) -> Option<Diagnostic> {
        None
    }

    /// Goes on from where that was the reason.
    fn go_on(&self, stopped: Option<Diagnostic>) {
        let _ = stopped;
    }

    /// True if an error is on its way to where tracing goes on, or ends.
    fn is_passing(&self, error: &Self::Error) -> bool {
        self.interrupt_of(error).is_some()
    }

    /// True if it matters to the function that is traced where it was when it failed.
    fn sees_calls(&self) -> bool {
        false
    }

    /// True if no handler around sees what a function of the graph may raise.
    fn lets_pass(&self, function: FunctionId) -> bool {
        let _ = function;
        true
    }

    /// True if a leaf that a function returns may be the same object for all calls.
    fn is_immutable(&self, leaf: &Self::Value) -> bool {
        self.see(leaf).is_ok_and(|seen| match seen {
            Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) | Seen::Nothing => true,
            Seen::Unbound | Seen::Maybe(..) | Seen::Empty | Seen::Unclear | Seen::Object => false,
        })
    }

    /// The error of a function that cannot be made.
    fn endless(&self, name: &str, why: Endless) -> Self::Error {
        let message = match why {
            Endless::EveryPath => format!("`{name}` calls itself on every path"),
            Endless::Unsettled => format!("what `{name}` returns changes in every round of tracing"),
        };
        Diagnostic::new(Code::EndlessCalls, message).into()
    }

    /// An error where a function of the graph is called with values that it may store into, but may not be given so.
    ///
    /// # Errors
    /// The host's, where two of the values are of one array.
    fn check_stores(&self, callee: &CalleeOf<Self>, values: &[Self::Value]) -> Result<(), Self::Error> {
        let _ = (callee, values);
        Ok(())
    }

    /// Raises, where a function of the graph was called, what it tells of that besides its result.
    ///
    /// # Errors
    /// The exception of a function that never returns.
    fn raise_told(
        &self,
        call: &CallOf<Self>,
        function: FunctionId,
        result: &Self::Value,
        told: &[Self::Value],
    ) -> Result<(), Self::Error> {
        let _ = (call, function, result, told);
        Ok(())
    }

    /// A result may be one of the arguments: what is stored into the one is to be seen in the other.
    ///
    /// # Errors
    /// The host's, where it cannot be told.
    fn link(&self, result: &Self::Value, values: &[Self::Value]) -> Result<(), Self::Error> {
        let _ = (result, values);
        Ok(())
    }
}

/// The result of a function of the graph, and whatever else a call of it is told.
pub type Told<V> = (V, Vec<V>);

/// One call of a function of the host's, with its arguments.
pub trait CalledFunction<H: Functions> {
    /// The function's name.
    ///
    /// # Errors
    /// The host's, where it has none.
    fn name(&self, host: &H) -> Result<String, H::Error>;

    /// The name of a parameter, by its position.
    ///
    /// # Errors
    /// The host's, where the function cannot be looked into.
    fn parameter(&self, host: &H, at: usize) -> Result<Option<String>, H::Error>;

    /// Runs the function where it is called.
    ///
    /// # Errors
    /// Errors of the function.
    fn inline(&self) -> Result<H::Value, H::Error>;

    /// Runs it as a function of the graph on the values that this is given: the result, and whatever else a call is told.
    ///
    /// # Errors
    /// Errors of the function.
    fn run(&self, host: &H, call: &CallOf<H>, given: Vec<H::Value>) -> Result<Told<H::Value>, H::Error>;

    /// The objects that the function can reach now, by itself and by these.
    ///
    /// # Errors
    /// The host's, where they cannot be looked at.
    fn reach(&self, host: &H, objects: &[H::Value]) -> Result<H::Reach, H::Error>;

    /// Runs `inline`; true besides its result if that changed none of the objects that the function and its arguments reach.
    ///
    /// # Errors
    /// Errors of `inline`.
    fn watched(
        &self,
        host: &H,
        inline: &dyn Fn() -> Result<H::Value, H::Error>,
    ) -> Result<(H::Value, bool), H::Error>;
}

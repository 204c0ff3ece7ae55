//! The calls that a trace is in, and what is known of functions that were called.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::call::{FunctionCall, FunctionKey, Leaves};
use super::records::{Memo, Outlines, Records};

/// The calls that a trace is in, as far as they may come again, the outermost first, and what is known of functions that were called.
#[derive(Debug)]
pub struct Calls<V, S, C, R> {
    open: Mutex<Vec<FunctionCall<V, S, C>>>,
    /// The functions that are called again and again beside each other.
    pub(super) outlines: Outlines<V, S, C, R>,
    /// The functions that were made because they call themselves.
    pub(super) memo: Memo<V, S, C, R>,
}

impl<V, S, C, R> Default for Calls<V, S, C, R> {
    fn default() -> Self {
        Self { open: Mutex::default(), outlines: Outlines::default(), memo: Memo::default() }
    }
}

/// Snapshot of the records where tracing of a function began.
pub(super) struct Before<V, S, C, R> {
    outlines: Records<V, S, C, R>,
    memo: usize,
}

impl<V: Clone, S, C: Clone, R> Calls<V, S, C, R> {
    fn lock(&self) -> MutexGuard<'_, Vec<FunctionCall<V, S, C>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calls that are open.
    pub(super) fn open(&self) -> Vec<FunctionCall<V, S, C>> {
        self.lock().clone()
    }

    /// Lets all that is known go.
    pub fn forget(&self) {
        let open = std::mem::take(&mut *self.lock());
        drop(open);
        self.forget_made();
    }

    /// Lets go what is known of functions, which holds objects of their calls.
    pub fn forget_made(&self) {
        self.outlines.forget();
        self.memo.forget();
    }

    /// True if the function was called before in this trace.
    pub fn is_called_again(&self, function: FunctionKey) -> bool {
        self.outlines.is_called_again(function)
    }

    /// Traces what a call runs; gives the call, with the arguments that it was asked to take meanwhile.
    pub(super) fn inside<T>(
        &self,
        call: FunctionCall<V, S, C>,
        trace: impl FnOnce() -> T,
    ) -> (T, Option<FunctionCall<V, S, C>>) {
        self.lock().push(call);
        let traced = trace();
        let call = self.lock().pop();
        (traced, call)
    }

    /// Traces a function of the graph within a call; gives the arguments that it was asked to take meanwhile, too.
    pub(super) fn within<T>(
        &self,
        call: FunctionCall<V, S, C>,
        trace: impl FnOnce() -> T,
    ) -> (T, Option<Leaves<V>>) {
        let (traced, call) = self.inside(call, trace);
        (traced, call.and_then(|call| call.again))
    }

    /// Takes a snapshot of the records where tracing of a function begins.
    pub(super) fn before(&self) -> Before<V, S, C, R> {
        Before { outlines: self.outlines.known(), memo: self.memo.now() }
    }

    /// The next round begins of a function: what was found in the one before may be no longer so.
    pub(super) fn next_round(&self, before: &Before<V, S, C, R>) {
        self.outlines.forget_since(before.outlines.clone());
        self.memo.renew(before.memo);
    }

    /// True if it is not yet known what a function returns that is being made around.
    pub fn waits(&self) -> bool {
        let unknown =
            |call: &FunctionCall<V, S, C>| call.callee.as_ref().is_some_and(|callee| !callee.is_known());
        self.lock().iter().any(unknown)
    }

    /// Asks the call of this number to be made a function of the graph that takes these arguments.
    pub(super) fn ask(&self, at: usize, arguments: Leaves<V>) {
        self.lock()[at].again = Some(arguments);
    }
}

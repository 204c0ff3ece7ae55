//! A function of the graph that was made: what it reaches, and where it may be called.

use gw_ir::FunctionId;

use super::host::{CallOf, CalledFunction, CalleeOf, Functions};
use super::records::Made;
use crate::failures_of;

/// A function of the graph that a host made.
pub(super) type MadeOf<H> =
    Made<<H as crate::Host>::Value, <H as crate::Host>::Skeleton, <H as Functions>::Reach>;

/// Runs a function as one of the graph: its result, and behind that what a call is told.
pub(super) fn run<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    given: Vec<H::Value>,
) -> Result<Vec<H::Value>, H::Error> {
    let (result, mut told) = function.run(host, call, given)?;
    told.insert(0, result);
    Ok(told)
}

/// The function with what it can reach now.
pub(super) fn made<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    callee: CalleeOf<H>,
) -> Result<MadeOf<H>, H::Error> {
    let reach = function.reach(host, &call.objects())?;
    Ok(Made { reach, stores: host.stores(), fails: may_fail(host, callee.function()), callee })
}

fn may_fail<H: Functions>(host: &H, function: FunctionId) -> bool {
    host.trace().build(|b| !failures_of(b.graph(), function).is_empty())
}

/// True if nothing has changed that the function can reach.
pub(super) fn reaches_the_same<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    made: &MadeOf<H>,
) -> Result<bool, H::Error> {
    Ok(host.same_reach(&made.reach, &function.reach(host, &call.objects())?))
}

/// True if what a function reads from around can be read here, and is what it was.
pub(super) fn is_readable<H: Functions>(host: &H, made: &MadeOf<H>) -> bool {
    let reads = made.callee.reads();
    reads.iter().all(|&value| host.trace().lift(value).is_some())
        && (reads.is_empty() || made.stores == host.stores())
}

/// True if a function returns values of the graph, numbers and texts alone, so that all calls can be of this one: other objects are
/// new with each call.
pub(super) fn returns_values<H: Functions>(host: &H, callee: &CalleeOf<H>) -> bool {
    callee.kept().all(|leaf| host.is_immutable(leaf))
}

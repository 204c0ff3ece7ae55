//! Calls that are alike: of one function, with arguments of the same kinds.

use gw_base::{Code, Diagnostic};

use super::call::Growing;
use super::callee::Argument;
use super::host::{CallOf, CalledFunction, Functions};
use super::limits::MOST_GROWING;

/// True if both are calls of the same function with arguments of the same structure.
pub(super) fn is_of<H: Functions>(host: &H, a: &CallOf<H>, b: &CallOf<H>) -> bool {
    a.function == b.function
        && host.same_context(&a.context, &b.context)
        && host.same_skeleton(&a.skeleton, &b.skeleton)
}

/// True if a function for the first call is one for the second.
pub(super) fn covers<H: Functions>(host: &H, a: &CallOf<H>, b: &CallOf<H>) -> bool {
    is_of(host, a, b) && a.arguments.iter().zip(&*b.arguments).all(|(a, b)| a.covers(host, b))
}

/// True if both are calls of one function with arguments of the same kinds.
pub(super) fn is_for_the_same<H: Functions>(host: &H, a: &CallOf<H>, b: &CallOf<H>) -> bool {
    covers(host, a, b) && covers(host, b, a)
}

/// True if both are for the same arguments, but for the lengths of arrays.
pub(super) fn differ_in_lengths<H: Functions>(host: &H, a: &CallOf<H>, b: &CallOf<H>) -> bool {
    let alike = |(a, b): (&Argument<H::Value>, &Argument<H::Value>)| {
        a.covers(host, b) || matches!((a, b), (Argument::Value(_), Argument::Value(_)))
    };
    is_of(host, a, b) && a.arguments.iter().zip(&*b.arguments).all(alike)
}

/// True if both calls are given the same containers, and for the rest values of the same kinds.
fn grow_alike<H: Functions>(host: &H, a: &Growing<H::Value>, b: &Growing<H::Value>) -> bool {
    !a.containers.is_empty()
        && a.containers == b.containers
        && a.others.len() == b.others.len()
        && a.others.iter().zip(&b.others).all(|(a, b)| a.covers(host, b))
}

/// An error where too many calls of one function stand in each other, in `open`, that are given the same containers.
pub(super) fn check_growing<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    open: &[CallOf<H>],
    call: &CallOf<H>,
) -> Result<(), H::Error> {
    let like = |other: &&CallOf<H>| {
        other.function == call.function && grow_alike(host, &other.growing, &call.growing)
    };
    if open.iter().filter(like).count() < MOST_GROWING {
        return Ok(());
    }
    let at = call.growing.containers.first().map_or(0, |(at, _)| *at);
    let name = function.parameter(host, at)?;
    let name = name.as_deref().unwrap_or("a list");
    let message = format!("`{name}` is changed in place by a function that calls itself in the graph");
    let help = "write a loop that appends to the list, or give the function a tensor and return what is new";
    let found = Diagnostic::new(Code::BranchesDisagree, message).help(help);
    Err(host.place().into_iter().fold(found, |found, place| found.at(place, "")).into())
}

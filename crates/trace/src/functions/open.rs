//! Calls that come again among those that a trace is in: the outermost that is like it becomes a function of the graph.

use std::sync::Arc;

use super::alike::{covers, differ_in_lengths, is_of};
use super::call::Leaves;
use super::host::{CallOf, CalleeOf, Functions};
use super::limits::{MOST_LENGTHS, MOST_VARIANTS};

/// The innermost function that is being made one of the graph and takes the arguments of a call.
pub(super) fn known<H: Functions>(host: &H, call: &CallOf<H>) -> Option<(CallOf<H>, Arc<CalleeOf<H>>)> {
    let open = host.calls().open();
    let known = open.into_iter().rev().find(|known| known.callee.is_some() && covers(host, known, call))?;
    known.set_called();
    let callee = known.callee.clone()?;
    Some((known, callee))
}

/// True if a call around this one is to be made a function of the graph: it covers this one, or one for both is possible where they
/// differ in lengths or numbers.
pub(super) fn recurses<H: Functions>(host: &H, call: &CallOf<H>) -> bool {
    comes_again(host, call) || stretches(host, call) || varies(host, call)
}

/// True if a call covers this one; then the outermost that does is asked to be made a function of the graph.
fn comes_again<H: Functions>(host: &H, call: &CallOf<H>) -> bool {
    let calls = host.calls();
    let open = calls.open();
    let at = open.iter().position(|known| known.callee.is_none() && covers(host, known, call));
    if let Some(at) = at {
        calls.ask(at, open[at].arguments.clone());
    }
    at.is_some()
}

/// True if a call is one of many that stand in each other and differ in lengths alone: then it asks for a function
/// for all of them.
fn stretches<H: Functions>(host: &H, call: &CallOf<H>) -> bool {
    let open = host.calls().open();
    let like = |other: &CallOf<H>| other.callee.is_none() && differ_in_lengths(host, other, call);
    let Some(at) = open.iter().position(like) else { return false };
    let mut later: Vec<&CallOf<H>> = open[at + 1..].iter().filter(|other| like(other)).collect();
    later.push(call);
    later.len() >= MOST_LENGTHS && ask(host, at, &open[at], &later)
}

/// True if a call is one of several that stand in a function that is being made, for other numbers of the host's each:
/// then that is asked to be made for all of them.
fn varies<H: Functions>(host: &H, call: &CallOf<H>) -> bool {
    let open = host.calls().open();
    let made = |other: &CallOf<H>| other.callee.is_some() && is_of(host, other, call);
    let Some(at) = open.iter().position(made) else { return false };
    let mut later: Vec<&CallOf<H>> = open[at + 1..].iter().filter(|other| is_of(host, other, call)).collect();
    later.push(call);
    later.len() >= MOST_VARIANTS && ask(host, at, &open[at], &later)
}

/// True if a call that failed is one of several that stand in each other for other numbers each: what failed for one
/// of them alone, such as an index that is too large, may be right for all of them, as a value of the graph.
pub(super) fn counts<H: Functions>(host: &H, call: &CallOf<H>) -> bool {
    let open = host.calls().open();
    let Some(at) = open.iter().position(|other| is_of(host, other, call)) else { return false };
    let mut later: Vec<&CallOf<H>> = open[at + 1..].iter().filter(|other| is_of(host, other, call)).collect();
    later.push(call);
    let differ = open[at].arguments.iter().zip(&*call.arguments).any(|(a, b)| !a.covers(host, b));
    later.len() > 1 && differ && ask(host, at, &open[at], &later)
}

/// True if the innermost call stands in one of the same function for other arguments.
pub fn count_up<H: Functions>(host: &H) -> bool {
    let open = host.calls().open();
    let Some((last, around)) = open.split_last() else { return false };
    around.iter().any(|call| is_of(host, call, last) && !covers(host, call, last))
}

/// Asks for a function for all the arguments with which the calls of one function stand in each other, if there
/// are such calls and such a function.
pub fn widen<H: Functions>(host: &H) -> bool {
    let open = host.calls().open();
    open.iter().enumerate().filter(|(_, call)| call.callee.is_none()).any(|(at, first)| {
        let later = open[at + 1..].iter().filter(|call| call.callee.is_none() && is_of(host, call, first));
        ask(host, at, first, &later.collect::<Vec<_>>())
    })
}

/// Asks for a function that takes what `first`, the call number `at`, and the later ones take.
fn ask<H: Functions>(host: &H, at: usize, first: &CallOf<H>, later: &[&CallOf<H>]) -> bool {
    let joined: Option<Leaves<H::Value>> = later.iter().try_fold(first.arguments.clone(), |known, call| {
        known.iter().zip(&*call.arguments).map(|(a, b)| a.join(host, b)).collect()
    });
    match joined.filter(|_| !later.is_empty()) {
        Some(joined) => {
            host.calls().ask(at, joined);
            true
        }
        None => false,
    }
}

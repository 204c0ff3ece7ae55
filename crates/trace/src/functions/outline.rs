//! A large function that is called again and again beside itself: it becomes a function of the graph, which the further
//! calls with arguments of the same kinds call.
//!
//! A function that added at least [`LARGE`](super::limits::LARGE) operations to the graph is watched when it is called again; if it changed
//! nothing in place, the next call with such arguments is traced as a function of the graph. That is called as long as
//! nothing has changed that the function can reach. Whatever does not fit is traced where it is called, as ever: what may
//! fail, because its traceback is that of one call, and what returns objects or its own arguments. A function that was
//! traced [`MOST_INLINED`] times inside itself is kept though it is small, and though it may fail where nothing sees from
//! where it was called.

use std::sync::Arc;

use gw_ir::{Graph, NodeId, Op};

use super::alike::covers;
use super::call::FunctionKey;
use super::callee::Callee;
use super::calls::Before;
use super::host::{CallOf, CalledFunction, CalleeOf, Functions};
use super::limits::{MOST_INLINED, MOST_KINDS, MOST_ROUNDS};
use super::made::{self, MadeOf};
use super::node::call_node;
use super::records::{Kept, Record};
use crate::fails_by_itself;

/// Record of a function in a host's trace.
type KeptOf<H> = Kept<<H as crate::Host>::Value, <H as crate::Host>::Skeleton, <H as Functions>::Reach>;

/// Snapshot of a host's records where tracing of a function began.
type BeforeOf<H> = Before<
    <H as crate::Host>::Value,
    <H as crate::Host>::Skeleton,
    <H as Functions>::Context,
    <H as Functions>::Reach,
>;

/// The function that was made, or what is known of it if it is not to be one of the graph.
type Attempted<H> = Result<Arc<MadeOf<H>>, KeptOf<H>>;

/// Traces a call where it stands, and looks whether it changes anything in place.
pub(super) fn watched<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    inline: &dyn Fn() -> Result<H::Value, H::Error>,
) -> Result<H::Value, H::Error> {
    if find(host, call).is_some() {
        return inline();
    }
    let (result, is_quiet) = function.watched(host, inline)?;
    keep(host, call, if is_quiet { Kept::Quiet } else { Kept::Never });
    Ok(result)
}

/// Calls the function of the graph that this one is for such arguments, or makes it one; none if it is traced where
/// it is called.
pub(super) fn outlined<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    leaves: &[H::Value],
) -> Result<Option<H::Value>, H::Error> {
    let Some((call, kept)) = find(host, call) else { return Ok(None) };
    let may_fail = is_inlined_often(host, &call) && !host.sees_calls();
    let made = match kept {
        Kept::Never => return Ok(None),
        Kept::Fails if !may_fail => return Ok(None),
        Kept::Function(made)
            if made::is_readable(host, &made) && made::reaches_the_same(host, function, &call, &made)? =>
        {
            made
        }
        Kept::Quiet | Kept::Fails | Kept::Function(_) => {
            match make_outlined(host, function, &call, may_fail)? {
                Ok(made) => made,
                Err(kept) => {
                    keep(host, &call, kept);
                    return Ok(None);
                }
            }
        }
    };
    if made.fails && !(may_fail && host.lets_pass(made.callee.function())) {
        return Ok(None);
    }
    let result = call_node(host, &call, &made.callee, leaves)?;
    keep(host, &call, Kept::Function(made));
    Ok(Some(result))
}

/// Traces the function as one of the graph, or gives what is known of it if it is not to be one; only if it `may_fail`
/// may it be one that fails.
fn make_outlined<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    may_fail: bool,
) -> Result<Attempted<H>, H::Error> {
    let name = function.name(host)?;
    let (stopped, own, before) = (host.stopped(), host.own_state()?, host.calls().before());
    let (mark, nodes) = host.trace().build(|b| (b.mark(), b.graph().nodes.len()));
    let is_stopped = stopped.is_some();
    host.enter_call(true);
    let next = settled(host, function, call, &name, &before);
    host.leave_call(true);
    let fails = !may_fail
        && host.trace().build(|b| {
            let graph = b.graph();
            graph.nodes.ids().skip(nodes).any(|id| fails_by_itself(graph, id))
        });
    let goes_on = is_stopped || host.stopped().is_none();
    match next {
        Ok(Some(callee))
            if !fails && goes_on && !call.hands_back() && made::returns_values(host, &callee) =>
        {
            Ok(Ok(Arc::new(made::made(host, function, call, callee)?)))
        }
        Ok(_) | Err(_) => {
            host.trace().rewind(mark);
            host.calls().next_round(&before);
            host.set_own_state(&own)?;
            host.go_on(stopped);
            Ok(Err(if fails { Kept::Fails } else { Kept::Never }))
        }
    }
}

/// Traces the function until nothing about it changes: what it is where it calls itself is not known before. Where it does
/// not, once is enough. None if it is to be another one.
fn settled<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    name: &str,
    before: &BeforeOf<H>,
) -> Result<Option<CalleeOf<H>>, H::Error> {
    let calls = host.calls();
    let mut callee = Callee::new(host, name, &call.arguments)?;
    for _ in 0..MOST_ROUNDS {
        let open = call.making(callee.clone());
        let round = || callee.round(host, &|given| made::run(host, function, &open, given));
        let (next, asked) = calls.within(open.clone(), round);
        let (asked, is_called) = (asked.is_some(), open.is_called());
        if let Ok(next) = &next
            && !asked
            && (next.is_settled(&callee, host) || !is_called && next.takes_the_same(&callee))
        {
            return Ok(Some(next.clone()));
        }
        calls.next_round(before);
        if asked {
            return Ok(None);
        }
        callee = next?;
    }
    Ok(None)
}

/// Traces a call inside another one of the same function, and counts what is made of it, also what is taken back.
pub(super) fn inlined<H: Functions, T>(host: &H, call: &CallOf<H>, trace: impl FnOnce() -> T) -> T {
    let nodes = || host.trace().build(|b| b.graph().nodes.len());
    let before = nodes();
    let result = trace();
    let (at, made) = (made_of(host, call).map(|(at, _)| at), nodes() - before);
    let mut known = host.calls().outlines.lock();
    let inlined = known.inlined.entry(call.function).or_default();
    match at.and_then(|at| inlined.get_mut(at)) {
        Some((_, count)) => *count += made,
        None => inlined.push((Arc::new(call.clone()), made)),
    }
    drop(known);
    result
}

/// True if too much is made of a call inside itself.
pub(super) fn is_inlined_often<H: Functions>(host: &H, call: &CallOf<H>) -> bool {
    made_of(host, call).is_some_and(|(_, count)| count >= MOST_INLINED)
}

/// The number of operations made of a call, and where that is known.
fn made_of<H: Functions>(host: &H, call: &CallOf<H>) -> Option<(usize, usize)> {
    let known = host.calls().outlines.lock().inlined.get(&call.function).cloned().unwrap_or_default();
    let at = known.iter().position(|(known, _)| covers(host, known, call))?;
    Some((at, known[at].1))
}

/// Traces a call where it stands, and measures what it adds to the graph.
pub(super) fn measured<H: Functions, T>(
    host: &H,
    function: FunctionKey,
    call: impl FnOnce() -> Result<T, H::Error>,
) -> Result<T, H::Error> {
    let mark = host.trace().build(|b| b.mark());
    let result = call()?;
    let added = host.trace().build(|b| {
        let graph = b.graph();
        graph.regions[b.region()].nodes.get(mark..).map_or(0, |nodes| count(graph, nodes))
    });
    let mut known = host.calls().outlines.lock();
    let size = known.sizes.entry(function).or_default();
    *size = (*size).max(added);
    drop(known);
    Ok(result)
}

/// Record of the function for such arguments, and the call that it was made for, which may take more kinds.
fn find<H: Functions>(host: &H, call: &CallOf<H>) -> Option<(CallOf<H>, KeptOf<H>)> {
    let records = host.calls().outlines.lock().records.clone();
    let found = records.into_iter().find(|record| covers(host, &record.call, call))?;
    Some((found.call, found.kept))
}

/// Keeps what is known of the function for such arguments.
fn keep<H: Functions>(host: &H, call: &CallOf<H>, kept: KeptOf<H>) {
    let outlines = &host.calls().outlines;
    let records = outlines.lock().records.clone();
    let at = records.iter().position(|record| covers(host, &record.call, call));
    let of_function = records.iter().filter(|record| record.call.function == call.function).count();
    let mut known = outlines.lock();
    match at {
        Some(at) => known.records[at].kept = kept,
        None if of_function < MOST_KINDS => known.records.push(Record { call: call.clone(), kept }),
        None => {}
    }
}

/// The number of operations, with those inside them; constants are none.
fn count(graph: &Graph, nodes: &[NodeId]) -> usize {
    let inside = |&id: &NodeId| -> usize {
        let node = &graph.nodes[id];
        let regions = node.regions.iter().map(|&region| count(graph, &graph.regions[region].nodes));
        usize::from(node.op != Op::Const) + regions.sum::<usize>()
    };
    nodes.iter().map(inside).sum()
}

//! The way of a call where a graph is built: it calls a function of the graph, becomes one, or is traced where it stands.

use std::sync::Arc;

use super::alike::check_growing;
use super::call::{FunctionKey, Leaves};
use super::callee::Callee;
use super::host::{CallOf, CalledFunction, CalleeOf, Endless, Functions};
use super::limits::MOST_ROUNDS;
use super::made::{is_readable, made, reaches_the_same, returns_values, run};
use super::memo::{self, RecordOf};
use super::node::call_node;
use super::{open, outline};
use crate::Interrupt;

/// A call with its arguments.
type Given<H> = (CallOf<H>, Vec<<H as crate::Host>::Value>);

/// Calls a function of the host's that was called before in this trace; `inside` says that it runs already, where a value of the graph
/// decides whether it is called. `bind` takes its arguments apart.
///
/// # Errors
/// Errors of the function; [`Interrupt::Recurses`] where a call around it becomes a function of the graph, and
/// [`Interrupt::UnknownCallee`] where nothing is known yet of the function.
pub fn call_function<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    (key, inside): (FunctionKey, bool),
    bind: impl FnOnce() -> Result<Given<H>, H::Error>,
) -> Result<H::Value, H::Error> {
    let is_large = || host.calls().outlines.is_large(key);
    if !inside && !is_large() {
        return outline::measured(host, key, || function.inline());
    }
    let (call, leaves) = match bind() {
        Err(_) if !inside => return function.inline(),
        bound => bound?,
    };
    if let Some((known, callee)) = open::known(host, &call) {
        return call_node(host, &known, &callee, &leaves);
    }
    let is_kept = is_large() || outline::is_inlined_often(host, &call);
    if is_kept && let Some(result) = outline::outlined(host, function, &call, &leaves)? {
        return Ok(result);
    }
    if !inside {
        return outline::watched(host, function, &call, &|| function.inline());
    }
    if let Some(known) = memo::find(host, &call) {
        return again(host, function, &call, known, &leaves);
    }
    if open::recurses(host, &call) {
        return Err(host.interrupt(Interrupt::Recurses));
    }
    check_growing(host, function, &host.calls().open(), &call)?;
    let inline = || enter(host, function, call.clone(), &leaves);
    if is_kept {
        outline::watched(host, function, &call, &inline)
    } else {
        outline::measured(host, key, inline)
    }
}

/// Traces the call, and makes the function one of the graph if it comes again meanwhile.
fn enter<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: CallOf<H>,
    leaves: &[H::Value],
) -> Result<H::Value, H::Error> {
    let (calls, stopped) = (host.calls(), host.stopped());
    let (mark, own) = (host.trace().build(|b| b.mark()), host.own_state()?);
    let objects = host.objects();
    let before = calls.before();
    host.enter_call(false);
    let run = || outline::inlined(host, &call, || function.inline());
    let (outcome, entered) = calls.inside(call.clone(), run);
    let again = entered.as_ref().and_then(|call| call.again.clone());
    host.leave_call(again.is_some());
    let (Some(call), Some(arguments)) = (entered.as_ref(), again) else {
        let failed = outcome.as_ref().is_err_and(|error| !host.is_passing(error));
        if failed && entered.is_some_and(|call| open::counts(host, &call)) {
            host.go_on(stopped);
            return Err(host.interrupt(Interrupt::Recurses));
        }
        return outcome;
    };
    host.trace().rewind(mark);
    host.take_back(objects);
    calls.next_round(&before);
    host.set_own_state(&own)?;
    make(host, function, &call.arguments, call.with(arguments), None, leaves)
}

/// Calls a function that was made before, or makes it anew with what was known of it then.
fn again<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    call: &CallOf<H>,
    known: RecordOf<H>,
    leaves: &[H::Value],
) -> Result<H::Value, H::Error> {
    let same = reaches_the_same(host, function, &known.call, &known.made)?;
    let made = &known.made;
    if same && known.fresh && is_readable(host, made) && returns_values(host, &made.callee) {
        return call_node(host, &known.call, &made.callee, leaves);
    }
    let start = same.then(|| made.callee.anew(host));
    make(host, function, &call.arguments, known.call, start, leaves)
}

/// Makes the function one of the graph for a call, which `asked` for some arguments at first, and calls it; `start` is
/// what is known of it.
fn make<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    asked: &Leaves<H::Value>,
    mut call: CallOf<H>,
    start: Option<CalleeOf<H>>,
    leaves: &[H::Value],
) -> Result<H::Value, H::Error> {
    let (calls, name) = (host.calls(), function.name(host)?);
    let before = calls.before();
    let mut callee = match start {
        Some(start) => start,
        None => Callee::new(host, &name, &call.arguments)?,
    };
    for _ in 0..MOST_ROUNDS {
        let open = call.making(callee.clone());
        host.enter_call(true);
        let hands_back = call.hands_back();
        let round = || callee.round(host, &|given| run(host, function, &open, given));
        let (next, again) = calls.within(open.clone(), round);
        host.leave_call(true);
        if let Some(arguments) = again {
            calls.next_round(&before);
            call.arguments = arguments;
            callee = Callee::new(host, &name, &call.arguments)?;
            continue;
        }
        let next = match next {
            Err(error) if host.interrupt_of(&error) == Some(Interrupt::UnknownCallee) => {
                if !calls.waits() {
                    return Err(host.endless(&name, Endless::EveryPath));
                }
                keep(host, function, asked, &call, callee)?;
                return Err(error);
            }
            next => next?,
        };
        if next.is_settled(&callee, host) && hands_back == call.hands_back() {
            keep(host, function, asked, &call, callee.clone())?;
            return call_node(host, &call, &callee, leaves);
        }
        calls.next_round(&before);
        callee = next;
    }
    Err(host.endless(&name, Endless::Unsettled))
}

fn keep<H: Functions>(
    host: &H,
    function: &dyn CalledFunction<H>,
    asked: &Leaves<H::Value>,
    call: &CallOf<H>,
    callee: CalleeOf<H>,
) -> Result<(), H::Error> {
    let made = Arc::new(made(host, function, call, callee)?);
    memo::keep(host, RecordOf::<H>::new(asked, call, made));
    Ok(())
}

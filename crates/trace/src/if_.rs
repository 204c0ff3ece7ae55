//! `if` on a value of the graph ⇒ `cond`: both branches are run, each into its region, from the same state.

use std::cell::Cell;

use gw_base::Loc;
use gw_ir::{RegionId, ValueId};

use crate::host::{Flow, is_unknown};
use crate::merge::{Merge, Sides};
use crate::region::into_region;
use crate::{Host, Slot, State};

/// Stages `if test: … else: …` over the variables of `state`.
///
/// # Errors
/// Errors of the branches; GW101 and GW103 where they disagree.
pub fn if_<H: Host>(
    host: &H,
    test: ValueId,
    slots: &[Slot],
    state: &dyn State<H>,
    branches: [&dyn Fn() -> Result<(), H::Error>; 2],
) -> Result<(), H::Error> {
    let flow = Flow { host, state: Some(state), slots };
    choose(&flow, test, slots, false, [&|| branches[0]().map(|()| None), &|| branches[1]().map(|()| None)])
        .map(drop)
}

/// Stages `if test: body()`, where the body is a loop of at least one iteration: what has another rank then has no value
/// otherwise.
pub(crate) fn if_it_runs<H: Host>(
    flow: &Flow<'_, H>,
    test: ValueId,
    body: &dyn Fn() -> Result<(), H::Error>,
) -> Result<(), H::Error> {
    choose(flow, test, flow.slots, true, [&|| body().map(|()| None), &|| Ok(None)]).map(drop)
}

/// Stages `body if test else orelse`.
///
/// # Errors
/// Errors of the branches; GW101 and GW103 where they disagree.
pub fn if_exp<H: Host>(
    host: &H,
    test: ValueId,
    branches: [&dyn Fn() -> Result<H::Value, H::Error>; 2],
) -> Result<H::Value, H::Error> {
    let slots = [Slot::Result];
    let flow = Flow { host, state: None, slots: &[] };
    let value =
        choose(&flow, test, &slots, false, [&|| branches[0]().map(Some), &|| branches[1]().map(Some)])?;
    Ok(value.expect("both branches of an expression have values"))
}

/// Branch of the statement; it gives a value if it is an expression.
type Branch<'a, H> = &'a dyn Fn() -> Result<Option<<H as Host>::Value>, <H as Host>::Error>;

/// Stages both branches from the same state, merges what they give and leave, and leaves that; gives what they give.
fn choose<H: Host>(
    flow: &Flow<'_, H>,
    test: ValueId,
    slots: &[Slot],
    ranks_differ: bool,
    branches: [Branch<'_, H>; 2],
) -> Result<Option<H::Value>, H::Error> {
    let (host, before, asking) = (flow.host, flow.get()?, Asking::new(flow.host));
    let staged = both(&asking, flow, test, &before, branches);
    let unknown = staged.as_ref().err().filter(|(_, error)| is_unknown(host, error)).map(|(side, _)| *side);
    flow.set(&before)?;
    if let Some(side) = unknown {
        // The branch calls a function of which nothing is known yet; until it is, the other one is all there is.
        return branches[1 - side]();
    }
    let staged = staged.map_err(|(_, error)| error);
    let (regions, [then, orelse]) = match staged? {
        Both::End(regions, left) => (regions, left),
        Both::Raises(side, region) => {
            // Code after a branch that raises belongs to the other branch.
            let mut regions = [region; 2];
            (regions[1 - side], ()) = into_region(host, || Ok(()))?;
            let place = host.place();
            if side == 1 {
                place.iter().for_each(|place| host.trace().retracing.set_raising_else(place, true));
            }
            host.trace().set_place(place);
            host.trace().build(|b| b.cond(test, regions, Vec::new()));
            let given = branches[1 - side]().inspect_err(|error| host.passes(error))?;
            if side == 1 {
                // To look is to be told of state that was not known before, which this branch may change.
                flow.get()?;
            }
            return Ok(given);
        }
    };
    let gives = then.0.is_some();
    let all = |(given, left): (Option<H::Value>, Vec<H::Value>)| given.into_iter().chain(left);
    let mut merge = Merge { host, test, regions, ranks_differ, columns: Vec::new() };
    let mut plans = Vec::with_capacity(before.len() + 1);
    for (at, (then, orelse)) in all(then).zip(all(orelse)).enumerate() {
        plans.push(merge.variable(Slot::at(slots, at), then, orelse)?);
    }
    let results = merge.finish();
    let mut values =
        plans.into_iter().map(|plan| plan.rebuild(host, &results)).collect::<Result<Vec<_>, _>>()?;
    let given = gives.then(|| values.remove(0));
    flow.set(&values)?;
    Ok(given)
}

/// The branch of one statement that is asked for what the other one lacks, until the statement ends: what it could not tell then,
/// no branch in it can.
struct Asking<'a, H: Host> {
    host: &'a H,
    asks: Cell<bool>,
}

impl<'a, H: Host> Asking<'a, H> {
    fn new(host: &'a H) -> Self {
        Self { host, asks: Cell::new(false) }
    }

    fn begin(&self) {
        self.host.ask(true);
        self.asks.set(true);
    }
}

impl<H: Host> Drop for Asking<'_, H> {
    fn drop(&mut self) {
        if self.asks.get() {
            self.host.ask(false);
        }
    }
}

/// Value that a branch gives, and the state that it leaves.
type Left<V> = (Option<V>, Vec<V>);

/// The two branches of a statement, in regions that are closed.
enum Both<V> {
    /// One of them raises; the other one is still to be run behind the statement.
    Raises(usize, RegionId),
    /// Both come to their ends.
    End([RegionId; 2], Sides<Left<V>>),
}

/// Runs both branches. One that raises ends this: effects of the other branch follow the statement, and are run there.
fn both<H: Host>(
    asking: &Asking<'_, H>,
    flow: &Flow<'_, H>,
    test: ValueId,
    before: &[H::Value],
    branches: [Branch<'_, H>; 2],
) -> Result<Both<H::Value>, (usize, H::Error)> {
    let misses = flow.host.misses();
    let lacks = |error: &H::Error| flow.host.misses() > misses && flow.host.can_learn(error);
    // Failures for lack of what the other branch may tell do not raise before that branch was asked.
    let run = |side: usize, learn: bool| {
        let branch = || {
            flow.set(before)?;
            match looked_at(flow, flow.host.trace().assuming(test, side == 0, || branches[side]())) {
                Err(error) if !(learn && lacks(&error)) && flow.host.raises(&error) => {
                    flow.get().map(|_| None)
                }
                given => Ok(Some((given?, flow.get()?))),
            }
        };
        into_region(flow.host, branch).map_err(|error| (side, error))
    };
    if let Some(place) = raising_else(flow.host) {
        match run(1, false)? {
            (region, None) => return Ok(Both::Raises(1, region)),
            (_, Some(_)) => flow.host.trace().retracing.set_raising_else(&place, false),
        }
    }
    let mut first = run(0, true);
    if first.as_ref().is_err_and(|(_, error)| lacks(error)) {
        asking.begin();
        run(1, false)?;
        first = run(0, false);
    }
    let (then_region, then) = first?;
    let Some(then) = then else { return Ok(Both::Raises(0, then_region)) };
    let (else_region, orelse) = run(1, false)?;
    let Some(orelse) = orelse else { return Ok(Both::Raises(1, else_region)) };
    Ok(Both::End([then_region, else_region], [then, orelse]))
}

/// The place of the statement, if its second branch raised when it was traced before. It is run first then: run behind the other one,
/// it would have that be traced twice, and with it each statement in it, so that time doubled with every level of nesting.
fn raising_else<H: Host>(host: &H) -> Option<Loc> {
    let trace = host.trace();
    let is_known = trace.retracing.has_raising_else() && trace.in_region();
    is_known.then(|| host.place()).flatten().filter(|place| trace.retracing.is_raising_else(place))
}

/// Result of a part of a statement. If the part called a function of which nothing is known yet, state is looked
/// at now, while its values can be seen: looking finds state that was not known before.
pub(crate) fn looked_at<H: Host, T>(flow: &Flow<'_, H>, given: Result<T, H::Error>) -> Result<T, H::Error> {
    match given {
        Err(error) if is_unknown(flow.host, &error) => flow.get().and(Err(error)),
        given => given,
    }
}

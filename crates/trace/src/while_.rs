//! `while` on a value of the graph ⇒ `while`: the body is run into a region until the carries' types no longer change.
//!
//! The test runs before the loop and again at the end of each iteration, just as often and in the same order as in the
//! host; what the region `test` of the op yields is that last answer.

use rustc_hash::FxHashSet;
use std::cell::Cell;

use gw_base::{Code, Diagnostic};
use gw_ir::{BinaryOp, CompareOp, Op, RegionId, ValueId};
use gw_types::{DType, TensorType};

use crate::carried::Loop;
use crate::counting::{elementwise, index, truth};
use crate::host::{Flow, is_unknown};
use crate::if_::looked_at;
use crate::join::Clash;
use crate::peel::{Iteration, peel};
use crate::region::{into_region, params, set_results};
use crate::roles::Role;
use crate::{Host, Seen, Slot, State, Trace, segments};

/// Limit on the rounds in which carries may change type: once per leaf and reason is enough for any program.
const MOST_ROUNDS: usize = 24;

/// So many iterations are staged on their own before one that raises.
const MOST_PEELED: usize = 3;

/// Stages `while test: body` whose test, run once already, gave `go`.
///
/// # Errors
/// Errors of body and test; GW102 and GW104 where the state changes in a way that the graph cannot hold.
pub fn while_<H: Host>(
    host: &H,
    go: ValueId,
    slots: &[Slot],
    state: &dyn State<H>,
    test: &dyn Fn() -> Result<ValueId, H::Error>,
    body: &dyn Fn() -> Result<(), H::Error>,
) -> Result<(), H::Error> {
    let trace = host.trace();
    let counted = |k| elementwise(trace, Op::Binary(BinaryOp::Add), &[k, index(trace, 1)]);
    let iteration =
        Iteration { body: &|k| body().map(|()| k.map(counted)), more: &|k| Ok(limited(host, test()?, k)) };
    repeat(host, slots, state, None, go, &iteration)
}

/// `go`, and fewer iterations than the loop may take.
pub(crate) fn limited<H: Host>(host: &H, go: ValueId, counter: Option<ValueId>) -> ValueId {
    let trace = host.trace();
    let (Some(limit), Some(k)) = (host.limit(), counter) else { return go };
    let within = elementwise(trace, Op::Compare(CompareOp::Lt), &[k, index(trace, limit)]);
    elementwise(trace, Op::Binary(BinaryOp::And), &[go, within])
}

/// A host's answer to "go on?" as a bool of the graph.
pub fn go_on(trace: &Trace, seen: Seen) -> Option<ValueId> {
    match seen {
        Seen::Staged(s) if trace.ty(s.value) == TensorType::scalar(DType::Bool) => Some(s.value),
        Seen::Number(n) => Some(truth(trace, n.to_bool())),
        Seen::Staged(_) | Seen::Unbound | Seen::Nothing | Seen::Maybe(..) => None,
        Seen::Text(_) | Seen::Empty | Seen::Unclear | Seen::Object => None,
    }
}

pub(crate) fn repeat<H: Host>(
    host: &H,
    slots: &[Slot],
    state: &dyn State<H>,
    lead: Option<ValueId>,
    go: ValueId,
    iteration: &Iteration<'_, H::Error>,
) -> Result<(), H::Error> {
    repeat_rest(host, slots, state, lead, go, iteration, 0)
}

/// The same for a loop of which so many iterations were staged on their own.
fn repeat_rest<H: Host>(
    host: &H,
    slots: &[Slot],
    state: &dyn State<H>,
    lead: Option<ValueId>,
    go: ValueId,
    iteration: &Iteration<'_, H::Error>,
    peeled: usize,
) -> Result<(), H::Error> {
    let flow = Flow { host, state: Some(state), slots };
    loop {
        let before = flow.get()?;
        let mut whole = Loop {
            host,
            slots,
            variables: Vec::new(),
            own: FxHashSet::default(),
            changes_rank: Cell::new(false),
        };
        for value in &before {
            whole.variables.push(whole.variable(value)?);
        }
        let regions = whole.stage(&flow, lead, iteration);
        let unknown = regions.as_ref().is_err_and(|error| is_unknown(host, error));
        flow.set(&before)?;
        if unknown {
            // The body calls a function of which nothing is known yet; until it is, the loop does not run.
            return Ok(());
        }
        let counts_only_for_limit = lead.is_none() && host.limit().is_some();
        let regions = match regions {
            Ok(regions) => regions,
            Err(error) => {
                let raises = host.can_raise(&error);
                let most = if raises { MOST_PEELED } else { 1 };
                if counts_only_for_limit || !raises && !whole.changes_rank.get() {
                    return Err(error);
                }
                if peeled >= most {
                    return Err(if raises { whole.raises_late() } else { error });
                }
                let rest = &|next, go| repeat_rest(host, slots, state, next, go, iteration, peeled + 1);
                let done = peel(&flow, lead, go, iteration, rest);
                return if done.is_err() && !raises { flow.set(&before).and(Err(error)) } else { done };
            }
        };
        // An iteration may say only now how many there may be: then they are counted, and we begin anew.
        if let Some((regions, lead)) = regions {
            let after = whole.finish(regions, lead, go)?;
            return flow.set(&after);
        }
    }
}

/// The two closed regions of a loop, and its own carry.
type Staging = ([RegionId; 2], Option<ValueId>);

impl<H: Host> Loop<'_, H> {
    /// Runs the body until the roles no longer change; gives the two closed regions and the loop's own carry: a loop
    /// whose body limits its iterations counts them from then on. Nothing if the body met state that the loop does not
    /// know.
    fn stage(
        &mut self,
        state: &Flow<'_, H>,
        mut lead: Option<ValueId>,
        iteration: &Iteration<'_, H::Error>,
    ) -> Result<Option<Staging>, H::Error> {
        let host = self.host;
        for _ in 0..MOST_ROUNDS {
            lead = lead.or_else(|| host.limit().map(|_| index(host.trace(), 0)));
            let types = self.types(lead);
            let (region, results) = into_region(host, || {
                let given = params(host.trace(), &types);
                let begun = self.shown(&given, lead.is_some())?;
                state.set(&begun)?;
                let next = looked_at(state, (iteration.body)(lead.map(|_| given[0])))?;
                if !self.compare(&state.get()?, &given, lead.is_some())?
                    || lead.is_none() && host.limit().is_some()
                {
                    return Ok(None);
                }
                let go = looked_at(state, (iteration.more)(next))?;
                let after = state.get()?;
                let stable = self.compare(&after, &given, lead.is_some())?;
                if stable {
                    self.note_replaced(&begun, &after);
                    self.check_presence()?;
                }
                stable.then(|| self.results(&after, next, go)).transpose()
            })?;
            if let Some(results) = results {
                set_results(host.trace(), region, results);
                return Ok(Some(([self.test_region(&types)?, region], lead)));
            }
        }
        let message = "the types of the loop's variables keep changing from one iteration to the next";
        Err(self.at_loop(Diagnostic::new(Code::LoopChangesType, message)).into())
    }

    /// True if the first iteration, which there is, computes with a carry, so that nobody sees what it was before the loop.
    fn is_computed_with(&self, body: RegionId, carry: usize, go: ValueId) -> bool {
        let trace = self.host.trace();
        let (before, after) = trace
            .looking(|graph, _, _| (graph.regions[body].params[carry], graph.regions[body].results[carry]));
        trace.certainly_runs(go) && !trace.hands_on(after, before)
    }

    /// The region that yields the answer of the iteration before.
    fn test_region(&self, types: &[TensorType]) -> Result<RegionId, H::Error> {
        let trace = self.host.trace();
        let (region, go) = into_region(self.host, || {
            let given = params(trace, types);
            Ok(given[types.len() - 1])
        })?;
        set_results(trace, region, vec![go]);
        Ok(region)
    }

    /// Adds the loop to the graph; gives the variables' values after it.
    fn finish(
        &self,
        regions: [RegionId; 2],
        lead: Option<ValueId>,
        go: ValueId,
    ) -> Result<Vec<H::Value>, H::Error> {
        let trace = self.host.trace();
        let mut init: Vec<_> = lead.into_iter().collect();
        for (at, variable) in self.variables.iter().enumerate() {
            for leaf in &variable.leaves {
                let seen = self.host.see(&leaf.before)?;
                if let Role::Carry(t) | Role::Optional(t, _) = &leaf.role
                    && !t.holds(seen)
                {
                    return Err(self.type_changes(at, Clash::DType, &self.type_of(seen), t));
                }
                if let Role::Carry(t) | Role::Optional(t, _) = &leaf.role
                    && t.rounds(trace, seen)
                    && !self.is_computed_with(regions[1], init.len(), go)
                {
                    return Err(self.type_changes(at, Clash::Rounds, &self.type_of(seen), t));
                }
                self.carry(trace, leaf, seen, &mut init);
            }
        }
        init.push(go);
        let inside = self.types(lead);
        let types: Vec<_> = inside.iter().map(|ty| self.outside(ty.clone())).collect();
        trace.set_place(self.host.place());
        let levels = self.host.segments();
        let results = trace.build(|b| segments::while_(b, levels, &init, regions, [&inside, &types]));
        let shown = self.shown(&results, lead.is_some())?;
        self.variables.iter().zip(shown).map(|(variable, value)| self.settled(variable, value)).collect()
    }
}

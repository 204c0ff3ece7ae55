//! A loop whose first iteration makes values of another rank, or raises ⇒ `if` it runs at all, the first iteration and a loop over the
//! others.
//!
//! `total = 0.0`, and then `total = total + row` in a loop over rows, is a number before the loop and a row after it. And
//! what raises in the first iteration does so if the loop runs at all.

use gw_ir::ValueId;

use crate::Host;
use crate::host::Flow;
use crate::if_::if_it_runs;

/// One iteration in two steps.
pub(crate) struct Iteration<'a, E> {
    /// Runs the body, given the loop's own carry; gives the next one.
    pub body: &'a dyn Fn(Option<ValueId>) -> Result<Option<ValueId>, E>,
    /// The bool that says to go on, given the next one.
    pub more: &'a dyn Fn(Option<ValueId>) -> Result<ValueId, E>,
}

/// Stages the iterations after the first, given the loop's own carry and a bool that tells if there are any.
type Rest<'a, E> = &'a dyn Fn(Option<ValueId>, ValueId) -> Result<(), E>;

/// Stages the first iteration on its own, and then the rest.
pub(crate) fn peel<H: Host>(
    flow: &Flow<'_, H>,
    lead: Option<ValueId>,
    go: ValueId,
    iteration: &Iteration<'_, H::Error>,
    rest: Rest<'_, H::Error>,
) -> Result<(), H::Error> {
    let all = || {
        let next = (iteration.body)(lead)?;
        rest(next, (iteration.more)(next)?)
    };
    match flow.host.trace().known(go) {
        Some(runs) if runs.to_bool() => all().inspect_err(|error| flow.host.passes(error)),
        Some(_) | None => if_it_runs(flow, go, &all),
    }
}

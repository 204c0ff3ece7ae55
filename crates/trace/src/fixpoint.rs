//! Statements of the graph, traced again until all that they change is part of their state: a program does not say what it changes
//! without naming it, so this is found while the statement is traced.

use crate::{Host, Slot, State};

/// The state of a statement, and what finds changes that are not part of it yet.
pub trait Carried<H: Host>: State<H> {
    /// True if the statement changes more than flows through it: its trace is worth nothing.
    fn is_outgrown(&self) -> bool;
    /// Looks for such changes after the statement failed.
    fn finds_more(&self) -> Result<bool, H::Error>;
    /// True if an error ends the trace of the whole function.
    fn is_final(&self, error: &H::Error) -> bool {
        let _ = error;
        false
    }
    /// Is told that the statement was traced, and if it will be again.
    fn leave(&self, again: bool) {
        let _ = again;
    }
    /// Ends a statement that is not traced again, which may have failed.
    fn end(&self, failed: Option<&H::Error>) -> Result<(), H::Error>;
    /// Gives the program what it held before the statement.
    fn undo(&self) -> Result<(), H::Error>;
}

/// Stages a statement over a state and the names in it.
pub type Staging<'a, H, T> = &'a dyn Fn(&dyn State<H>, &[Slot]) -> Result<T, <H as Host>::Error>;

/// Traces a statement once; nothing if it has to be traced again, with a state that is entered anew.
///
/// # Errors
/// Those of the state; what the statement itself raises is its outcome.
pub fn traced_once<H: Host, T>(
    host: &H,
    carried: &impl Carried<H>,
    slots: &[Slot],
    stage: Staging<'_, H, T>,
) -> Result<Option<T>, H::Error> {
    let mark = host.trace().build(|b| b.mark());
    let outcome = stage(carried, slots);
    let is_final = outcome.as_ref().is_err_and(|error| carried.is_final(error));
    let again = !is_final && (carried.is_outgrown() || (outcome.is_err() && carried.finds_more()?));
    carried.leave(again);
    if again {
        host.trace().rewind(mark);
        carried.undo()?;
        return Ok(None);
    }
    carried.end(outcome.as_ref().err())?;
    outcome.map(Some)
}

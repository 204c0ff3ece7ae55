//! Statements of the graph, traced again until all that they change is part of their state: a program does not say what it changes
//! without naming it, so this is found while the statement is traced.

use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Loc;

use crate::{Host, Slot, State};

/// After so many traces that found the same, a statement begins with it.
const SURE: usize = 3;

/// A statement: its place and its names.
pub type Statement = (Option<Loc>, Vec<Slot>);

/// Findings of the traces of one function's statements about their state. A statement around that is traced again traces them
/// again; without this each would be traced again, too, until it has found the same, so that time grew with the product of the
/// rounds of nested statements.
#[derive(Debug)]
pub struct Findings<K> {
    known: Mutex<FxHashMap<Statement, (K, usize)>>,
}

impl<K> Default for Findings<K> {
    fn default() -> Self {
        Self { known: Mutex::default() }
    }
}

impl<K: Clone + PartialEq> Findings<K> {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<Statement, (K, usize)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a statement, if its traces have always found the same.
    pub fn expected(&self, statement: &Statement) -> Option<K> {
        let known = self.lock();
        known.get(statement).filter(|(_, times)| *times >= SURE).map(|(found, _)| found.clone())
    }

    /// A trace of a statement in another one ended, and found this.
    pub fn found(&self, statement: Option<Statement>, found: K) {
        let Some(statement) = statement else { return };
        let mut known = self.lock();
        let (before, times) = known.entry(statement).or_insert_with(|| (found.clone(), 0));
        *times = if *before == found { *times + 1 } else { 0 };
        *before = found;
    }
}

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

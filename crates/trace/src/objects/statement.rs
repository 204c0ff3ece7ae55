//! Statements of a host whose state is variables and lists: variables flow by their values, lists by their contents.

use std::cell::Cell;

use gw_base::{Code, Diagnostic};

use super::carried::{ByValue, Lists};
use super::heap::Heap;
use super::registry::ReachedList;
use crate::fixpoint::{Carried, Staging, traced_once};
use crate::{Slot, State};

/// Stages a statement over these variables and the lists that it reaches.
///
/// # Errors
/// Errors of the statement, and the refusal of lists that the graph cannot hold.
pub fn staged<H: Heap, T>(
    host: &H,
    slots: &[Slot],
    state: &dyn State<H>,
    reached: &[ReachedList<H::Object>],
    stage: Staging<'_, H, T>,
) -> Result<T, H::Error> {
    let (by_value, before) = (ByValue::default(), state.get()?);
    loop {
        host.lists().open(reached.to_vec());
        let traced = Variables::enter(host, slots, state, &before, &by_value).and_then(|carried| {
            let all: Vec<_> = slots.iter().cloned().chain(carried.lists.slots()).collect();
            traced_once(host, &carried, &all, stage)
        });
        host.lists().shut();
        if let Some(outcome) = traced? {
            return Ok(outcome);
        }
    }
}

/// The variables of a statement, and behind them the contents of lists.
struct Variables<'a, H: Heap> {
    host: &'a H,
    slots: &'a [Slot],
    state: &'a dyn State<H>,
    /// The variables before the statement.
    before: &'a [H::Value],
    lists: Lists<'a, H>,
    again: Cell<bool>,
}

impl<'a, H: Heap> Variables<'a, H> {
    fn enter(
        host: &'a H,
        slots: &'a [Slot],
        state: &'a dyn State<H>,
        before: &'a [H::Value],
        by_value: &'a ByValue,
    ) -> Result<Self, H::Error> {
        let lists = Lists::enter(host, by_value)?;
        Ok(Self { host, slots, state, before, lists, again: Cell::new(false) })
    }

    fn once_more(&self) -> H::Error {
        self.again.set(true);
        Diagnostic::new(Code::ListInGraph, "a statement is to be traced again").into()
    }
}

impl<H: Heap> State<H> for Variables<'_, H> {
    fn get(&self) -> Result<Vec<H::Value>, H::Error> {
        if self.lists.look(self.state)? {
            return Err(self.once_more());
        }
        let mut values = self.state.get()?;
        self.lists.variables(&mut values, self.slots)?;
        if self.lists.again() {
            return Err(self.once_more());
        }
        for (value, before) in values.iter_mut().zip(self.before) {
            // A list that the statement leaves in its variable stays this object.
            if self.host.list(value).is_some() && self.host.is_object(value, before) {
                *value = self.host.stand_in(value)?;
            }
        }
        values.extend(self.lists.values()?);
        Ok(values)
    }

    fn set(&self, values: &[H::Value]) -> Result<(), H::Error> {
        let (variables, lists) = values.split_at(self.slots.len());
        self.state.set(&self.lists.restored(variables)?)?;
        self.lists.set(lists)
    }
}

impl<H: Heap> Carried<H> for Variables<'_, H> {
    fn is_outgrown(&self) -> bool {
        self.again.get()
    }

    fn finds_more(&self) -> Result<bool, H::Error> {
        Ok(self.lists.look(self.state)? || self.lists.can_learn())
    }

    fn end(&self, failed: Option<&H::Error>) -> Result<(), H::Error> {
        match failed {
            Some(_) => Ok(()),
            None => self.lists.end(),
        }
    }

    fn undo(&self) -> Result<(), H::Error> {
        self.lists.undo()?;
        self.state.set(self.before)
    }
}

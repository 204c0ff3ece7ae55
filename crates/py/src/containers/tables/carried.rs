//! Dicts and sets of the program that come into the graph in a statement: found while tracing, as it is for lists. The
//! statement is then traced again with them in the graph from its beginning, where their lists flow through it.

use std::cell::RefCell;
use std::sync::Arc;

use gw_trace::Slot;
use pyo3::prelude::*;

use super::entries::list_of;
use super::making::{keys_differ, settled};
use super::refill::refill;
use crate::effects::implicit_state::ImplicitState;
use crate::exceptions::errors::Failed;
use crate::optional::maybe::{Maybe, Unbound};
use crate::session::Tracing;

/// The dicts and sets that one statement reaches.
pub struct Tables<'a, 'py> {
    tracing: &'a Arc<Tracing>,
    reached: Vec<Reached<'py>>,
    py: Python<'py>,
    /// Presence of each item each time that the variables were looked at.
    seen: RefCell<Vec<Vec<bool>>>,
}

type Value = Arc<Py<PyAny>>;

struct Reached<'py> {
    object: Bound<'py, PyAny>,
    path: String,
    /// A copy of what it held before, if that was Python's.
    held: Option<Bound<'py, PyAny>>,
}

impl<'a, 'py> Tables<'a, 'py> {
    /// Those of a statement that begins now; the ones that it is known to change come into the graph.
    pub fn enter(py: Python<'py>, tracing: &'a Arc<Tracing>) -> PyResult<Self> {
        let enter = |(object, path): (Bound<'py, PyAny>, String)| {
            if tracing.tables().flows(&object) {
                let list = settled(&object)?;
                tracing.lists().note(&list, true);
                tracing.lists().reach(&list, &path);
            }
            let held = if list_of(&object)?.is_some() { None } else { Some(object.call_method0("copy")?) };
            Ok(Reached { object, path, held })
        };
        let reached = tracing.tables().reached(py).into_iter().map(enter).collect::<PyResult<Vec<_>>>()?;
        Ok(Self { tracing, reached, py, seen: RefCell::default() })
    }

    /// Looks for dicts and sets that came into the graph in the statement, or that got other keys in it.
    pub fn look(&self, state: &ImplicitState<'_, 'py>) -> Result<bool, Failed> {
        let mut found = false;
        let mut suspects = Vec::new();
        for Reached { object, path, held } in &self.reached {
            let Some(held) = held else { continue };
            if list_of(object)?.is_some() {
                self.tracing.tables().note(object, path)?;
                found = true;
            } else if keys_differ(held, object)? {
                suspects.push((object, path, held));
            }
        }
        if suspects.is_empty() {
            return Ok(found);
        }
        let others = state.at_first(|| {
            let mut found = false;
            for (object, path, held) in suspects {
                if keys_differ(held, object)? {
                    self.tracing.tables().note(object, path)?;
                    found = true;
                }
            }
            Ok(found)
        })?;
        Ok(found || others == Some(true))
    }

    /// True if a dict has an item after one block of the statement and not after another: it is traced again with the dict
    /// in the graph. The variables are looked at where the statement begins, and after each block.
    pub fn lacks_after(&self, slots: &[Slot], values: &[Value]) -> bool {
        let items = slots.iter().zip(values).filter(|(slot, _)| matches!(slot, Slot::Item(_)));
        let now: Vec<_> = items.map(|(_, value)| !value.bind(self.py).is_instance_of::<Unbound>()).collect();
        let mut seen = self.seen.borrow_mut();
        let differs = seen.iter().skip(1).any(|before| *before != now);
        seen.push(now);
        differs && self.takes_new_keys()
    }

    /// True if a dict has an item on some paths only where a block begins.
    pub fn lacks_before(&self, slots: &[Slot], values: &[Value]) -> bool {
        let in_doubt = |value: &Value| Maybe::unbound(value.bind(self.py)).is_some();
        let half = |(slot, value): (&Slot, &Value)| matches!(slot, Slot::Item(_)) && in_doubt(value);
        slots.iter().zip(values).any(half) && self.takes_new_keys()
    }

    /// From now on dicts come into the graph with new keys; false if they did before.
    fn takes_new_keys(&self) -> bool {
        !self.tracing.tables().set_takes_new_keys()
    }

    /// Gives those of Python what they held before the statement.
    pub fn undo(&self) -> PyResult<()> {
        for Reached { object, held, .. } in &self.reached {
            if let Some(held) = held {
                refill(object, held)?;
            }
        }
        Ok(())
    }
}

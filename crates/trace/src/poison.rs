//! Poison: the value of a name that some paths leave without one, and others with what the graph cannot hold, such as an object
//! of the host's, its object for no value, or a list or tuple without parts, with which no bool can flow.
//!
//! A name that nobody reads afterwards is no mistake, such as one that the next iteration of a loop binds anew. So the host keeps
//! the diagnostic in the name's place and reports it at the first read.

use crate::carried::Loop;
use crate::host::Parts;
use crate::merge::{Merge, Sides};
use crate::{Host, Lack, Seen, Slot};

/// True if a leaf is in the way of a name that may be without a value.
pub(crate) fn is_in_the_way(seen: Seen) -> bool {
    match seen {
        Seen::Object | Seen::Nothing | Seen::Empty | Seen::Unclear | Seen::Maybe(_, _, Lack::Nothing) => true,
        Seen::Maybe(..) | Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) | Seen::Unbound => false,
    }
}

impl<H: Host> Merge<'_, H> {
    /// The leaf that a branch leaves, if it is one.
    pub fn lone(&self, side: usize, leaves: &[H::Value]) -> Result<Option<Seen>, H::Error> {
        let [leaf] = leaves else { return Ok(None) };
        self.see(side, leaf).map(Some)
    }

    /// The poison for a name that one branch leaves without a value, where the graph cannot hold what the other leaves.
    pub fn poisoned(
        &self,
        slot: &Slot,
        sides: Sides<&H::Value>,
        parts: &Sides<Parts<H>>,
        lone: Sides<Option<Seen>>,
    ) -> Result<Option<H::Value>, H::Error> {
        if let Some(side) = lone.iter().position(|seen| *seen == Some(Seen::Unclear)) {
            return Ok(Some(sides[side].clone()));
        }
        let Some(lacks) = lone.iter().position(|seen| *seen == Some(Seen::Unbound)) else { return Ok(None) };
        let other = 1 - lacks;
        if parts[other].1.is_empty() && slot.is_users() {
            return self.host.unclear(slot, self.differ(slot, sides)).map(Some);
        }
        for leaf in parts[other].1.iter().filter(|_| slot.is_users()) {
            if is_in_the_way(self.see(other, leaf)?) {
                return self.host.unclear(slot, self.differ(slot, sides)).map(Some);
            }
        }
        Ok(None)
    }
}

impl<H: Host> Loop<'_, H> {
    /// True if a variable is or becomes such a name; nothing if it is none, and otherwise whether it was one before.
    pub(crate) fn as_poison(
        &mut self,
        at: usize,
        after: &H::Value,
        leaves: &[H::Value],
    ) -> Result<Option<bool>, H::Error> {
        let lone = |leaves: &[H::Value]| match leaves {
            [leaf] => self.host.see(leaf).map(Some),
            [..] => Ok(None),
        };
        let befores: Vec<_> = self.variables[at].leaves.iter().map(|leaf| leaf.before.clone()).collect();
        let before = lone(&befores)?;
        if before == Some(Seen::Unclear) {
            return Ok(Some(true));
        }
        let slot = Slot::at(self.slots, at);
        if lone(leaves)? == Some(Seen::Unclear) {
            self.variables[at] = self.variable(after)?;
            return Ok(Some(false));
        }
        if before != Some(Seen::Unbound) || !self.variables[at].is_absent() || !slot.is_users() {
            return Ok(None);
        }
        let mut is_poison = leaves.is_empty();
        for leaf in leaves {
            is_poison |= is_in_the_way(self.host.see(leaf)?);
        }
        if !is_poison {
            return Ok(None);
        }
        let poison = self.host.unclear(slot, self.changes(at, &befores[0], after))?;
        self.variables[at] = self.variable(&poison)?;
        Ok(Some(false))
    }
}

//! What may be a structure or the host's object for no value: a bool that says whether it is there, and the structure's leaves.

use gw_types::Scalar;

use crate::while_::Loop;
use crate::{Host, Lack, Seen, Shown, Slot, Staged};

/// The parts of a value as those of `target`, which may be no value: `None` if it is no such value.
pub(crate) fn conform<H: Host>(
    host: &H,
    slot: &Slot,
    (skeleton, leaves): (&H::Skeleton, &[H::Value]),
    target: &H::Skeleton,
    count: usize,
) -> Result<Option<Vec<H::Value>>, H::Error> {
    if host.same_skeleton(skeleton, target) {
        return Ok(Some(leaves.to_vec()));
    }
    if let [leaf] = leaves
        && is_nothing(host.see(leaf)?, slot)
    {
        let none = host.show(Shown::Nothing)?;
        let mut all = vec![none; count];
        all[0] = host.show(Shown::Number(Scalar::Bool(false)))?;
        return Ok(Some(all));
    }
    if !host.optional(skeleton).is_some_and(|optional| host.same_skeleton(&optional, target)) {
        return Ok(None);
    }
    let mut there = host.show(Shown::Number(Scalar::Bool(true)))?;
    for leaf in leaves {
        // What is returned on some paths only is there where its leaves are.
        if let (Seen::Maybe(_, bit, Lack::Unbound), false) = (host.see(leaf)?, slot.is_users()) {
            there = host.show(Shown::Staged(Staged::strong(bit)))?;
        }
    }
    Ok(Some(std::iter::once(there).chain(leaves.iter().cloned()).collect()))
}

/// Whether a leaf is the host's object for no value; a function that does not return gives it.
pub(crate) fn is_nothing(seen: Seen, slot: &Slot) -> bool {
    seen == Seen::Nothing || seen == Seen::Unbound && !slot.is_users()
}

impl<H: Host> Loop<'_, H> {
    /// The leaves that an iteration leaves, if the variable is or becomes a structure or the host's object for no value.
    pub fn as_optional(
        &mut self,
        at: usize,
        skeleton: &H::Skeleton,
        leaves: &[H::Value],
    ) -> Result<Option<Vec<H::Value>>, H::Error> {
        let (host, slot) = (self.host, Slot::at(self.slots, at));
        let variable = &self.variables[at];
        if host.same_skeleton(skeleton, &variable.skeleton) {
            return Ok(None);
        }
        let whole = |skeleton| host.optional(skeleton);
        let (target, of, count) = match (whole(&variable.skeleton), whole(skeleton)) {
            (Some(target), _) => (target, &variable.skeleton, variable.leaves.len()),
            (None, Some(target)) => (target, skeleton, leaves.len()),
            (None, None) => return Ok(None),
        };
        let count = count + usize::from(!host.same_skeleton(of, &target));
        let befores: Vec<_> = variable.leaves.iter().map(|leaf| leaf.before.clone()).collect();
        let has_no_parts = leaves.is_empty() || befores.is_empty();
        let is_none = |leaves: &[H::Value]| match leaves {
            [leaf] => {
                let seen = host.see(leaf)?;
                Ok(seen == Seen::Nothing || has_no_parts && is_nothing(seen, slot))
            }
            [..] => Ok::<_, H::Error>(false),
        };
        let is_target = [skeleton, &variable.skeleton].iter().any(|s| host.same_skeleton(s, &target));
        if !is_target && !is_none(&befores)? && !is_none(leaves)? {
            return Ok(None);
        }
        let before = conform(host, slot, (&variable.skeleton, &befores), &target, count)?;
        let after = conform(host, slot, (skeleton, leaves), &target, count)?;
        let (Some(before), Some(after)) = (before, after) else { return Ok(None) };
        if !host.same_skeleton(&variable.skeleton, &target) {
            let leaves = self.new_leaves(before)?;
            let variable = &mut self.variables[at];
            (variable.skeleton, variable.leaves) = (target, leaves);
        }
        Ok(Some(after))
    }
}

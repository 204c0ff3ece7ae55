//! A variable that an iteration may leave without a value: the loop carries a bool beside its leaves.

use crate::carried::Loop;
use crate::optional::{conform, is_nothing};
use crate::{Host, Seen, Slot};

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

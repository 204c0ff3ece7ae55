//! Optional structures, which may be the host's object for no value: a bool for their presence, and their leaves.

use gw_types::Scalar;

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
        // Values that are returned on some paths only are present where their leaves are.
        if let (Seen::Maybe(_, bit, Lack::Unbound), false) = (host.see(leaf)?, slot.is_users()) {
            there = host.show(Shown::Staged(Staged::strong(bit)))?;
        }
    }
    Ok(Some(std::iter::once(there).chain(leaves.iter().cloned()).collect()))
}

/// True if a leaf is the host's object for no value; a function that does not return gives it.
pub(crate) fn is_nothing(seen: Seen, slot: &Slot) -> bool {
    seen == Seen::Nothing || seen == Seen::Unbound && !slot.is_users()
}

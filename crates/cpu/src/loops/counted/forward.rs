//! Elements that a turn reads where the turn before it has stored: the number is carried from turn to turn, and need not pass memory.
//!
//! ```text
//! for i { x = load a[i]  …  store a[i + 1] = y }  ⇒  x₀ = load a[0]  for i carry x = x₀ { …  store a[i + 1] = y  next y }
//! ```

use std::collections::HashSet;

use super::check::Before;
use super::leaves;
use super::places::{Place, Relation};
use crate::loops::{Block, Expr, Stmt, Var};

/// A number that is carried in place of a load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forward {
    /// The variable that was loaded, and from where.
    pub(super) loaded: Var,
    pub(super) ptr: Var,
    pub(super) index: Var,
    /// The variable that the turn before has stored.
    pub(super) stored: Var,
}

/// A store of a turn.
struct Written {
    place: Place,
    value: Var,
}

impl Before<'_> {
    /// The loads of a turn that read what the turn before it has stored.
    pub(super) fn forwards(&self, block: &Block) -> Vec<Forward> {
        // Elements are read before the loop that its first turn would read behind its checks.
        if self.is_ordered && leaves::are_in(block) {
            return Vec::new();
        }
        let Some(stores) = self.written(block) else { return Vec::new() };
        let forward = |(at, stmt): (usize, &Stmt)| {
            let Stmt::Let(loaded, Expr::Load(ptr, index)) = *stmt else { return None };
            let place = self.place(ptr, index, self.vars[loaded])?;
            let stored = self.stored_before(&place, &stores, at)?;
            (self.vars[stored] == self.vars[loaded]).then_some(Forward { loaded, ptr, index, stored })
        };
        block.iter().enumerate().filter_map(forward).collect()
    }

    /// The loads that read the same element in each turn, which no turn stores into.
    pub(super) fn steady(&self, block: &Block) -> HashSet<Var> {
        let stores = self.written(block).filter(|_| !(self.is_ordered && leaves::are_in(block)));
        let Some(stores) = stores else { return HashSet::new() };
        let steady = |stmt: &Stmt| {
            let Stmt::Let(loaded, Expr::Load(ptr, index)) = *stmt else { return None };
            let place = self.place(ptr, index, self.vars[loaded]).filter(|place| place.moves == Some(0))?;
            let is_apart = |written: &Written| self.are_apart(&place, &written.place);
            stores.iter().all(|(_, written)| is_apart(written)).then_some(loaded)
        };
        block.iter().filter_map(steady).collect()
    }

    /// The stores of a turn with their positions in it; nothing if there are some in branches, or at places that are data.
    fn written(&self, block: &Block) -> Option<Vec<(usize, Written)>> {
        let mut written = Vec::new();
        for (at, stmt) in block.iter().enumerate() {
            if let Stmt::Store { ptr, index, value } = stmt {
                let place = self.place(*ptr, *index, self.vars[*value])?;
                written.push((at, Written { place, value: *value }));
            } else if leaves::may_store(stmt) {
                return None;
            }
        }
        Some(written)
    }

    /// The value that the turn before has stored at a place, where no store between may have changed it.
    fn stored_before(&self, place: &Place, stores: &[(usize, Written)], at: usize) -> Option<Var> {
        let moves = place.moves.filter(|&moves| moves != 0)?;
        let is_it = |written: &Written| self.distance(place, &written.place) == Some(moves);
        let source = stores.iter().rposition(|(_, written)| is_it(written))?;
        // Of the turn before, a place is so many elements further in this one.
        let differs = |written: &Written, moved: i64| match self.distance(place, &written.place) {
            Some(distance) => distance != moved,
            None => self.relation(place, &written.place) == Relation::Apart,
        };
        let later = stores[source + 1..].iter().all(|(_, written)| differs(written, moves));
        let sooner = stores.iter().filter(|(when, _)| *when < at).all(|(_, written)| differs(written, 0));
        (later && sooner).then_some(stores[source].1.value)
    }
}

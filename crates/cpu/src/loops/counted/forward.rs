//! Elements that a turn reads where the turn before it has stored or read: the number is carried from turn to turn, and need not pass
//! memory.
//!
//! ```text
//! for i { x = load a[i]  …  store a[i + 1] = y }  ⇒  x₀ = load a[0]  for i carry x = x₀ { …  store a[i + 1] = y  next y }
//! for i { x = load a[j]  …  store a[j] = y }      ⇒  x₀ = load a[j]  for i carry x = x₀ { …  store a[j] = y  next y }
//! ```

use rustc_hash::FxHashSet;

use super::check::Before;
use super::effects;
use super::places::{Place, Relation};
use crate::loops::{Block, Expr, Stmt, Var};

/// A number that is carried in place of a load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forward {
    /// The variable that was loaded, and from where.
    pub(super) loaded: Var,
    pub(super) ptr: Var,
    pub(super) index: Var,
    /// The variable that the turn before has stored or loaded.
    pub(super) source: Var,
}

/// A store of a turn, or a load.
struct Touched {
    place: Place,
    value: Var,
}

impl Before<'_> {
    /// The loads of a turn that read what the turn before it has stored, or loaded at its end.
    pub(super) fn forwards(&self, block: &Block, ends: &[(Block, Var)]) -> Vec<Forward> {
        // Elements are read before the loop that its first turn would read behind its checks.
        if self.is_ordered && effects::are_in(block) {
            return Vec::new();
        }
        let Some(stores) = self.written(block) else { return Vec::new() };
        let end = ends.iter().flat_map(|(end, _)| end).filter_map(|stmt| self.loaded(stmt));
        let loads: Vec<_> = end.map(|load| (block.len(), load)).collect();
        let forward = |(at, stmt): (usize, &Stmt)| {
            let Stmt::Let(loaded, Expr::Load(ptr, index)) = *stmt else { return None };
            let place = self.place(ptr, index, self.vars[loaded])?;
            let source = self.touched_before(&place, &stores, &stores, at).or_else(|| {
                self.touched_before(&place, &loads, &stores, at).filter(|_| place.moves != Some(0))
            })?;
            (self.vars[source] == self.vars[loaded]).then_some(Forward { loaded, ptr, index, source })
        };
        block.iter().enumerate().filter_map(forward).collect()
    }

    /// The loads that read the same element in each turn, which no turn stores into.
    pub(super) fn steady(&self, block: &Block) -> FxHashSet<Var> {
        let stores = self.written(block).filter(|_| !(self.is_ordered && effects::are_in(block)));
        let Some(stores) = stores else { return FxHashSet::default() };
        let steady = |stmt: &Stmt| {
            let Stmt::Let(loaded, Expr::Load(ptr, index)) = *stmt else { return None };
            let place = self.place(ptr, index, self.vars[loaded]).filter(|place| place.moves == Some(0))?;
            let is_apart = |written: &Touched| self.are_apart(&place, &written.place);
            stores.iter().all(|(_, written)| is_apart(written)).then_some(loaded)
        };
        block.iter().filter_map(steady).collect()
    }

    /// The stores of a turn with their positions in it; nothing if there are some in branches, or at places that are data.
    fn written(&self, block: &Block) -> Option<Vec<(usize, Touched)>> {
        let mut written = Vec::new();
        for (at, stmt) in block.iter().enumerate() {
            if let Stmt::Store { ptr, index, value } = stmt {
                let place = self.place(*ptr, *index, self.vars[*value])?;
                written.push((at, Touched { place, value: *value }));
            } else if effects::may_store(stmt) {
                return None;
            }
        }
        Some(written)
    }

    fn loaded(&self, stmt: &Stmt) -> Option<Touched> {
        let Stmt::Let(value, Expr::Load(ptr, index)) = *stmt else { return None };
        self.place(ptr, index, self.vars[value]).map(|place| Touched { place, value })
    }

    /// The value that the turn before has stored at a place or loaded from it, where no store between may have changed it.
    /// Elements that are loaded at one place in each turn, without a store there, are `steady`.
    fn touched_before(
        &self,
        place: &Place,
        sources: &[(usize, Touched)],
        stores: &[(usize, Touched)],
        at: usize,
    ) -> Option<Var> {
        let moves = place.moves?;
        let is_it = |touched: &Touched| self.distance(place, &touched.place) == Some(moves);
        let (when, source) = sources.iter().rfind(|(_, touched)| is_it(touched))?;
        // Of the turn before, a place is so many elements further in this one.
        let differs = |written: &Touched, moved: i64| match self.distance(place, &written.place) {
            Some(distance) => distance != moved,
            None => self.relation(place, &written.place) == Relation::Apart,
        };
        let later =
            stores.iter().filter(|(other, _)| other > when).all(|(_, written)| differs(written, moves));
        let sooner = stores.iter().filter(|(other, _)| *other < at).all(|(_, written)| differs(written, 0));
        (later && sooner).then_some(source.value)
    }
}

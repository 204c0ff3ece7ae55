//! Elements of memory that a loop touches: where each lies in the first turn, and that no turn touches what another one stores.

use super::check::{Before, Kind, Turn};
use super::places::Place;
use crate::loops::{Binary, Compare, Expr, Stmt, Ty, Var};

/// Turns that touch each other's elements at a known distance of at most so many are never independent.
const NEAR: i64 = 8;

/// One access to memory: the beginning of an array, and the sum of the positions in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Address {
    pub(super) root: Var,
    /// Positions that are the same in each turn.
    pub(super) uniform: Vec<Var>,
    /// The one that grows, and by how much in a turn.
    pub(super) even: Option<(Var, i64)>,
}

/// An access at its place among the statements.
pub(super) struct Access {
    address: Address,
    place: Place,
    stores: bool,
    at: usize,
}

impl Before<'_> {
    /// The element at `ptr[index]`; `None` where its position is data.
    pub(super) fn address(&self, ptr: Var, index: Var, ty: Ty) -> Option<Address> {
        let (mut root, mut positions) = (ptr, vec![index]);
        loop {
            let outside = || self.facts.offsets.get(&root).copied();
            let (base, by, of) = match self.defined.get(&root) {
                Some(Expr::Offset(base, by, of)) => (*base, *by, *of),
                Some(_) => return None,
                None => match outside() {
                    Some(offset) => offset,
                    None => break,
                },
            };
            if of != ty {
                return None;
            }
            root = base;
            positions.push(by);
        }
        if self.kind(root) != Kind::Uniform {
            return None;
        }
        let mut address = Address { root, uniform: Vec::new(), even: None };
        for position in positions {
            let position = self.chosen(position);
            match self.kind(position) {
                Kind::Uniform => address.uniform.push(position),
                Kind::Even(by) if address.even.is_none() => address.even = Some((position, by)),
                Kind::Even(_) | Kind::Data => return None,
            }
        }
        Some(address)
    }

    /// The accesses of a body in order, if each is that of the next element or of the same one in each turn.
    pub(super) fn accesses(&self, body: &[Stmt], step: Option<i64>) -> Option<Vec<Access>> {
        let mut all = Vec::new();
        for (at, stmt) in body.iter().enumerate() {
            let (ptr, index, ty, stores) = match stmt {
                Stmt::Let(var, Expr::Load(ptr, index)) => (*ptr, *index, self.vars[*var], false),
                Stmt::Store { ptr, index, value } => (*ptr, *index, self.vars[*value], true),
                Stmt::Let(..) | Stmt::Leave { .. } => continue,
                Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::If { .. } => return None,
                Stmt::Try { .. } | Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => {
                    return None;
                }
                Stmt::Share(_) | Stmt::Mark(_) => return None,
            };
            let address = self.address(ptr, index, ty)?;
            let by = address.even.map(|(_, by)| by);
            let in_order = by.is_some() && by == step;
            if !in_order && (stores || by.is_some()) {
                return None;
            }
            all.push(Access { place: self.place_of(&address), address, stores, at });
        }
        Some(all)
    }

    /// The conditions on which no turn touches what another one stores; nothing where none is known.
    pub(super) fn are_independent(&mut self, accesses: &[Access], count: Var) -> Option<Vec<Var>> {
        let mut all = Vec::new();
        for store in accesses.iter().filter(|access| access.stores) {
            for other in accesses.iter().filter(|other| other.at != store.at) {
                if self.facts.are_apart(store.address.root, other.address.root)
                    || store.address == other.address
                {
                    continue;
                }
                if store.address.root != other.address.root {
                    return None;
                }
                let apart = self.is_apart(store, other, count)?;
                all.extend(apart.filter(|apart| !all.contains(apart)));
            }
        }
        Some(all)
    }

    /// True if no turn touches by one access what another turn stores by the other; `Some(None)` where that is always so.
    fn is_apart(&mut self, store: &Access, other: &Access, count: Var) -> Option<Option<Var>> {
        let ahead = self.distance(&other.place, &store.place).filter(|_| other.address.even.is_some());
        let reads_first = !other.stores && other.at < store.at;
        if ahead
            .is_some_and(|ahead| (-NEAR..=NEAR).contains(&ahead) && !(ahead == 0 || reads_first && ahead < 0))
        {
            return None;
        }
        if ahead == Some(0) {
            return Some(None);
        }
        let [stored, touched] = [self.first(&store.address)?, self.first(&other.address)?];
        let zero = self.word(0);
        let ahead = self.binary(Binary::Sub, stored, touched);
        let behind = self.binary(Binary::Sub, touched, stored);
        let beyond = self.compare(Compare::Ge, behind, count);
        if other.address.even.is_none() {
            // It is one element, before all that are stored or behind them.
            let before = self.compare(Compare::Gt, ahead, zero);
            return Some(Some(self.binary(Binary::Or, before, beyond)));
        }
        let far = self.compare(Compare::Ge, ahead, count);
        let far = self.binary(Binary::Or, far, beyond);
        // A turn may store into a place that an earlier turn reads before it stores.
        let compare = if reads_first { Compare::Le } else { Compare::Eq };
        let near = self.compare(compare, ahead, zero);
        Some(Some(self.binary(Binary::Or, near, far)))
    }

    /// The position in the first turn.
    fn first(&mut self, address: &Address) -> Option<Var> {
        let mut sum = self.word(0);
        for &position in address.uniform.iter().chain(address.even.iter().map(|(position, _)| position)) {
            let position = self.value(position, Turn::First)?;
            sum = self.binary(Binary::Add, sum, position);
        }
        Some(sum)
    }
}

//! Facts about the variables that are defined outside of a loop.

use rustc_hash::FxHashMap;

use gw_base::Id;

use crate::loops::{Carry, Expr, Field, Range, Ty, Unary, Var};

/// Memory that an address is known to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// That of a parameter of the graph.
    Param,
    /// That of a slot, by its number.
    Slot(i64),
    /// A tensor written in the graph.
    Literal(usize),
    /// One of those that a loop hands on in turn, which are named by the first of them: each turn has all of them.
    InTurn(Var, usize),
}

/// Facts about the variables of a function that are defined outside of the loop that is looked at.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) known: FxHashMap<Var, i64>,
    pub(super) reals: FxHashMap<Var, f64>,
    /// Numbers with their signs turned, and those that they were.
    pub(super) negated: FxHashMap<Var, Var>,
    fields: FxHashMap<Var, Field>,
    /// Addresses of slots themselves.
    slots: FxHashMap<Var, i64>,
    roots: FxHashMap<Var, Root>,
    /// Memory that loops hand on in turn, by the first carry of it.
    turns: FxHashMap<Var, Vec<Root>>,
    /// Addresses that are others, so many elements further.
    pub(super) offsets: FxHashMap<Var, (Var, Var, Ty)>,
    /// Ranges of the variables that the function was built with.
    ranges: Vec<Range>,
}

impl Facts {
    /// Facts of a function whose variables have these ranges.
    pub(super) fn of(ranges: Vec<Range>) -> Self {
        Self { ranges, ..Self::default() }
    }

    /// The range of a variable of this type, wherever it is defined.
    pub(super) fn range(&self, var: Var, ty: Ty) -> Range {
        self.ranges.get(var.index()).copied().unwrap_or(Range::of(ty))
    }

    /// Takes a definition down.
    pub(super) fn define(&mut self, var: Var, expr: &Expr) {
        match expr {
            Expr::Int(value) => drop(self.known.insert(var, *value)),
            Expr::Field(field) => drop(self.fields.insert(var, *field)),
            Expr::Literal(at) => drop(self.roots.insert(var, Root::Literal(*at))),
            Expr::Offset(base, by, ty) if *ty != Ty::Ptr => drop(self.offsets.insert(var, (*base, *by, *ty))),
            Expr::Offset(base, word, Ty::Ptr) if self.fields.get(base) == Some(&Field::Slots) => {
                if let Some(&number) = self.known.get(word) {
                    self.slots.insert(var, number);
                }
            }
            Expr::Load(from, _) if self.fields.get(from) == Some(&Field::Args) => {
                self.roots.insert(var, Root::Param);
            }
            Expr::Load(from, word) if self.known.get(word) == Some(&0) => {
                if let Some(&number) = self.slots.get(from) {
                    self.roots.insert(var, Root::Slot(number));
                }
            }
            Expr::Unary(Unary::Neg, of) => drop(self.negated.insert(var, *of)),
            Expr::Real(value) => drop(self.reals.insert(var, *value)),
            Expr::Offset(..) | Expr::Load(..) | Expr::Unary(..) | Expr::Binary(..) => {}
            Expr::Overflows(..) | Expr::Compare(..) | Expr::Select(..) | Expr::Convert(_) => {}
            Expr::Call(..) | Expr::Room => {}
        }
    }

    /// Takes down the addresses that a loop hands on in turn, each of which begins memory of its own: `next` are those of the next
    /// iteration.
    pub(super) fn carried(&mut self, carries: &[Carry], next: &[Var]) {
        for first in 0..carries.len() {
            let Some(cycle) = cycle(carries, next, first) else { continue };
            let own = |&at: &usize| self.roots.get(&carries[at].init).copied();
            let Some(roots) = cycle.iter().map(own).collect::<Option<Vec<_>>>() else { continue };
            let is_own = |(at, root): (usize, &Root)| {
                matches!(root, Root::Slot(_) | Root::Literal(_)) && !roots[..at].contains(root)
            };
            if !roots.iter().enumerate().all(is_own) {
                continue;
            }
            let name = carries[first].param;
            for (place, &at) in cycle.iter().enumerate() {
                self.roots.insert(carries[at].param, Root::InTurn(name, place));
            }
            self.turns.insert(name, roots);
        }
    }

    /// The memory that this may be.
    fn all<'a>(&'a self, root: &'a Root) -> &'a [Root] {
        match root {
            Root::InTurn(name, _) => self.turns.get(name).map_or(&[], Vec::as_slice),
            Root::Param | Root::Slot(_) | Root::Literal(_) => std::slice::from_ref(root),
        }
    }

    /// True if two addresses are known to begin memory that has nothing in common.
    pub(super) fn are_apart(&self, x: Var, y: Var) -> bool {
        let (Some(one), Some(other)) = (self.roots.get(&x), self.roots.get(&y)) else { return false };
        match (one, other) {
            // Memory that is stored into is no other parameter's.
            (Root::Param, Root::Param) => x != y,
            (Root::InTurn(name, one), Root::InTurn(others, other)) if name == others => one != other,
            (_, _) => self.all(one).iter().all(|one| !self.all(other).contains(one)),
        }
    }
}

/// The carries whose values change places, from this one on, which is the first of them; at least two.
fn cycle(carries: &[Carry], next: &[Var], first: usize) -> Option<Vec<usize>> {
    let (mut at, mut found) = (first, Vec::new());
    loop {
        found.push(at);
        at = carries.iter().position(|carry| carry.param == next[at])?;
        if at == first {
            return (found.len() > 1).then_some(found);
        }
        if at < first || found.contains(&at) {
            return None;
        }
    }
}

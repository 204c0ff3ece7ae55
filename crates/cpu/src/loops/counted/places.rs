//! Places of elements as sums, which tell elements apart: `a[i - 1]`, `a[i]` and `a[i + 1]` are three that lie side by side.

use rustc_hash::FxHashSet;

use super::address::Address;
use super::check::{Before, Kind};
use crate::loops::{Binary, Expr, Stmt, Ty, Var};

/// Definitions are looked through so deep.
const DEEPEST: usize = 6;

/// The place of an element: so many elements behind a sum of numbers behind the beginning of an array.
#[derive(Debug, Clone)]
pub(super) struct Place {
    root: Var,
    terms: Vec<Var>,
    offset: i64,
    /// Number of elements by which it moves from turn to turn, if that is known.
    pub(super) moves: Option<i64>,
}

/// Relation of two places in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// They are the same element.
    Same,
    /// They are two elements.
    Apart,
    Unknown,
}

impl Before<'_> {
    /// The place of `ptr[index]`; `None` where that is data.
    pub(super) fn place(&self, ptr: Var, index: Var, ty: Ty) -> Option<Place> {
        self.address(ptr, index, ty).map(|address| self.place_of(&address))
    }

    /// The place that an address is.
    pub(super) fn place_of(&self, address: &Address) -> Place {
        let moves = match (address.even, self.step()) {
            (None, _) => Some(0),
            (Some((_, by)), Some(step)) => by.checked_mul(step),
            (Some(_), None) => None,
        };
        let mut place = Place { root: address.root, terms: Vec::new(), offset: 0, moves };
        for position in address.uniform.iter().chain(address.even.iter().map(|(position, _)| position)) {
            self.add_terms(*position, &mut place, DEEPEST);
        }
        place
    }

    fn add_terms(&self, var: Var, place: &mut Place, depth: usize) {
        let var = self.chosen(var);
        if let Some(value) = self.known(var) {
            place.offset = place.offset.wrapping_add(value);
            return;
        }
        match self.defined.get(&var).filter(|_| depth > 0) {
            Some(&Expr::Binary(Binary::Add, x, y)) => {
                self.add_terms(x, place, depth - 1);
                self.add_terms(y, place, depth - 1);
            }
            Some(&Expr::Binary(Binary::Sub, x, y)) if self.known(y).is_some() => {
                self.add_terms(x, place, depth - 1);
                place.offset = place.offset.wrapping_sub(self.known(y).unwrap_or(0));
            }
            Some(_) | None => place.terms.push(var),
        }
    }

    /// True if two numbers are computed alike.
    fn are_alike(&self, x: Var, y: Var, depth: usize) -> bool {
        let (x, y) = (self.chosen(x), self.chosen(y));
        if x == y || (self.known(x).is_some() && self.known(x) == self.known(y)) {
            return true;
        }
        let (Some(Expr::Binary(one, a, b)), Some(Expr::Binary(other, c, d))) =
            (self.defined.get(&x), self.defined.get(&y))
        else {
            return false;
        };
        depth > 0 && one == other && self.are_alike(*a, *c, depth - 1) && self.are_alike(*b, *d, depth - 1)
    }

    /// The distance from one place to another of the same sum, in elements.
    pub(super) fn distance(&self, from: &Place, to: &Place) -> Option<i64> {
        if from.root != to.root || from.terms.len() != to.terms.len() {
            return None;
        }
        let mut others = to.terms.clone();
        for &term in &from.terms {
            let at = others.iter().position(|&other| self.are_alike(term, other, DEEPEST))?;
            others.swap_remove(at);
        }
        Some(to.offset.wrapping_sub(from.offset))
    }

    /// The relation of two places.
    pub(super) fn relation(&self, one: &Place, other: &Place) -> Relation {
        match self.distance(one, other) {
            Some(0) => Relation::Same,
            Some(_) => Relation::Apart,
            None if self.facts.are_apart(one.root, other.root) => Relation::Apart,
            None => Relation::Unknown,
        }
    }

    /// True if two places are of arrays that have nothing in common.
    pub(super) fn are_apart(&self, one: &Place, other: &Place) -> bool {
        self.facts.are_apart(one.root, other.root)
    }

    /// The places that each turn touches.
    pub(super) fn touched(&self, block: &[Stmt]) -> Vec<Place> {
        let mut touched = Vec::new();
        for stmt in block {
            if let Stmt::Let(var, Expr::Load(ptr, index)) = stmt {
                touched.extend(self.place(*ptr, *index, self.vars[*var]));
            } else if let Stmt::Store { ptr, index, value } = stmt {
                touched.extend(self.place(*ptr, *index, self.vars[*value]));
            }
        }
        touched
    }

    /// True if an element lies at or between two that each turn touches, so that it is there.
    pub(super) fn is_there(&self, touched: &[Place], place: &Place) -> bool {
        let far = |other: &Place| self.distance(place, other);
        let distances: Vec<i64> = touched.iter().filter_map(far).collect();
        distances.iter().any(|&far| far <= 0) && distances.iter().any(|&far| far >= 0)
    }

    /// True if a check's outcome is that of data, and does not depend on the number of the turn. Each variable is looked at once.
    pub(super) fn is_of_data(&self, var: Var) -> bool {
        let (mut seen, mut left) = (FxHashSet::default(), vec![var]);
        while let Some(var) = left.pop() {
            if matches!(self.kind(var), Kind::Even(_)) || self.counted.contains(&var) {
                return false;
            }
            if let Some(expr) = self.defined.get(&var).filter(|expr| !matches!(expr, Expr::Load(..)))
                && seen.insert(var)
            {
                left.extend(expr.operands());
            }
        }
        true
    }
}

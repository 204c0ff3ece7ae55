//! Facts about the variables that are defined outside of a loop.

use rustc_hash::FxHashMap;

use gw_base::Id;

use crate::loops::{Expr, Field, Range, Ty, Unary, Var};

/// Memory that an address is known to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// That of a parameter of the graph.
    Param,
    /// That of a slot, by its number.
    Slot(i64),
    /// A tensor written in the graph.
    Literal(usize),
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

    /// True if two addresses are known to begin memory that has nothing in common.
    pub(super) fn are_apart(&self, x: Var, y: Var) -> bool {
        match (self.roots.get(&x), self.roots.get(&y)) {
            // Memory that is stored into is no other parameter's.
            (Some(Root::Param), Some(Root::Param)) => x != y,
            (Some(x), Some(y)) => x != y,
            (None, _) | (_, None) => false,
        }
    }
}

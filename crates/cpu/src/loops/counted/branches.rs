//! Branches of a turn as choices: both arms are computed where they are short and cannot fail.
//!
//! ```text
//! if test { y = …  store p = y } else { z = …  store p = z }  ⇒  y = …  z = …  store p = y if test else z
//! if test { y = …  store p = y }                              ⇒  y = …  store p = y if test else load p
//! ```
//!
//! A check that a number does not come to the end of its type is made for both arms: a turn that leaves the loop in vain is run by the loop
//! as it was. An element that only one arm touches is read where it is certain to be there: at or between elements that each turn touches.

use rustc_hash::FxHashSet;

use super::check::{Before, Kind};
use super::places::{Place, Relation};
use crate::loops::{Arm, Binary, Block, Expr, Stmt, Ty, Unary, Var};

/// A turn that runs by itself keeps its branches if their arms take more steps.
const SHORT: usize = 16;

/// A turn without branches.
pub(super) struct Flat {
    pub(super) block: Block,
    /// True if a turn that runs by itself is better without branches, too: they are short, and data decide one.
    pub(super) is_short: bool,
}

/// A store that waits for those before it.
struct Written {
    ptr: Var,
    index: Var,
    value: Var,
    place: Place,
}

impl Before<'_> {
    /// The turn without branches; nothing if it has none, or if an arm has to stay one.
    pub(super) fn flat(&mut self, block: &Block) -> Option<Flat> {
        if !block.iter().any(|stmt| matches!(stmt, Stmt::If { .. })) {
            return None;
        }
        let mut flatten = Flatten {
            touched: self.touched(block),
            before: self,
            block: Vec::new(),
            steps: 0,
            is_short: true,
            follows_counter: true,
        };
        for stmt in block {
            match stmt {
                Stmt::If { .. } => {
                    let stores = flatten.branch(stmt)?;
                    flatten.block.extend(stores.into_iter().map(Written::stmt));
                }
                Stmt::Let(..) | Stmt::Store { .. } | Stmt::Leave { .. } => flatten.block.push(stmt.clone()),
                Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::Try { .. } => return None,
                Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } | Stmt::Share(_) => return None,
                Stmt::Mark(_) => return None,
            }
        }
        let is_short = flatten.is_short && flatten.steps <= SHORT && !flatten.follows_counter;
        Some(Flat { is_short, block: flatten.block })
    }

    /// True if a variable is computed of the counter and of what no turn changes: the machine guesses tests of such.
    fn follows_counter(&self, var: Var) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![var]);
        while let Some(var) = open.pop() {
            if self.kind(var) != Kind::Data || !seen.insert(var) {
                continue;
            }
            match self.defined.get(&var) {
                None | Some(Expr::Load(..) | Expr::Call(..)) => return false,
                Some(expr) => open.extend(expr.operands()),
            }
        }
        true
    }
}

impl Written {
    fn stmt(self) -> Stmt {
        Stmt::Store { ptr: self.ptr, index: self.index, value: self.value }
    }
}

struct Flatten<'b, 'a> {
    before: &'b mut Before<'a>,
    /// Places that each turn touches.
    touched: Vec<Place>,
    block: Block,
    /// Steps of arms that cost something.
    steps: usize,
    is_short: bool,
    /// True if each test is one of the counter alone.
    follows_counter: bool,
}

impl Flatten<'_, '_> {
    fn let_(&mut self, ty: Ty, expr: Expr) -> Var {
        let var = self.before.vars.push(ty);
        self.push(var, expr);
        var
    }

    fn push(&mut self, var: Var, expr: Expr) {
        self.before.define(var, &expr);
        self.block.push(Stmt::Let(var, expr));
    }

    /// Computes both arms and chooses; gives the stores.
    fn branch(&mut self, stmt: &Stmt) -> Option<Vec<Written>> {
        let Stmt::If { test, cold: false, then, otherwise, outs } = stmt else { return None };
        self.follows_counter &= self.before.follows_counter(*test);
        let (first, second) = (self.arm(then)?, self.arm(otherwise)?);
        for ((&out, &x), &y) in outs.iter().zip(&then.results).zip(&otherwise.results) {
            self.choose(out, *test, x, y);
        }
        self.stores(*test, first, second)
    }

    /// The steps of an arm, all of which may be computed in vain; gives its stores, which come behind all that it reads.
    fn arm(&mut self, arm: &Arm) -> Option<Vec<Written>> {
        let mut stores: Vec<Written> = Vec::new();
        for stmt in &arm.block {
            match stmt {
                Stmt::Let(var, expr) => {
                    self.may_be_vain(*var, expr, &stores)?;
                    self.block.push(stmt.clone());
                }
                Stmt::Store { ptr, index, value } => {
                    let place = self.before.place(*ptr, *index, self.before.vars[*value])?;
                    stores.push(Written { ptr: *ptr, index: *index, value: *value, place });
                }
                Stmt::If { .. } => {
                    let inner = stores.is_empty().then(|| self.branch(stmt))??;
                    stores.extend(inner);
                }
                Stmt::Leave { ok, .. } => {
                    self.before.hardly_ever_fails(*ok).then_some(())?;
                    self.block.push(stmt.clone());
                }
                Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } => return None,
                Stmt::Try { .. } | Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => {
                    return None;
                }
                Stmt::Share(_) | Stmt::Mark(_) => return None,
            }
        }
        Some(stores)
    }

    /// Nothing unless an expression may be computed where its arm would not run.
    fn may_be_vain(&mut self, var: Var, expr: &Expr, stores: &[Written]) -> Option<()> {
        let ty = self.before.vars[var];
        match expr {
            Expr::Load(ptr, index) => {
                let place = self.before.place(*ptr, *index, ty)?;
                let is_apart =
                    |store: &Written| self.before.relation(&store.place, &place) == Relation::Apart;
                let is_there = self.is_there(&place) && stores.iter().all(is_apart);
                is_there.then_some(())?;
            }
            Expr::Binary(Binary::Div, ..) | Expr::Unary(Unary::Sqrt, _) if ty.is_float() => {
                self.is_short = false
            }
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) => return Some(()),
            Expr::Overflows(..) | Expr::Offset(..) => return Some(()),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Compare(..) | Expr::Select(..) | Expr::Convert(_) => {
                expr.is_cheap().then_some(())?;
            }
            Expr::Call(..) | Expr::Room => return None,
        }
        self.steps += 1;
        Some(())
    }

    fn is_there(&self, place: &Place) -> bool {
        !self.before.is_ordered && self.before.is_there(&self.touched, place)
    }

    /// `out = x if test else y`; a bool is put together of tests, which lanes have.
    fn choose(&mut self, out: Var, test: Var, x: Var, y: Var) {
        if self.before.vars[out] != Ty::Bool {
            self.push(out, Expr::Select(test, x, y));
            return;
        }
        let expr = if x == test || self.before.known(x) == Some(1) {
            Expr::Binary(Binary::Or, test, y)
        } else if y == test || self.before.known(y) == Some(0) {
            Expr::Binary(Binary::And, test, x)
        } else {
            let other = self.let_(Ty::Bool, Expr::Unary(Unary::Not, test));
            let first = self.let_(Ty::Bool, Expr::Binary(Binary::And, test, x));
            let second = self.let_(Ty::Bool, Expr::Binary(Binary::And, other, y));
            Expr::Binary(Binary::Or, first, second)
        };
        self.push(out, expr);
    }

    /// The stores of two arms as those of both.
    fn stores(&mut self, test: Var, first: Vec<Written>, second: Vec<Written>) -> Option<Vec<Written>> {
        let alike = |(one, other): (&Written, &Written)| {
            self.before.relation(&one.place, &other.place) == Relation::Same
        };
        if first.len() == second.len() && first.iter().zip(&second).all(alike) {
            let both = first.into_iter().zip(second);
            return Some(both.map(|(one, other)| self.chosen(test, (one.value, other.value), one)).collect());
        }
        let all: Vec<&Place> = first.iter().chain(&second).map(|store| &store.place).collect();
        let is_alone =
            |at: usize| all[..at].iter().all(|other| self.before.relation(other, all[at]) == Relation::Apart);
        if !(0..all.len()).all(is_alone) || !all.iter().all(|place| self.is_there(place)) {
            return None;
        }
        let count = first.len();
        let stores = first.into_iter().chain(second).enumerate();
        let mut chosen = Vec::new();
        for (at, store) in stores {
            let ty = self.before.vars[store.value];
            let old = match self.loaded(&store.place, ty) {
                Some(old) => old,
                None => self.let_(ty, Expr::Load(store.ptr, store.index)),
            };
            let values = if at < count { (store.value, old) } else { (old, store.value) };
            chosen.push(self.chosen(test, values, store));
        }
        Some(chosen)
    }

    /// The variable that the turn has loaded from a place, if nothing is stored there since.
    fn loaded(&self, place: &Place, ty: Ty) -> Option<Var> {
        let relation = |ptr, index, of| {
            let other = self.before.place(ptr, index, of);
            other.map_or(Relation::Unknown, |other| self.before.relation(&other, place))
        };
        for stmt in self.block.iter().rev() {
            if let Stmt::Let(var, Expr::Load(ptr, index)) = *stmt {
                let of = self.before.vars[var];
                if of == ty && relation(ptr, index, of) == Relation::Same {
                    return Some(var);
                }
            } else if let Stmt::Store { ptr, index, value } = *stmt
                && relation(ptr, index, self.before.vars[value]) != Relation::Apart
            {
                return None;
            }
        }
        None
    }

    fn chosen(&mut self, test: Var, (x, y): (Var, Var), store: Written) -> Written {
        self.steps += 1;
        let ty = self.before.vars[x];
        let value = if x == y { x } else { self.let_(ty, Expr::Select(test, x, y)) };
        Written { value, ..store }
    }
}

//! Totals that grow by little in each turn: none of the sums leaves its type if the total is far enough from the ends when the loop begins. Then
//! the turns need no check of it, and do not wait for each other.

use rustc_hash::FxHashMap;

use super::check::Before;
use super::effects::may_leave;
use crate::loops::{Arm, Binary, Block, Carry, Compare, Expr, Range, Stmt, Ty, Var};

/// A total grows by at most so much in a turn: in the 2^24 turns that a loop without checks has at most, by 2^61.
const LITTLE: u64 = 1 << 37;

/// A total of 64 bits begins at most so far from zero.
const FAR: i64 = 1 << 62;

/// A number that is carried, and to which each turn adds another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Total {
    init: Var,
    by: Var,
}

/// The totals among the carries of a loop.
pub(super) fn of(carries: &[Carry], body: &Arm) -> FxHashMap<Var, Total> {
    let made = |next: Var| {
        body.block.iter().find_map(|stmt| {
            let Stmt::Let(var, Expr::Binary(Binary::Add, x, y)) = stmt else { return None };
            (*var == next).then_some((*x, *y))
        })
    };
    let total = |(carry, &next): (&Carry, &Var)| {
        let (x, y) = made(next)?;
        let by = if x == carry.param { y } else { x };
        (by != carry.param && [x, y].contains(&carry.param))
            .then_some((carry.param, Total { init: carry.init, by }))
    };
    carries.iter().zip(&body.results).filter_map(total).collect()
}

impl Before<'_> {
    /// Notes of a check that it holds in each turn on a condition before the loop, if it is that of a total.
    pub(super) fn note_total(&mut self, fails: Var, ok: Var) {
        let Some(&Expr::Overflows(Binary::Add, x, y)) = self.defined.get(&fails) else { return };
        let is_it = |total: Var, by: Var| self.totals.get(&total).filter(|known| known.by == by).copied();
        let Some(total) = is_it(x, y).or_else(|| is_it(y, x)) else { return };
        let Range { least, most } = self.facts.range(total.by, self.vars[total.by]);
        let ends = [least.min(0), most.max(0)];
        if let (true, Some(count)) = (ends.iter().all(|end| end.unsigned_abs() <= LITTLE), self.count) {
            let fits = self.stays(total.init, ends, count);
            self.sums.push((ok, fits));
        }
    }

    /// True if a number stays in its type though so many turns add so little.
    fn stays(&mut self, init: Var, ends: [i64; 2], count: Var) -> Var {
        if self.vars[init] == Ty::I64 {
            let far = self.word(FAR);
            let moved = self.binary(Binary::Add, init, far);
            let zero = self.word(0);
            return self.compare(Compare::Ge, moved, zero);
        }
        let first = self.let_(Ty::I64, Expr::Convert(init));
        let fits = ends.map(|end| {
            let end = self.word(end);
            let grown = self.binary(Binary::Mul, count, end);
            let last = self.binary(Binary::Add, first, grown);
            self.is_short(last)
        });
        self.binary(Binary::And, fits[0], fits[1])
    }

    /// The block without the checks of totals, and the condition on which they hold, if it has no others.
    pub(super) fn without_totals(&mut self, block: &Block) -> Option<(Block, Var)> {
        let sums = self.sums.clone();
        let is_kept = |stmt: &&Stmt| {
            let Stmt::Leave { ok, .. } = stmt else { return true };
            !sums.iter().any(|(known, _)| known == ok)
        };
        let kept: Block = block.iter().filter(is_kept).cloned().collect();
        let is_checked = kept.iter().any(may_leave);
        let (first, rest) = sums.split_first().filter(|_| !is_checked)?;
        Some((kept, rest.iter().fold(first.1, |all, one| self.binary(Binary::And, all, one.1))))
    }
}

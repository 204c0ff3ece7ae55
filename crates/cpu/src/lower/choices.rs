//! Branches with little in them: both arms are computed, and one result chosen, where that costs less than the machine's wrong
//! guesses which of them runs. What an arm checks fails only if that arm is the one that is chosen:
//!
//! ```text
//! if test { r = mul x, y   o = mul x, y overflows   guard not o … }  ⇒  r = …   o = …   if o { guard not test }
//! ```

use rustc_hash::FxHashSet;

use super::context::Lower;
use crate::loops::{Arm, Block, Expr, Stmt, Unary, Var};

/// Arms of at most so many cheap steps are both computed.
const SPECULATED: usize = 16;

/// And of so many if they choose in their turn, like the tests of an `elif`: each of which is computed in vain the more often,
/// the more of them there are.
const SPECULATED_CHOICES: usize = 4;

impl Lower<'_> {
    /// Runs one of two arms, or both and chooses.
    pub(super) fn choose(&mut self, test: Var, mut then: Arm, mut otherwise: Arm, outs: Vec<Var>) {
        if is_cheap(&then.block) && is_cheap(&otherwise.block) {
            [&mut then, &mut otherwise].into_iter().for_each(keep_what_is_read);
            if is_speculated(&[&then.block, &otherwise.block]) {
                self.speculate(then.block, test, false);
                self.speculate(otherwise.block, test, true);
                for ((out, x), y) in outs.into_iter().zip(then.results).zip(otherwise.results) {
                    self.b.choose_into(out, test, x, y);
                }
                return;
            }
        }
        self.b.push(Stmt::If { test, cold: false, then, otherwise, outs });
    }
}

impl Lower<'_> {
    /// Runs an arm that may not be the one that is chosen: its guards fail only if it is.
    fn speculate(&mut self, block: Block, test: Var, otherwise: bool) {
        for stmt in block {
            let Stmt::Guard { ok, site, words } = stmt else {
                self.b.push(stmt);
                continue;
            };
            let fails = self.b.unary(Unary::Not, ok);
            self.b.open();
            let other = if otherwise { test } else { self.b.unary(Unary::Not, test) };
            self.b.guard(other, site, words);
            let then = self.b.close(Vec::new());
            self.b.push(Stmt::If {
                test: fails,
                cold: true,
                then,
                otherwise: Arm::default(),
                outs: Vec::new(),
            });
        }
    }
}

/// True if a block consists of cheap steps and of checks of what they give.
fn is_cheap(block: &Block) -> bool {
    let is_cheap = |stmt: &Stmt| matches!(stmt, Stmt::Let(_, expr) if expr.is_cheap());
    block.iter().all(|stmt| is_cheap(stmt) || matches!(stmt, Stmt::Guard { .. }))
}

fn is_speculated(arms: &[&Block; 2]) -> bool {
    let all = || arms.iter().flat_map(|arm| arm.iter());
    let steps = all().filter(|stmt| !is_constant(stmt)).count();
    let choices = all().any(|stmt| matches!(stmt, Stmt::Let(_, Expr::Select(..))));
    steps <= if choices { SPECULATED_CHOICES } else { SPECULATED }
}

/// Drops the steps of an arm, all of them cheap, that nothing in it reads and that are none of its results.
fn keep_what_is_read(arm: &mut Arm) {
    let mut read: FxHashSet<Var> = arm.results.iter().copied().collect();
    let mut kept = Vec::new();
    while let Some(stmt) = arm.block.pop() {
        if let Stmt::Let(var, expr) = &stmt {
            if !read.contains(var) {
                continue;
            }
            read.extend(expr.operands());
        } else if let Stmt::Guard { ok, words, .. } = &stmt {
            read.extend([*ok].iter().chain(words));
        }
        kept.push(stmt);
    }
    kept.reverse();
    arm.block = kept;
}

/// True if a statement costs nothing; the flag of an overflow comes with the result.
fn is_constant(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::Let(_, Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Overflows(..))
    )
}

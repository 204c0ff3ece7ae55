//! Branches with little in them: both arms are computed, and one result chosen, where that costs less than the machine's wrong
//! guesses which of them runs.

use std::collections::HashSet;

use super::Lower;
use crate::loops::{Arm, Block, Expr, Stmt, Var};

/// Arms of at most so many cheap steps are both computed.
const SPECULATED: usize = 16;

/// And of so many if they choose in their turn, like the tests of an `elif`: each of which is computed in vain the more often,
/// the more of them there are.
const SPECULATED_CHOICES: usize = 4;

impl Lower<'_> {
    /// Runs one of two arms, or both and chooses.
    pub(super) fn choose(&mut self, test: Var, mut then: Arm, mut otherwise: Arm, outs: Vec<Var>) {
        let cheap = |stmt: &Stmt| matches!(stmt, Stmt::Let(_, expr) if expr.is_cheap());
        if then.block.iter().chain(&otherwise.block).all(cheap) {
            [&mut then, &mut otherwise].into_iter().for_each(keep_what_is_read);
            if is_speculated(&[&then.block, &otherwise.block]) {
                self.b.splice(then.block);
                self.b.splice(otherwise.block);
                for ((out, x), y) in outs.into_iter().zip(then.results).zip(otherwise.results) {
                    self.b.choose_into(out, test, x, y);
                }
                return;
            }
        }
        self.b.push(Stmt::If { test, cold: false, then, otherwise, outs });
    }
}

fn is_speculated(arms: &[&Block; 2]) -> bool {
    let all = || arms.iter().flat_map(|arm| arm.iter());
    let steps = all().filter(|stmt| !is_constant(stmt)).count();
    let choices = all().any(|stmt| matches!(stmt, Stmt::Let(_, Expr::Select(..))));
    steps <= if choices { SPECULATED_CHOICES } else { SPECULATED }
}

/// Drops the steps of an arm, all of them cheap, that nothing in it reads and that are none of its results.
fn keep_what_is_read(arm: &mut Arm) {
    let mut read: HashSet<Var> = arm.results.iter().copied().collect();
    let mut kept = Vec::new();
    while let Some(stmt) = arm.block.pop() {
        if let Stmt::Let(var, expr) = &stmt {
            if !read.contains(var) {
                continue;
            }
            read.extend(expr.operands());
        }
        kept.push(stmt);
    }
    kept.reverse();
    arm.block = kept;
}

fn is_constant(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let(_, Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_)))
}

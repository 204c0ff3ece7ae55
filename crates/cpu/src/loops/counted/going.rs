//! Tests of data by which a loop goes on besides its counter's: `while j >= 0 and a[j] > x`, `if found: break`.
//!
//! ```text
//! … store a[j + 1] = y  on = if j - 1 >= 0 { z = load a[j - 1]  give z > x } else { give false }  next j - 1, on
//! ```
//!
//! The test of the counter is left out where it holds: in all turns but the last one that it allows. What is computed behind it becomes
//! the end of such a turn, which leaves the loop where a test of data fails. The last turn is one of the loop as it was.

use rustc_hash::{FxHashMap, FxHashSet};

use super::effects;
use super::facts::Facts;
use crate::loops::{Arm, Binary, Block, Compare, Expr, Stmt, Unary, Var};

/// A flag is taken apart in so many steps at most: what is put together again and again has more parts than can be counted.
const MOST_STEPS: usize = 64;

/// A test at the end of a turn.
pub(super) struct End {
    /// Statements before it.
    pub(super) block: Block,
    pub(super) ok: Var,
    /// Value that it has if the loop goes on.
    pub(super) wanted: bool,
}

/// The parts of what a loop goes on by.
pub(super) struct Going<'b> {
    facts: &'b Facts,
    body: &'b Arm,
    lets: FxHashMap<Var, &'b Expr>,
    /// Results of branches.
    outs: FxHashSet<Var>,
    /// The counter as the next turn has it.
    next: Var,
    /// Comparison of that with a limit.
    pub(super) count: Option<(Compare, Var)>,
    pub(super) ends: Vec<End>,
    /// Statements that wait for the next test.
    waiting: Block,
    /// The branches of the body that became ends, by their places.
    branches: Vec<usize>,
    steps: usize,
}

impl<'b> Going<'b> {
    /// Takes the flag of a loop apart; nothing if no part of it counts.
    pub(super) fn of(facts: &'b Facts, body: &'b Arm, on: Var, next: Var) -> Option<Self> {
        let (lets, outs, ends, waiting, branches) = Default::default();
        let mut going =
            Self { facts, body, lets, outs, next, count: None, ends, waiting, branches, steps: 0 };
        going.define(&body.block);
        going.part(on, true);
        let is_let = |stmt: &Stmt| matches!(stmt, Stmt::Let(..));
        // Statements that no test waits for are not computed.
        let is_whole = going.count.is_some() && going.steps <= MOST_STEPS;
        (is_whole && going.waiting.iter().all(is_let)).then_some(going)
    }

    /// The variables that are not computed as they were.
    pub(super) fn left_out(&self) -> Vec<Var> {
        let outs = |&at: &usize| {
            if let Stmt::If { outs, .. } = &self.body.block[at] { outs.clone() } else { Vec::new() }
        };
        self.branches.iter().flat_map(outs).collect()
    }

    /// True if a variable is the same in each turn, and can be had before the loop.
    pub(super) fn is_known(&self, var: Var) -> bool {
        match self.lets.get(&var) {
            Some(expr) => matches!(expr, Expr::Int(_)),
            None => !self.outs.contains(&var),
        }
    }

    /// The numbers that are written in a turn.
    pub(super) fn constants(&self) -> Vec<(Var, Expr)> {
        let constant =
            |(&var, &expr): (&Var, &&Expr)| matches!(expr, Expr::Int(_)).then(|| (var, expr.clone()));
        self.lets.iter().filter_map(constant).collect()
    }

    /// The statements of a turn that are no end of it.
    pub(super) fn main(&self) -> Block {
        let kept = |(at, stmt): (usize, &Stmt)| (!self.branches.contains(&at)).then(|| stmt.clone());
        self.body.block.iter().enumerate().filter_map(kept).collect()
    }

    fn define(&mut self, block: &'b Block) {
        let let_of = |stmt: &'b Stmt| if let Stmt::Let(var, expr) = stmt { Some((*var, expr)) } else { None };
        self.lets.extend(block.iter().filter_map(let_of));
        let outs_of = |stmt: &Stmt| if let Stmt::If { outs, .. } = stmt { outs.clone() } else { Vec::new() };
        self.outs.extend(block.iter().flat_map(outs_of));
    }

    fn part(&mut self, var: Var, wanted: bool) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        match self.lets.get(&var).copied() {
            Some(Expr::Unary(Unary::Not, x)) => return self.part(*x, !wanted),
            Some(Expr::Binary(Binary::And, x, y)) if wanted => return self.parts([*x, *y], true),
            Some(Expr::Binary(Binary::Or, x, y)) if !wanted => return self.parts([*x, *y], false),
            Some(&Expr::Select(test, x, y)) if self.is_over(y, wanted) => {
                self.part(test, true);
                return self.part(x, wanted);
            }
            Some(&Expr::Select(test, x, y)) if self.is_over(x, wanted) => {
                self.part(test, false);
                return self.part(y, wanted);
            }
            Some(&Expr::Compare(compare, x, y)) if self.count.is_none() => {
                self.count = counted(compare, (x, y), self.next, wanted);
                if self.count.is_some() {
                    return;
                }
            }
            Some(_) => {}
            None if self.branch(var, wanted) => return,
            None => {}
        }
        let block = std::mem::take(&mut self.waiting);
        self.ends.push(End { block, ok: var, wanted });
    }

    fn parts(&mut self, parts: [Var; 2], wanted: bool) {
        parts.into_iter().for_each(|part| self.part(part, wanted));
    }

    /// True if a bool is the result of a branch of the body, one arm of which ends the loop: the other one is computed at the end of
    /// the turn.
    fn branch(&mut self, var: Var, wanted: bool) -> bool {
        let body = self.body;
        let is_it = |stmt: &Stmt| matches!(stmt, Stmt::If { outs, cold: false, .. } if outs[..] == [var]);
        let Some(at) = body.block.iter().position(is_it) else { return false };
        let Stmt::If { test, then, otherwise, .. } = &body.block[at] else { return false };
        let (holds, arm) = if self.ends_by(otherwise, wanted) {
            (true, then)
        } else if self.ends_by(then, wanted) {
            (false, otherwise)
        } else {
            return false;
        };
        let &[result] = &arm.results[..] else { return false };
        // It moves behind all that follows it.
        if body.block[at..].iter().any(effects::may_store) {
            return false;
        }
        self.branches.push(at);
        self.define(&arm.block);
        self.part(*test, holds);
        self.waiting.extend(arm.block.iter().cloned());
        self.part(result, wanted);
        true
    }

    /// True if an arm gives what ends the loop.
    fn ends_by(&self, arm: &Arm, wanted: bool) -> bool {
        let &[result] = &arm.results[..] else { return false };
        let over = Expr::Int(i64::from(!wanted));
        self.is_over(result, wanted)
            || arm
                .block
                .iter()
                .any(|stmt| matches!(stmt, Stmt::Let(var, expr) if *var == result && *expr == over))
    }

    /// True if a bool is the constant that ends the loop.
    fn is_over(&self, var: Var, wanted: bool) -> bool {
        let over = i64::from(!wanted);
        match self.lets.get(&var) {
            Some(expr) => **expr == Expr::Int(over),
            None => self.facts.known.get(&var) == Some(&over),
        }
    }
}

/// The limit with which the next count is compared, and how, if it is.
fn counted(compare: Compare, (x, y): (Var, Var), next: Var, wanted: bool) -> Option<(Compare, Var)> {
    let (compare, limit) = match (x == next, y == next) {
        (true, false) => (compare, y),
        (false, true) => (mirrored(compare)?, x),
        (true, true) | (false, false) => return None,
    };
    let compare = if wanted { Some(compare) } else { opposite(compare) };
    compare.filter(|compare| order(*compare).is_some()).map(|compare| (compare, limit))
}

/// True for the comparisons with which a counter goes down, false for those with which it goes up.
pub(super) fn order(compare: Compare) -> Option<bool> {
    match compare {
        Compare::Lt | Compare::Le => Some(false),
        Compare::Gt | Compare::Ge => Some(true),
        Compare::Eq | Compare::Ne | Compare::Below => None,
    }
}

/// The comparison of integers with the operands exchanged.
fn mirrored(compare: Compare) -> Option<Compare> {
    match compare {
        Compare::Lt => Some(Compare::Gt),
        Compare::Le => Some(Compare::Ge),
        Compare::Gt => Some(Compare::Lt),
        Compare::Ge => Some(Compare::Le),
        Compare::Eq | Compare::Ne | Compare::Below => None,
    }
}

/// The comparison of integers that holds where this one does not.
fn opposite(compare: Compare) -> Option<Compare> {
    match compare {
        Compare::Lt => Some(Compare::Ge),
        Compare::Le => Some(Compare::Gt),
        Compare::Gt => Some(Compare::Le),
        Compare::Ge => Some(Compare::Lt),
        Compare::Eq | Compare::Ne | Compare::Below => None,
    }
}

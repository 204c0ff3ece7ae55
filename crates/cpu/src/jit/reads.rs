//! Liveness of variables, so that loops carry only what is read.

use gw_base::Id;

use crate::loops::{Arm, Carry, Func, Stmt, Var};

/// A test of at most so many cheap steps is written twice, so that a loop has one jump per iteration.
const ROTATED_TEST: usize = 24;

/// For each variable whether something reads it. What a loop carries is read only if the carry's own value is.
pub(super) fn reads(func: &Func) -> Vec<bool> {
    let mut reads = Reads { read: vec![false; func.vars.len()], more: true };
    while std::mem::take(&mut reads.more) {
        func.body.iter().for_each(|stmt| reads.stmt(stmt, &|var| vec![var]));
        func.results.iter().for_each(|&result| reads.mark(result));
    }
    reads.read
}

struct Reads {
    read: Vec<bool>,
    /// True if the last pass found something.
    more: bool,
}

impl Reads {
    fn is(&self, var: Var) -> bool {
        self.read[var.index()]
    }

    fn mark(&mut self, var: Var) {
        self.more |= !std::mem::replace(&mut self.read[var.index()], true);
    }

    /// Marks what a statement reads, each variable as what stands for it there.
    fn stmt(&mut self, stmt: &Stmt, stands: &dyn Fn(Var) -> Vec<Var>) {
        let mut mark = |vars: &[Var]| vars.iter().flat_map(|&v| stands(v)).for_each(|v| self.mark(v));
        match stmt {
            Stmt::Let(_, expr) => mark(&expr.operands()),
            Stmt::Store { ptr, index, value } => mark(&[*ptr, *index, *value]),
            Stmt::Do(_, args) | Stmt::Invoke { args, .. } => mark(args),
            Stmt::Guard { ok, words, .. } => {
                mark(&[*ok]);
                mark(words);
            }
            Stmt::If { test, then, otherwise, .. } => {
                mark(&[*test]);
                for arm in [then, otherwise] {
                    self.arm(arm, stands);
                }
            }
            Stmt::Try { body, .. } => self.arm(body, stands),
            Stmt::Mark(_) => {}
            Stmt::Leave { ok, given } => {
                mark(&[*ok]);
                mark(given);
            }
            Stmt::For { stop, carries, body, .. } => {
                mark(&[*stop]);
                carries.iter().for_each(|carry| self.mark(carry.init));
                self.arm(body, stands);
            }
            Stmt::Reduce { stop, init, body, .. } => {
                mark(&[*stop, *init]);
                self.arm(body, stands);
            }
            Stmt::While { carries, test, body } => self.while_(carries, test, body),
            Stmt::Share(share) => {
                mark(&[share.stop, share.cut.work, share.cut.fewest]);
                mark(&share.cut.given);
                share.own.iter().for_each(|own| self.mark(own.here));
                share.body.iter().for_each(|stmt| self.stmt(stmt, stands));
            }
        }
    }

    fn arm(&mut self, arm: &Arm, stands: &dyn Fn(Var) -> Vec<Var>) {
        arm.block.iter().for_each(|stmt| self.stmt(stmt, stands));
        arm.results.iter().flat_map(|&var| stands(var)).for_each(|var| self.mark(var));
    }

    /// A cheap test stands before the loop and at its end: there it reads the first and the next values, no carry.
    fn while_(&mut self, carries: &[Carry], test: &Arm, body: &Arm) {
        let rotated = is_cheap(test);
        let stands = |var: Var| match carries.iter().position(|carry| carry.param == var) {
            Some(at) if rotated => vec![carries[at].init, body.results[at]],
            Some(_) | None => vec![var],
        };
        self.arm(test, &stands);
        body.block.iter().for_each(|stmt| self.stmt(stmt, &|var| vec![var]));
        for (carry, &next) in carries.iter().zip(&body.results) {
            if !rotated && self.is(carry.out) {
                self.mark(carry.param);
            }
            if self.is(carry.param) || self.is(carry.out) {
                self.mark(carry.init);
                self.mark(next);
            }
        }
    }
}

/// True if a test may be written twice.
pub(super) fn is_cheap(test: &Arm) -> bool {
    let cheap = |stmt: &Stmt| matches!(stmt, Stmt::Let(_, expr) if expr.is_cheap());
    test.block.len() <= ROTATED_TEST && test.block.iter().all(cheap)
}

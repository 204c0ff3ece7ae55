//! Loops that take integers together, in any order: sums of elements, of which none waits for the one before.

use crate::loops::{Arm, Binary, Carry, Expr, Func, Stmt, Ty, Var};

/// So many things are taken together at most.
const MOST: usize = 4;

/// A loop whose carries are sums of integers, or bits that are taken together, and nothing else depends on them.
pub(super) struct Sums {
    /// The body without these.
    pub(super) body: Arm,
    /// For each carry the operation, and the element that a turn takes.
    pub(super) taken: Vec<(Binary, Var)>,
}

impl Sums {
    /// `None` if a loop is none of these, or stores: turns may then depend on each other.
    pub(super) fn of(func: &Func, carries: &[Carry], body: &Arm) -> Option<Self> {
        if carries.is_empty() || carries.len() > MOST {
            return None;
        }
        let mut taken = Vec::with_capacity(carries.len());
        for (carry, &result) in carries.iter().zip(&body.results) {
            taken.push(element(func, body, carry.param, result)?);
        }
        let is_total =
            |var: Var| body.results.contains(&var) || carries.iter().any(|carry| carry.param == var);
        let is_other = |stmt: &&Stmt| !matches!(stmt, Stmt::Let(var, _) if body.results.contains(var));
        let block: Vec<Stmt> = body.block.iter().filter(is_other).cloned().collect();
        let reads_none = |stmt: &Stmt| match stmt {
            Stmt::Let(_, expr) => !expr.operands().into_iter().any(is_total),
            Stmt::Store { .. } | Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } => false,
            Stmt::If { .. } | Stmt::Try { .. } | Stmt::Leave { .. } | Stmt::For { .. } => false,
            Stmt::Reduce { .. } | Stmt::While { .. } | Stmt::Share(_) | Stmt::Mark(_) => false,
        };
        let is_apart = block.iter().all(reads_none) && !taken.iter().any(|&(_, element)| is_total(element));
        is_apart.then_some(Self { body: Arm { block, results: Vec::new() }, taken })
    }
}

/// The operation that makes the next total of a total, and its other operand.
fn element(func: &Func, body: &Arm, total: Var, next: Var) -> Option<(Binary, Var)> {
    let made = body.block.iter().rev().find_map(|stmt| {
        let Stmt::Let(var, Expr::Binary(binary, x, y)) = stmt else { return None };
        (*var == next).then_some((*binary, *x, *y))
    });
    let (binary, x, y) = made.filter(|_| matches!(func.vars[next], Ty::I32 | Ty::I64))?;
    let is_free = matches!(binary, Binary::Add | Binary::Or | Binary::Xor);
    match () {
        () if is_free && x == total => Some((binary, y)),
        () if is_free && y == total => Some((binary, x)),
        () => None,
    }
}

//! Loops that take integers together, in any order: sums and extremes of elements, of which none waits for the one before.

use crate::loops::{Arm, Binary, Carry, Compare, Expr, Func, Stmt, Ty, Var};

/// So many things are taken together at most.
const MOST: usize = 4;

/// Operation that takes integers together in any order and grouping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    /// Sums, and bits that are joined.
    Binary(Binary),
    Greatest,
    Least,
}

/// A loop whose carries are sums or extremes of integers, or bits that are taken together, and nothing else depends on them.
pub(super) struct Sums {
    /// The body without these.
    pub(super) body: Arm,
    /// For each carry the element that a turn takes.
    pub(super) taken: Vec<Taken>,
}

/// An element that a turn takes together with others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub(super) how: Together,
    pub(super) element: Var,
    /// True if the total is of 64 bits, and the element of 32.
    pub(super) widens: bool,
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
        let mut gone = body.results.clone();
        gone.extend(body.results.iter().filter_map(|&result| test(body, result)));
        for taken in &mut taken {
            if let (Together::Binary(_), Some(short)) = (taken.how, widened(func, body, taken.element)) {
                gone.push(taken.element);
                (taken.element, taken.widens) = (short, true);
            }
        }
        let is_total = |var: Var| gone.contains(&var) || carries.iter().any(|carry| carry.param == var);
        let is_other = |stmt: &&Stmt| !matches!(stmt, Stmt::Let(var, _) if gone.contains(var));
        let block: Vec<Stmt> = body.block.iter().filter(is_other).cloned().collect();
        let reads_none = |stmt: &Stmt| match stmt {
            Stmt::Let(_, expr) => !expr.operands().into_iter().any(is_total),
            Stmt::Store { .. } | Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } => false,
            Stmt::If { .. } | Stmt::Try { .. } | Stmt::Leave { .. } | Stmt::For { .. } => false,
            Stmt::Reduce { .. } | Stmt::While { .. } | Stmt::Share(_) | Stmt::Mark(_) => false,
        };
        let is_apart = block.iter().all(reads_none) && !taken.iter().any(|taken| is_total(taken.element));
        is_apart.then_some(Self { body: Arm { block, results: Vec::new() }, taken })
    }
}

/// The operation that makes the next total of a total, and its other operand.
fn element(func: &Func, body: &Arm, total: Var, next: Var) -> Option<Taken> {
    if !matches!(func.vars[next], Ty::I32 | Ty::I64) {
        return None;
    }
    let next = defined(body, next)?;
    let (how, x, y) = if let &Expr::Select(test, x, y) = next {
        (extreme(body, test, [x, y])?, x, y)
    } else {
        let &Expr::Binary(binary @ (Binary::Add | Binary::Or | Binary::Xor), x, y) = next else {
            return None;
        };
        (Together::Binary(binary), x, y)
    };
    let taken = |element| Taken { how, element, widens: false };
    match () {
        () if x == total => Some(taken(y)),
        () if y == total => Some(taken(x)),
        () => None,
    }
}

/// The extreme of two integers that a select by this test gives, if it is one.
fn extreme(body: &Arm, test: Var, of: [Var; 2]) -> Option<Together> {
    let &Expr::Compare(compare, x, y) = defined(body, test)? else { return None };
    let is_greater = match compare {
        Compare::Gt | Compare::Ge => true,
        Compare::Lt | Compare::Le => false,
        Compare::Eq | Compare::Ne | Compare::Below => return None,
    };
    match (of == [x, y], of == [y, x]) {
        (false, false) => None,
        (is_same, _) if is_same == is_greater => Some(Together::Greatest),
        (true | false, _) => Some(Together::Least),
    }
}

/// The test by which a result is chosen.
fn test(body: &Arm, result: Var) -> Option<Var> {
    let &Expr::Select(test, ..) = defined(body, result)? else { return None };
    Some(test)
}

/// The number of 32 bits that a long one is, if it is one.
fn widened(func: &Func, body: &Arm, long: Var) -> Option<Var> {
    let &Expr::Convert(short) = defined(body, long)? else { return None };
    ((func.vars[short], func.vars[long]) == (Ty::I32, Ty::I64)).then_some(short)
}

fn defined(body: &Arm, wanted: Var) -> Option<&Expr> {
    body.block.iter().find_map(|stmt| {
        let Stmt::Let(var, expr) = stmt else { return None };
        (*var == wanted).then_some(expr)
    })
}

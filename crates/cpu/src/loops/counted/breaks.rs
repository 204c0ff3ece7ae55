//! Branches that end a loop, `if z > x: break`: for the version without checks their test is a check of data. The turn in which it
//! holds is one of the loop as it was.
//!
//! ```text
//! … s, j = if z > x { give true, i } else { k = i + 1  give stop, k } …    ⇒    … leave unless not z > x  j = i + 1  s = stop …
//! ```
//!
//! So a counter that only the turns count that go on grows evenly.

use rustc_hash::FxHashMap;

use super::facts::Facts;
use crate::loops::{Arm, Binary, Block, Expr, Stmt, Ty, Unary, Var};
use gw_base::Table;

/// A flag is taken apart in so many steps at most.
const MOST_STEPS: usize = 64;

/// The body of a loop without the branches that end it, which goes on while `on` holds; nothing if there are none.
pub(super) fn without(facts: &Facts, vars: &mut Table<Var, Ty>, body: &Arm, on: Var) -> Option<Arm> {
    let let_of =
        |stmt: &Stmt| if let Stmt::Let(var, expr) = stmt { Some((*var, expr.clone())) } else { None };
    let lets: FxHashMap<Var, Expr> = body.block.iter().filter_map(let_of).collect();
    let mut parts = Vec::new();
    demanded(&lets, on, true, &mut parts, &mut { MOST_STEPS });
    let (mut block, mut found) = (Block::new(), false);
    let chosen = chosen(facts, &lets, &parts);
    for stmt in &body.block {
        if let (Some((test, holds)), &Stmt::Let(var, Expr::Select(by, x, y))) = (chosen, stmt)
            && test == by
        {
            if !found {
                found = true;
                demand(vars, test, holds, &mut block);
            }
            let left = if holds { x } else { y };
            block.push(Stmt::Let(var, lets.get(&left).cloned().unwrap_or(Expr::Select(by, left, left))));
            continue;
        }
        let is_over = |arm: &Arm, at: usize, wanted: bool| {
            let over = i64::from(!wanted);
            let inside = arm.block.iter().filter_map(let_of).find(|(var, _)| *var == arm.results[at]);
            let given = inside.map(|(_, expr)| expr).or_else(|| lets.get(&arm.results[at]).cloned());
            given.map_or(facts.known.get(&arm.results[at]) == Some(&over), |expr| expr == Expr::Int(over))
        };
        match ending(stmt, &parts, is_over) {
            Some((test, holds, goes_on, outs)) if goes_on.block.iter().all(|stmt| let_of(stmt).is_some()) => {
                found = true;
                let ok = demand(vars, test, holds, &mut block);
                renamed(goes_on, outs, ok, &mut block);
            }
            Some(_) | None => block.push(stmt.clone()),
        }
    }
    found.then(|| Arm { block, results: body.results.clone() })
}

/// Leaves the turn unless a test holds, or unless it does not.
fn demand(vars: &mut Table<Var, Ty>, test: Var, holds: bool, block: &mut Block) -> Var {
    let ok = if holds { test } else { vars.push(Ty::Bool) };
    if !holds {
        block.push(Stmt::Let(ok, Expr::Unary(Unary::Not, test)));
    }
    block.push(Stmt::Leave { ok, given: Vec::new() });
    ok
}

/// The test of choices one of which ends the loop, and whether it goes on where that holds.
fn chosen(facts: &Facts, lets: &FxHashMap<Var, Expr>, parts: &[(Var, bool)]) -> Option<(Var, bool)> {
    parts.iter().find_map(|(flag, wanted)| {
        let &Expr::Select(test, x, y) = lets.get(flag)? else { return None };
        let over = i64::from(!wanted);
        let is_over = |var: Var| match lets.get(&var) {
            Some(expr) => *expr == Expr::Int(over),
            None => facts.known.get(&var) == Some(&over),
        };
        (is_over(x) != is_over(y)).then(|| (test, is_over(y)))
    })
}

/// Bools that a loop demands to be true or false to go on.
fn demanded(
    lets: &FxHashMap<Var, Expr>,
    var: Var,
    wanted: bool,
    parts: &mut Vec<(Var, bool)>,
    steps: &mut usize,
) {
    let Some(left) = steps.checked_sub(1) else { return };
    *steps = left;
    match lets.get(&var) {
        Some(Expr::Unary(Unary::Not, x)) => demanded(lets, *x, !wanted, parts, steps),
        Some(Expr::Binary(Binary::And, x, y)) if wanted => {
            [x, y].into_iter().for_each(|part| demanded(lets, *part, true, parts, steps));
        }
        Some(Expr::Binary(Binary::Or, x, y)) if !wanted => {
            [x, y].into_iter().for_each(|part| demanded(lets, *part, false, parts, steps));
        }
        Some(_) | None => parts.push((var, wanted)),
    }
}

/// The test of a branch that ends the loop, whether it goes on where that holds, the arm that runs then, and the results.
fn ending<'s>(
    stmt: &'s Stmt,
    parts: &[(Var, bool)],
    is_over: impl Fn(&Arm, usize, bool) -> bool,
) -> Option<(Var, bool, &'s Arm, &'s [Var])> {
    let Stmt::If { test, cold: false, then, otherwise, outs } = stmt else { return None };
    // A branch that gives the flag alone is an end of the turn.
    if outs.len() < 2 {
        return None;
    }
    let (at, wanted) = outs.iter().enumerate().find_map(|(at, out)| {
        let (_, wanted) = parts.iter().find(|(part, _)| part == out)?;
        Some((at, *wanted))
    })?;
    match [then, otherwise].map(|arm| is_over(arm, at, wanted)) {
        [true, false] => Some((*test, false, otherwise, outs)),
        [false, true] => Some((*test, true, then, outs)),
        [true, true] | [false, false] => None,
    }
}

/// Adds the statements of an arm, whose results have the names of those of its branch.
fn renamed(arm: &Arm, outs: &[Var], ok: Var, block: &mut Block) {
    let mut names: FxHashMap<Var, Var> = FxHashMap::default();
    let is_inside =
        |var: Var| arm.block.iter().any(|stmt| matches!(stmt, Stmt::Let(defined, _) if *defined == var));
    let mut copies = Vec::new();
    for (&result, &out) in arm.results.iter().zip(outs) {
        if is_inside(result) && !names.contains_key(&result) {
            names.insert(result, out);
        } else {
            copies.push((out, result));
        }
    }
    let name = |var: Var| names.get(&var).copied().unwrap_or(var);
    for stmt in &arm.block {
        if let Stmt::Let(var, expr) = stmt {
            block.push(Stmt::Let(name(*var), expr.map(name)));
        }
    }
    for (out, result) in copies {
        let result = name(result);
        block.push(Stmt::Let(out, Expr::Select(ok, result, result)));
    }
}

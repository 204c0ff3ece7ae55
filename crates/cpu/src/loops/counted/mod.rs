//! Loops whose turns are known beforehand run without checks where none of those can fail.
//!
//! ```text
//! while carry i = first, on = …, ticks = … { test on } { … leave unless i < 9 …  store x[i] = …  next i + 1, i + 1 < n, … }
//! ```
//!
//! becomes a choice: if no check of any turn fails, a `for` over the turns without checks, else the loop as it was. A check is
//! one of numbers that grow evenly from turn to turn: such a one holds in all turns if it does in the first and the last. A `for`
//! that carries nothing else and whose turns do not depend on each other runs in lanes.

mod address;
mod branches;
mod breaks;
mod check;
mod effects;
mod facts;
mod fast;
mod folding;
mod forward;
mod going;
mod leaves;
mod places;
mod shape;
mod totals;
mod version;

use super::{Block, Func, Range, Stmt, Ty, Var};
use facts::Facts;
use gw_base::Table;

/// Gives each loop whose turns can be counted its choice. The ranges are those of the variables that the function was built with.
pub(crate) fn count_turns(func: &mut Func, ranges: Vec<Range>) {
    let mut body = std::mem::take(&mut func.body);
    block(&mut Facts::of(ranges), &mut func.vars, &mut body);
    func.body = body;
}

fn block(facts: &mut Facts, vars: &mut Table<Var, Ty>, block: &mut Block) {
    for stmt in std::mem::take(block) {
        block.extend(statement(facts, vars, stmt));
    }
}

fn statement(facts: &mut Facts, vars: &mut Table<Var, Ty>, mut stmt: Stmt) -> Vec<Stmt> {
    if let Stmt::Let(var, expr) = &stmt {
        facts.define(*var, expr);
    }
    if let Stmt::While { carries, test, body } = &stmt
        && let Some(choice) = fast::choice(facts, vars, carries, test, body)
    {
        return choice;
    }
    if let Stmt::While { carries, body, .. } = &stmt {
        facts.carried(carries, &body.results);
    }
    if !matches!(stmt, Stmt::Share(_)) {
        stmt.blocks_mut().into_iter().for_each(|inner| block(facts, vars, inner));
    }
    vec![stmt]
}

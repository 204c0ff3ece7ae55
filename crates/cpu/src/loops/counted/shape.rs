//! The loops whose turns can be counted: a counter grows by the same in each turn, and a flag says whether it is below a limit.

use std::collections::HashMap;

use super::facts::Facts;
use crate::loops::{Arm, Binary, Callee, Carry, Compare, Expr, Stmt, Var};

/// Parts of such a loop.
pub(super) struct Shape {
    /// The carry that counts.
    pub(super) counter: usize,
    /// Amount by which it grows.
    pub(super) step: Var,
    /// The loop goes on while the next count is less.
    pub(super) limit: Var,
    /// The flag.
    pub(super) on: usize,
    /// The carry that counts turns until the host is asked.
    pub(super) ticks: Option<Ticks>,
}

/// The count of turns until the host is asked whether to go on.
pub(super) struct Ticks {
    pub(super) carry: usize,
    /// The count behind the question.
    pub(super) asked: Var,
    /// Amount that is added in a turn.
    pub(super) each: Var,
}

impl Shape {
    /// The shape of a loop, if it is one of these.
    pub(super) fn of(facts: &Facts, carries: &[Carry], test: &Arm, body: &Arm) -> Option<Self> {
        let defined: HashMap<Var, &Expr> = body.block.iter().filter_map(let_of).collect();
        let position = |param: Var| carries.iter().position(|carry| carry.param == param);
        let &[tested] = &test.results[..] else { return None };
        let on = position(tested).filter(|_| test.block.is_empty())?;
        let inside = |var: &Var| defined.contains_key(var) || position(*var).is_some();
        let &Expr::Compare(Compare::Lt, next, limit) = *defined.get(&body.results[on])? else { return None };
        let &Expr::Binary(Binary::Add, x, y) = *defined.get(&next)? else { return None };
        let (counter, step) = match (position(x), position(y)) {
            (Some(counter), None) => (counter, y),
            (None, Some(counter)) => (counter, x),
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let is_known = |var: &Var| matches!(defined.get(var), Some(Expr::Int(_))) || !inside(var);
        if body.results[counter] != next || !is_known(&step) || !is_known(&limit) {
            return None;
        }
        let asks = body.block.iter().any(is_asking);
        let ticks = Ticks::of(facts, carries, body, &defined);
        (ticks.is_some() == asks).then_some(Self { counter, step, limit, on, ticks })
    }
}

impl Ticks {
    fn of(facts: &Facts, carries: &[Carry], body: &Arm, defined: &HashMap<Var, &Expr>) -> Option<Self> {
        let asking = body.block.iter().find(|stmt| is_asking(stmt))?;
        let Stmt::If { otherwise, outs, .. } = asking else { return None };
        let (&[before], &[asked]) = (&otherwise.results[..], &outs[..]) else { return None };
        let carry = carries.iter().position(|carry| carry.param == before)?;
        let next = body.results[carry];
        let &Expr::Binary(Binary::Add, sum, each) = *defined.get(&next)? else { return None };
        let is_number =
            matches!(defined.get(&each), Some(Expr::Int(1..=0xff_ffff))) || facts.known.contains_key(&each);
        (sum == asked && is_number).then_some(Self { carry, asked, each })
    }
}

fn let_of(stmt: &Stmt) -> Option<(Var, &Expr)> {
    if let Stmt::Let(var, expr) = stmt { Some((*var, expr)) } else { None }
}

/// True for the statement that asks the host whether to go on.
pub(super) fn is_asking(stmt: &Stmt) -> bool {
    let asks = |stmt: &Stmt| matches!(stmt, Stmt::Let(_, Expr::Call(Callee::Poll, _)));
    matches!(stmt, Stmt::If { cold: true, then, .. } if then.block.iter().any(asks))
}

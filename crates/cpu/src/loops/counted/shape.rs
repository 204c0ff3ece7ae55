//! The loops whose turns can be counted: a counter changes by the same in each turn, and a flag says whether it is on this side of a limit.

use rustc_hash::FxHashMap;

use super::facts::Facts;
use super::going::{End, Going, order};
use crate::loops::{Arm, Binary, Block, Callee, Carry, Compare, Expr, Stmt, Unary, Var};

/// Parts of such a loop.
pub(super) struct Shape {
    /// The carry that counts.
    pub(super) counter: usize,
    /// Amount by which it grows, or by which it gets less.
    pub(super) step: Var,
    /// True if it gets less.
    pub(super) subtracts: bool,
    /// The loop goes on while the next count compares so with the limit.
    pub(super) compare: Compare,
    pub(super) limit: Var,
    /// The flag.
    pub(super) on: usize,
    /// The carry that counts turns until the host is asked.
    pub(super) ticks: Option<Ticks>,
    /// A turn without its end.
    pub(super) main: Block,
    /// Numbers that are written in the body.
    pub(super) constants: Vec<(Var, Expr)>,
    /// Variables that it does not have.
    pub(super) left_out: Vec<Var>,
    /// The tests of data behind which it goes on.
    pub(super) ends: Vec<End>,
}

/// The count of turns until the host is asked whether to go on.
pub(super) struct Ticks {
    pub(super) carry: usize,
    /// The count behind the question, if it begins anew there.
    pub(super) asked: Option<Var>,
    /// Amount that is added in a turn.
    pub(super) each: Var,
    /// The count before the first turn, and what it may not be more than behind the last one, if there is such a limit.
    pub(super) limit: Option<[Var; 2]>,
}

impl Shape {
    /// The shape of a loop, if it is one of these.
    pub(super) fn of(facts: &Facts, carries: &[Carry], test: &Arm, body: &Arm) -> Option<Self> {
        let defined: FxHashMap<Var, &Expr> = body.block.iter().filter_map(let_of).collect();
        let position = |param: Var| carries.iter().position(|carry| carry.param == param);
        let &[tested] = &test.results[..] else { return None };
        let on = position(tested).filter(|_| test.block.is_empty())?;
        let counts = |at: usize| {
            let (step, subtracts) = growth(carries[at].param, defined.get(&body.results[at])?)?;
            let going = Going::of(facts, body, body.results[on], body.results[at])?;
            let (compare, limit) = going.count?;
            let is_known = |var: Var| going.is_known(var) && position(var).is_none();
            let ends = is_known(step) && is_known(limit) && order(compare) == Some(subtracts);
            ends.then_some((at, step, subtracts, compare, limit, going))
        };
        let (counter, step, subtracts, compare, limit, going) = (0..carries.len()).find_map(counts)?;
        let asks = body.block.iter().any(is_asking);
        let ticks = Ticks::of(facts, carries, body, &defined);
        let (main, left_out, constants) = (going.main(), going.left_out(), going.constants());
        let ends = going.ends;
        let shape =
            Self { counter, step, subtracts, compare, limit, on, ticks, main, constants, left_out, ends };
        (shape.ticks.is_some() == asks).then_some(shape)
    }
}

/// The amount that is added to a number, or subtracted from it.
fn growth(number: Var, next: &Expr) -> Option<(Var, bool)> {
    let &Expr::Binary(binary, x, y) = next else { return None };
    if binary == Binary::Add && x == number {
        Some((y, false))
    } else if binary == Binary::Add && y == number {
        Some((x, false))
    } else {
        (binary == Binary::Sub && x == number).then_some((y, true))
    }
}

impl Ticks {
    fn of(facts: &Facts, carries: &[Carry], body: &Arm, defined: &FxHashMap<Var, &Expr>) -> Option<Self> {
        let asking = body.block.iter().find(|stmt| is_asking(stmt))?;
        let Stmt::If { then, otherwise, outs, .. } = asking else { return None };
        if outs.is_empty() {
            return Self::of_calls(facts, carries, body, defined, &then.block);
        }
        let (&[before], &[asked]) = (&otherwise.results[..], &outs[..]) else { return None };
        let carry = carries.iter().position(|carry| carry.param == before)?;
        let next = body.results[carry];
        let &Expr::Binary(Binary::Add, sum, each) = *defined.get(&next)? else { return None };
        let is_number = is_number(facts, defined, each);
        (sum == asked && is_number).then_some(Self { carry, asked: Some(asked), each, limit: None })
    }

    /// Those of a loop that counts its turns anyway, and checks that there are not too many where it asks the host.
    fn of_calls(
        facts: &Facts,
        carries: &[Carry],
        body: &Arm,
        defined: &FxHashMap<Var, &Expr>,
        then: &[Stmt],
    ) -> Option<Self> {
        let Some(Stmt::Let(_, Expr::Unary(Unary::Not, ok))) = then.first() else { return None };
        let &Expr::Compare(Compare::Lt, calls, most) = *defined.get(ok)? else { return None };
        let carry = carries.iter().position(|carry| carry.param == calls)?;
        let &Expr::Binary(Binary::Add, sum, each) = *defined.get(&body.results[carry])? else { return None };
        let limit = Some([carries[carry].init, most]);
        (sum == calls && is_number(facts, defined, each)).then_some(Self { carry, asked: None, each, limit })
    }
}

/// True of a small number that is written.
fn is_number(facts: &Facts, defined: &FxHashMap<Var, &Expr>, var: Var) -> bool {
    matches!(defined.get(&var), Some(Expr::Int(1..=0xff_ffff))) || facts.known.contains_key(&var)
}

fn let_of(stmt: &Stmt) -> Option<(Var, &Expr)> {
    if let Stmt::Let(var, expr) = stmt { Some((*var, expr)) } else { None }
}

/// True for the statement that asks the host whether to go on.
pub(super) fn is_asking(stmt: &Stmt) -> bool {
    let asks = |stmt: &Stmt| matches!(stmt, Stmt::Let(_, Expr::Call(Callee::Poll, _)));
    matches!(stmt, Stmt::If { cold: true, then, .. } if then.block.iter().any(asks))
}

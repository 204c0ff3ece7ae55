//! The choice between a loop without checks and the loop as it was.

use rustc_hash::{FxHashMap, FxHashSet};

use super::breaks;
use super::check::{Before, Kind};
use super::effects;
use super::facts::Facts;
use super::leaves;
use super::shape::{Shape, is_asking};
use super::totals;
use super::version::Version;
use crate::loops::{Arm, Binary, Block, Callee, Carry, Compare, Expr, Stmt, Ty, Unary, Var};
use gw_base::Table;

/// Longer bodies are not written twice.
const LONGEST: usize = 1 << 10;

/// The statements in place of a loop, if its turns can be counted and its checks be made beforehand.
pub(super) fn choice(
    facts: &Facts,
    vars: &mut Table<Var, Ty>,
    carries: &[Carry],
    test: &Arm,
    body: &Arm,
) -> Option<Vec<Stmt>> {
    let (as_it_was, straight) = (body, straight(facts, vars, carries, test, body)?);
    let body = straight.as_ref().unwrap_or(body);
    let shape = Shape::of(facts, carries, test, body).filter(|_| body.block.len() <= LONGEST)?;
    let mut before = Before::new(facts, vars, carries, &shape, totals::of(carries, body));
    let count = before.turns(carries, &shape)?;
    let mut clean = before.clean(&shape.main, &shape)?;
    let ends = before.ends(&shape)?;
    before.drop_implied(&mut clean);
    before.store_last(&mut clean);
    let is_other = |at: &usize| {
        ![shape.counter, shape.on].contains(at) && shape.ticks.as_ref().is_none_or(|ticks| ticks.carry != *at)
    };
    let others: Vec<usize> = (0..carries.len()).filter(is_other).collect();
    let whole: Block = clean.iter().chain(ends.iter().flat_map(|(block, _)| block)).cloned().collect();
    if effects::follow_a_store(&whole) {
        return None;
    }
    let leaves = effects::are_in(&clean) || !ends.is_empty();
    let (results, others) = (&body.results[..], &others[..]);
    let mut fast = Fast { carries, shape: &shape, results, others, ends, count, leaves };
    let test_all = before.all();
    if before.known(test_all) == Some(0) {
        return None;
    }
    let mut block = std::mem::take(&mut before.block);
    let then = fast.arm(&mut before, &clean)?;
    if leaves {
        block.extend(leaves::resumed(before.vars, test_all, then, (carries, test, as_it_was)));
        return Some(block);
    }
    // Nothing runs the loop as it was if all conditions are known to hold.
    let otherwise = match before.known(test_all) {
        Some(1) => Arm { block: Vec::new(), results: carries.iter().map(|carry| carry.init).collect() },
        Some(_) | None => slow(before.vars, carries, test, as_it_was),
    };
    let outs = carries.iter().map(|carry| carry.out).collect();
    let choice = Stmt::If { test: test_all, cold: false, then, otherwise, outs };
    Some(block.into_iter().chain([choice]).collect())
}

/// The loop as it was, with results of its own.
fn slow(vars: &mut Table<Var, Ty>, carries: &[Carry], test: &Arm, body: &Arm) -> Arm {
    let mut slow = carries.to_vec();
    slow.iter_mut().for_each(|carry| carry.out = vars.push(vars[carry.out]));
    let results = slow.iter().map(|carry| carry.out).collect();
    let loop_ = Stmt::While { carries: slow, test: test.clone(), body: body.clone() };
    Arm { block: vec![loop_], results }
}

/// The body without branches that end the loop, if its turns cannot be counted with them.
fn straight(
    facts: &Facts,
    vars: &mut Table<Var, Ty>,
    carries: &[Carry],
    test: &Arm,
    body: &Arm,
) -> Option<Option<Arm>> {
    if Shape::of(facts, carries, test, body).is_some() {
        return Some(None);
    }
    let &[tested] = &test.results[..] else { return None };
    let on = carries.iter().position(|carry| carry.param == tested).filter(|_| test.block.is_empty())?;
    breaks::without(facts, vars, body, body.results[on]).map(Some)
}

impl Before<'_> {
    /// Demands that a number to which each turn adds the same is not more than another one behind the last turn.
    fn stays_below(&mut self, first: Var, each: Var, most: Var) -> Option<()> {
        let (each, most) = (self.copy(each)?, self.copy(most)?);
        let added = self.binary(Binary::Mul, self.count?, each);
        let last = self.binary(Binary::Add, first, added);
        let is_below = self.compare(Compare::Le, last, most);
        self.demand(is_below);
        Some(())
    }

    /// The statements without checks, which are demanded to hold; nothing if one cannot be.
    fn clean(&mut self, block: &Block, shape: &Shape) -> Option<Block> {
        let mut clean = Vec::new();
        for stmt in block {
            if is_asking(stmt) {
                let ticks = shape.ticks.as_ref()?;
                self.kinds.extend(ticks.asked.map(|asked| (asked, Kind::Data)));
                if let Some([first, most]) = ticks.limit {
                    self.stays_below(first, ticks.each, most)?;
                }
                continue;
            }
            match stmt {
                Stmt::Let(var, expr) => {
                    self.define(*var, expr);
                    self.judge_effect(*var, expr)?;
                    clean.push(stmt.clone());
                }
                Stmt::Guard { ok, .. } | Stmt::Leave { ok, .. } => self.check(*ok, true, &mut clean),
                Stmt::If { test, then, otherwise, outs, cold }
                    if effects::is_failure(then, *cold)
                        && outs.is_empty()
                        && *otherwise == Arm::default() =>
                {
                    self.check(*test, false, &mut clean);
                }
                Stmt::If { test, cold, then, otherwise, outs } => {
                    let arms = [then, otherwise].map(|arm| {
                        Some(Arm { block: self.clean(&arm.block, shape)?, results: arm.results.clone() })
                    });
                    let [then, otherwise] = arms;
                    self.kinds.extend(outs.iter().map(|&out| (out, Kind::Data)));
                    let (test, cold, outs, then, otherwise) = (*test, *cold, outs.clone(), then?, otherwise?);
                    let mut all =
                        [test].into_iter().chain(then.results.clone()).chain(otherwise.results.clone());
                    if !all.all(|var| self.is_of_data(var)) {
                        self.counted.extend(&outs);
                    }
                    clean.push(Stmt::If { test, cold, then, otherwise, outs });
                }
                Stmt::Store { .. } | Stmt::Mark(_) => clean.push(stmt.clone()),
                Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Try { .. } | Stmt::For { .. } => return None,
                Stmt::Reduce { .. } | Stmt::While { .. } | Stmt::Share(_) => return None,
            }
        }
        Some(clean)
    }

    /// The ends of a turn without checks, each with what has to hold behind it.
    fn ends(&mut self, shape: &Shape) -> Option<Vec<(Block, Var)>> {
        let mut ends = Vec::new();
        for end in &shape.ends {
            let mut block = self.clean(&end.block, shape)?;
            let ok =
                if end.wanted { end.ok } else { self.added(Expr::Unary(Unary::Not, end.ok), &mut block) };
            ends.push((block, ok));
        }
        Some(ends)
    }

    /// Nothing if an expression does more than to compute.
    fn judge_effect(&mut self, var: Var, expr: &Expr) -> Option<()> {
        match expr {
            Expr::Call(Callee::Kernel(_), _) => {}
            Expr::Call(..) | Expr::Room => return None,
            Expr::Select(test, _, second) if self.kind(var) == Kind::Data => {
                self.choose_second(var, *test, *second);
            }
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Unary(..) => {}
            Expr::Binary(..) | Expr::Overflows(..) | Expr::Compare(..) | Expr::Select(..) => {}
            Expr::Convert(_) | Expr::Load(..) | Expr::Offset(..) => {}
        }
        Some(())
    }
}

/// A loop without checks in the making.
struct Fast<'a> {
    carries: &'a [Carry],
    shape: &'a Shape,
    /// The next values of the carries.
    results: &'a [Var],
    /// The carries that a `for` has, too.
    others: &'a [usize],
    /// Statements at the end of a turn, and the condition that has to hold then for the loop to go on.
    ends: Vec<(Block, Var)>,
    count: Var,
    /// True if a turn may leave the loop.
    leaves: bool,
}

impl Fast<'_> {
    /// The arm that is run if no check fails that can be made beforehand.
    fn arm(&mut self, before: &mut Before, clean: &Block) -> Option<Arm> {
        let step = before.step();
        let flat = before.flat(clean);
        let in_lanes = flat.as_ref().map_or(clean, |flat| &flat.block);
        let may_be_in_lanes =
            self.others.is_empty() && self.ends.is_empty() && !(self.leaves && before.is_ordered);
        let accesses = if may_be_in_lanes { before.accesses(in_lanes, step) } else { None };
        let independent = accesses.and_then(|accesses| before.are_independent(&accesses, self.count));
        if independent.as_ref().is_some_and(Vec::is_empty) {
            let in_lanes = self.loop_(before, in_lanes, false)?;
            before.block.extend(in_lanes.block);
            return self.behind(before, &in_lanes.results);
        }
        let independent = independent.and_then(|all| before.all_of(all));
        let in_order = flat.as_ref().filter(|flat| flat.is_short).map_or(clean, |flat| &flat.block);
        let in_order = self.loop_(before, in_order, true)?;
        let unchecked = match self.ends.is_empty() && !before.sums.is_empty() {
            true => before.without_totals(clean),
            false => None,
        };
        let other = match (independent, unchecked) {
            (Some(test), _) => Some((test, self.loop_(before, in_lanes, false)?)),
            (None, Some((block, test))) => Some((test, self.loop_(before, &block, true)?)),
            (None, None) => None,
        };
        let ran = match other {
            Some((test, in_lanes)) => {
                let outs: Vec<Var> =
                    in_order.results.iter().map(|&one| before.vars.push(before.vars[one])).collect();
                let (then, otherwise) = (in_lanes, in_order);
                before.block.push(Stmt::If { test, cold: false, then, otherwise, outs: outs.clone() });
                outs
            }
            None => {
                before.block.extend(in_order.block);
                in_order.results
            }
        };
        self.behind(before, &ran)
    }

    /// The arm of a loop that ran, with what is carried behind it.
    fn behind(&self, before: &mut Before, ran: &[Var]) -> Option<Arm> {
        let (done, outs) = if self.leaves { (ran[0], &ran[1..]) } else { (self.count, ran) };
        let results =
            (0..self.carries.len()).map(|at| self.after(before, at, done, outs)).collect::<Option<_>>()?;
        Some(Arm { block: std::mem::take(&mut before.block), results })
    }

    /// The value of a carry behind the loop, of which so many turns were run.
    fn after(&self, before: &mut Before, at: usize, done: Var, outs: &[Var]) -> Option<Var> {
        let carry = self.carries[at];
        let by = if at == self.shape.on {
            if let (false, Some(&goes_on)) = (self.ends.is_empty(), outs.last()) {
                return Some(goes_on);
            }
            let goes_on =
                if self.leaves { Expr::Compare(Compare::Lt, done, self.count) } else { Expr::Int(0) };
            return Some(before.let_(Ty::Bool, goes_on));
        } else if at == self.shape.counter {
            before.by()?
        } else {
            match self.shape.ticks.as_ref().filter(|ticks| ticks.carry == at) {
                Some(ticks) => before.copy(ticks.each)?,
                None => return self.others.iter().position(|&other| other == at).map(|other| outs[other]),
            }
        };
        let grown = before.binary(Binary::Mul, done, by);
        Some(before.binary(Binary::Add, carry.init, grown))
    }

    /// The flag of a loop that goes on behind the turns that were run; there is none where that follows from their number.
    fn goes_on(&self, before: &mut Before) -> Option<Var> {
        (!self.ends.is_empty()).then(|| before.let_(Ty::Bool, Expr::Int(1)))
    }

    /// A `for` over all turns, which gives what it carries; one that may be left gives the number of turns before that.
    /// One whose turns depend on each other carries something.
    fn loop_(&self, before: &mut Before, clean: &Block, in_order: bool) -> Option<Arm> {
        let mut names = FxHashMap::default();
        let mut carries = Vec::new();
        for &at in self.others {
            let carry = self.carries[at];
            let [param, out] = [carry.param, carry.out].map(|var| before.vars.push(before.vars[var]));
            names.insert(carry.param, param);
            carries.push(Carry { init: carry.init, param, out });
        }
        let iv = before.vars.push(Ty::I64);
        let mut given: Vec<Var> = [iv].into_iter().chain(carries.iter().map(|carry| carry.param)).collect();
        let goes_on = self.goes_on(before);
        given.extend(goes_on);
        let (forwards, steady) = if in_order {
            (before.forwards(clean, &self.ends), before.steady(clean))
        } else {
            Default::default()
        };
        let mut version = Version::new(before, names, given.clone(), steady);
        version.counter(self.carries[self.shape.counter], iv)?;
        carries.extend(version.forward(&forwards)?);
        version.block(clean)?;
        let nexts =
            self.others.iter().map(|&at| self.results[at]).chain(forwards.iter().map(|one| one.source));
        let nexts: Vec<Var> = nexts.collect();
        version.ends(&self.ends, iv, &nexts[..self.others.len()])?;
        let mut results: Vec<Var> = version.names_of(&nexts)?;
        let mut block = version.into_block();
        if self.leaves && !in_order {
            block = leaves::merged(before.vars, &given, block);
        }
        let outs: Vec<Var> = carries[..self.others.len()].iter().map(|carry| carry.out).collect();
        if in_order && carries.is_empty() {
            let init = before.let_(Ty::I64, Expr::Int(0));
            let [param, out] = [0, 1].map(|_| before.vars.push(Ty::I64));
            carries.push(Carry { init, param, out });
            results.push(param);
        }
        let mut read: FxHashSet<Var> = results.iter().copied().collect();
        effects::drop_unread(&mut block, &mut read);
        let made = vec![Stmt::For { iv, stop: self.count, carries, body: Arm { block, results } }];
        if !self.leaves {
            return Some(Arm { block: made, results: outs });
        }
        let results: Vec<Var> = given.iter().map(|&var| before.vars.push(before.vars[var])).collect();
        let all = [self.count].into_iter().chain(outs).chain(goes_on).collect();
        let body = Arm { block: made, results: all };
        Some(Arm { block: vec![Stmt::Try { body, outs: results.clone() }], results })
    }
}

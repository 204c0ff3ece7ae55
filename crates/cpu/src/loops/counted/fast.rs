//! The choice between a loop without checks and the loop as it was.

use rustc_hash::{FxHashMap, FxHashSet};

use super::address::Address;
use super::breaks;
use super::check::{Before, Kind, Turn};
use super::effects;
use super::facts::Facts;
use super::forward::Forward;
use super::leaves;
use super::shape::{Shape, is_asking};
use super::totals;
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
    let mut block = std::mem::take(&mut before.block);
    let then = fast.arm(&mut before, &clean)?;
    if leaves {
        block.extend(leaves::resumed(before.vars, test_all, then, (carries, test, as_it_was)));
        return Some(block);
    }
    let mut slow = carries.to_vec();
    slow.iter_mut().for_each(|carry| carry.out = before.vars.push(before.vars[carry.out]));
    let results = slow.iter().map(|carry| carry.out).collect();
    let loop_ = Stmt::While { carries: slow, test: test.clone(), body: as_it_was.clone() };
    let otherwise = Arm { block: vec![loop_], results };
    let outs = carries.iter().map(|carry| carry.out).collect();
    let choice = Stmt::If { test: test_all, cold: false, then, otherwise, outs };
    Some(block.into_iter().chain([choice]).collect())
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
    /// The statements without checks, which are demanded to hold; nothing if one cannot be.
    fn clean(&mut self, block: &Block, shape: &Shape) -> Option<Block> {
        let mut clean = Vec::new();
        for stmt in block {
            if is_asking(stmt) {
                let asked = shape.ticks.as_ref()?.asked;
                self.kinds.insert(asked, Kind::Data);
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
        let (done, outs) = if self.leaves { (ran[0], &ran[1..]) } else { (self.count, &ran[..]) };
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
        let mut copy =
            Copy { before, names, block: Vec::new(), bases: Vec::new(), given: given.clone(), steady };
        copy.counter(self, iv)?;
        carries.extend(copy.forward(&forwards)?);
        copy.block(clean)?;
        let nexts =
            self.others.iter().map(|&at| self.results[at]).chain(forwards.iter().map(|one| one.source));
        let nexts: Vec<Var> = nexts.collect();
        copy.ends(&self.ends, iv, &nexts[..self.others.len()])?;
        let mut results: Vec<Var> = copy.names_of(&nexts)?;
        let mut block = std::mem::take(&mut copy.block);
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

/// A body as it is written once more, with names of its own.
struct Copy<'b, 'a> {
    before: &'b mut Before<'a>,
    names: FxHashMap<Var, Var>,
    block: Block,
    /// The beginnings of what is touched, before the loop.
    bases: Vec<(Address, Var)>,
    /// Values that a turn gives that leaves the loop.
    given: Vec<Var>,
    /// Loads that are done before the loop.
    steady: FxHashSet<Var>,
}

impl Copy<'_, '_> {
    /// Computes the counter of the loop from the number of the turn.
    fn counter(&mut self, fast: &Fast, iv: Var) -> Option<()> {
        let carry = fast.carries[fast.shape.counter];
        let mut far = iv;
        if self.before.step() != Some(1) {
            let step = self.before.by()?;
            far = self.let_(Ty::I64, Expr::Binary(Binary::Mul, iv, step));
        }
        let counter = self.let_(Ty::I64, Expr::Binary(Binary::Add, carry.init, far));
        self.names.insert(carry.param, counter);
        Some(())
    }

    /// The ends of a turn: the loop is over where one does not hold, with what this turn hands on.
    fn ends(&mut self, ends: &[(Block, Var)], iv: Var, nexts: &[Var]) -> Option<()> {
        for (block, ok) in ends {
            self.block(block)?;
            let ok = self.name(*ok)?;
            let (one, over) = (self.before.word(1), self.before.let_(Ty::Bool, Expr::Int(0)));
            let mut given = vec![self.let_(Ty::I64, Expr::Binary(Binary::Add, iv, one))];
            given.extend(self.names_of(nexts)?);
            given.push(over);
            self.block.push(Stmt::Leave { ok, given });
        }
        Some(())
    }

    /// The carries in place of loads, which begin with the elements that the first turn would read.
    fn forward(&mut self, forwards: &[Forward]) -> Option<Vec<Carry>> {
        forwards
            .iter()
            .map(|one| {
                let ty = self.before.vars[one.loaded];
                let (ptr, index) = self.first_element(one.ptr, one.index, ty)?;
                let init = self.before.let_(ty, Expr::Load(ptr, index));
                let [param, out] = [0, 1].map(|_| self.before.vars.push(ty));
                self.names.insert(one.loaded, param);
                Some(Carry { init, param, out })
            })
            .collect()
    }

    /// `ptr[index]` in the first turn, before the loop.
    fn first_element(&mut self, ptr: Var, index: Var, ty: Ty) -> Option<(Var, Var)> {
        let address = self.before.address(ptr, index, ty)?;
        let (position, _) = address.even?;
        let first = self.before.value(position, Turn::First)?;
        Some((self.base_of(address, ty)?, first))
    }

    fn let_(&mut self, ty: Ty, expr: Expr) -> Var {
        let var = self.before.vars.push(ty);
        self.block.push(Stmt::Let(var, expr));
        var
    }

    /// The name of a variable in the copy.
    fn name(&mut self, var: Var) -> Option<Var> {
        let var = self.before.chosen(var);
        match self.names.get(&var) {
            Some(&name) => Some(name),
            None => self.before.copy(var),
        }
    }

    fn names_of(&mut self, vars: &[Var]) -> Option<Vec<Var>> {
        vars.iter().map(|&var| self.name(var)).collect()
    }

    fn block(&mut self, block: &Block) -> Option<()> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match stmt {
            Stmt::Let(var, expr) => self.define(*var, expr)?,
            Stmt::Store { ptr, index, value } => {
                let (ptr, index) = self.element(*ptr, *index, self.before.vars[*value])?;
                let value = self.name(*value)?;
                self.block.push(Stmt::Store { ptr, index, value });
            }
            Stmt::If { test, cold, then, otherwise, outs } => {
                let (test, cold) = (self.name(*test)?, *cold);
                let (then, otherwise) = (self.arm(then)?, self.arm(otherwise)?);
                let outs = outs.iter().map(|&out| self.fresh(out)).collect();
                self.block.push(Stmt::If { test, cold, then, otherwise, outs });
            }
            Stmt::Mark(node) => self.block.push(Stmt::Mark(*node)),
            Stmt::Leave { ok, .. } => {
                let (ok, given) = (self.name(*ok)?, self.given.clone());
                self.block.push(Stmt::Leave { ok, given });
            }
            Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::Try { .. } => return None,
            Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } | Stmt::Share(_) => return None,
        }
        Some(())
    }

    fn arm(&mut self, arm: &Arm) -> Option<Arm> {
        let outer = std::mem::take(&mut self.block);
        let done = self.block(&arm.block);
        let results = done.and_then(|()| self.names_of(&arm.results));
        let block = std::mem::replace(&mut self.block, outer);
        Some(Arm { block, results: results? })
    }

    fn fresh(&mut self, var: Var) -> Var {
        let name = self.before.vars.push(self.before.vars[var]);
        self.names.insert(var, name);
        name
    }

    fn define(&mut self, var: Var, expr: &Expr) -> Option<()> {
        let is_carried = self.names.contains_key(&var);
        if is_carried || self.before.kind(var) == Kind::Uniform || self.before.chosen(var) != var {
            return Some(());
        }
        if let Some(even) = self.widened(var, expr) {
            let name = self.fresh(var);
            self.block.push(Stmt::Let(name, even));
            return Some(());
        }
        // The counter of turns and its question are left out.
        let operands = expr.operands();
        if operands.iter().any(|&operand| self.is_left_out(operand)) {
            return Some(());
        }
        let expr = if let Expr::Load(ptr, index) = expr {
            let (ptr, index) = self.element(*ptr, *index, self.before.vars[var])?;
            Expr::Load(ptr, index)
        } else {
            let named = |&operand: &Var| Some((operand, self.name(operand)?));
            let names: FxHashMap<Var, Var> = operands.iter().map(named).collect::<Option<_>>()?;
            expr.map(|operand| names.get(&operand).copied().unwrap_or(operand))
        };
        let name = self.fresh(var);
        let block = if self.steady.contains(&var) { &mut self.before.block } else { &mut self.block };
        block.push(Stmt::Let(name, expr));
        Some(())
    }

    /// A number of 64 bits that grew evenly as one of 32, as it does by itself: it counts elements.
    fn widened(&mut self, var: Var, expr: &Expr) -> Option<Expr> {
        let Kind::Even(by) = self.before.kind(var) else { return None };
        let is_widened = matches!(expr, Expr::Convert(_)) && self.before.vars[var] == Ty::I64;
        let moves = self.before.step().filter(|_| is_widened)?.checked_mul(by)?;
        let (first, mut far) = (self.before.value(var, Turn::First)?, self.given[0]);
        if moves != 1 {
            let moves = self.before.word(moves);
            far = self.let_(Ty::I64, Expr::Binary(Binary::Mul, far, moves));
        }
        Some(Expr::Binary(Binary::Add, first, far))
    }

    /// True if a variable has no name here.
    fn is_left_out(&self, var: Var) -> bool {
        let var = self.before.chosen(var);
        self.before.kind(var) != Kind::Uniform && !self.names.contains_key(&var)
    }

    /// `ptr[index]` with all that is the same in each turn in the address.
    fn element(&mut self, ptr: Var, index: Var, ty: Ty) -> Option<(Var, Var)> {
        let Some(address) = self.before.address(ptr, index, ty) else {
            return Some((self.name(ptr)?, self.name(index)?));
        };
        let even = address.even;
        let base = self.base_of(address, ty)?;
        let index = match even {
            Some((position, _)) => self.name(position)?,
            None => self.before.word(0),
        };
        Some((base, index))
    }

    fn base_of(&mut self, address: Address, ty: Ty) -> Option<Var> {
        let is_base = |(of, _): &&(Address, Var)| (of.root, &of.uniform) == (address.root, &address.uniform);
        match self.bases.iter().find(is_base) {
            Some((_, base)) => Some(*base),
            None => self.base(address, ty),
        }
    }

    fn base(&mut self, address: Address, ty: Ty) -> Option<Var> {
        let mut base = self.before.copy(address.root)?;
        for &position in &address.uniform {
            let position = self.before.copy(position)?;
            base = self.before.let_(Ty::Ptr, Expr::Offset(base, position, ty));
        }
        self.bases.push((address, base));
        Some(base)
    }
}

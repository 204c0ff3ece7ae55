//! Checks of data: a turn that does not pass one leaves the loop before it stores anything, and the loop as it was goes on from there.
//!
//! ```text
//! if …  { try { for i … { …  leave unless ok  …  store … } give count } ⇒ done … } else { first … } ⇒ i, …
//! while carry i, … { …the loop as it was… }
//! ```

use rustc_hash::FxHashMap;

use super::check::{Before, Kind};
use super::effects::may_leave;
use crate::loops::{Arm, Binary, Block, Carry, Compare, Expr, Stmt, Ty, Unary, Var};
use gw_base::Table;

/// The choice of a loop that may be left, and behind it the loop as it was, which goes on where it was left.
pub(super) fn resumed(
    vars: &mut Table<Var, Ty>,
    test: Var,
    then: Arm,
    (carries, again, body): (&[Carry], &Arm, &Arm),
) -> [Stmt; 2] {
    let mut resumed = carries.to_vec();
    resumed.iter_mut().for_each(|carry| carry.init = vars.push(vars[carry.init]));
    let otherwise = Arm { block: Vec::new(), results: carries.iter().map(|carry| carry.init).collect() };
    let outs = resumed.iter().map(|carry| carry.init).collect();
    [
        Stmt::If { test, cold: false, then, otherwise, outs },
        Stmt::While { carries: resumed, test: again.clone(), body: body.clone() },
    ]
}

impl Before<'_> {
    /// Drops checks that hold where others do: a number whose size is below something is no NaN, and not infinite.
    pub(super) fn drop_implied(&self, block: &mut Block) {
        let oks = |block: &[Stmt]| -> Vec<Var> {
            block
                .iter()
                .filter_map(|stmt| if let Stmt::Leave { ok, .. } = stmt { Some(*ok) } else { None })
                .collect()
        };
        for is_implied in [Self::is_an_index, Self::is_implied, Self::is_repeated] {
            let is_kept = |at: usize| {
                let Stmt::Leave { ok, .. } = block[at] else { return true };
                !is_implied(self, ok, &oks(&block[..at]), &oks(&block[at + 1..]))
            };
            *block = (0..block.len()).filter(|&at| is_kept(at)).map(|at| block[at].clone()).collect();
        }
    }

    fn is_implied(&self, ok: Var, _: &[Var], later: &[Var]) -> bool {
        later.iter().any(|&later| self.implies(later, ok))
    }

    fn is_repeated(&self, ok: Var, earlier: &[Var], _: &[Var]) -> bool {
        let compared = |ok: Var| match self.defined.get(&ok) {
            Some(&Expr::Compare(compare, x, y)) => Some((compare, self.chosen(x), self.chosen(y))),
            Some(_) | None => None,
        };
        earlier.iter().any(|&one| one == ok || compared(ok).is_some_and(|of| compared(one) == Some(of)))
    }

    /// True for a check that a number is not so great that it becomes the greatest integer, or the least one, if that would be no
    /// index, and if the number is known to be no NaN, which becomes zero.
    fn is_an_index(&self, ok: Var, earlier: &[Var], later: &[Var]) -> bool {
        let Some((number, limit)) = self.is_small(ok) else { return false };
        let greatest = 2f64.powi(63);
        let is_great = matches!(self.defined.get(&limit), Some(&Expr::Real(limit)) if limit >= greatest)
            || self.facts.reals.get(&limit).is_some_and(|&limit| limit >= greatest);
        let same = Expr::Compare(Compare::Eq, number, number);
        let is_number = earlier.iter().any(|ok| self.defined.get(ok) == Some(&same));
        let is_index = |ok: &Var| {
            let Some(&Expr::Compare(Compare::Below, index, _)) = self.defined.get(ok) else { return false };
            self.naturals.contains(&index)
                && self.vars[index] == Ty::I64
                && self.defined.get(&index) == Some(&Expr::Convert(number))
        };
        is_great && is_number && later.iter().any(is_index)
    }

    fn implies(&self, holds: Var, other: Var) -> bool {
        let Some((number, _)) = self.is_small(holds) else { return false };
        let is_infinite = |limit| matches!(self.defined.get(&limit), Some(&Expr::Real(f64::INFINITY)));
        match self.defined.get(&other) {
            Some(&Expr::Compare(Compare::Eq, x, y)) => x == number && y == number,
            _ => self.is_small(other).is_some_and(|(x, limit)| x == number && is_infinite(limit)),
        }
    }

    /// True if a number is another one with a constant added.
    fn is_moved(&self, sum: Var, of: Var) -> bool {
        let Some(&Expr::Binary(Binary::Add | Binary::Sub, x, y)) = self.defined.get(&sum) else {
            return false;
        };
        (x == of && self.known(y).is_some()) || (y == of && self.known(x).is_some())
    }

    /// True for a check that a number does not come to the end of its type.
    pub(super) fn hardly_ever_fails(&self, ok: Var) -> bool {
        let is_far = |limit: Var| self.known(limit).is_some_and(|limit| limit.unsigned_abs() >= 1 << 62);
        match self.defined.get(&ok) {
            Some(&Expr::Unary(Unary::Not, fails)) => {
                matches!(self.defined.get(&fails), Some(Expr::Overflows(..)))
            }
            Some(&Expr::Compare(Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge, x, y)) => {
                is_far(x) || is_far(y) || self.is_moved(x, y)
            }
            Some(_) | None => false,
        }
    }

    /// The float whose size has to be less than something, if that is a check.
    fn is_small(&self, ok: Var) -> Option<(Var, Var)> {
        let &Expr::Compare(Compare::Lt, size, limit) = self.defined.get(&ok)? else { return None };
        let &Expr::Unary(Unary::Abs, number) = self.defined.get(&size)? else { return None };
        self.vars[number].is_float().then_some((number, limit))
    }

    /// Stores of a turn move behind its last check where nothing reads meanwhile what they may have written.
    pub(super) fn store_last(&self, block: &mut Block) {
        let Some(last) = block.iter().rposition(may_leave) else { return };
        let (mut kept, mut stores): (Block, Block) = Default::default();
        for stmt in &block[..=last] {
            if matches!(stmt, Stmt::Store { .. }) {
                stores.push(stmt.clone());
            } else if stores.iter().all(|store| self.do_commute(store, stmt)) {
                kept.push(stmt.clone());
            } else {
                return;
            }
        }
        kept.extend(stores);
        block.splice(..=last, kept);
    }

    /// True if a statement does the same before a store as behind it.
    fn do_commute(&self, store: &Stmt, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Let(var, Expr::Load(ptr, index)) => {
                let Stmt::Store { ptr: to, index: at, value } = store else { return false };
                let read = self.address(*ptr, *index, self.vars[*var]);
                let written = self.address(*to, *at, self.vars[*value]);
                read.zip(written).is_some_and(|(read, written)| self.facts.are_apart(read.root, written.root))
            }
            Stmt::Let(..) | Stmt::Leave { .. } | Stmt::Mark(_) => true,
            Stmt::Store { .. } | Stmt::If { .. } | Stmt::Do(..) | Stmt::Invoke { .. } => false,
            Stmt::Guard { .. } | Stmt::Try { .. } | Stmt::For { .. } | Stmt::Reduce { .. } => false,
            Stmt::While { .. } | Stmt::Share(_) => false,
        }
    }

    /// Checks that a bool of the body is this: beforehand where that can be said of all turns, else in each of them.
    pub(super) fn check(&mut self, var: Var, wanted: bool, clean: &mut Block) {
        if self.always(var, wanted).is_some() {
            return;
        }
        if let Some(&Expr::Unary(Unary::Not, other)) = self.defined.get(&var) {
            return self.check(other, !wanted, clean);
        }
        let natural = self.natural(var, wanted);
        if let Some(&Expr::Binary(binary, x, y)) = self.defined.get(&var)
            && natural.is_none()
            && binary == if wanted { Binary::And } else { Binary::Or }
        {
            return [x, y].into_iter().for_each(|part| self.check(part, wanted, clean));
        }
        self.is_ordered |= !self.is_of_data(var);
        let ok = match natural.or_else(|| self.wrapped(var, wanted, clean)) {
            Some(other) => self.added(other, clean),
            None if wanted => var,
            None => {
                let ok = self.added(Expr::Unary(Unary::Not, var), clean);
                self.note_total(var, ok);
                ok
            }
        };
        clean.push(Stmt::Leave { ok, given: Vec::new() });
    }

    /// The check that a number is not so near the end of its type that a sum with a constant, which the turn has made, wraps: the sum
    /// would be beyond the number. That takes no constant of as many bits.
    fn wrapped(&self, var: Var, wanted: bool, made: &Block) -> Option<Expr> {
        let &Expr::Compare(compare, x, limit) = self.defined.get(&var).filter(|_| wanted)? else {
            return None;
        };
        let limit = self.known(limit).filter(|_| self.vars[x] == Ty::I64)?;
        let (binary, by, other) = if compare == Compare::Le && limit >= 1 << 62 {
            (Binary::Add, i64::MAX - limit, Compare::Ge)
        } else if compare == Compare::Ge && limit <= -1 << 62 {
            (Binary::Sub, limit.wrapping_sub(i64::MIN), Compare::Le)
        } else {
            return None;
        };
        let sum = made.iter().rev().find_map(|stmt| {
            let &Stmt::Let(sum, Expr::Binary(of, a, b)) = stmt else { return None };
            let is_it = |a: Var, b: Var| a == x && self.known(b) == Some(by);
            (of == binary && (is_it(a, b) || of == Binary::Add && is_it(b, a))).then_some(sum)
        })?;
        Some(Expr::Compare(other, sum, x))
    }

    pub(super) fn added(&mut self, expr: Expr, clean: &mut Block) -> Var {
        let var = self.vars.push(Ty::Bool);
        self.define(var, &expr);
        clean.push(Stmt::Let(var, expr));
        var
    }

    /// The check that an index is in range, for an index that does not count from the end.
    fn natural(&mut self, var: Var, wanted: bool) -> Option<Expr> {
        let &Expr::Binary(Binary::And, below, above) = self.defined.get(&var).filter(|_| wanted)? else {
            return None;
        };
        let &Expr::Compare(Compare::Lt, index, length) = self.defined.get(&below)? else { return None };
        let &Expr::Compare(Compare::Ge, same, least) = self.defined.get(&above)? else { return None };
        if index != same || self.kind(index) != Kind::Data || !self.are_ends(length, least) {
            return None;
        }
        self.naturals.insert(index);
        Some(Expr::Compare(Compare::Below, index, length))
    }

    /// True if one number is not negative, and the other one is as far below zero.
    fn are_ends(&self, end: Var, least: Var) -> bool {
        if let (Some(end), Some(least)) = (self.known(end), self.known(least)) {
            return end >= 0 && end.checked_neg() == Some(least);
        }
        let negated = match self.defined.get(&least) {
            Some(&Expr::Unary(Unary::Neg, of)) => Some(of),
            Some(_) => None,
            None => self.facts.negated.get(&least).copied(),
        };
        negated == Some(end) && self.facts.range(end, self.vars[end]).is_natural()
    }
}

/// The turn of a loop in lanes, which leaves at one place: before its first store, or at its end.
pub(super) fn merged(vars: &mut Table<Var, Ty>, given: &[Var], block: Block) -> Block {
    let mut merge = Merge {
        vars,
        defined: FxHashMap::default(),
        made: Vec::new(),
        block: Vec::new(),
        signs: None,
        ok: None,
    };
    for stmt in block {
        match &stmt {
            Stmt::Leave { ok, .. } => {
                merge.check(*ok);
                continue;
            }
            Stmt::Let(var, expr) => merge.define(*var, expr),
            Stmt::Store { .. } => merge.leave(given),
            Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::If { .. } => {}
            Stmt::Try { .. } | Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => {}
            Stmt::Share(_) | Stmt::Mark(_) => {}
        }
        merge.block.push(stmt);
    }
    merge.leave(given);
    merge.block
}

/// Checks that are put together.
struct Merge<'v> {
    vars: &'v mut Table<Var, Ty>,
    defined: FxHashMap<Var, Expr>,
    /// Results of two operands.
    made: Vec<(Binary, Var, Var, Var)>,
    block: Block,
    /// Number that is negative if a sum or difference does not fit.
    signs: Option<Var>,
    /// True if the others hold.
    ok: Option<Var>,
}

impl Merge<'_> {
    fn define(&mut self, var: Var, expr: &Expr) {
        self.defined.insert(var, expr.clone());
        if let &Expr::Binary(binary, x, y) = expr {
            self.made.push((binary, x, y, var));
        }
    }

    fn let_(&mut self, ty: Ty, expr: Expr) -> Var {
        let var = self.vars.push(ty);
        self.block.push(Stmt::Let(var, expr));
        var
    }

    fn binary(&mut self, binary: Binary, x: Var, y: Var) -> Var {
        self.let_(self.vars[x], Expr::Binary(binary, x, y))
    }

    fn joined(&mut self, binary: Binary, all: Option<Var>, one: Var) -> Option<Var> {
        Some(all.map_or(one, |all| self.binary(binary, all, one)))
    }

    fn check(&mut self, ok: Var) {
        let fails = match self.defined.get(&ok) {
            Some(&Expr::Unary(Unary::Not, fails)) => self.defined.get(&fails),
            Some(_) | None => None,
        };
        if let Some(&Expr::Overflows(binary @ (Binary::Add | Binary::Sub), x, y)) = fails {
            let sign = self.sign(binary, x, y);
            self.signs = self.joined(Binary::Or, self.signs, sign);
        } else {
            self.ok = self.joined(Binary::And, self.ok, ok);
        }
    }

    /// A number that is negative if a sum or difference is not exact: its sign is not that of either operand, or that of neither
    /// the first operand nor the negated second.
    fn sign(&mut self, binary: Binary, x: Var, y: Var) -> Var {
        let known = self.made.iter().find(|made| (made.0, made.1, made.2) == (binary, x, y));
        let made = match known {
            Some(made) => made.3,
            None => self.binary(binary, x, y),
        };
        let first = self.binary(Binary::Xor, made, x);
        let second = if binary == Binary::Add {
            self.binary(Binary::Xor, made, y)
        } else {
            self.binary(Binary::Xor, x, y)
        };
        self.binary(Binary::And, first, second)
    }

    /// Leaves unless all checks so far hold.
    fn leave(&mut self, given: &[Var]) {
        if let Some(signs) = self.signs.take() {
            let zero = self.let_(self.vars[signs], Expr::Int(0));
            let fit = self.let_(Ty::Bool, Expr::Compare(Compare::Ge, signs, zero));
            self.ok = self.joined(Binary::And, self.ok, fit);
        }
        if let Some(ok) = self.ok.take() {
            self.block.push(Stmt::Leave { ok, given: given.to_vec() });
        }
    }
}

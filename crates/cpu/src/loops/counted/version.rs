//! The body of a loop without checks, written once more for each version of it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::address::Address;
use super::check::{Before, Kind, Turn};
use super::forward::Forward;
use crate::loops::{Arm, Binary, Block, Carry, Expr, Stmt, Ty, Var};

/// A body as it is written once more, with names of its own.
pub(super) struct Version<'b, 'a> {
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

impl<'b, 'a> Version<'b, 'a> {
    /// An empty body, in which variables have these names and which gives these values where it is left.
    pub(super) fn new(
        before: &'b mut Before<'a>,
        names: FxHashMap<Var, Var>,
        given: Vec<Var>,
        steady: FxHashSet<Var>,
    ) -> Self {
        Self { before, names, block: Vec::new(), bases: Vec::new(), given, steady }
    }

    /// The statements so far.
    pub(super) fn into_block(self) -> Block {
        self.block
    }

    /// Computes the counter of the loop from the number of the turn.
    pub(super) fn counter(&mut self, carry: Carry, iv: Var) -> Option<()> {
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
    pub(super) fn ends(&mut self, ends: &[(Block, Var)], iv: Var, nexts: &[Var]) -> Option<()> {
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
    pub(super) fn forward(&mut self, forwards: &[Forward]) -> Option<Vec<Carry>> {
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
        let first = match address.even {
            Some((position, _)) => self.before.value(position, Turn::First)?,
            None => self.before.word(0),
        };
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

    pub(super) fn names_of(&mut self, vars: &[Var]) -> Option<Vec<Var>> {
        vars.iter().map(|&var| self.name(var)).collect()
    }

    pub(super) fn block(&mut self, block: &Block) -> Option<()> {
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

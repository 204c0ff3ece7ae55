//! The variables that a loop carries: their roles widen until an iteration hands on what it was given.

use rustc_hash::FxHashSet;
use std::cell::Cell;

use gw_ir::ValueId;
use gw_types::{DType, Dim, DimVar, TensorType};

use crate::counting::truth;
use crate::join::{Clash, LeafType, absent, fit, meet_lacks, variable_of};
use crate::optional::conform;
use crate::roles::{Leaf, Role, Variable};
use crate::{Host, Lack, Seen, Shown, Slot, Trace};

/// A loop that is being staged, and what it carries.
pub(crate) struct Loop<'a, H: Host> {
    pub host: &'a H,
    pub slots: &'a [Slot],
    pub variables: Vec<Variable<H>>,
    /// The length variables that may differ from one iteration to the next.
    pub own: FxHashSet<DimVar>,
    /// True if an iteration leaves a value of another rank than it finds.
    pub changes_rank: Cell<bool>,
}

impl<H: Host> Loop<'_, H> {
    pub(crate) fn variable(&self, value: &H::Value) -> Result<Variable<H>, H::Error> {
        let (skeleton, leaves) = self.host.flatten(value)?;
        Ok(Variable { before: value.clone(), skeleton, leaves: self.new_leaves(leaves)?, replaced: false })
    }

    pub fn new_leaves(&self, leaves: Vec<H::Value>) -> Result<Vec<Leaf<H::Value>>, H::Error> {
        let leaf = |before: H::Value| {
            let role = match self.host.see(&before)? {
                Seen::Object | Seen::Unclear | Seen::Nothing | Seen::Text(_) => Role::Kept,
                Seen::Unbound => Role::Absent,
                Seen::Empty => Role::Empty,
                seen @ (Seen::Staged(_) | Seen::Number(_)) => Role::Carry(self.type_of(seen)),
                seen @ Seen::Maybe(_, _, lack) => Role::Optional(self.type_of(seen), lack),
            };
            Ok(Leaf { before, role, unchanged: false })
        };
        leaves.into_iter().map(leaf).collect()
    }

    pub(crate) fn type_of(&self, seen: Seen) -> LeafType {
        LeafType::of(self.host.trace(), seen).expect("staged values and numbers have types")
    }

    /// The types of the carries: the loop's own, those of the leaves, and last the answer to "go on?".
    pub(crate) fn types(&self, lead: Option<ValueId>) -> Vec<TensorType> {
        let bool_ = TensorType::scalar(DType::Bool);
        let mut types: Vec<_> = lead.map(|v| self.host.trace().ty(v)).into_iter().collect();
        for leaf in self.leaves() {
            match &leaf.role {
                Role::Carry(t) => types.push(t.ty.clone()),
                Role::Optional(t, _) => types.extend([t.ty.clone(), bool_.clone()]),
                Role::Absent | Role::Empty | Role::Kept => {}
            }
        }
        types.push(bool_);
        types
    }

    fn leaves(&self) -> impl Iterator<Item = &Leaf<H::Value>> {
        self.variables.iter().flat_map(|v| &v.leaves)
    }

    /// The variables with the carries in `given`.
    pub(crate) fn shown(&self, given: &[ValueId], lead: bool) -> Result<Vec<H::Value>, H::Error> {
        let mut given = given.iter().copied().skip(usize::from(lead));
        let mut values = Vec::with_capacity(self.variables.len());
        for variable in &self.variables {
            let mut leaves = Vec::with_capacity(variable.leaves.len());
            for leaf in &variable.leaves {
                leaves.push(self.shown_leaf(leaf, &mut given)?);
            }
            values.push(self.host.rebuild(&variable.skeleton, leaves)?);
        }
        Ok(values)
    }

    fn shown_leaf(
        &self,
        leaf: &Leaf<H::Value>,
        given: &mut impl Iterator<Item = ValueId>,
    ) -> Result<H::Value, H::Error> {
        let mut next = || given.next().expect("one value per carry");
        match &leaf.role {
            Role::Kept | Role::Absent | Role::Empty => Ok(leaf.before.clone()),
            Role::Carry(t) => self.host.show(Shown::Staged(t.of_value(self.host.trace(), next()))),
            Role::Optional(t, lack) => {
                let staged = t.of_value(self.host.trace(), next());
                self.host.show(Shown::Maybe(staged, next(), *lack))
            }
        }
    }

    /// True if the roles hold what an iteration leaves; where they do not, they are changed so that they do.
    pub(crate) fn compare(
        &mut self,
        after: &[H::Value],
        given: &[ValueId],
        lead: bool,
    ) -> Result<bool, H::Error> {
        let shown = self.shown(given, lead)?;
        let mut stable = true;
        for (at, (value, found)) in after.iter().zip(&shown).enumerate() {
            let (skeleton, leaves) = self.host.flatten(value)?;
            if let Some(was) = self.as_poison(at, value, &leaves)? {
                stable &= was;
                continue;
            }
            let conformed = self.as_optional(at, &skeleton, &leaves)?;
            let is_optional = conformed.is_some();
            let mut leaves = conformed.unwrap_or(leaves);
            let (_, founds) = self.host.flatten(found)?;
            let emptied = self.is_empty(&leaves)?;
            let variable = &mut self.variables[at];
            if emptied {
                leaves = vec![leaves[0].clone(); variable.leaves.len()];
            } else if !is_optional && !self.host.same_skeleton(&skeleton, &variable.skeleton) {
                let is_optional =
                    self.host.optional(&skeleton).is_some_and(|o| self.host.same_skeleton(&o, &skeleton));
                let [Leaf { role: role @ (Role::Absent | Role::Empty), before, .. }] =
                    variable.leaves.as_slice()
                else {
                    return Err(self.object_changes(at, found, value));
                };
                if is_optional {
                    return Err(self.object_changes(at, found, value));
                }
                let (role, before) = (role.clone(), before.clone());
                let none = || Leaf { before: before.clone(), role: role.clone(), unchanged: false };
                variable.skeleton = skeleton;
                variable.leaves = leaves.iter().map(|_| none()).collect();
            }
            for (i, leaf) in leaves.iter().enumerate() {
                let role = self.next_role(at, i, leaf)?;
                let old = &mut self.variables[at].leaves[i];
                old.unchanged = founds.get(i).is_some_and(|f| self.host.same(f, leaf));
                stable &= old.role == role;
                old.role = role;
            }
        }
        Ok(stable)
    }

    fn next_role(&mut self, at: usize, i: usize, after: &H::Value) -> Result<Role, H::Error> {
        let leaf = &self.variables[at].leaves[i];
        let (role, before) = (leaf.role.clone(), leaf.before.clone());
        let seen = self.host.see(after)?;
        if role == Role::Empty || seen == Seen::Empty {
            let role = self.next_list(&role, seen);
            return role.ok_or_else(|| self.object_changes(at, &before, after));
        }
        let now = match &role {
            Role::Kept if self.host.same(&before, after) => return Ok(Role::Kept),
            Role::Kept if self.host.see(&before)? == Seen::Nothing => Some(Lack::Nothing),
            Role::Absent => Some(Lack::Unbound),
            Role::Optional(_, lack) => Some(*lack),
            Role::Kept | Role::Empty | Role::Carry(_) => None,
        };
        let slot = Slot::at(self.slots, at);
        let lack =
            meet_lacks(slot, now, seen.lack()).map_err(|()| self.object_changes(at, &before, after))?;
        let ty = match (role, seen) {
            (Role::Absent, Seen::Unbound) => return Ok(Role::Absent),
            (Role::Absent, Seen::Nothing) => {
                // A returned name holds the host's object for no value from here on, and as well before.
                let variable = &mut self.variables[at];
                variable.before = after.clone();
                variable.leaves[i].before = after.clone();
                return Ok(Role::Kept);
            }
            (Role::Carry(t) | Role::Optional(t, _), Seen::Unbound | Seen::Nothing) => t,
            (
                Role::Carry(t) | Role::Optional(t, _),
                Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) | Seen::Maybe(..),
            ) => self.wider(at, t, seen)?,
            (Role::Kept, Seen::Staged(_) | Seen::Text(_) | Seen::Maybe(..))
                if matches!(self.host.see(&before)?, Seen::Text(_)) =>
            {
                let first = self.type_of(self.host.see(&before)?);
                self.wider(at, first, seen)?
            }
            (
                Role::Absent | Role::Kept,
                Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) | Seen::Maybe(..),
            ) if lack.is_some() => {
                let t = self.type_of(seen).with_own_lengths(self.host.trace());
                self.own.extend(t.ty.shape.0.iter().filter_map(variable_of));
                t
            }
            (Role::Kept | Role::Absent | Role::Empty | Role::Carry(_) | Role::Optional(..), _) => {
                return Err(self.object_changes(at, &before, after));
            }
        };
        Ok(lack.map_or_else(|| Role::Carry(ty.clone()), |lack| Role::Optional(ty.clone(), lack)))
    }

    /// The carry's type, widened to take what an iteration leaves.
    fn wider(&mut self, at: usize, carry: LeafType, seen: Seen) -> Result<LeafType, H::Error> {
        let found = self.type_of(seen);
        if !carry.holds(seen) {
            return Err(self.type_changes(at, Clash::DType, &carry, &found));
        }
        if carry.rounds(self.host.trace(), seen) {
            return Err(self.type_changes(at, Clash::Rounds, &carry, &found));
        }
        let join = if self.host.has_rows(&self.variables[at].skeleton) {
            LeafType::join_rows
        } else {
            LeafType::join
        };
        let mut joined = match join(&carry, &found, self.host.trace()) {
            Ok(joined) => joined,
            Err(clash) => return Err(self.type_changes(at, clash, &carry, &found)),
        };
        for (dim, old) in joined.ty.shape.0.iter_mut().zip(&carry.ty.shape.0) {
            if variable_of(old).is_some_and(|v| self.own.contains(&v)) {
                *dim = *old;
            } else if dim != old {
                self.own.extend(variable_of(dim));
            }
        }
        Ok(joined)
    }

    /// The values that the iteration hands on, in the order of `types`.
    pub(crate) fn results(
        &self,
        after: &[H::Value],
        lead: Option<ValueId>,
        go: ValueId,
    ) -> Result<Vec<ValueId>, H::Error> {
        let trace = self.host.trace();
        let mut results: Vec<_> = lead.into_iter().collect();
        for (at, (variable, value)) in self.variables.iter().zip(after).enumerate() {
            let (skeleton, mut leaves) = self.host.flatten(value)?;
            let (target, count) = (&variable.skeleton, variable.leaves.len());
            let conformed = match self.is_empty(&leaves)? {
                true => {
                    leaves = vec![leaves[0].clone(); count];
                    None
                }
                false => conform(self.host, Slot::at(self.slots, at), (&skeleton, &leaves), target, count)?,
            };
            for (leaf, value) in variable.leaves.iter().zip(conformed.as_ref().unwrap_or(&leaves)) {
                self.carry(trace, leaf, self.host.see(value)?, &mut results);
            }
        }
        results.push(go);
        Ok(results)
    }

    pub(crate) fn carry(&self, trace: &Trace, leaf: &Leaf<H::Value>, seen: Seen, out: &mut Vec<ValueId>) {
        match &leaf.role {
            Role::Kept | Role::Absent | Role::Empty => {}
            Role::Carry(t) => out.push(fit(trace, seen, t)),
            Role::Optional(t, _) => match seen {
                Seen::Maybe(_, bit, _) => out.extend([fit(trace, seen, t), bit]),
                Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) => {
                    out.extend([fit(trace, seen, t), truth(trace, true)]);
                }
                Seen::Unbound | Seen::Nothing | Seen::Empty | Seen::Unclear | Seen::Object => {
                    out.extend([absent(trace, t), truth(trace, false)])
                }
            },
        }
    }

    /// Notes the variables in which the body leaves other objects than it finds.
    pub(crate) fn note_replaced(&mut self, begun: &[H::Value], after: &[H::Value]) {
        for (variable, (found, left)) in self.variables.iter_mut().zip(begun.iter().zip(after)) {
            variable.replaced = !self.host.is_one(found, left);
        }
    }

    /// The variable after the loop; what the body does not touch, the whole or a leaf, is the host's own again.
    pub(crate) fn settled(&self, variable: &Variable<H>, value: H::Value) -> Result<H::Value, H::Error> {
        if variable.leaves.iter().all(|leaf| leaf.unchanged) && !variable.replaced {
            return Ok(variable.before.clone());
        }
        let (skeleton, leaves) = self.host.flatten(&value)?;
        let settle =
            |(leaf, now): (&Leaf<H::Value>, H::Value)| if leaf.unchanged { leaf.before.clone() } else { now };
        self.host.rebuild(&skeleton, variable.leaves.iter().zip(leaves).map(settle).collect())
    }

    /// A carry's type outside the loop: lengths that change inside are not known there.
    pub(crate) fn outside(&self, mut ty: TensorType) -> TensorType {
        for dim in &mut ty.shape.0 {
            if variable_of(dim).is_some_and(|v| self.own.contains(&v)) {
                *dim = Dim::Var(self.host.trace().build(|b| b.fresh_dim()));
            }
        }
        ty
    }
}

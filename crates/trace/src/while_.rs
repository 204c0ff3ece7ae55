//! `while` on a value of the graph ⇒ `while`: the body is run into a region until the carries' types no longer change.
//!
//! The test runs before the loop and again at the end of each iteration, just as often and in the same order as in the
//! host; what the region `test` of the op yields is that last answer.

use std::cell::Cell;
use std::collections::HashSet;

use gw_base::{Code, Diagnostic};
use gw_ir::{Literal, Op, RegionId, ValueId};
use gw_types::{DType, Dim, DimVar, Scalar, TensorType};

use crate::for_::{elementwise, index};
use crate::host::Flow;
use crate::if_::looked_at;
use crate::join::{Clash, LeafType, absent, fit, meet_lacks, variable_of};
use crate::optional::conform;
use crate::peel::peel;
use crate::region::{into_region, params, set_results};
use crate::roles::{Leaf, Role, Variable};
use crate::{Host, Lack, Seen, Shown, Slot, Staged, State, Trace, segments};

/// How often carries may change type before we give up: once per leaf and reason is enough for any program.
const MOST_ROUNDS: usize = 24;

/// So many iterations are staged on their own before one that raises.
const MOST_PEELED: usize = 3;

/// One iteration in two steps.
pub(crate) struct Iteration<'a, E> {
    /// Runs the body, given the loop's own carry; gives the next one.
    pub body: &'a dyn Fn(Option<ValueId>) -> Result<Option<ValueId>, E>,
    /// Whether to go on, given the next one.
    pub more: &'a dyn Fn(Option<ValueId>) -> Result<ValueId, E>,
}

/// Stages `while test: body` whose test, run once already, gave `go`.
///
/// # Errors
/// What body and test raise; GW102 and GW104 where the state changes in a way that the graph cannot hold.
pub fn while_<H: Host>(
    host: &H,
    go: ValueId,
    slots: &[Slot],
    state: &dyn State<H>,
    test: &dyn Fn() -> Result<ValueId, H::Error>,
    body: &dyn Fn() -> Result<(), H::Error>,
) -> Result<(), H::Error> {
    let trace = host.trace();
    let counted = |k| elementwise(trace, Op::Add, &[k, index(trace, 1)]);
    let iteration =
        Iteration { body: &|k| body().map(|()| k.map(counted)), more: &|k| Ok(limited(host, test()?, k)) };
    repeat(host, slots, state, None, go, &iteration)
}

/// `go`, and fewer iterations than the loop may take.
pub(crate) fn limited<H: Host>(host: &H, go: ValueId, counter: Option<ValueId>) -> ValueId {
    let trace = host.trace();
    let (Some(limit), Some(k)) = (host.limit(), counter) else { return go };
    let within = elementwise(trace, Op::Lt, &[k, index(trace, limit)]);
    elementwise(trace, Op::And, &[go, within])
}

/// A host's answer to "go on?" as a bool of the graph.
pub fn go_on(trace: &Trace, seen: Seen) -> Option<ValueId> {
    match seen {
        Seen::Staged(s) if trace.ty(s.value) == TensorType::scalar(DType::Bool) => Some(s.value),
        Seen::Number(n) => Some(known(trace, n.to_bool())),
        Seen::Staged(_) | Seen::Unbound | Seen::Nothing | Seen::Maybe(..) => None,
        Seen::Text(_) | Seen::Empty | Seen::Unclear | Seen::Object => None,
    }
}

fn known(trace: &Trace, value: bool) -> ValueId {
    trace.build(|b| b.constant(Literal::scalar(DType::Bool, Scalar::Bool(value))))
}

pub(crate) struct Loop<'a, H: Host> {
    pub host: &'a H,
    pub slots: &'a [Slot],
    pub variables: Vec<Variable<H>>,
    /// The length variables that may differ from one iteration to the next.
    pub own: HashSet<DimVar>,
    /// Whether an iteration leaves a value of another rank than it finds.
    pub changes_rank: Cell<bool>,
}

pub(crate) fn repeat<H: Host>(
    host: &H,
    slots: &[Slot],
    state: &dyn State<H>,
    lead: Option<ValueId>,
    go: ValueId,
    iteration: &Iteration<'_, H::Error>,
) -> Result<(), H::Error> {
    repeat_rest(host, slots, state, lead, go, iteration, 0)
}

/// The same for a loop of which so many iterations were staged on their own.
fn repeat_rest<H: Host>(
    host: &H,
    slots: &[Slot],
    state: &dyn State<H>,
    lead: Option<ValueId>,
    go: ValueId,
    iteration: &Iteration<'_, H::Error>,
    peeled: usize,
) -> Result<(), H::Error> {
    let flow = Flow { host, state: Some(state), slots };
    loop {
        let before = flow.get()?;
        let mut whole =
            Loop { host, slots, variables: Vec::new(), own: HashSet::new(), changes_rank: Cell::new(false) };
        for value in &before {
            whole.variables.push(whole.variable(value)?);
        }
        let regions = whole.stage(&flow, lead, iteration);
        let unknown = regions.as_ref().is_err_and(|error| host.is_unknown(error));
        flow.set(&before)?;
        if unknown {
            // The body calls a function of which nothing is known yet; until it is, the loop does not run.
            return Ok(());
        }
        let counts_only_for_limit = lead.is_none() && host.limit().is_some();
        let regions = match regions {
            Ok(regions) => regions,
            Err(error) => {
                let raises = host.can_raise(&error);
                let most = if raises { MOST_PEELED } else { 1 };
                if counts_only_for_limit || !raises && !whole.changes_rank.get() {
                    return Err(error);
                }
                if peeled >= most {
                    return Err(if raises { whole.raises_late() } else { error });
                }
                let rest = &|next, go| repeat_rest(host, slots, state, next, go, iteration, peeled + 1);
                let done = peel(&flow, lead, go, iteration, rest);
                return if done.is_err() && !raises { flow.set(&before).and(Err(error)) } else { done };
            }
        };
        // An iteration may say only now how many there may be: then they are counted, and we begin anew.
        if let Some((regions, lead)) = regions {
            let after = whole.finish(regions, lead, go)?;
            return flow.set(&after);
        }
    }
}

/// The two closed regions of a loop, and its own carry.
type Staging = ([RegionId; 2], Option<ValueId>);

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

    /// Runs the body until the roles no longer change; gives the two closed regions and the loop's own carry: a loop
    /// whose body limits its iterations counts them from then on. Nothing if the body met state that the loop does not
    /// know.
    fn stage(
        &mut self,
        state: &Flow<'_, H>,
        mut lead: Option<ValueId>,
        iteration: &Iteration<'_, H::Error>,
    ) -> Result<Option<Staging>, H::Error> {
        let host = self.host;
        for _ in 0..MOST_ROUNDS {
            lead = lead.or_else(|| host.limit().map(|_| index(host.trace(), 0)));
            let types = self.types(lead);
            let (region, results) = into_region(host, || {
                let given = params(host.trace(), &types);
                let begun = self.shown(&given, lead.is_some())?;
                state.set(&begun)?;
                let next = looked_at(state, (iteration.body)(lead.map(|_| given[0])))?;
                if !self.compare(&state.get()?, &given, lead.is_some())?
                    || lead.is_none() && host.limit().is_some()
                {
                    return Ok(None);
                }
                let go = looked_at(state, (iteration.more)(next))?;
                let after = state.get()?;
                let stable = self.compare(&after, &given, lead.is_some())?;
                if stable {
                    self.note_replaced(&begun, &after);
                    self.check_presence()?;
                }
                stable.then(|| self.results(&after, next, go)).transpose()
            })?;
            if let Some(results) = results {
                set_results(host.trace(), region, results);
                return Ok(Some(([self.test_region(&types)?, region], lead)));
            }
        }
        let message = "the types of the loop's variables keep changing from one iteration to the next";
        Err(self.at_loop(Diagnostic::new(Code::LoopChangesType, message)).into())
    }

    /// The region that yields the answer of the iteration before.
    fn test_region(&self, types: &[TensorType]) -> Result<RegionId, H::Error> {
        let trace = self.host.trace();
        let (region, go) = into_region(self.host, || {
            let given = params(trace, types);
            Ok(given[types.len() - 1])
        })?;
        set_results(trace, region, vec![go]);
        Ok(region)
    }

    /// The types of the carries: the loop's own, those of the leaves, and last the answer to "go on?".
    fn types(&self, lead: Option<ValueId>) -> Vec<TensorType> {
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
    fn shown(&self, given: &[ValueId], lead: bool) -> Result<Vec<H::Value>, H::Error> {
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
            Role::Carry(t) => self.host.show(Shown::Staged(Staged { value: next(), weak: t.weak })),
            Role::Optional(t, lack) => {
                let staged = Staged { value: next(), weak: t.weak };
                self.host.show(Shown::Maybe(staged, next(), *lack))
            }
        }
    }

    /// Whether the roles hold what an iteration leaves; where they do not, they are changed so that they do.
    fn compare(&mut self, after: &[H::Value], given: &[ValueId], lead: bool) -> Result<bool, H::Error> {
        let shown = self.shown(given, lead)?;
        let mut stable = true;
        for (at, (value, found)) in after.iter().zip(&shown).enumerate() {
            let (skeleton, leaves) = self.host.flatten(value)?;
            if let Some(was) = self.as_unclear(at, value, &leaves)? {
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
                // What is returned is the host's object for no value from here on, and as well before.
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
        let mut joined = match carry.join(&found, self.host.trace()) {
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

    /// What the iteration hands on, in the order of `types`.
    fn results(
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

    fn carry(&self, trace: &Trace, leaf: &Leaf<H::Value>, seen: Seen, out: &mut Vec<ValueId>) {
        match &leaf.role {
            Role::Kept | Role::Absent | Role::Empty => {}
            Role::Carry(t) => out.push(fit(trace, seen, t)),
            Role::Optional(t, _) => match seen {
                Seen::Maybe(_, bit, _) => out.extend([fit(trace, seen, t), bit]),
                Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) => {
                    out.extend([fit(trace, seen, t), known(trace, true)]);
                }
                Seen::Unbound | Seen::Nothing | Seen::Empty | Seen::Unclear | Seen::Object => {
                    out.extend([absent(trace, t), known(trace, false)])
                }
            },
        }
    }

    /// Adds the loop to the graph; gives the variables' values after it.
    fn finish(
        &self,
        regions: [RegionId; 2],
        lead: Option<ValueId>,
        go: ValueId,
    ) -> Result<Vec<H::Value>, H::Error> {
        let trace = self.host.trace();
        let mut init: Vec<_> = lead.into_iter().collect();
        for (at, variable) in self.variables.iter().enumerate() {
            for leaf in &variable.leaves {
                let seen = self.host.see(&leaf.before)?;
                if let Role::Carry(t) | Role::Optional(t, _) = &leaf.role
                    && !t.holds(seen)
                {
                    return Err(self.type_changes(at, Clash::DType, &self.type_of(seen), t));
                }
                self.carry(trace, leaf, seen, &mut init);
            }
        }
        init.push(go);
        let inside = self.types(lead);
        let types: Vec<_> = inside.iter().map(|ty| self.outside(ty.clone())).collect();
        trace.set_place(self.host.place());
        let levels = self.host.segments();
        let results = trace.build(|b| segments::while_(b, levels, &init, regions, [&inside, &types]));
        let shown = self.shown(&results, lead.is_some())?;
        self.variables.iter().zip(shown).map(|(variable, value)| self.settled(variable, value)).collect()
    }

    /// Notes the variables in which the body leaves other objects than it finds.
    fn note_replaced(&mut self, begun: &[H::Value], after: &[H::Value]) {
        for (variable, (found, left)) in self.variables.iter_mut().zip(begun.iter().zip(after)) {
            variable.replaced = !self.host.is_one(found, left);
        }
    }

    /// The variable after the loop; what the body does not touch, the whole or a leaf, is the host's own again.
    fn settled(&self, variable: &Variable<H>, value: H::Value) -> Result<H::Value, H::Error> {
        if variable.leaves.iter().all(|leaf| leaf.unchanged) && !variable.replaced {
            return Ok(variable.before.clone());
        }
        let (skeleton, leaves) = self.host.flatten(&value)?;
        let settle =
            |(leaf, now): (&Leaf<H::Value>, H::Value)| if leaf.unchanged { leaf.before.clone() } else { now };
        self.host.rebuild(&skeleton, variable.leaves.iter().zip(leaves).map(settle).collect())
    }

    /// A carry's type outside the loop: lengths that change inside are not known there.
    fn outside(&self, mut ty: TensorType) -> TensorType {
        for dim in &mut ty.shape.0 {
            if variable_of(dim).is_some_and(|v| self.own.contains(&v)) {
                *dim = Dim::Var(self.host.trace().build(|b| b.fresh_dim()));
            }
        }
        ty
    }
}

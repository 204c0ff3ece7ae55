//! `if` on a value of the graph ⇒ `cond`: both branches are run, each into its region, from the same state.

use std::collections::HashSet;

use gw_base::{Code, Diagnostic};
use gw_ir::{Literal, Op, RegionId, ValueId};
use gw_types::{DType, Scalar, TensorType};

use crate::host::Flow;
use crate::join::{Clash, LeafType, describe, fit, meet_lacks};
use crate::optional::{conform, is_nothing};
use crate::region::{at_end_of, into_region, set_results};
use crate::{Host, Lack, Part, Parts, Seen, Shown, Slot, Staged, State, Trace};

/// One leaf as the two branches leave it.
pub(crate) type Sides<V> = [V; 2];

/// What becomes of one leaf.
pub enum Choice<V> {
    /// Both branches leave the same.
    Keep(V),
    /// The branches differ: the result of `cond` at this position, and where it is said whether there is one, if that is
    /// in doubt.
    Result(usize, Option<(usize, Lack)>, Option<gw_types::Number>),
}

/// Stages `if test: … else: …` over the variables of `state`.
///
/// # Errors
/// What the branches raise; GW101 and GW103 where they disagree.
pub fn if_<H: Host>(
    host: &H,
    test: ValueId,
    slots: &[Slot],
    state: &dyn State<H>,
    branches: [&dyn Fn() -> Result<(), H::Error>; 2],
) -> Result<(), H::Error> {
    let flow = Flow { host, state: Some(state), slots };
    choose(&flow, test, slots, false, [&|| branches[0]().map(|()| None), &|| branches[1]().map(|()| None)])
        .map(drop)
}

/// Stages `if test: body()`, where the body is a loop of at least one iteration: what has another rank then has no value
/// otherwise.
pub(crate) fn if_it_runs<H: Host>(
    flow: &Flow<'_, H>,
    test: ValueId,
    body: &dyn Fn() -> Result<(), H::Error>,
) -> Result<(), H::Error> {
    choose(flow, test, flow.slots, true, [&|| body().map(|()| None), &|| Ok(None)]).map(drop)
}

/// Stages `body if test else orelse`.
///
/// # Errors
/// What the branches raise; GW101 and GW103 where they disagree.
pub fn if_exp<H: Host>(
    host: &H,
    test: ValueId,
    branches: [&dyn Fn() -> Result<H::Value, H::Error>; 2],
) -> Result<H::Value, H::Error> {
    let slots = [Slot::Result];
    let flow = Flow { host, state: None, slots: &[] };
    let value =
        choose(&flow, test, &slots, false, [&|| branches[0]().map(Some), &|| branches[1]().map(Some)])?;
    Ok(value.expect("both branches of an expression have values"))
}

/// What a branch gives, if it is an expression.
type Branch<'a, H> = &'a dyn Fn() -> Result<Option<<H as Host>::Value>, <H as Host>::Error>;

/// Stages both branches from the same state, merges what they give and leave, and leaves that; gives what they give.
fn choose<H: Host>(
    flow: &Flow<'_, H>,
    test: ValueId,
    slots: &[Slot],
    ranks_differ: bool,
    branches: [Branch<'_, H>; 2],
) -> Result<Option<H::Value>, H::Error> {
    let (host, before) = (flow.host, flow.get()?);
    let staged = both(flow, test, &before, branches);
    let unknown = staged.as_ref().err().filter(|(_, error)| host.is_unknown(error)).map(|(side, _)| *side);
    flow.set(&before)?;
    if let Some(side) = unknown {
        // The branch calls a function of which nothing is known yet; until it is, the other one is all there is.
        return branches[1 - side]();
    }
    let staged = staged.map_err(|(_, error)| error);
    let ([then_region, else_region], left) = staged?;
    let [Some(then), Some(orelse)] = left else {
        // What follows a branch that raises follows the other branch.
        let raises = usize::from(left[0].is_some());
        let mut regions = [then_region, else_region];
        (regions[1 - raises], ()) = into_region(host, || Ok(()))?;
        host.trace().set_place(host.place());
        host.trace().build(|b| b.cond(test, regions, Vec::new()));
        return branches[1 - raises]().inspect_err(|error| host.passes(error));
    };
    let gives = then.0.is_some();
    let all = |(given, left): (Option<H::Value>, Vec<H::Value>)| given.into_iter().chain(left);
    let regions = [then_region, else_region];
    let mut merge = Merge { host, test, regions, ranks_differ, columns: Vec::new() };
    let mut plans = Vec::with_capacity(before.len() + 1);
    for (at, (then, orelse)) in all(then).zip(all(orelse)).enumerate() {
        plans.push(merge.variable(Slot::at(slots, at), then, orelse)?);
    }
    let results = merge.finish();
    let mut values =
        plans.into_iter().map(|plan| plan.rebuild(host, &results)).collect::<Result<Vec<_>, _>>()?;
    let given = gives.then(|| values.remove(0));
    flow.set(&values)?;
    Ok(given)
}

/// What a branch gives, and what it leaves.
type Left<V> = (Option<V>, Vec<V>);

/// Two closed regions, and what their branches give and leave; nothing for one that raises. Where the first one raises the
/// second one is not run: both regions are the first one's, and nothing is known of either.
type Both<V> = ([RegionId; 2], Sides<Option<Left<V>>>);

fn both<H: Host>(
    flow: &Flow<'_, H>,
    test: ValueId,
    before: &[H::Value],
    branches: [Branch<'_, H>; 2],
) -> Result<Both<H::Value>, (usize, H::Error)> {
    // What fails for lack of what the other branch may tell does not raise before that was asked.
    let run = |side: usize, may_raise: bool, learn: bool| {
        flow.set(before)?;
        match looked_at(flow, flow.host.trace().assuming(test, side == 0, || branches[side]())) {
            Err(error)
                if may_raise && !(learn && flow.host.can_learn(&error)) && flow.host.raises(&error) =>
            {
                flow.get().map(|_| None)
            }
            given => Ok(Some((given?, flow.get()?))),
        }
    };
    let mut first = into_region(flow.host, || run(0, true, true));
    if first.as_ref().is_err_and(|error| flow.host.can_learn(error)) {
        into_region(flow.host, || run(1, true, false)).map_err(|error| (1, error))?;
        first = into_region(flow.host, || run(0, true, false));
    }
    let (then_region, then) = first.map_err(|error| (0, error))?;
    if then.is_none() {
        // What the other branch does follows, and is run there.
        return Ok(([then_region; 2], [None, None]));
    }
    let (else_region, orelse) = into_region(flow.host, || run(1, true, false)).map_err(|error| (1, error))?;
    Ok(([then_region, else_region], [then, orelse]))
}

/// What a part of a statement gave. If it called a function of which nothing is known yet, state is looked at where it is
/// now, and its values can be seen: to look is to be told of state that was not known before.
pub(crate) fn looked_at<H: Host, T>(flow: &Flow<'_, H>, given: Result<T, H::Error>) -> Result<T, H::Error> {
    match given {
        Err(error) if flow.host.is_unknown(&error) => flow.get().and(Err(error)),
        given => given,
    }
}

/// The leaves of both sides in one structure.
type Conformed<H> = (<H as Host>::Skeleton, Sides<Vec<<H as Host>::Value>>);

/// How to make one variable's value from the results of `cond`.
enum Plan<H: Host> {
    /// Both branches leave the same object.
    Keep(H::Value),
    /// Leaf by leaf.
    Merge(H::Skeleton, Vec<Choice<H::Value>>),
}

impl<H: Host> Plan<H> {
    fn rebuild(self, host: &H, results: &[ValueId]) -> Result<H::Value, H::Error> {
        let (skeleton, leaves) = match self {
            Plan::Keep(value) => return Ok(value),
            Plan::Merge(skeleton, leaves) => (skeleton, leaves),
        };
        let leaf = |choice| match choice {
            Choice::Keep(value) => Ok(value),
            Choice::Result(at, None, weak) => host.show(Shown::Staged(Staged { value: results[at], weak })),
            Choice::Result(at, Some((bit, lack)), weak) => {
                host.show(Shown::Maybe(Staged { value: results[at], weak }, results[bit], lack))
            }
        };
        let leaves = leaves.into_iter().map(leaf).collect::<Result<_, _>>()?;
        host.rebuild(&skeleton, leaves)
    }
}

/// The results of `cond`, as they are gathered.
pub(crate) struct Merge<'a, H: Host> {
    pub host: &'a H,
    test: ValueId,
    regions: [RegionId; 2],
    /// Whether a value of the first branch may be of another rank than in the second: then it is there only in the first.
    ranks_differ: bool,
    /// For each result: its value at the end of either region, and its type.
    columns: Vec<(Sides<ValueId>, TensorType)>,
}

impl<H: Host> Merge<'_, H> {
    fn variable(&mut self, slot: &Slot, then: H::Value, orelse: H::Value) -> Result<Plan<H>, H::Error> {
        if self.host.same(&then, &orelse) {
            return Ok(Plan::Keep(then));
        }
        let parts = [self.host.flatten(&then)?, self.host.flatten(&orelse)?];
        let lone = [self.lone(0, &parts[0].1)?, self.lone(1, &parts[1].1)?];
        if let Some(unclear) = self.unclear(slot, [&then, &orelse], &parts, lone)? {
            return Ok(Plan::Keep(unclear));
        }
        if let Some((skeleton, sides)) = self.optionals(slot, [&then, &orelse], &parts)? {
            let pairs = std::iter::zip(sides[0].clone(), sides[1].clone());
            let leaves = pairs.map(|(a, b)| self.leaf(slot, [a, b])).collect::<Result<_, _>>()?;
            return Ok(Plan::Merge(skeleton, leaves));
        }
        let [(then_skeleton, then_leaves), (else_skeleton, else_leaves)] = parts;
        // A name without a value, or a list without elements.
        let [then_lacks, else_lacks] = lone.map(|seen| matches!(seen, Some(Seen::Unbound | Seen::Empty)));
        if !then_lacks && !else_lacks && !self.host.same_skeleton(&then_skeleton, &else_skeleton) {
            return Err(self.objects_differ(slot, &then, &orelse));
        }
        // A side without a value takes the other side's structure.
        let count = then_leaves.len().max(else_leaves.len());
        let then_leaves = widen(then_leaves, count);
        let else_leaves = widen(else_leaves, count);
        let pairs = then_leaves.into_iter().zip(else_leaves);
        let leaves = pairs.map(|(a, b)| self.leaf(slot, [a, b])).collect::<Result<_, _>>()?;
        Ok(Plan::Merge(if then_lacks { else_skeleton } else { then_skeleton }, leaves))
    }

    /// What both branches leave, if one leaves a structure and the other the host's object for no value, or what may be
    /// either.
    fn optionals(
        &self,
        slot: &Slot,
        [then, orelse]: Sides<&H::Value>,
        parts: &Sides<Parts<H>>,
    ) -> Result<Option<Conformed<H>>, H::Error> {
        let [(a, _), (b, _)] = parts;
        if self.host.same_skeleton(a, b) {
            return Ok(None);
        }
        let Some(target) = self.host.optional(a).or_else(|| self.host.optional(b)) else { return Ok(None) };
        let is_target = |skeleton| self.host.same_skeleton(skeleton, &target);
        let mut some = is_target(a) || is_target(b);
        for (side, (_, leaves)) in parts.iter().enumerate() {
            let [leaf] = leaves.as_slice() else { continue };
            let seen = self.see(side, leaf)?;
            // With a structure without parts no bool flows that says whether it is returned.
            some |= seen == Seen::Nothing || parts[1 - side].1.is_empty() && is_nothing(seen, slot);
        }
        if !some {
            return Ok(None);
        }
        let count = parts.iter().map(|(skeleton, leaves)| leaves.len() + usize::from(!is_target(skeleton)));
        let count = count.max().unwrap_or(0);
        let side = |at: usize| {
            let (trace, region) = (self.host.trace(), self.regions[at]);
            at_end_of(trace, region, || {
                let (skeleton, leaves) = &parts[at];
                conform(self.host, slot, (skeleton, leaves), &target, count)
            })
        };
        match (side(0)?, side(1)?) {
            (Some(a), Some(b)) => Ok(Some((target, [a, b]))),
            (None | Some(_), _) => Err(self.objects_differ(slot, then, orelse)),
        }
    }

    fn leaf(&mut self, slot: &Slot, sides: Sides<H::Value>) -> Result<Choice<H::Value>, H::Error> {
        let [then, orelse] = sides;
        if self.host.same(&then, &orelse) {
            return Ok(Choice::Keep(then));
        }
        let seen = [self.see(0, &then)?, self.see(1, &orelse)?];
        if let [Seen::Number(a), Seen::Number(b)] = seen
            && a.is(b)
        {
            return self.host.show(Shown::Number(a)).map(Choice::Keep);
        }
        if self.ranks_differ && self.is_of_other_rank(seen) {
            let ty = LeafType::of(self.host.trace(), seen[0]).expect("what has a rank has a type");
            let ty = ty.with_own_lengths(self.host.trace());
            let seen = [seen[0], Seen::Unbound];
            let bit = (self.column(seen.map(Some), &bool_type(), boundness), Lack::OtherRank);
            return Ok(Choice::Result(self.column(seen.map(Some), &ty, fit), Some(bit), ty.weak));
        }
        let lacks = seen.map(Seen::lack);
        let Ok(lack) = meet_lacks(slot, lacks[0], lacks[1]) else {
            return Err(self.objects_differ(slot, &then, &orelse));
        };
        let types = seen.map(|s| LeafType::of(self.host.trace(), s));
        let empty = |side: usize, other: &LeafType| {
            (seen[side] == Seen::Empty).then(|| other.of_any_count(self.host.trace())).flatten()
        };
        let ty = match (&types[0], &types[1]) {
            (Some(a), Some(b)) => a.join(b, self.host.trace()).map_err(|clash| match seen {
                [Seen::Text(_), _] | [_, Seen::Text(_)] => self.objects_differ(slot, &then, &orelse),
                _ => self.types_differ(slot, clash, a, b),
            })?,
            (Some(a), None) if lacks[1].is_some() => a.with_own_lengths(self.host.trace()),
            (None, Some(b)) if lacks[0].is_some() => b.with_own_lengths(self.host.trace()),
            (None, None) if lack == Some(Lack::Nothing) && lacks[0].is_some() && lacks[1].is_some() => {
                return Ok(Choice::Keep(if seen[0] == Seen::Nothing { then } else { orelse }));
            }
            (Some(a), None) => empty(1, a).ok_or_else(|| self.objects_differ(slot, &then, &orelse))?,
            (None, Some(b)) => empty(0, b).ok_or_else(|| self.objects_differ(slot, &then, &orelse))?,
            (None, None) => return Err(self.objects_differ(slot, &then, &orelse)),
        };
        if let [Some(a), Some(b)] = &types
            && !seen.iter().all(|s| ty.holds(*s))
        {
            return Err(self.types_differ(slot, Clash::DType, a, b));
        }
        let bit = lack.map(|lack| (self.column(seen.map(Some), &bool_type(), boundness), lack));
        let at = self.column(seen.map(Some), &ty, fit);
        Ok(Choice::Result(at, bit, ty.weak))
    }

    /// Whether both branches leave a value, of different ranks.
    fn is_of_other_rank(&self, seen: Sides<Seen>) -> bool {
        let rank = |seen: Seen| match seen {
            Seen::Staged(_) | Seen::Number(_) => LeafType::of(self.host.trace(), seen).map(|t| t.ty.rank()),
            Seen::Text(_) | Seen::Maybe(..) | Seen::Unbound => None,
            Seen::Nothing | Seen::Empty | Seen::Unclear | Seen::Object => None,
        };
        matches!((rank(seen[0]), rank(seen[1])), (Some(a), Some(b)) if a != b)
    }

    /// What a leaf is at the end of a branch, given what the branch knows of the test: in the first branch of
    /// `if not stop`, `stop` is false.
    pub fn see(&self, side: usize, leaf: &H::Value) -> Result<Seen, H::Error> {
        let trace = self.host.trace();
        let seen = at_end_of(trace, self.regions[side], || self.host.see(leaf))?;
        let known = |value| implied(trace, self.test, side == 0, value);
        Ok(match seen {
            Seen::Staged(staged) => match self.answer(staged.value, side) {
                Some(truth) => Seen::Number(Scalar::Bool(truth)),
                None => seen,
            },
            Seen::Maybe(staged, bit, _) if known(bit) == Some(true) => Seen::Staged(staged),
            Seen::Maybe(..) | Seen::Number(_) | Seen::Unbound | Seen::Nothing => seen,
            Seen::Text(_) | Seen::Empty | Seen::Unclear | Seen::Object => seen,
        })
    }

    /// The test's answer in a branch, or its contrary, where the value is one of the two.
    fn answer(&self, value: ValueId, side: usize) -> Option<bool> {
        if value == self.test {
            return Some(side == 0);
        }
        let (op, of) = self.host.trace().definition(self.test)?;
        (op == Op::Not && of[0] == value).then_some(side != 0)
    }

    fn column(
        &mut self,
        seen: Sides<Option<Seen>>,
        ty: &LeafType,
        value: impl Fn(&Trace, Seen, &LeafType) -> ValueId,
    ) -> usize {
        let trace = self.host.trace();
        let regions = self.regions;
        let side = |i: usize| {
            let made: Result<_, H::Error> =
                at_end_of(trace, regions[i], || Ok(value(trace, seen[i].unwrap_or(Seen::Unbound), ty)));
            made
        };
        if let (Ok(then), Ok(orelse)) = (side(0), side(1)) {
            self.columns.push(([then, orelse], ty.ty.clone()));
        }
        self.columns.len() - 1
    }

    fn finish(self) -> Vec<ValueId> {
        let trace = self.host.trace();
        for side in 0..2 {
            set_results(
                trace,
                self.regions[side],
                self.columns.iter().map(|(values, _)| values[side]).collect(),
            );
        }
        let types = self.columns.into_iter().map(|(_, ty)| ty).collect();
        trace.set_place(self.host.place());
        trace.build(|b| b.cond(self.test, self.regions, types))
    }

    fn types_differ(&self, slot: &Slot, clash: Clash, a: &LeafType, b: &LeafType) -> H::Error {
        let sides = [a, b].map(|t| describe(&t.ty, t.weak));
        let [a, b] = &sides;
        let message = format!("{slot} is {a} if the condition is true and {b} if it is false");
        let help = match clash {
            Clash::DType => "give both branches one dtype, e.g. with `gw.cast`",
            Clash::Rank => "give both branches one rank, e.g. with `gw.reshape` or `gw.zeros_like`",
        };
        self.place(slot, &sides, Diagnostic::new(Code::BranchTypesDiffer, message).help(help)).into()
    }

    fn objects_differ(&self, slot: &Slot, then: &H::Value, orelse: &H::Value) -> H::Error {
        self.differ(slot, [then, orelse]).into()
    }

    pub fn differ(&self, slot: &Slot, [then, orelse]: Sides<&H::Value>) -> Diagnostic {
        let sides = [then, orelse].map(|v| self.host.word(v));
        let [a, b] = &sides;
        let message = format!("{slot} is {a} if the condition is true and {b} if it is false");
        let help = "the condition is a tensor, so both branches must leave tensors or numbers of one structure; \
                    compute a number instead, or test a Python value";
        let help = [then, orelse].into_iter().find_map(|v| self.host.instead(v)).unwrap_or(help);
        self.place(slot, &sides, Diagnostic::new(Code::BranchesDisagree, message).help(help))
    }

    /// Shows the statement, and where each side gives the name its value; a side that does not has that of before.
    fn place(&self, slot: &Slot, sides: &[String; 2], diagnostic: Diagnostic) -> Diagnostic {
        let Some(place) = self.host.place() else { return diagnostic };
        let mut out = diagnostic.at(place, "both branches of this are in the graph");
        for (side, what) in sides.iter().enumerate() {
            let own = self.host.assigned(slot, Part::Block(side));
            if let Some(at) = own.or_else(|| self.host.assigned(slot, Part::Before)) {
                let when = if side == 0 { "true" } else { "false" };
                out = out.at(at, format!("{what} if it is {when}"));
            }
        }
        out
    }
}

/// Whether the name has a value at the end of a branch.
pub(crate) fn boundness(trace: &Trace, seen: Seen, _: &LeafType) -> ValueId {
    let known = |bound| trace.build(|b| b.constant(Literal::scalar(DType::Bool, Scalar::Bool(bound))));
    match seen {
        Seen::Maybe(_, bit, _) => bit,
        Seen::Unbound | Seen::Nothing => known(false),
        Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) | Seen::Empty => known(true),
        Seen::Unclear | Seen::Object => known(true),
    }
}

/// What is known of a bool where `test` is `truth`: `a and b` is true only if both are. Each operand is followed once,
/// in however many it takes part.
pub(crate) fn implied(trace: &Trace, test: ValueId, truth: bool, value: ValueId) -> Option<bool> {
    let (mut next, mut seen) = (vec![(test, truth)], HashSet::new());
    while let Some((test, truth)) = next.pop() {
        if test == value {
            return Some(truth);
        }
        if seen.insert((test, truth)) {
            match trace.definition(test) {
                Some((Op::Not, of)) => next.push((of[0], !truth)),
                Some((Op::And, of)) if truth => next.extend(of.iter().rev().map(|&of| (of, truth))),
                Some((Op::Or, of)) if !truth => next.extend(of.iter().rev().map(|&of| (of, truth))),
                Some(_) | None => {}
            }
        }
    }
    None
}

pub(crate) fn bool_type() -> LeafType {
    LeafType { ty: TensorType::scalar(DType::Bool), weak: None }
}

/// One leaf without a value stands for as many as the other side has.
fn widen<V: Clone>(leaves: Vec<V>, count: usize) -> Vec<V> {
    match leaves.as_slice() {
        [one] if count > 1 => vec![one.clone(); count],
        _ => leaves,
    }
}

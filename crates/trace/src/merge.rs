//! The state that two branches leave becomes one: what they agree on stays, the rest are results of `cond`.

use gw_base::{Code, Diagnostic};
use gw_ir::{Literal, Op, RegionId, UnaryOp, ValueId};
use gw_types::{DType, Scalar, TensorType};

use crate::implied::implied;
use crate::join::{Clash, LeafType, describe, fit, meet_lacks};
use crate::optional::{conform, is_nothing};
use crate::region::{at_end_of, set_results};
use crate::{Host, Lack, Part, Parts, Seen, Shown, Slot, Staged, Trace};

/// One leaf as the two branches leave it.
pub(crate) type Sides<V> = [V; 2];

/// The fate of one leaf.
pub enum Choice<V> {
    /// Both branches leave the same.
    Keep(V),
    /// The branches differ: the result of `cond` at this position, and where it is said whether there is one, if that is
    /// in doubt.
    Result(usize, Option<(usize, Lack)>, Option<gw_types::Number>),
}

/// The leaves of both sides in one structure.
type Conformed<H> = (<H as Host>::Skeleton, Sides<Vec<<H as Host>::Value>>);

/// The way to one variable's value from the results of `cond`.
pub(crate) enum Plan<H: Host> {
    /// Both branches leave the same object.
    Keep(H::Value),
    /// Leaf by leaf.
    Merge(H::Skeleton, Vec<Choice<H::Value>>),
}

impl<H: Host> Plan<H> {
    pub(crate) fn rebuild(self, host: &H, results: &[ValueId]) -> Result<H::Value, H::Error> {
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
    pub test: ValueId,
    pub regions: [RegionId; 2],
    /// True if a value of the first branch may be of another rank than in the second: then it is there only in the first.
    pub ranks_differ: bool,
    /// For each result: its value at the end of either region, and its type.
    pub columns: Vec<(Sides<ValueId>, LeafType)>,
}

/// The failure of two values to become one.
enum Failure<E> {
    /// The branches disagree.
    Disagree(Diagnostic),
    Host(E),
}

impl<E> From<E> for Failure<E> {
    fn from(error: E) -> Self {
        Self::Host(error)
    }
}

impl<H: Host> Merge<'_, H> {
    /// The variable after both branches. Where they disagree, to read it is the error, since a name that nobody reads is none.
    pub(crate) fn variable(
        &mut self,
        slot: &Slot,
        then: H::Value,
        orelse: H::Value,
    ) -> Result<Plan<H>, H::Error> {
        let sides = [then.clone(), orelse.clone()];
        self.merged(slot, then, orelse).or_else(|failure| match failure {
            Failure::Disagree(why) if slot.is_users() && self.is_value_of_name(&sides)? => {
                self.host.unclear(slot, why).map(Plan::Keep)
            }
            Failure::Disagree(why) => Err(why.into()),
            Failure::Host(error) => Err(error),
        })
    }

    /// True unless both sides are structures: what a list holds has the list's name, too, and is read without it.
    fn is_value_of_name(&self, sides: &Sides<H::Value>) -> Result<bool, H::Error> {
        for (side, value) in sides.iter().enumerate() {
            let (skeleton, leaves) = self.host.flatten(value)?;
            let is_leaf = self.host.optional(&skeleton).is_none() && !self.host.has_rows(&skeleton);
            if is_leaf && self.lone(side, &leaves)? != Some(Seen::Empty) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn merged(
        &mut self,
        slot: &Slot,
        then: H::Value,
        orelse: H::Value,
    ) -> Result<Plan<H>, Failure<H::Error>> {
        if self.host.same(&then, &orelse) {
            return Ok(Plan::Keep(then));
        }
        let parts = [self.host.flatten(&then)?, self.host.flatten(&orelse)?];
        let lone = [self.lone(0, &parts[0].1)?, self.lone(1, &parts[1].1)?];
        if let Some(poison) = self.poisoned(slot, [&then, &orelse], &parts, lone)? {
            return Ok(Plan::Keep(poison));
        }
        if let Some((skeleton, sides)) = self.optionals(slot, [&then, &orelse], &parts)? {
            let pairs = std::iter::zip(sides[0].clone(), sides[1].clone());
            let rows = self.host.has_rows(&skeleton);
            let leaves = pairs.map(|(a, b)| self.leaf(slot, [a, b], rows)).collect::<Result<_, _>>()?;
            return Ok(Plan::Merge(skeleton, leaves));
        }
        let [(then_skeleton, then_leaves), (else_skeleton, else_leaves)] = self.with_rows(parts)?;
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
        let skeleton = if then_lacks { else_skeleton } else { then_skeleton };
        let rows = self.host.has_rows(&skeleton);
        let leaves = pairs.map(|(a, b)| self.leaf(slot, [a, b], rows)).collect::<Result<_, _>>()?;
        Ok(Plan::Merge(skeleton, leaves))
    }

    /// The variable after both branches, if one leaves a structure and the other the host's object for no value, or what may be
    /// either.
    fn optionals(
        &self,
        slot: &Slot,
        [then, orelse]: Sides<&H::Value>,
        parts: &Sides<Parts<H>>,
    ) -> Result<Option<Conformed<H>>, Failure<H::Error>> {
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

    fn leaf(
        &mut self,
        slot: &Slot,
        sides: Sides<H::Value>,
        rows: bool,
    ) -> Result<Choice<H::Value>, Failure<H::Error>> {
        let [then, orelse] = sides;
        if self.host.same(&then, &orelse) {
            return Ok(Choice::Keep(then));
        }
        let seen = [self.see(0, &then)?, self.see(1, &orelse)?];
        if let [Seen::Number(a), Seen::Number(b)] = seen
            && a.is(b)
        {
            return Ok(Choice::Keep(self.host.show(Shown::Number(a))?));
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
        let join = if rows { LeafType::join_rows } else { LeafType::join };
        let empty = |side: usize, other: &LeafType| {
            (seen[side] == Seen::Empty).then(|| other.of_any_count(self.host.trace())).flatten()
        };
        let ty = match (&types[0], &types[1]) {
            (Some(a), Some(b)) => join(a, b, self.host.trace()).map_err(|clash| match seen {
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
            && (!seen.iter().all(|s| ty.holds(*s)) || self.wrap_apart(seen, a, b))
        {
            return Err(self.types_differ(slot, Clash::DType, a, b));
        }
        if let [Some(a), Some(b)] = &types
            && seen.iter().any(|s| ty.rounds(self.host.trace(), *s))
        {
            return Err(self.types_differ(slot, Clash::Rounds, a, b));
        }
        let bit = lack.map(|lack| (self.column(seen.map(Some), &bool_type(), boundness), lack));
        let at = self.column(seen.map(Some), &ty, fit);
        Ok(Choice::Result(at, bit, ty.weak))
    }

    /// True if branches leave elements of arrays of integers whose types differ: each would wrap in its own, and not in the one that
    /// holds both.
    fn wrap_apart(&self, seen: Sides<Seen>, a: &LeafType, b: &LeafType) -> bool {
        let trace = self.host.trace();
        let is_element = |seen: Seen| match seen {
            Seen::Staged(s) | Seen::Maybe(s, ..) => s.weak.is_none() && trace.may_be_of_arrays(s.value),
            Seen::Number(_) | Seen::Text(_) | Seen::Unbound | Seen::Nothing => false,
            Seen::Empty | Seen::Unclear | Seen::Object => false,
        };
        let are_single = [a, b].iter().all(|leaf| leaf.ty.is_scalar() && leaf.ty.dtype.is_int());
        are_single && a.ty.dtype != b.ty.dtype && seen.into_iter().all(is_element)
    }

    /// True if both branches leave a value, of different ranks.
    fn is_of_other_rank(&self, seen: Sides<Seen>) -> bool {
        let rank = |seen: Seen| match seen {
            Seen::Staged(_) | Seen::Number(_) => LeafType::of(self.host.trace(), seen).map(|t| t.ty.rank()),
            Seen::Text(_) | Seen::Maybe(..) | Seen::Unbound => None,
            Seen::Nothing | Seen::Empty | Seen::Unclear | Seen::Object => None,
        };
        matches!((rank(seen[0]), rank(seen[1])), (Some(a), Some(b)) if a != b)
    }

    /// A leaf as it is at the end of a branch, given what the branch knows of the test: in the first branch of
    /// `if not stop`, `stop` is false.
    pub fn see(&self, side: usize, leaf: &H::Value) -> Result<Seen, H::Error> {
        let trace = self.host.trace();
        let seen = at_end_of(trace, self.regions[side], || self.host.see(leaf))?;
        let known = |value| implied(|of| trace.definition(of), self.test, side == 0, value);
        Ok(match seen {
            Seen::Staged(staged) => match self.answer(staged.value, side) {
                // A bool of arrays is none of Python's own, which `is` tells.
                Some(truth) if staged.weak.is_some() || !trace.seems_of_arrays(staged.value) => {
                    Seen::Number(Scalar::Bool(truth))
                }
                Some(_) | None => seen,
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
        (op == Op::Unary(UnaryOp::Not) && of[0] == value).then_some(side != 0)
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
            self.columns.push(([then, orelse], ty.clone()));
        }
        self.columns.len() - 1
    }

    pub(crate) fn finish(self) -> Vec<ValueId> {
        let trace = self.host.trace();
        for side in 0..2 {
            set_results(
                trace,
                self.regions[side],
                self.columns.iter().map(|(values, _)| values[side]).collect(),
            );
        }
        let types = self.columns.iter().map(|(_, leaf)| leaf.ty.clone()).collect();
        trace.set_place(self.host.place());
        let results = trace.build(|b| b.cond(self.test, self.regions, types));
        for (&result, (_, leaf)) in results.iter().zip(&self.columns) {
            leaf.of_value(trace, result);
        }
        results
    }

    fn types_differ(&self, slot: &Slot, clash: Clash, a: &LeafType, b: &LeafType) -> Failure<H::Error> {
        let sides = [a, b].map(|t| describe(&t.ty, t.weak));
        let [a, b] = &sides;
        let message = format!("{slot} is {a} if the condition is true and {b} if it is false");
        let help = match clash {
            Clash::DType => "give both branches one dtype, e.g. with `gw.cast`",
            Clash::Rounds => Clash::ROUNDS,
            Clash::Rank => "give both branches one rank, e.g. with `gw.reshape` or `gw.zeros_like`",
        };
        Failure::Disagree(self.place(
            slot,
            &sides,
            Diagnostic::new(Code::BranchTypesDiffer, message).help(help),
        ))
    }

    fn objects_differ(&self, slot: &Slot, then: &H::Value, orelse: &H::Value) -> Failure<H::Error> {
        Failure::Disagree(self.differ(slot, [then, orelse]))
    }

    pub fn differ(&self, slot: &Slot, [then, orelse]: Sides<&H::Value>) -> Diagnostic {
        let sides = [then, orelse].map(|v| self.host.word(v));
        let [a, b] = &sides;
        let b = if a == b { "another" } else { b };
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

/// True if the name has a value at the end of a branch.
pub(crate) fn boundness(trace: &Trace, seen: Seen, _: &LeafType) -> ValueId {
    let known = |bound| trace.build(|b| b.constant(Literal::scalar(DType::Bool, Scalar::Bool(bound))));
    match seen {
        Seen::Maybe(_, bit, _) => bit,
        Seen::Unbound | Seen::Nothing => known(false),
        Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) | Seen::Empty => known(true),
        Seen::Unclear | Seen::Object => known(true),
    }
}

pub(crate) fn bool_type() -> LeafType {
    LeafType::strong(TensorType::scalar(DType::Bool))
}

/// One leaf without a value stands for as many as the other side has.
fn widen<V: Clone>(leaves: Vec<V>, count: usize) -> Vec<V> {
    match leaves.as_slice() {
        [one] if count > 1 => vec![one.clone(); count],
        _ => leaves,
    }
}

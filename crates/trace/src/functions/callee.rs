//! Calls of a function that calls itself where a value of the graph decides whether it does ⇒ `call` of a function of the
//! graph.
//!
//! Such a function is traced in rounds, until nothing about it changes. In the first one nothing is known of what it
//! returns: a branch that calls it is given up, and the other branch alone decides what the statement leaves. From the
//! second one on a call gives what the round before returned. Values from around that it reads become parameters, and so
//! does the host's own state; what it changes of that, and what it stores into its arguments, become results.

use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_ir::{FunctionId, ValueId};
use gw_types::TensorType;

use crate::join::{Clash, LeafType, describe, fit};
use crate::merge::{bool_type, boundness};
use crate::region::params;
use crate::{Host, Interrupt, Lack, Seen, Shown, Staged, Trace};

/// Role of a leaf of the arguments in a function.
#[derive(Debug, Clone)]
pub enum Argument<V> {
    /// A parameter of this type.
    Value(LeafType),
    /// A number of the host's own: the function is for this one alone.
    Number(V, LeafType),
    /// Anything else: the function is for this one alone.
    Object(V),
}

impl<V: Clone> Argument<V> {
    /// Role of a leaf in the function's first call.
    pub fn of<H: Host<Value = V>>(host: &H, leaf: &V) -> Result<Self, H::Error> {
        let seen = host.see(leaf)?;
        let ty = LeafType::of(host.trace(), seen);
        Ok(match (seen, ty) {
            (Seen::Staged(_), Some(ty)) => Self::Value(ty),
            (Seen::Number(_), Some(ty)) => Self::Number(leaf.clone(), ty),
            (Seen::Staged(_) | Seen::Number(_) | Seen::Unbound | Seen::Nothing, _) => {
                Self::Object(leaf.clone())
            }
            (Seen::Text(_) | Seen::Maybe(..) | Seen::Empty, _) => Self::Object(leaf.clone()),
            (Seen::Unclear | Seen::Object, _) => Self::Object(leaf.clone()),
        })
    }

    /// True if a function for this leaf serves the other leaf, too.
    pub fn covers<H: Host<Value = V>>(&self, host: &H, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(own), Self::Value(other)) => own.covers(other, host.trace()),
            (Self::Value(own), Self::Number(number, other)) => {
                own.covers(other, host.trace()) && host.see(number).is_ok_and(|seen| own.holds(seen))
            }
            (Self::Number(own, _), Self::Number(other, _)) | (Self::Object(own), Self::Object(other)) => {
                host.same(own, other)
            }
            (Self::Value(_) | Self::Number(..) | Self::Object(_), _) => false,
        }
    }

    /// Argument of a function that serves both leaves; none if there is no such function.
    pub fn join<H: Host<Value = V>>(&self, host: &H, other: &Self) -> Option<Self> {
        match (self, other) {
            (own, other) if own.covers(host, other) => Some(own.clone()),
            (Self::Value(own) | Self::Number(_, own), Self::Value(other) | Self::Number(_, other)) => {
                own.join(other, host.trace()).ok().map(Self::Value)
            }
            (Self::Value(_) | Self::Number(..) | Self::Object(_), _) => None,
        }
    }
}

/// Interface of a function of the graph as far as it is known: its parameters and results. `S` is the structure
/// of a value of the host's.
#[derive(Debug)]
pub struct Callee<V, S> {
    function: FunctionId,
    name: String,
    params: Vec<LeafType>,
    /// Each value that it gives, once that is known.
    gives: Option<Vec<Structure<V, S>>>,
    /// Number of the host's own state values that it takes.
    own: usize,
    /// Indices of the state values that it changes.
    changes: Vec<usize>,
    /// Indices of the parameters that it stores into.
    stores: Vec<usize>,
    /// The values from around that it reads, in the order of the parameters that they are.
    captures: Vec<ValueId>,
}

/// A value that a function gives: a structure and its leaves.
type Structure<V, S> = (Arc<S>, Vec<Returned<V>>);

/// Kind of a leaf of the result.
#[derive(Debug, Clone)]
enum Returned<V> {
    /// A value of this type.
    Value(LeafType),
    /// A value of this type, or the host's object for no value.
    Optional(LeafType),
    /// The same each time.
    Kept(V),
}

/// Interface of a function, or of its result, and the values that it returns.
type Given<T, H> = Result<(T, Vec<ValueId>), <H as Host>::Error>;

/// The host's function: it takes a value for each parameter, and gives what it returns and whatever else a call is to be
/// told, of which there may be more from one round to the next.
pub type Body<'a, H> =
    &'a dyn Fn(Vec<<H as Host>::Value>) -> Result<Vec<<H as Host>::Value>, <H as Host>::Error>;

impl<V: Clone, S> Callee<V, S> {
    /// A function of which nothing is known but what it takes; the leaves that are values become its parameters.
    pub fn new<H: Host<Value = V, Skeleton = S>>(
        host: &H,
        name: &str,
        arguments: &[Argument<V>],
    ) -> Result<Self, H::Error> {
        let value = |argument: &Argument<V>| match argument {
            Argument::Value(ty) => Some(ty.clone()),
            Argument::Number(..) | Argument::Object(_) => None,
        };
        Ok(Self {
            function: host.trace().build(|b| b.declare(name)),
            name: name.to_owned(),
            params: arguments.iter().filter_map(value).collect(),
            gives: None,
            own: host.own_state()?.len(),
            changes: Vec::new(),
            stores: Vec::new(),
            captures: Vec::new(),
        })
    }

    /// The function of the graph.
    pub fn function(&self) -> FunctionId {
        self.function
    }

    /// Another function of which the same is known, to begin with; it reads what can be read here.
    pub fn anew<H: Host<Value = V, Skeleton = S>>(&self, host: &H) -> Self {
        let trace = host.trace();
        let function = trace.build(|b| b.declare(&self.name));
        let seen = |value: &ValueId| trace.lift(*value).is_some();
        Self { function, captures: self.captures.iter().copied().filter(seen).collect(), ..self.clone() }
    }

    /// Indices of the parameters that it stores into.
    pub fn stores(&self) -> &[usize] {
        &self.stores
    }

    /// The values from around that it reads.
    pub fn reads(&self) -> &[ValueId] {
        &self.captures
    }

    /// Values of the result that are the same in each call.
    pub fn kept(&self) -> impl Iterator<Item = &V> {
        self.leaves().filter_map(|leaf| match leaf {
            Returned::Kept(leaf) => Some(leaf),
            Returned::Value(_) | Returned::Optional(_) => None,
        })
    }

    /// True if it reads this value from around it.
    pub fn captures(&self, value: ValueId) -> bool {
        self.captures.contains(&value)
    }

    /// True if its results are known.
    pub fn is_known(&self) -> bool {
        self.gives.is_some()
    }

    fn leaves(&self) -> impl Iterator<Item = &Returned<V>> {
        self.gives.iter().flatten().flat_map(|(_, leaves)| leaves)
    }

    /// Traces the function with what is known of it; gives what is known then.
    ///
    /// # Errors
    /// Errors of the body; GW101 and GW103 where its paths return values that cannot be merged.
    pub fn round<H: Host<Value = V, Skeleton = S>>(
        &self,
        host: &H,
        body: Body<'_, H>,
    ) -> Result<Self, H::Error> {
        let outside = host.own_state()?;
        let types = outside.iter().map(|value| self.type_of(host, value)).collect::<Result<Vec<_>, _>>()?;
        host.trace().begin(self.function);
        let traced = self.inside(host, &types, body);
        let results = traced.as_ref().map_or_else(|_| Vec::new(), |(_, results)| results.clone());
        let captures = host.trace().end(results);
        host.set_own_state(&outside)?;
        let (mut next, _) = traced?;
        next.captures = captures;
        Ok(next)
    }

    fn type_of<H: Host<Value = V>>(&self, host: &H, value: &V) -> Result<TensorType, H::Error> {
        let ty = LeafType::of(host.trace(), host.see(value)?);
        Ok(ty.expect("the host's own state is values of the graph").ty)
    }

    /// Fills the function's region; gives what is known then, and the results.
    fn inside<H: Host<Value = V, Skeleton = S>>(
        &self,
        host: &H,
        own: &[TensorType],
        body: Body<'_, H>,
    ) -> Given<Self, H> {
        let trace = host.trace();
        let types = self.params.iter().map(|ty| ty.with_own_lengths(trace).ty).collect::<Vec<_>>();
        let given = params(trace, &types);
        let state = params(trace, own);
        trace.take_captures(&self.captures);
        let show = |value, weak| host.show(Shown::Staged(Staged { value, weak }));
        let leaves = given.iter().zip(&self.params).map(|(&value, ty)| {
            let staged = ty.of_value(trace, value);
            show(staged.value, staged.weak)
        });
        let leaves = leaves.collect::<Result<Vec<_>, _>>()?;
        host.set_own_state(&state.iter().map(|&value| show(value, None)).collect::<Result<Vec<_>, _>>()?)?;
        let (mut gives, mut results) = (Vec::new(), Vec::new());
        for (at, value) in body(leaves.clone())?.iter().enumerate() {
            let known = self.gives.as_ref().and_then(|known| known.get(at));
            let (given, values) = self.returned(host, known, value)?;
            gives.push(given);
            results.extend(values);
        }
        let mut next = Self { gives: Some(gives), captures: Vec::new(), ..self.clone() };
        for (at, leaf) in leaves.iter().enumerate() {
            next.see_change(host, leaf, given[at], at, |next| &mut next.stores, &mut results)?;
        }
        let after = host.own_state()?;
        next.own = after.len();
        for (at, value) in after.iter().enumerate().take(state.len()) {
            next.see_change(host, value, state[at], at, |next| &mut next.changes, &mut results)?;
        }
        Ok((next, results))
    }

    /// Detects a parameter that holds another value at the end; that value becomes a result.
    fn see_change<H: Host<Value = V>>(
        &mut self,
        host: &H,
        leaf: &V,
        before: ValueId,
        at: usize,
        known: impl Fn(&mut Self) -> &mut Vec<usize>,
        results: &mut Vec<ValueId>,
    ) -> Result<(), H::Error> {
        let Seen::Staged(now) = host.see(leaf)? else { return Ok(()) };
        let changed = known(self);
        if now.value != before && !changed.contains(&at) {
            changed.push(at);
            changed.sort_unstable();
        }
        if changed.contains(&at) {
            results.push(now.value);
        }
        Ok(())
    }

    /// Return value of the function, with what it is known to give, and the values for that.
    fn returned<H: Host<Value = V, Skeleton = S>>(
        &self,
        host: &H,
        known: Option<&Structure<V, S>>,
        value: &V,
    ) -> Given<Structure<V, S>, H> {
        let (skeleton, leaves) = host.flatten(value)?;
        let known = known.filter(|(_, leaves)| !self.is_nothing(host, leaves));
        if let Some((known, _)) = known
            && !host.same_skeleton(known, &skeleton)
        {
            return Err(self.differs(host, "values of different structure".to_owned()));
        }
        let mut all = Vec::with_capacity(leaves.len());
        let mut results = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            let seen = host.see(leaf)?;
            let ty = LeafType::of(host.trace(), seen).filter(|_| !matches!(seen, Seen::Text(_)));
            let now = match (ty, seen.lack()) {
                (Some(ty), None | Some(Lack::Unbound)) => Returned::Value(ty),
                (Some(ty), Some(Lack::Nothing)) => Returned::Optional(ty),
                (Some(_), Some(Lack::OtherRank)) => {
                    return Err(self.differs(host, "values of different rank".to_owned()));
                }
                (None, _) => Returned::Kept(leaf.clone()),
            };
            let both = self.both(host, known.map(|(_, leaves)| &leaves[at]), now)?;
            if let Returned::Value(ty) | Returned::Optional(ty) = &both {
                results.push(fit(host.trace(), seen, ty));
            }
            if let Returned::Optional(ty) = &both {
                results.push(boundness(host.trace(), seen, ty));
            }
            all.push(both);
        }
        Ok(((Arc::new(skeleton), all), results))
    }

    /// True if the function was found not to return.
    fn is_nothing<H: Host<Value = V>>(&self, host: &H, leaves: &[Returned<V>]) -> bool {
        let [Returned::Kept(leaf)] = leaves else { return false };
        matches!(host.see(leaf), Ok(Seen::Unbound))
    }

    fn both<H: Host<Value = V>>(
        &self,
        host: &H,
        known: Option<&Returned<V>>,
        now: Returned<V>,
    ) -> Result<Returned<V>, H::Error> {
        let is_none = |leaf: &V| Ok::<_, H::Error>(host.see(leaf)? == Seen::Nothing);
        let optional = [known, Some(&now)].iter().any(|side| matches!(side, Some(Returned::Optional(_))));
        match (known, now) {
            (None, now) => Ok(now),
            (Some(Returned::Kept(none)), Returned::Value(ty) | Returned::Optional(ty)) if is_none(none)? => {
                Ok(Returned::Optional(ty))
            }
            (Some(Returned::Value(ty) | Returned::Optional(ty)), Returned::Kept(none)) if is_none(&none)? => {
                Ok(Returned::Optional(ty.clone()))
            }
            (
                Some(Returned::Value(a) | Returned::Optional(a)),
                Returned::Value(b) | Returned::Optional(b),
            ) => match a.join(&b, host.trace()) {
                Ok(both) => Ok(if optional { Returned::Optional(both) } else { Returned::Value(both) }),
                Err(Clash::DType | Clash::Rounds | Clash::Rank) => {
                    let [a, b] = [a, &b].map(|t| describe(&t.ty, t.weak));
                    Err(self.differs(host, format!("{a} on one path and {b} on another")))
                }
            },
            (Some(Returned::Kept(a)), Returned::Kept(b)) if host.same(a, &b) => Ok(Returned::Kept(b)),
            (Some(Returned::Kept(a)), Returned::Kept(b)) => {
                let [a, b] = [a, &b].map(|leaf| host.word(leaf));
                Err(self.differs(host, format!("{a} on one path and {b} on another")))
            }
            (Some(Returned::Kept(kept)), Returned::Value(_) | Returned::Optional(_)) => {
                Err(self.differs(host, format!("{} on one path and a tensor on another", host.word(kept))))
            }
            (Some(Returned::Value(_) | Returned::Optional(_)), Returned::Kept(kept)) => {
                Err(self.differs(host, format!("a tensor on one path and {} on another", host.word(&kept))))
            }
        }
    }

    fn differs<H: Host>(&self, host: &H, what: String) -> H::Error {
        let message = format!("`{}` calls itself in the graph and returns {what}", self.name);
        let help = "return values of one type on every path, e.g. with `gw.cast`";
        let found = Diagnostic::new(Code::BranchTypesDiffer, message).help(help);
        match host.place() {
            Some(place) => found.at(place, "called here").into(),
            None => found.into(),
        }
    }

    /// True if a round, in which it did not call itself, met no more of the host's own state than it was given.
    pub fn takes_the_same(&self, before: &Self) -> bool {
        self.own == before.own
    }

    /// True if another round found nothing new.
    pub fn is_settled<H: Host<Value = V>>(&self, before: &Self, host: &H) -> bool {
        let same = |a: &Returned<V>, b: &Returned<V>| match (a, b) {
            (Returned::Value(a), Returned::Value(b)) | (Returned::Optional(a), Returned::Optional(b)) => {
                a.is_like(b)
            }
            (Returned::Kept(a), Returned::Kept(b)) => host.same(a, b),
            (Returned::Value(_) | Returned::Optional(_) | Returned::Kept(_), _) => false,
        };
        let results = match (&self.gives, &before.gives) {
            (Some(a), Some(b)) => {
                a.len() == b.len() && self.leaves().zip(before.leaves()).all(|(a, b)| same(a, b))
            }
            (None | Some(_), _) => false,
        };
        results
            && self.own == before.own
            && self.changes == before.changes
            && self.stores == before.stores
            && self.captures == before.captures
    }

    /// Calls the function with the leaves that are its parameters.
    ///
    /// # Errors
    /// [`Interrupt::UnknownCallee`] while it is not known what it returns.
    pub fn call<H: Host<Value = V, Skeleton = S>>(&self, host: &H, leaves: &[V]) -> Result<Vec<V>, H::Error> {
        let trace = host.trace();
        let Some(gives) = &self.gives else { return Err(host.interrupt(Interrupt::UnknownCallee)) };
        let mut operands = Vec::new();
        for (leaf, ty) in leaves.iter().zip(&self.params) {
            operands.push(fit(trace, host.see(leaf)?, ty));
        }
        let mut own = host.own_state()?;
        let mut own_types = Vec::new();
        for value in own.iter().take(self.own) {
            own_types.push(self.type_of(host, value)?);
            let Seen::Staged(staged) = host.see(value)? else { continue };
            operands.push(staged.value);
        }
        operands.extend(self.captures.iter().map(|&value| trace.lift(value).unwrap_or(value)));
        let types = self.types(trace, &own_types);
        trace.set_place(host.place());
        let results = trace.build(|b| b.call(self.function, &operands, types));
        let mut results = results.into_iter();
        let mut next_value = || results.next().expect("one result for each");
        let mut shown = |leaf: &Returned<V>| match leaf {
            Returned::Value(ty) => host.show(Shown::Staged(ty.of_value(trace, next_value()))),
            Returned::Optional(ty) => {
                let staged = ty.of_value(trace, next_value());
                host.show(Shown::Maybe(staged, next_value(), Lack::Nothing))
            }
            Returned::Kept(leaf) => Ok(leaf.clone()),
        };
        let mut given = Vec::with_capacity(gives.len());
        for (skeleton, leaves) in gives {
            let leaves = leaves.iter().map(&mut shown).collect::<Result<Vec<_>, _>>()?;
            given.push(host.rebuild(skeleton, leaves)?);
        }
        let mut next = || host.show(Shown::Staged(Staged::strong(next_value())));
        for &at in &self.stores {
            host.store(&leaves[at], &next()?)?;
        }
        for &at in &self.changes {
            own[at] = next()?;
        }
        host.set_own_state(&own)?;
        Ok(given)
    }

    /// The types of the results of a call.
    fn types(&self, trace: &Trace, own: &[TensorType]) -> Vec<TensorType> {
        let returned = self.leaves().flat_map(|leaf| match leaf {
            Returned::Value(ty) => vec![ty.clone()],
            Returned::Optional(ty) => vec![ty.clone(), bool_type()],
            Returned::Kept(_) => Vec::new(),
        });
        let stored = self.stores.iter().map(|&at| self.params[at].clone());
        let changed = self.changes.iter().map(|&at| LeafType::strong(own[at].clone()));
        returned.chain(stored).chain(changed).map(|ty| ty.with_own_lengths(trace).ty).collect()
    }
}

impl<V: Clone, S> Clone for Callee<V, S> {
    fn clone(&self) -> Self {
        Self {
            function: self.function,
            name: self.name.clone(),
            params: self.params.clone(),
            gives: self.gives.clone(),
            own: self.own,
            changes: self.changes.clone(),
            stores: self.stores.clone(),
            captures: self.captures.clone(),
        }
    }
}

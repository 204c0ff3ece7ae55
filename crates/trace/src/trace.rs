//! One tracing: the graph that grows, and which of its values may be used where.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{Builder, Class, FunctionId, Graph, Literal, NodeId, Op, RegionId, Unfit, ValueDef, ValueId};
use gw_types::{Dim, Number, Promotion, Scalar, Shape, TensorType};

use crate::exceptions::Counters;
use crate::implied::implied;
use crate::kinds::{Kinds, Marked};
use crate::observer::Observing;
use crate::retracing::Retracing;

/// A value of the graph as the host holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staged {
    /// Value of the graph.
    pub value: ValueId,
    /// Kind of number, if it came from host numbers alone, so that it takes the width of the tensor that it
    /// meets.
    pub weak: Option<Number>,
}

/// A graph under construction, shared by the host's values that belong to it.
#[derive(Debug)]
pub struct Trace {
    name: String,
    inner: Mutex<Inner>,
    /// Observer that is notified of added nodes, if any.
    pub(crate) observing: Observing,
    pub(crate) retracing: Retracing,
    pub(crate) kinds: Kinds,
    pub(crate) counters: Counters,
    pub(crate) marked: Marked,
    /// Parameters that are single numbers of the host's library of arrays.
    pub(crate) given: Mutex<BTreeSet<ValueId>>,
    /// Parameters that are tensors, and none of the host's library.
    pub(crate) tensors: Mutex<BTreeSet<ValueId>>,
}

#[derive(Debug)]
struct Inner {
    builder: Builder,
    /// The region in which each value was made, by the value's index.
    homes: Vec<RegionId>,
    /// The functions of the graph that are being made, the outermost first: each value from around that one reads, and
    /// the parameter that it is there.
    captured: Vec<Vec<(ValueId, ValueId)>>,
    finished: bool,
    /// Known values of the tests of the branches that are being built.
    assumed: Vec<(ValueId, bool)>,
    /// Facts about each value that outlive the graph.
    left: Vec<Left>,
}

/// Facts about a value of a graph that has been taken out.
#[derive(Debug)]
struct Left {
    ty: TensorType,
    /// Location in the user's text at which it was made.
    place: Option<Loc>,
    /// The name of the parameter that it is.
    name: Option<String>,
}

impl Inner {
    fn lift(&mut self, value: ValueId) -> Option<ValueId> {
        let home = self.homes[value_index(value)];
        if self.finished || self.builder.open_regions().contains(&home) {
            return (!self.finished).then_some(value);
        }
        let outside = self.builder.waiting().iter().position(|open| open.contains(&home))?;
        (outside..self.captured.len()).try_fold(value, |value, function| Some(self.capture(function, value)))
    }

    /// The parameter of a function that a value from around it is there.
    fn capture(&mut self, function: usize, value: ValueId) -> ValueId {
        if let Some(&(_, param)) = self.captured[function].iter().find(|(known, _)| *known == value) {
            return param;
        }
        // The regions of the function itself are the last to wait, or open.
        let waiting = self.builder.waiting().get(function + 1);
        let body = waiting.map_or(self.builder.open_regions(), Vec::as_slice)[0];
        let ty = self.builder.ty(value).clone();
        let param = self.builder.param_of(body, ty);
        self.homes.resize(value_index(param), body);
        self.homes.push(body);
        self.captured[function].push((value, param));
        param
    }
}

impl Staged {
    /// A value with a type of its own.
    pub fn strong(value: ValueId) -> Self {
        Self { value, weak: None }
    }
}

/// The remedy for operands that do not fit.
const REMEDIES: [(Code, &str); 2] = [
    (
        Code::WrongShape,
        "reshape, slice or transpose one of the operands: axes fit if they are as long or one of them has length 1, as `x[:, None]` \
         gives one",
    ),
    (
        Code::IndexPastEnd,
        "give at most one index for each axis: one of length `n` has the indices `0` to `n - 1`, and `-1` to `-n` from the end",
    ),
];

impl Trace {
    /// An empty graph of the user's name for it.
    pub fn new(name: &str) -> Self {
        let inner = Inner {
            builder: Builder::new(name),
            homes: Vec::new(),
            captured: Vec::new(),
            finished: false,
            assumed: Vec::new(),
            left: Vec::new(),
        };
        Self {
            name: name.to_owned(),
            inner: Mutex::new(inner),
            observing: Observing::default(),
            retracing: Retracing::default(),
            kinds: Kinds::default(),
            counters: Counters::default(),
            marked: Marked::default(),
            given: Mutex::default(),
            tensors: Mutex::default(),
        }
    }

    /// The user's name for the function.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds; what is made belongs to the region that is open at the end.
    pub fn build<T>(&self, step: impl FnOnce(&mut Builder) -> T) -> T {
        let mut inner = self.lock();
        let before = inner.builder.graph().nodes.len();
        let result = step(&mut inner.builder);
        let home = inner.builder.region();
        let made = inner.builder.graph().values.len();
        inner.homes.resize(made, home);
        let after = inner.builder.graph().nodes.len();
        drop(inner);
        if before < after {
            self.observing.added(before..after);
        }
        result
    }

    /// Forgets what the open region has got since it had `mark` nodes; its values can be used nowhere.
    pub fn rewind(&self, mark: usize) {
        let mut inner = self.lock();
        let gone = inner.builder.rewind(mark);
        if gone.is_empty() {
            return;
        }
        inner.builder.open();
        let nowhere = inner.builder.close(Vec::new());
        for value in gone {
            inner.homes[value_index(value)] = nowhere;
        }
    }

    /// Says how tensors of different element types meet in this graph.
    pub fn set_promotion(&self, promotion: Promotion) {
        self.lock().builder.set_promotion(promotion);
    }

    /// Promotion rule for tensors of different element types.
    pub fn promotion(&self) -> Promotion {
        self.lock().builder.promotion()
    }

    /// Sets the location in the user's text of the next ops.
    pub fn set_place(&self, place: Option<Loc>) {
        self.lock().builder.set_place(place);
    }

    /// The type of a value, also when the graph has been taken out.
    pub fn ty(&self, value: ValueId) -> TensorType {
        let inner = self.lock();
        match inner.left.get(value_index(value)) {
            Some(left) => left.ty.clone(),
            None => inner.builder.ty(value).clone(),
        }
    }

    /// True if a value is one of several that branches, iterations or calls give it.
    pub fn is_joined(&self, value: ValueId) -> bool {
        let inner = self.lock();
        let graph = inner.builder.graph();
        match graph.values[value].def {
            ValueDef::Result(node, _) => {
                !graph.nodes[node].regions.is_empty() || graph.nodes[node].op == Op::Call
            }
            ValueDef::Param(region, _) => region != graph.body,
        }
    }

    /// The user's name for a value, if it has one.
    pub fn name_of(&self, value: ValueId) -> Option<String> {
        let inner = self.lock();
        match inner.left.get(value_index(value)) {
            Some(left) => left.name.clone(),
            None => inner.builder.graph().values[value].name.clone(),
        }
    }

    /// Location in the user's text at which a value was made, also when the graph has been taken out.
    pub fn made_at(&self, value: ValueId) -> Option<Loc> {
        let inner = self.lock();
        match inner.left.get(value_index(value)) {
            Some(left) => left.place.clone(),
            None => place_of(inner.builder.graph(), value),
        }
    }

    /// True if a value may be used here: its region is still open.
    pub fn sees(&self, value: ValueId) -> bool {
        let inner = self.lock();
        !inner.finished && inner.builder.open_regions().contains(&inner.homes[value_index(value)])
    }

    /// True if a value was made in one of the outermost `depth` of the regions that are open.
    pub(crate) fn is_around(&self, value: ValueId, depth: usize) -> bool {
        let inner = self.lock();
        let home = inner.homes[value_index(value)];
        inner.builder.open_regions().iter().take(depth).any(|&region| region == home)
            || inner.builder.waiting().iter().flatten().any(|&region| region == home)
    }

    /// Builds a branch, in which `test` is `truth`.
    pub(crate) fn assuming<T>(&self, test: ValueId, truth: bool, branch: impl FnOnce() -> T) -> T {
        self.lock().assumed.push((test, truth));
        let result = branch();
        self.lock().assumed.pop();
        result
    }

    /// Value of a bool as implied by the branches that are being built.
    pub fn implied(&self, value: ValueId) -> Option<bool> {
        let assumed = self.lock().assumed.clone();
        assumed
            .into_iter()
            .rev()
            .find_map(|(test, truth)| implied(|of| self.definition(of), test, truth, value))
    }

    /// True if a branch or loop of the graph is being built.
    pub fn in_region(&self) -> bool {
        let inner = self.lock();
        inner.builder.open_regions().len() > 1 || !inner.captured.is_empty()
    }

    /// The value as it may be used here: one from around a function of the graph is a parameter of that.
    pub fn lift(&self, value: ValueId) -> Option<ValueId> {
        self.lock().lift(value)
    }

    /// Begins a function of the graph: nothing from around it can be seen until `end`.
    pub(crate) fn begin(&self, function: FunctionId) {
        self.build(|b| b.begin(function));
        self.lock().captured.push(Vec::new());
    }

    /// Says which values from around the function is known to read.
    pub(crate) fn take_captures(&self, values: &[ValueId]) {
        let mut inner = self.lock();
        for &value in values {
            let _parameter = inner.lift(value);
        }
    }

    /// Ends the function; gives the values from around that it reads.
    pub(crate) fn end(&self, results: Vec<ValueId>) -> Vec<ValueId> {
        self.build(|b| b.end(results));
        let captured = self.lock().captured.pop().unwrap_or_default();
        captured.into_iter().map(|(value, _)| value).collect()
    }

    /// The op that gives a value with its operands, if an op does.
    pub fn definition(&self, value: ValueId) -> Option<(Op, Vec<ValueId>)> {
        let inner = self.lock();
        let graph = inner.builder.graph();
        graph.definer(value).map(|node: NodeId| (graph.nodes[node].op, graph.nodes[node].args.clone()))
    }

    /// The number that a value is, if it is written in the graph.
    pub fn known(&self, value: ValueId) -> Option<Scalar> {
        let inner = self.lock();
        let graph = inner.builder.graph();
        let gw_ir::Attr::Literal(literal) = &graph.nodes[graph.definer(value)?].attr else { return None };
        literal.as_scalar()
    }

    /// Looks at the graph, at the region in which each value was made, and at the regions that are open.
    pub(crate) fn looking<T>(&self, look: impl FnOnce(&Graph, &[RegionId], &[RegionId]) -> T) -> T {
        let inner = self.lock();
        look(inner.builder.graph(), &inner.homes, inner.builder.open_regions())
    }

    /// Adds a parameter of the function. Lengths that are not known become variables of this graph.
    pub fn parameter(&self, dtype: gw_types::DType, lengths: &[Option<usize>], name: &str) -> Staged {
        self.build(|b| {
            let dim = |n: &Option<usize>| n.map_or_else(|| Dim::Var(b.fresh_dim()), Dim::Fixed);
            let shape = Shape(lengths.iter().map(dim).collect());
            let value = b.input(TensorType::new(dtype, shape));
            b.name(value, name);
            Staged::strong(value)
        })
    }

    /// Adds a parameter for what the function captures, a tensor or a variable; it belongs to the outermost region.
    pub fn capture(&self, dtype: gw_types::DType, lengths: &[Option<usize>]) -> Staged {
        let mut inner = self.lock();
        let builder = &mut inner.builder;
        let dim = |n: &Option<usize>| n.map_or_else(|| Dim::Var(builder.fresh_dim()), Dim::Fixed);
        let ty = TensorType::new(dtype, Shape(lengths.iter().map(dim).collect()));
        let value = builder.input(ty);
        let body = inner.builder.graph().body;
        inner.homes.push(body);
        Staged::strong(value)
    }

    /// A graph without parameters that gives this value; `None` if the value depends on parameters or on effects.
    pub fn constant_graph(&self, value: ValueId) -> Option<Graph> {
        let inner = self.lock();
        let mut builder = Builder::new(&self.name);
        let result = copy_constant(inner.builder.graph(), value, &mut builder, &mut FxHashMap::default())?;
        Some(builder.finish(vec![result]))
    }

    /// From now on the program's arithmetic of integer scalars is checked for overflow, or wraps.
    pub fn set_overflow_checks(&self, checks: bool) {
        self.build(|b| b.set_overflow_checks(checks));
    }

    /// Adds a constant.
    pub fn constant(&self, literal: Literal) -> Staged {
        Staged::strong(self.build(|b| b.constant(literal)))
    }

    /// Adds a host number; it stays weak.
    pub fn number(&self, number: Scalar) -> Staged {
        let weak = number_of(number);
        let value = self.build(|b| b.constant(Literal::scalar(weak.own_dtype(), number)));
        Staged { value, weak: Some(weak) }
    }

    /// Takes the graph out, with its results. Values of this trace are leaked from now on.
    pub fn finish(&self, results: Vec<ValueId>) -> Graph {
        let mut inner = self.lock();
        inner.finished = true;
        let builder = std::mem::replace(&mut inner.builder, Builder::new(&self.name));
        let graph = builder.graph();
        let said = |(value, known): (ValueId, &gw_ir::Value)| Left {
            ty: known.ty.clone(),
            place: place_of(graph, value),
            name: known.name.clone(),
        };
        inner.left = graph.values.iter().map(said).collect();
        builder.finish(results)
    }

    /// True if the graph has been taken out.
    pub fn is_finished(&self) -> bool {
        self.lock().finished
    }

    /// The user's diagnostic for operands that do not fit, at `place`.
    pub fn diagnose(unfit: Unfit, place: Option<Loc>) -> Diagnostic {
        let remedy = REMEDIES.iter().find(|(code, _)| *code == unfit.code);
        let found = Diagnostic::new(unfit.code, unfit.message);
        let found = remedy.into_iter().fold(found, |found, (_, help)| found.help(*help));
        match place {
            Some(place) => found.at(place, ""),
            None => found,
        }
    }

    /// The diagnostic for a value of this trace that is used at `place`, where it may not be.
    pub fn leaked(&self, value: ValueId, made: &str, place: Option<Loc>) -> Diagnostic {
        let name = self.lock().left.get(value_index(value)).and_then(|left| left.name.clone());
        let which = name.map_or_else(|| "a tensor".to_owned(), |name| format!("the argument `{name}`"));
        let message =
            format!("{which} of the graph of `{}` is used outside the {made} that made it", self.name);
        let mut found = Diagnostic::new(Code::LeakedTensor, message)
            .help("return the tensor, or assign it to a name that the statement passes on");
        if let Some(place) = place {
            found = found.at(place, "used here");
        }
        match self.made_at(value) {
            Some(place) => found.at(place, "made here"),
            None => found,
        }
    }
}

/// Location in the user's text of the op that gives a value.
fn place_of(graph: &Graph, value: ValueId) -> Option<Loc> {
    graph.places[graph.definer(value)?].clone()
}

/// Copies what gives a value, as far as it is made of constants alone.
fn copy_constant(
    from: &Graph,
    value: ValueId,
    into: &mut Builder,
    done: &mut FxHashMap<ValueId, ValueId>,
) -> Option<ValueId> {
    if let Some(&known) = done.get(&value) {
        return Some(known);
    }
    let node = &from.nodes[from.definer(value)?];
    if !node.regions.is_empty() || node.op.class() == Class::Effect {
        return None;
    }
    let args =
        node.args.iter().map(|&arg| copy_constant(from, arg, into, done)).collect::<Option<Vec<_>>>()?;
    let copy = into.op(node.op, node.attr.clone(), &args).ok()?;
    done.insert(value, copy);
    Some(copy)
}

fn value_index(value: ValueId) -> usize {
    gw_base::Id::index(value)
}

/// The kind of a host number.
pub(crate) fn number_of(scalar: Scalar) -> Number {
    Number::of(scalar).expect("the host's numbers are no strings")
}

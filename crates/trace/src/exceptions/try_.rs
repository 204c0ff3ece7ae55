//! `try` whose body may raise when the graph runs ⇒ `try`, and a choice of what comes next: what follows the end of the
//! body, or what follows an exception.
//!
//! An *exit* is a node of the body that may fail, in one of the ways in which it may. Before it stands a `leave`, which gives the state of that moment. Each way
//! to go on begins with a state of its own, so the states at the exits need not be alike; exits whose states differ in
//! values of the graph alone are one way.

use rustc_hash::FxHashMap;

use gw_base::{Code, Diagnostic};
use gw_ir::{Attr, CompareOp, Literal, NodeId, Op, RegionId, ValueId};
use gw_types::{DType, Scalar, TensorType};

use crate::exceptions::holds::{Fails, holds};
use crate::exceptions::ways::{MOST_EXITS_APART, Way, columns};
use crate::host::{Flow, is_unknown};
use crate::if_::if_;
use crate::join::{LeafType, absent};
use crate::region::{into_region, set_results};
use crate::{Host, Interrupt, Slot, State, Trace};

/// Ways out of bodies that one trace follows at most, those that are followed again among them.
const MOST_WAYS: usize = 50_000;

/// Operations of a graph with which one more way out of a body is followed.
const MOST_NODES: usize = 400_000;

/// Interface to the host's knowledge of a `try`.
pub trait Attempt<H: Host> {
    /// Runs the body; whether it comes to its end if nothing in the graph fails.
    fn body(&self) -> Result<bool, H::Error>;
    /// The nodes made by the body that may raise what is caught, and what fails then, in the order in which they fail.
    fn exits(&self) -> Vec<(NodeId, Fails)>;
    /// Gives the state what it was when an exit was made.
    fn replay(&self, exit: usize) -> Result<(), H::Error>;
    /// The values that the exception of an exit shows.
    fn shown(&self, exit: usize) -> Result<H::Value, H::Error>;
    /// True if two exits raise the same, but for the values that are shown.
    fn same(&self, exit: usize, other: usize) -> bool;
    /// Is told that there are so many exits that exceptions are the same whatever other exception they followed, which they show no
    /// more.
    fn simplify(&self) {}
    /// Error for an exit that cannot be caught.
    fn uncaught(&self, exit: usize) -> H::Error;
    /// Contents of the objects that were made in the body and are no part of the state.
    fn objects(&self) -> Result<H::Value, H::Error>;
    /// Gives them what they held.
    fn give(&self, objects: &H::Value) -> Result<(), H::Error>;
    /// Stages what comes next over the state, and over what becomes of those objects.
    fn choosing(&self, state: &dyn State<H>, slots: &[Slot], choose: Choosing<'_, H>)
    -> Result<(), H::Error>;
    /// Goes on behind the end of the body, or where an exit raises an exception that shows a value.
    fn go_on(&self, raised: Option<(usize, &H::Value)>) -> Result<(), H::Error>;
}

/// Stages what comes behind the body, over a state.
pub type Choosing<'a, H> = &'a dyn Fn(&dyn State<H>, &[Slot]) -> Result<(), <H as Host>::Error>;

/// Stages `try: body` over the variables of `state`, and what comes next.
///
/// # Errors
/// Errors of the body and the handlers; GW101 and GW103 where the values that they leave disagree, as in `if`.
pub fn try_<H: Host>(
    host: &H,
    slots: &[Slot],
    state: &dyn State<H>,
    attempt: &dyn Attempt<H>,
) -> Result<(), H::Error> {
    let flow = Flow { host, state: Some(state), slots };
    let before = flow.get()?;
    let mut body =
        Body { flow: &flow, attempt, around: host.trace().build(|b| b.open_regions().len()), joins: false };
    let (region, end) = into_region(host, || {
        let ends = match attempt.body() {
            // It comes to a call of a function of which nothing is known yet: until it is, the exits before that are all.
            Err(error) if is_unknown(host, &error) && !attempt.exits().is_empty() => false,
            ends => ends?,
        };
        let end = if ends { Some(body.way(None)?) } else { None };
        // To look is to be told of state that was not known before.
        flow.get().map(|_| end)
    })?;
    let exits = body.exits(region);
    // The body may be traced in another way, which begins with the state from before.
    flow.set(&before)?;
    let exits = exits?;
    if end.is_none() && exits.is_empty() {
        return Err(host.interrupt(Interrupt::UnknownCallee));
    }
    let known = flow.get()?.len();
    let met = |way: &Way<H>| way.values.len() - 1 - usize::from(way.exit.is_some()) == known;
    if known != before.len() || !end.iter().chain(exits.iter().map(|exit| &exit.way)).all(met) {
        // The body met state of the host's own that was not known before: now it is.
        return try_(host, slots, state, attempt);
    }
    let (mut ways, exits) = ways(&body, end, exits);
    let results = leave(host, region, &mut ways, exits);
    let which = results[0];
    if let Some(way) = ways.first() {
        // Objects made in the body may be among the values that they hold now.
        attempt.give(&way.rebuild(host, &results[1..])?[known])?;
    }
    attempt.choosing(state, slots, &|state, slots| {
        let choice = Choice { known, flow: &flow, state, slots, attempt, which, results: &results[1..] };
        choose(&choice, 0, &ways)
    })
}

/// An exit, as a region with what has to run before it.
struct Exit<H: Host> {
    node: NodeId,
    region: RegionId,
    before: RegionId,
    ok: ValueId,
    way: Way<H>,
}

/// An exit that belongs to a way.
struct Leave<H: Host> {
    node: NodeId,
    region: RegionId,
    before: RegionId,
    ok: ValueId,
    way: usize,
    /// Its own state, unless it is the first exit of the way.
    own: Option<Way<H>>,
}

struct Body<'a, H: Host> {
    flow: &'a Flow<'a, H>,
    attempt: &'a dyn Attempt<H>,
    /// Number of regions that are open around it.
    around: usize,
    /// True if there are so many exits that ways are joined which could stay apart.
    joins: bool,
}

impl<H: Host> Body<'_, H> {
    /// The state now, and what an exit shows.
    fn way(&mut self, exit: Option<usize>) -> Result<Way<H>, H::Error> {
        let mut values = self.flow.get()?;
        values.push(self.attempt.objects()?);
        values.extend(exit.map(|exit| self.attempt.shown(exit)).transpose()?);
        Way::new(self.flow.host, exit, &values, self.around)
    }

    /// The exits that are still there; the state is another one afterwards.
    fn exits(&mut self, region: RegionId) -> Result<Vec<Exit<H>>, H::Error> {
        let trace = self.flow.host.trace();
        let mut paths = FxHashMap::default();
        trace.build(|b| paths_in(b.graph(), region, &mut vec![region], &mut paths));
        let found = self.attempt.exits().into_iter().enumerate();
        let found: Vec<_> = found.filter_map(|exit| Some((exit, paths.get(&exit.1.0)?))).collect();
        self.joins = found.len() > MOST_EXITS_APART;
        if self.joins {
            self.attempt.simplify();
        }
        let mut exits = Vec::new();
        for ((at, (node, fails)), path) in found {
            let results = trace.build(|b| {
                let results: Vec<_> = path.iter().map(|&r| b.graph().regions[r].results.clone()).collect();
                path.iter().for_each(|&region| b.reopen(region));
                b.open();
                results
            });
            let made = self.exit(at, (node, fails), *path.last().unwrap_or(&region));
            trace.build(|b| {
                b.close(Vec::new());
                results.into_iter().rev().for_each(|results| {
                    b.close(results);
                });
            });
            exits.push(made?);
        }
        Ok(exits)
    }

    fn exit(
        &mut self,
        at: usize,
        (node, fails): (NodeId, Fails),
        region: RegionId,
    ) -> Result<Exit<H>, H::Error> {
        let trace = self.flow.host.trace();
        trace.set_place(trace.build(|b| b.graph().places[node].clone()));
        let ok = holds(trace, node, fails).ok_or_else(|| self.attempt.uncaught(at))?;
        self.attempt.replay(at)?;
        let way = self.way(Some(at))?;
        Ok(Exit { node, region, before: trace.build(|b| b.region()), ok, way })
    }
}

/// The regions that lead to each node of a region.
fn paths_in(
    graph: &gw_ir::Graph,
    region: RegionId,
    path: &mut Vec<RegionId>,
    found: &mut FxHashMap<NodeId, Vec<RegionId>>,
) {
    for &id in &graph.regions[region].nodes {
        found.insert(id, path.clone());
        let node = &graph.nodes[id];
        for &inner in node.regions.iter().filter(|_| node.op != Op::Try) {
            path.push(inner);
            paths_in(graph, inner, path, found);
            path.pop();
        }
    }
}

/// The ways that differ, and the exits that lead to each; values made in the body become results of the `try`.
fn ways<H: Host>(
    body: &Body<'_, H>,
    end: Option<Way<H>>,
    exits: Vec<Exit<H>>,
) -> (Vec<Way<H>>, Vec<Leave<H>>) {
    let host = body.flow.host;
    let mut ways: Vec<Way<H>> = end.into_iter().collect();
    let mut leaves = Vec::new();
    for Exit { node, region, before, ok, way: own } in exits {
        let alike = ways.iter().position(|known| match (known.exit, own.exit) {
            (Some(a), Some(b)) => body.attempt.same(a, b) && known.is_like(host, &own, body.joins),
            (None, _) | (_, None) => false,
        });
        let way = alike.unwrap_or(ways.len());
        let own = if alike.is_some() {
            Some(own)
        } else {
            ways.push(own);
            None
        };
        if let Some(own) = own.as_ref().filter(|_| body.joins) {
            ways[way].join(host, own);
        }
        leaves.push(Leave { node, region, before, ok, way, own });
    }
    (ways, leaves)
}

/// Makes the `try`: its first result says which way it is, the others are values of the ways, which share them.
fn leave<H: Host>(host: &H, region: RegionId, ways: &mut [Way<H>], leaves: Vec<Leave<H>>) -> Vec<ValueId> {
    let trace = host.trace();
    let types = columns(trace, ways);
    for Leave { node, region, before, ok, way, own } in leaves {
        trace.build(|b| b.reopen(before));
        let given = own.as_ref().unwrap_or(&ways[way]).given(&ways[way]);
        let given = side(trace, &types, way, &ways[way].columns, &given);
        trace.build(|b| {
            b.set_place(b.graph().places[node].clone());
            let args = [vec![ok], given].concat();
            b.effect(Op::Leave, Attr::None, &args).expect("a bool leaves");
            b.close(Vec::new());
            let instead = b.graph().nodes[node].op == Op::Check;
            b.move_before(before, region, node, instead);
        });
    }
    trace.build(|b| b.reopen(region));
    let end = ways[0].made();
    let end = if ways[0].exit.is_none() { end } else { Vec::new() };
    let given = side(trace, &types, 0, &ways[0].columns, &end);
    trace.build(|b| b.close(Vec::new()));
    set_results(trace, region, given);
    let which = [TensorType::scalar(DType::I64)];
    trace.set_place(host.place());
    trace.build(|b| b.try_(region, which.into_iter().chain(types).collect()))
}

/// Values that the `try` gives on one path, in the open region: columns of other paths hold values that nobody
/// reads.
fn side(
    trace: &Trace,
    types: &[TensorType],
    way: usize,
    columns: &[usize],
    made: &[ValueId],
) -> Vec<ValueId> {
    let number = Literal::scalar(DType::I64, Scalar::Int(way as i64));
    let mut given = vec![trace.build(|b| b.constant(number))];
    for (at, ty) in types.iter().enumerate() {
        let own = columns.iter().position(|&column| column == at).and_then(|at| made.get(at));
        let nothing = || absent(trace, &LeafType::strong(ty.clone()));
        given.push(own.copied().unwrap_or_else(nothing));
    }
    given
}

struct Choice<'a, H: Host> {
    /// Number of values of the state; the contents of the objects made in the body follow them.
    known: usize,
    flow: &'a Flow<'a, H>,
    /// State that is merged over the paths, and the contents of the objects made in the body.
    state: &'a dyn State<H>,
    slots: &'a [Slot],
    attempt: &'a dyn Attempt<H>,
    which: ValueId,
    /// The other results of the `try`.
    results: &'a [ValueId],
}

/// Goes on by the way that was taken, which is none of those before number `from`.
fn choose<H: Host>(choice: &Choice<'_, H>, from: usize, ways: &[Way<H>]) -> Result<(), H::Error> {
    let Some((way, rest)) = ways.split_first() else { return Ok(()) };
    let host = choice.flow.host;
    check_size(host)?;
    let go_on = || {
        let values = way.rebuild(host, choice.results)?;
        choice.attempt.give(&values[choice.known])?;
        choice.flow.set(&values[..choice.known])?;
        choice.attempt.go_on(way.exit.zip(values.get(choice.known + 1)))
    };
    if rest.is_empty() {
        return go_on();
    }
    host.trace().set_place(host.place());
    let test = host.trace().build(|b| {
        let number = b.constant(Literal::scalar(DType::I64, Scalar::Int(from as i64)));
        b.op(CompareOp::Eq, Attr::None, &[choice.which, number]).expect("numbers compare")
    });
    let other = || choose(choice, from + 1, rest);
    if_(host, test, choice.slots, choice.state, [&go_on, &other])
}

/// Refuses statements that nest so deep that what follows them has been traced too often, or has made the graph too large, before
/// that takes all memory.
fn check_size<H: Host>(host: &H) -> Result<(), H::Error> {
    let nodes = host.trace().build(|b| b.graph().nodes.len());
    if host.trace().retracing.count_way() <= MOST_WAYS && nodes <= MOST_NODES {
        return Ok(());
    }
    let message = "statements that exceptions may leave nest too deep here: what follows each exception is traced for each of them, \
                   and the graph became too large";
    let help = "put an inner `try`, `with` or loop into a function of its own that returns a value where it fails, or let fewer \
                statements stand in the body of the `try`";
    let found = Diagnostic::new(Code::TooDeep, message).help(help);
    let found = match host.place() {
        Some(place) => found.at(place, "this is left by too many exceptions"),
        None => found,
    };
    Err(found.into())
}

//! The profitability of overlapping: the work takes longer than handing over its operands and results.

use gw_ir::{ArgOp, Class, Cost, Graph, NodeId, Op, ValueId};

use super::work::Work;

/// Picoseconds that the work takes at least.
const LEAST: u64 = 10_000_000;

/// Picoseconds below which a node is no work by itself.
const BRIEF: u64 = 1_000_000;

/// So many times as long as what is handed over takes to copy.
const TIMES: u64 = 4;

/// Picoseconds to copy a byte.
const COPIED: u64 = 40;

/// The assumed length of an axis whose length is not known, and the assumed number of iterations of a loop.
const UNKNOWN: u64 = 64;
const TURNS: u64 = 1000;

pub(super) fn it(graph: &Graph, work: &Work) -> bool {
    let handed = work.takes.iter().chain(&work.gives);
    let bytes: u64 = handed.map(|&value| elements(graph, value) * graph.ty(value).dtype.size() as u64).sum();
    let cost = cost_of(graph, &work.nodes);
    cost >= LEAST && cost >= bytes.saturating_mul(COPIED * TIMES)
}

/// True if the node takes less than a microsecond.
pub(super) fn is_brief(graph: &Graph, id: NodeId) -> bool {
    cost(graph, id) < BRIEF
}

fn cost_of(graph: &Graph, nodes: &[NodeId]) -> u64 {
    nodes.iter().fold(0, |all, &id| all.saturating_add(cost(graph, id)))
}

/// About how many picoseconds a node takes.
fn cost(graph: &Graph, id: NodeId) -> u64 {
    let node = &graph.nodes[id];
    let given: u64 = node.results.iter().map(|&value| elements(graph, value)).sum();
    let taken: u64 = node.args.iter().map(|&value| elements(graph, value)).sum();
    let inside = || node.regions.iter().map(|&region| cost_of(graph, &graph.regions[region].nodes));
    let sorts = node.op == ArgOp::Sort.into() || node.op == ArgOp::Top.into();
    match node.op.class() {
        Class::Elementwise => given.saturating_mul(if node.op.cost() == Cost::Dear { 1000 } else { 100 }),
        Class::Reduce => taken.saturating_mul(if sorts { 20_000 } else { 100 }),
        Class::Move if node.op == Op::Sort => given.saturating_mul(10_000),
        Class::Move | Class::Source => given.saturating_mul(100),
        Class::Contract => given.saturating_mul(depth(graph, node.args[0])).saturating_mul(20),
        Class::Matrices => taken.saturating_mul(depth(graph, node.args[0])).saturating_mul(1000),
        Class::Control if node.op == Op::While => inside().sum::<u64>().saturating_mul(TURNS),
        Class::Control => inside().max().unwrap_or(0),
        Class::Effect => 0,
    }
}

/// The length of the last axis, along which products are added up.
fn depth(graph: &Graph, value: ValueId) -> u64 {
    graph.ty(value).shape.0.last().map_or(1, |dim| dim.fixed().map_or(UNKNOWN, |length| length as u64))
}

fn elements(graph: &Graph, value: ValueId) -> u64 {
    let lengths =
        graph.ty(value).shape.0.iter().map(|dim| dim.fixed().map_or(UNKNOWN, |length| length as u64));
    lengths.fold(1, u64::saturating_mul)
}

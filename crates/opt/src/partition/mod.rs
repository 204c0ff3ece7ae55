//! Partition of a graph into the program of the graph and that of the host, which calls the host's functions: the values that
//! each of them sends to the other.
//!
//! The graph sends an argument that the host lacks, once, in the loop in which it is defined; it receives a result that it needs.

mod known;
mod needed;
#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::take;

use gw_ir::{Graph, NodeId, Op, RegionId, ValueId};

use known::Known;
use needed::Needed;

/// One step of the host's program, in the order of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A call of a function of the host's.
    Call(Call),
    /// A `while` in whose test or body the host is called.
    Loop(NodeId, Vec<Step>),
    /// A `cond` in whose branches the host is called: those of each.
    Branch(NodeId, [Vec<Step>; 2]),
}

/// A call of a function of the host's, with what crosses for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The `host_call`.
    pub node: NodeId,
    /// The number of loops around it.
    pub depth: usize,
    /// The arguments that are sent for it: their positions, and in how many loops each is sent.
    pub sent: Vec<(usize, usize)>,
    /// The positions of the results that the graph receives.
    pub received: Vec<usize>,
}

/// The program of the host for a graph.
pub fn partition(graph: &Graph) -> Vec<Step> {
    if !graph.nodes.iter().any(|(_, node)| node.op == Op::Host) {
        return Vec::new();
    }
    let (known, needed) = (Known::of(graph), Needed::of(graph));
    let mut walk = Walk { graph, known, needed, depths: FxHashMap::default(), sent: FxHashSet::default() };
    graph.roots().into_iter().flat_map(|root| walk.region(root, 0)).collect()
}

struct Walk<'a> {
    graph: &'a Graph,
    known: Known<'a>,
    needed: Needed,
    /// The number of loops in which each value that was met is defined.
    depths: FxHashMap<ValueId, usize>,
    sent: FxHashSet<ValueId>,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId, depth: usize) -> Vec<Step> {
        let region = &self.graph.regions[region];
        self.depths.extend(region.params.iter().map(|&param| (param, depth)));
        let mut steps = Vec::new();
        for &id in &region.nodes {
            self.node(id, depth, &mut steps);
            self.depths.extend(self.graph.nodes[id].results.iter().map(|&result| (result, depth)));
        }
        steps
    }

    fn node(&mut self, id: NodeId, depth: usize, steps: &mut Vec<Step>) {
        let node = &self.graph.nodes[id];
        let inside = depth + usize::from(node.op == Op::While);
        if node.op == Op::Host {
            steps.push(Step::Call(self.call(id, depth)));
            return;
        }
        let mut blocks: Vec<_> = node.regions.iter().map(|&region| self.region(region, inside)).collect();
        if blocks.iter().all(Vec::is_empty) {
            return;
        }
        match &mut blocks[..] {
            [then, orelse] if node.op == Op::Cond => steps.push(Step::Branch(id, [take(then), take(orelse)])),
            _ if node.op == Op::While => steps.push(Step::Loop(id, blocks.concat())),
            _ => steps.extend(blocks.concat()),
        }
    }

    fn call(&mut self, id: NodeId, depth: usize) -> Call {
        let node = &self.graph.nodes[id];
        let mut sent = Vec::new();
        for (at, &arg) in node.args.iter().enumerate() {
            if !self.known.has_or_counts(arg) && self.sent.insert(arg) {
                sent.push((at, self.depths.get(&arg).copied().unwrap_or(depth)));
            }
        }
        let is_needed = |&at: &usize| self.needed.has(node.results[at]);
        Call { node: id, depth, sent, received: (0..node.results.len()).filter(is_needed).collect() }
    }
}

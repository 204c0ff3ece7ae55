//! Moves of what no iteration changes leave their loop before it is gone through backwards: what flows back to `w[:, :n]`
//! is added up in its own shape, where products may wait for it, and goes to `w` once, behind the loop.
//!
//! Only moves of elements. To others something may flow back that is no number where no iteration runs: 0 times the
//! derivative of a logarithm at 0.

use std::collections::HashSet;

use gw_ir::{Builder, Class, Graph, NodeId, Op, RegionId, ValueId, can_fail};

use crate::activity::is_float;

/// Moves them out of the loops of a region. Inner loops first, so that what leaves them can leave the outer ones too.
pub(crate) fn leave_loops(b: &mut Builder, region: RegionId) {
    for id in b.graph().regions[region].nodes.clone() {
        let node = &b.graph().nodes[id];
        let (op, regions) = (node.op, node.regions.clone());
        regions.iter().for_each(|&inner| leave_loops(b, inner));
        if op == Op::While {
            let leaving = invariant_moves(b.graph(), regions[1]);
            b.lift(&leaving, regions[1], region, id);
        }
    }
}

/// The moves of elements in the body of a loop that are the same in each iteration.
fn invariant_moves(graph: &Graph, body: RegionId) -> Vec<NodeId> {
    let body = &graph.regions[body];
    let made = body.nodes.iter().flat_map(|&id| &graph.nodes[id].results);
    let mut inside: HashSet<ValueId> = body.params.iter().chain(made).copied().collect();
    let leave = |&id: &NodeId| {
        let node = &graph.nodes[id];
        let leaves = node.op.class() == Class::Move
            && node.results.iter().all(|&result| is_float(graph, result))
            && !node.args.iter().any(|arg| inside.contains(arg))
            && !can_fail(graph, id);
        if leaves {
            for result in &node.results {
                inside.remove(result);
            }
        }
        leaves
    };
    body.nodes.iter().copied().filter(leave).collect()
}

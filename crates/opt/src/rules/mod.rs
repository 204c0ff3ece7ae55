//! Algebra: small rules, each a function that returns a patch or nothing.
//!
//! 1. A rule never makes the graph larger or more costly.
//! 2. A rule changes no dtype, shape, failure or effect; `Patch::keeps_the_type` refuses what would.
//! 3. No rule changes rounding, not even the sign of a zero.
//! 4. Each rule is proved on random inputs against `eval`, on the sample beside it.

mod arithmetic;
mod logic;
mod moves;
mod rule;

use gw_ir::{Graph, NodeId};

use crate::patch::Patch;
use crate::walk::{Visit, Walk};
pub(crate) use rule::Rule;

/// The rules, in the order in which they are tried.
pub(crate) const RULES: &[&[Rule]] = &[arithmetic::RULES, logic::RULES, moves::RULES];

/// A node is simplified so often at most.
const PATIENCE: usize = 8;

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Simplify);
}

struct Simplify;

impl Visit for Simplify {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        for _ in 0..PATIENCE {
            let rules = RULES.iter().copied().flatten();
            let Some(patch) = rules.filter_map(|rule| patch(walk.graph, rule, id)).next() else { break };
            if !patch.apply(walk, id, out) {
                return;
            }
        }
        out.push(id);
    }
}

/// Patch that a rule asks for at a node, if it may have it.
pub(crate) fn patch(graph: &Graph, rule: &Rule, id: NodeId) -> Option<Patch> {
    let node = &graph.nodes[id];
    if node.args.is_empty() || node.results.len() != 1 {
        return None;
    }
    (rule.run)(graph, node).filter(|patch| patch.keeps_the_type(graph, id))
}

#[cfg(test)]
mod tests;

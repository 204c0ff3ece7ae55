//! Algebra: small rules, each a function that returns a patch or nothing.
//!
//! 1. A rule never makes the graph larger or more costly.
//! 2. A rule changes no dtype, shape, failure or effect; `Patch::keeps_the_type` refuses what would.
//! 3. No rule changes rounding, not even the sign of a zero.
//! 4. Each rule is proved on random inputs against `eval`, on the sample beside it.

mod arithmetic;
mod logic;
mod moves;

use gw_ir::{Graph, Node, NodeId, Op};

use crate::patch::Patch;
use crate::walk::{Visit, Walk};

/// One rule.
pub(crate) struct Rule {
    /// As it is called when its proof fails.
    #[cfg_attr(not(test), expect(dead_code, reason = "names are for the proof"))]
    pub(crate) name: &'static str,
    /// Parameters of a graph on which it applies, and the ops of that graph.
    #[cfg_attr(not(test), expect(dead_code, reason = "samples are for the proof"))]
    pub(crate) sample: (&'static str, &'static str),
    /// What stands in the node's place, if the rule applies.
    pub(crate) run: fn(&Graph, &Node) -> Option<Patch>,
}

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

/// What a rule asks for at a node, if it may have it.
pub(crate) fn patch(graph: &Graph, rule: &Rule, id: NodeId) -> Option<Patch> {
    let node = &graph.nodes[id];
    if node.args.is_empty() || node.results.len() != 1 {
        return None;
    }
    (rule.run)(graph, node).filter(|patch| patch.keeps_the_type(graph, id))
}

/// The operands, if the node is this op and has so many.
fn args<const N: usize>(node: &Node, op: Op) -> Option<[gw_ir::ValueId; N]> {
    if node.op == op { node.args[..].try_into().ok() } else { None }
}

/// The operands of the node behind a value, if it is this op and has so many.
fn args_of<const N: usize>(graph: &Graph, value: gw_ir::ValueId, op: Op) -> Option<[gw_ir::ValueId; N]> {
    args(&graph.nodes[graph.definer(value)?], op)
}

#[cfg(test)]
mod tests;

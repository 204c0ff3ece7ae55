//! One rule, and the patterns that rules are written with.

use gw_ir::{CompareOp, Graph, Node, Op, ValueId};

use crate::patch::Patch;

/// One rule.
pub(crate) struct Rule {
    /// As it is called when its proof fails.
    #[cfg_attr(not(test), expect(dead_code, reason = "names are for the proof"))]
    pub(crate) name: &'static str,
    /// Parameters of a graph on which it applies, and the ops of that graph.
    #[cfg_attr(not(test), expect(dead_code, reason = "samples are for the proof"))]
    pub(crate) sample: (&'static str, &'static str),
    /// The value in the node's place, if the rule applies.
    pub(crate) run: fn(&Graph, &Node) -> Option<Patch>,
}

/// The operands, if the node is this op and has so many.
pub(super) fn args<const N: usize>(node: &Node, op: impl Into<Op>) -> Option<[ValueId; N]> {
    if node.op == op.into() { node.args[..].try_into().ok() } else { None }
}

/// The comparison that a node makes, and its operands.
pub(super) fn comparison(node: &Node) -> Option<(CompareOp, [ValueId; 2])> {
    let Op::Compare(op) = node.op else { return None };
    Some((op, node.args[..].try_into().ok()?))
}

/// The operands of the node behind a value, if it is this op and has so many.
pub(super) fn args_of<const N: usize>(
    graph: &Graph,
    value: ValueId,
    op: impl Into<Op>,
) -> Option<[ValueId; N]> {
    args(&graph.nodes[graph.definer(value)?], op)
}

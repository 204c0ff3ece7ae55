//! Patches: the changes that rules ask for, and their application.

use gw_ir::{Attr, Graph, Literal, NodeId, Op, ValueId, can_fail, infer};
use gw_types::{DimVar, TensorType};

use crate::facts::stands_for;
use crate::walk::Walk;

/// Replacement of a node.
pub(crate) enum Patch {
    /// A value that is there already and the same.
    Value(ValueId),
    /// A constant.
    Literal(Literal),
    /// Another op.
    Node(Op, Attr, Vec<Arg>),
}

/// An operand of an op that a patch makes.
pub(crate) enum Arg {
    /// A value that is there already.
    Value(ValueId),
    /// A new constant.
    Literal(Literal),
}

impl From<ValueId> for Arg {
    fn from(value: ValueId) -> Self {
        Arg::Value(value)
    }
}

impl Patch {
    /// Another op without attribute.
    pub(crate) fn op<const N: usize>(op: impl Into<Op>, args: [Arg; N]) -> Patch {
        Patch::Node(op.into(), Attr::None, args.into())
    }

    /// True if it keeps dtype and lengths, and loses no failure: the node it replaces cannot fail.
    pub(crate) fn keeps_the_type(&self, graph: &Graph, id: NodeId) -> bool {
        let &[result] = &graph.nodes[id].results[..] else { return false };
        let wanted = graph.ty(result);
        let same = |ty: &TensorType| ty.dtype == wanted.dtype && stands_for(&ty.shape, &wanted.shape);
        let keeps = match self {
            Patch::Value(value) => same(graph.ty(*value)),
            Patch::Literal(literal) => same(&literal.tensor_type()),
            Patch::Node(op, attr, args) => {
                let types: Vec<TensorType> = args.iter().map(|arg| arg.ty(graph)).collect();
                let found = infer(*op, attr, &types, &mut || DimVar(graph.dim_vars));
                found.is_ok_and(|found| found.len() == 1 && same(&found[0]))
            }
        };
        keeps && !can_fail(graph, id)
    }

    /// Does it; whether the node is still there, as another op.
    pub(crate) fn apply(self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) -> bool {
        match self {
            Patch::Value(value) => {
                walk.replace(walk.graph.nodes[id].results[0], value);
                false
            }
            Patch::Literal(literal) => {
                let value = walk.constant(literal, id, out);
                walk.replace(walk.graph.nodes[id].results[0], value);
                false
            }
            Patch::Node(op, attr, args) => {
                let args = args.into_iter().map(|arg| match arg {
                    Arg::Value(value) => value,
                    Arg::Literal(literal) => walk.constant(literal, id, out),
                });
                let args = args.collect();
                let node = &mut walk.graph.nodes[id];
                (node.op, node.attr, node.args) = (op, attr, args);
                true
            }
        }
    }
}

impl Arg {
    fn ty(&self, graph: &Graph) -> TensorType {
        match self {
            Arg::Value(value) => graph.ty(*value).clone(),
            Arg::Literal(literal) => literal.tensor_type(),
        }
    }
}

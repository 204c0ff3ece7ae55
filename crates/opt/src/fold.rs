//! Ops on constants are computed now: `add 1, 2` ⇒ `const 3`.
//!
//! Only what is the same to the last bit on every machine, only small results, and nothing that fails.

use gw_eval::Array;
use gw_ir::{Graph, NodeId, Op, literal};

use crate::facts::is_exact;
use crate::walk::{Visit, Walk};

/// Larger results stay as ops.
const LARGEST: usize = 256;

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Fold);
}

struct Fold;

impl Visit for Fold {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        match folded(walk.graph, id) {
            Some(array) => {
                let constant = walk.constant(array.to_literal(), id, out);
                walk.replace(walk.graph.nodes[id].results[0], constant);
            }
            None => out.push(id),
        }
    }
}

fn folded(graph: &Graph, id: NodeId) -> Option<Array> {
    let node = &graph.nodes[id];
    let &[result] = &node.results[..] else { return None };
    if node.op == Op::Dim {
        return known_length(graph, id);
    }
    let bounded = graph.ty(result).shape.size().is_some_and(|size| size <= LARGEST);
    if node.op == Op::Const || !bounded || !is_exact(graph, node) {
        return None;
    }
    let literals: Option<Vec<_>> = node.args.iter().map(|&arg| literal(graph, arg)).collect();
    let operands: Vec<Array> = literals?.into_iter().map(Array::from).collect();
    if operands.iter().any(|operand| operand.elements.len() > LARGEST) {
        return None;
    }
    gw_eval::apply(node.op, &node.attr, &operands.iter().collect::<Vec<_>>()).ok()
}

fn known_length(graph: &Graph, id: NodeId) -> Option<Array> {
    let gw_ir::Attr::Axis(axis) = graph.nodes[id].attr else { return None };
    let length = graph.ty(graph.nodes[id].args[0]).shape.0.get(axis)?.fixed()?;
    Some(Array::scalar(gw_types::DType::I64, gw_types::Scalar::Int(length as i64)))
}

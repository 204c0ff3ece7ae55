//! Casts in front of functions. Lanes have one width: a loop of integers of 64 bits and functions of single precision would call
//! these number by number. So the numbers are put into memory, and the functions run in lanes.

use rustc_hash::FxHashSet;

use gw_ir::{Node, NodeId, Op, UnaryOp, ValueId};

use super::context::{Lower, Lowers};
use crate::loops::Ty;

/// A cast of fewer elements is not worth memory of its own.
const FEW: i64 = 256;

/// So many nodes behind a cast are looked at for functions.
const AHEAD: usize = 24;

impl Lower<'_> {
    /// Lowers a cast, into memory of its own where functions follow.
    pub(super) fn cast_of_arrays(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        self.elementwise(id, node)?;
        let narrows = (self.ty(node.args[0]), self.ty(node.results[0])) == (Ty::I64, Ty::F32);
        if !narrows || self.graph.ty(node.results[0]).is_scalar() {
            return Ok(());
        }
        let dims = self.dims(node.results[0])?;
        let count = self.count(&dims);
        if self.b.known(count).is_some_and(|count| count >= FEW) && self.goes_into_function(id, node) {
            self.materialise(node.results[0])?;
        }
        Ok(())
    }

    /// True if a function is computed of what is computed of a node's result.
    fn goes_into_function(&self, id: NodeId, node: &Node) -> bool {
        let mut reached: FxHashSet<ValueId> = node.results.iter().copied().collect();
        let behind = self.graph.regions.iter().find_map(|(_, region)| {
            let at = region.nodes.iter().position(|&other| other == id)?;
            Some(&region.nodes[at + 1..])
        });
        behind.into_iter().flatten().take(AHEAD).any(|&id| {
            let node = &self.graph.nodes[id];
            let is_reached = node.args.iter().any(|arg| reached.contains(arg));
            if is_reached && matches!(node.op, Op::Unary(_) | Op::Binary(_) | Op::Select) {
                reached.extend(&node.results);
            }
            is_reached && matches!(node.op, Op::Unary(op) if is_function(op))
        })
    }
}

/// True if no instruction computes it.
fn is_function(op: UnaryOp) -> bool {
    match op {
        UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Log | UnaryOp::Log2 | UnaryOp::Log1p => true,
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan | UnaryOp::Atan | UnaryOp::Asinh => true,
        UnaryOp::Tanh | UnaryOp::Erf | UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Sinh => true,
        UnaryOp::Stop | UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Not => false,
        UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round => false,
    }
}

//! One rule per op: what flows back to its operands. The rows are grouped as the ops are.

mod binary;
mod contract;
mod moves;
mod places;
mod put;
mod reduce;
mod unary;

use gw_ir::{NodeId, Op, ValueId};

use crate::Made;
use crate::reverse::Reverse;

/// One application of an op, on the way back.
#[derive(Clone)]
pub(crate) struct Step {
    pub id: NodeId,
    pub op: Op,
    pub args: Vec<ValueId>,
    /// What it gave.
    pub out: ValueId,
    /// What flows back to that.
    pub g: ValueId,
}

/// Hands the cotangent of what a node gives on to what it takes.
pub(crate) fn node(r: &mut Reverse<'_, '_>, id: NodeId, out: ValueId) -> Made<()> {
    let Some(g) = r.cotangent(out) else { return Ok(()) };
    let node = &r.graph().nodes[id];
    let step = Step { id, op: node.op, args: node.args.clone(), out, g };
    match step.op {
        Op::Neg | Op::Abs | Op::Exp | Op::Expm1 | Op::Log | Op::Log1p | Op::Sqrt | Op::Rsqrt => {
            unary::rule(r, &step)
        }
        Op::Sin | Op::Cos | Op::Tan | Op::Atan | Op::Tanh | Op::Erf | Op::Cast => unary::rule(r, &step),
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Pow | Op::Max | Op::Min | Op::Atan2 => {
            binary::rule(r, &step)
        }
        Op::Select => binary::select(r, &step),
        Op::ReduceSum => reduce::sum(r, &step),
        Op::ReduceProd => reduce::product(r, &step),
        Op::ReduceMax | Op::ReduceMin => reduce::extreme(r, &step),
        Op::Reshape => moves::reshape(r, &step),
        Op::Broadcast => moves::broadcast(r, &step),
        Op::Transpose => moves::transpose(r, &step),
        Op::Slice => moves::slice(r, &step),
        Op::Index => moves::index(r, &step),
        Op::Gather => moves::gather(r, &step),
        Op::Concat => moves::concat(r, &step),
        Op::Put => put::put(r, &step),
        Op::Matmul => contract::matmul(r, &step),
        Op::Conv2d => contract::conv2d(r, &step),
        Op::Sign | Op::Floor | Op::Ceil | Op::Round | Op::FloorDiv | Op::Stop => Ok(()),
        Op::Not | Op::IsNan | Op::IsFinite | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr => Ok(()),
        Op::RandomBits | Op::Append | Op::Length | Op::Upper | Op::Lower => Ok(()),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Ok(()),
        Op::ReduceAll | Op::ReduceAny | Op::ArgMax | Op::ArgMin | Op::ArgSort | Op::ArgTop => Ok(()),
        Op::Const | Op::Range | Op::Dim => Ok(()),
        Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Check | Op::Leave => Ok(()),
    }
}

/// Whether a change of an operand changes what the op gives: not where that is a step function, whole numbers, or said
/// not to.
pub(crate) fn passes(op: Op) -> bool {
    match op {
        Op::Neg | Op::Abs | Op::Exp | Op::Expm1 | Op::Log | Op::Log1p | Op::Sqrt | Op::Rsqrt => true,
        Op::Sin | Op::Cos | Op::Tan | Op::Atan | Op::Tanh | Op::Erf | Op::Cast | Op::Select => true,
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Pow | Op::Max | Op::Min | Op::Atan2 => true,
        Op::ReduceSum | Op::ReduceProd | Op::ReduceMax | Op::ReduceMin => true,
        Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Index | Op::Gather | Op::Concat => true,
        Op::Put | Op::Matmul | Op::Conv2d => true,
        Op::Cond | Op::While | Op::Call | Op::Try => true,
        Op::Sign | Op::Floor | Op::Ceil | Op::Round | Op::FloorDiv | Op::Stop => false,
        Op::Not | Op::IsNan | Op::IsFinite | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr => false,
        Op::RandomBits | Op::Append | Op::Length | Op::Upper | Op::Lower => false,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => false,
        Op::ReduceAll | Op::ReduceAny | Op::ArgMax | Op::ArgMin | Op::ArgSort | Op::ArgTop => false,
        Op::Const | Op::Range | Op::Dim | Op::Print | Op::Check | Op::Leave => false,
    }
}

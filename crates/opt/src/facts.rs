//! Facts about nodes: dead results, exact results, cost.

use gw_ir::{Graph, Node, NodeId, Op, can_fail, every};
use gw_types::{Dim, Scalar, Shape};

use crate::finite::ends;

/// True if nobody would miss the node if its results are not used: no effects, no failures, no loops that may never end.
pub fn is_removable(graph: &Graph, id: NodeId) -> bool {
    !can_fail(graph, id) && ends(graph, id)
}

/// Whether a value that is known to be the same as another can stand where that one stands: each length is the same, or
/// has another variable. A known length does not stand for a variable: what then does not fit would have to be told
/// now, and not when, and only if, the graph gets there.
pub(crate) fn stands_for(given: &Shape, wanted: &Shape) -> bool {
    let axis = |(given, wanted): (&Dim, &Dim)| given.fixed() == wanted.fixed();
    given.rank() == wanted.rank() && given.0.iter().zip(&wanted.0).all(axis)
}

/// Whether the op's result is the same on every machine to the last bit, so that it can be computed now. The others are
/// approximate, or add in an order of the backend's.
pub(crate) fn is_exact(graph: &Graph, node: &Node) -> bool {
    let float = node.args.first().is_some_and(|&x| graph.ty(x).dtype.is_float());
    match node.op {
        Op::Exp | Op::Expm1 | Op::Log | Op::Log1p | Op::Rsqrt | Op::Sin | Op::Cos | Op::Tan | Op::Atan => {
            false
        }
        Op::Tanh | Op::Erf | Op::Atan2 | Op::Foreign => false,
        Op::Pow | Op::ReduceSum | Op::ReduceProd | Op::Matmul | Op::Conv2d => !float,
        Op::Cond | Op::While | Op::Call | Op::Try | Op::Print | Op::Host | Op::Check | Op::Leave => false,
        Op::Cholesky | Op::TriangularSolve | Op::Solve | Op::Det | Op::Qr | Op::Eigh | Op::Svd => false,
        Op::FloorDiv | Op::Mod => true,
        Op::Stop => true,
        Op::Neg | Op::Abs | Op::Sign | Op::Sqrt | Op::Floor | Op::Ceil | Op::Round | Op::Not => true,
        Op::IsNan | Op::IsFinite | Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min => true,
        Op::Length | Op::Upper | Op::Lower => true,
        Op::And
        | Op::Or
        | Op::Xor
        | Op::Shl
        | Op::Shr
        | Op::RandomBits
        | Op::Append
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge => true,
        Op::Select | Op::Cast | Op::ReduceMax | Op::ReduceMin | Op::ReduceAll | Op::ReduceAny => true,
        Op::ArgMax | Op::ArgMin | Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Index => true,
        Op::Gather | Op::Concat | Op::Put | Op::Const | Op::Range | Op::Dim | Op::ArgSort | Op::ArgTop => {
            true
        }
    }
}

/// Whether the op on scalars takes about a cycle, so that running it for nothing is cheaper than a branch.
pub(crate) fn is_cheap(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let scalar = node.results.iter().chain(&node.args).all(|&v| graph.ty(v).is_scalar());
    scalar
        && !can_fail(graph, id)
        && match node.op {
            Op::Stop
            | Op::Neg
            | Op::Abs
            | Op::Sign
            | Op::Not
            | Op::IsNan
            | Op::IsFinite
            | Op::Add
            | Op::Sub
            | Op::Mul => true,
            Op::Max | Op::Min | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Select | Op::Cast => {
                true
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Const => true,
            Op::FloorDiv | Op::Mod => {
                graph.ty(node.args[0]).dtype.is_int() && every(graph, node.args[1], is_power_of_two)
            }
            Op::Exp
            | Op::Expm1
            | Op::Log
            | Op::Log1p
            | Op::Sqrt
            | Op::Rsqrt
            | Op::Sin
            | Op::Cos
            | Op::Tan => false,
            Op::Atan
            | Op::Tanh
            | Op::Erf
            | Op::Floor
            | Op::Ceil
            | Op::Round
            | Op::Div
            | Op::Pow
            | Op::Atan2 => false,
            Op::ReduceSum
            | Op::ReduceProd
            | Op::ReduceMax
            | Op::ReduceMin
            | Op::ReduceAll
            | Op::ReduceAny => false,
            Op::ArgMax | Op::ArgMin | Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Index => {
                false
            }
            Op::Gather | Op::Concat | Op::Put | Op::Matmul | Op::Range | Op::Dim | Op::RandomBits => false,
            Op::Append | Op::Length | Op::Upper | Op::Lower | Op::Foreign => false,
            Op::Cond | Op::While | Op::Call | Op::Try => false,
            Op::Cholesky | Op::TriangularSolve | Op::Solve | Op::Det | Op::Qr | Op::Eigh | Op::Svd => false,
            Op::Print | Op::Host | Op::Check | Op::Leave | Op::ArgSort | Op::ArgTop | Op::Conv2d => false,
        }
}

fn is_power_of_two(x: Scalar) -> bool {
    x.to_i64() > 0 && x.to_i64().count_ones() == 1
}

//! The table: one row per op, how it is said in StableHLO, or why not.

use gw_ir::{Graph, Node, NodeId, Op, RegionId};

use crate::items::Item;
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::{
    arithmetic, casts, contract, division, elementwise, moves, positions, put, random, reduce, slices, sort,
};

/// Writes an op of one result.
pub(crate) type Write = fn(&mut Lowering<'_>, &Node, &[Item]) -> Made<Item>;

/// The way in which an op is said.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    /// By an op of StableHLO on elements of one type.
    Same(&'static str),
    /// By a comparison in this direction.
    Compare(&'static str),
    /// By a reduction with this op.
    Fold(&'static str),
    /// By several ops.
    Several(Write),
    /// By regions, functions or the status.
    Control,
    /// Not at all, for this reason.
    Refused(&'static str),
}

const STRINGS: &str = "StableHLO has no strings";
const FACTORS: &str = "matrices are not taken apart by this target";
const NATIVE: &str = "a module cannot call a native function of this process";
const WORLD: &str = "a module cannot act on the world while it runs";

/// The row of an op.
pub(crate) fn row(op: Op) -> Row {
    let found = ROWS.iter().find(|(own, _)| *own == op);
    found.map_or(Row::Refused("this target does not know it"), |(_, row)| *row)
}

/// Every op with its row.
const ROWS: &[(Op, Row)] = &[
    (Op::Neg, Row::Several(arithmetic::neg)),
    (Op::Abs, Row::Several(arithmetic::abs)),
    (Op::Sign, Row::Same("stablehlo.sign")),
    (Op::Exp, Row::Same("stablehlo.exponential")),
    (Op::Expm1, Row::Same("stablehlo.exponential_minus_one")),
    (Op::Log, Row::Same("stablehlo.log")),
    (Op::Log1p, Row::Same("stablehlo.log_plus_one")),
    (Op::Sqrt, Row::Same("stablehlo.sqrt")),
    (Op::Rsqrt, Row::Same("stablehlo.rsqrt")),
    (Op::Sin, Row::Same("stablehlo.sine")),
    (Op::Cos, Row::Same("stablehlo.cosine")),
    (Op::Tan, Row::Same("stablehlo.tan")),
    (Op::Atan, Row::Several(elementwise::atan)),
    (Op::Tanh, Row::Same("stablehlo.tanh")),
    (Op::Erf, Row::Same("chlo.erf")),
    (Op::Floor, Row::Same("stablehlo.floor")),
    (Op::Ceil, Row::Same("stablehlo.ceil")),
    (Op::Round, Row::Same("stablehlo.round_nearest_even")),
    (Op::Not, Row::Same("stablehlo.not")),
    (Op::IsNan, Row::Several(elementwise::is_nan)),
    (Op::IsFinite, Row::Several(elementwise::is_finite)),
    (Op::Add, Row::Several(arithmetic::add)),
    (Op::Append, Row::Refused(STRINGS)),
    (Op::Length, Row::Refused(STRINGS)),
    (Op::Upper, Row::Refused(STRINGS)),
    (Op::Lower, Row::Refused(STRINGS)),
    (Op::Sub, Row::Several(arithmetic::sub)),
    (Op::Mul, Row::Several(arithmetic::mul)),
    (Op::Div, Row::Same("stablehlo.divide")),
    (Op::FloorDiv, Row::Several(division::floor_div)),
    (Op::Mod, Row::Several(division::modulo)),
    (Op::Pow, Row::Several(arithmetic::pow)),
    (Op::Max, Row::Same("stablehlo.maximum")),
    (Op::Min, Row::Same("stablehlo.minimum")),
    (Op::Atan2, Row::Same("stablehlo.atan2")),
    (Op::And, Row::Same("stablehlo.and")),
    (Op::Or, Row::Same("stablehlo.or")),
    (Op::Xor, Row::Same("stablehlo.xor")),
    (Op::Shl, Row::Several(arithmetic::shift_left)),
    (Op::Shr, Row::Several(arithmetic::shift_right)),
    (Op::RandomBits, Row::Several(random::bits)),
    (Op::Eq, Row::Compare("EQ")),
    (Op::Ne, Row::Compare("NE")),
    (Op::Lt, Row::Compare("LT")),
    (Op::Le, Row::Compare("LE")),
    (Op::Gt, Row::Compare("GT")),
    (Op::Ge, Row::Compare("GE")),
    (Op::Select, Row::Several(elementwise::select)),
    (Op::Foreign, Row::Refused(NATIVE)),
    (Op::Cast, Row::Several(casts::cast)),
    (Op::Stop, Row::Several(elementwise::same)),
    (Op::ReduceSum, Row::Fold("stablehlo.add")),
    (Op::ReduceProd, Row::Fold("stablehlo.multiply")),
    (Op::ReduceMax, Row::Fold("stablehlo.maximum")),
    (Op::ReduceMin, Row::Fold("stablehlo.minimum")),
    (Op::ReduceAll, Row::Fold("stablehlo.and")),
    (Op::ReduceAny, Row::Fold("stablehlo.or")),
    (Op::ArgMax, Row::Several(reduce::arg_max)),
    (Op::ArgMin, Row::Several(reduce::arg_min)),
    (Op::ArgSort, Row::Several(sort::arg_sort)),
    (Op::ArgTop, Row::Several(sort::arg_top)),
    (Op::Reshape, Row::Several(moves::reshape)),
    (Op::Broadcast, Row::Several(moves::broadcast)),
    (Op::Transpose, Row::Several(moves::transpose)),
    (Op::Slice, Row::Several(slices::slice)),
    (Op::Index, Row::Several(positions::index)),
    (Op::Gather, Row::Several(positions::gather)),
    (Op::Concat, Row::Several(moves::concat)),
    (Op::Put, Row::Several(put::put)),
    (Op::Matmul, Row::Several(contract::matmul)),
    (Op::Conv2d, Row::Several(contract::conv2d)),
    (Op::Cholesky, Row::Refused(FACTORS)),
    (Op::TriangularSolve, Row::Refused(FACTORS)),
    (Op::Solve, Row::Refused(FACTORS)),
    (Op::Det, Row::Refused(FACTORS)),
    (Op::Qr, Row::Refused(FACTORS)),
    (Op::Eigh, Row::Refused(FACTORS)),
    (Op::Svd, Row::Refused(FACTORS)),
    (Op::Const, Row::Several(moves::constant)),
    (Op::Range, Row::Several(moves::range)),
    (Op::Dim, Row::Several(moves::dim)),
    (Op::Cond, Row::Control),
    (Op::While, Row::Control),
    (Op::Call, Row::Control),
    (Op::Try, Row::Control),
    (Op::Print, Row::Refused(WORLD)),
    (Op::Host, Row::Refused(WORLD)),
    (Op::Check, Row::Control),
    (Op::Leave, Row::Control),
];

/// The first op of a graph that has no words, in the order of the text.
pub(crate) fn judge(graph: &Graph) -> Result<(), Refused> {
    graph.roots().into_iter().try_for_each(|root| judge_region(graph, root))
}

fn judge_region(graph: &Graph, region: RegionId) -> Result<(), Refused> {
    graph.regions[region].nodes.iter().try_for_each(|&id| judge_node(graph, id))
}

fn judge_node(graph: &Graph, id: NodeId) -> Result<(), Refused> {
    let node = &graph.nodes[id];
    if let Row::Refused(reason) = row(node.op) {
        return Err(Refused::new(reason).at(node.op, &graph.places[id]));
    }
    let is_text = |&value: &gw_ir::ValueId| graph.ty(value).dtype == gw_types::DType::Str;
    if node.args.iter().chain(&node.results).any(is_text) {
        return Err(Refused::new(STRINGS).at(node.op, &graph.places[id]));
    }
    node.regions.iter().try_for_each(|&region| judge_region(graph, region))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_has_one_row() {
        assert!(
            ROWS.iter().map(|(op, _)| op).eq(Op::ALL),
            "the rows are those of the table of ops, in its order"
        );
    }
}

//! The table: one row per op, how it is said in StableHLO, or why not.

use gw_ir::{
    ArgOp, BinaryOp, CompareOp, Graph, MatrixOp, Node, NodeId, Op, ReduceOp, RegionId, StringOp, TestOp,
    UnaryOp,
};

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
    (Op::Unary(UnaryOp::Neg), Row::Several(arithmetic::neg)),
    (Op::Unary(UnaryOp::Abs), Row::Several(arithmetic::abs)),
    (Op::Unary(UnaryOp::Sign), Row::Same("stablehlo.sign")),
    (Op::Unary(UnaryOp::Exp), Row::Same("stablehlo.exponential")),
    (Op::Unary(UnaryOp::Expm1), Row::Same("stablehlo.exponential_minus_one")),
    (Op::Unary(UnaryOp::Log), Row::Same("stablehlo.log")),
    (Op::Unary(UnaryOp::Log1p), Row::Same("stablehlo.log_plus_one")),
    (Op::Unary(UnaryOp::Sqrt), Row::Same("stablehlo.sqrt")),
    (Op::Unary(UnaryOp::Rsqrt), Row::Same("stablehlo.rsqrt")),
    (Op::Unary(UnaryOp::Sin), Row::Same("stablehlo.sine")),
    (Op::Unary(UnaryOp::Cos), Row::Same("stablehlo.cosine")),
    (Op::Unary(UnaryOp::Tan), Row::Same("stablehlo.tan")),
    (Op::Unary(UnaryOp::Atan), Row::Several(elementwise::atan)),
    (Op::Unary(UnaryOp::Tanh), Row::Same("stablehlo.tanh")),
    (Op::Unary(UnaryOp::Erf), Row::Same("chlo.erf")),
    (Op::Unary(UnaryOp::Floor), Row::Same("stablehlo.floor")),
    (Op::Unary(UnaryOp::Ceil), Row::Same("stablehlo.ceil")),
    (Op::Unary(UnaryOp::Round), Row::Same("stablehlo.round_nearest_even")),
    (Op::Unary(UnaryOp::Not), Row::Same("stablehlo.not")),
    (Op::Test(TestOp::IsNan), Row::Several(elementwise::is_nan)),
    (Op::Test(TestOp::IsFinite), Row::Several(elementwise::is_finite)),
    (Op::Binary(BinaryOp::Add), Row::Several(arithmetic::add)),
    (Op::String(StringOp::Append), Row::Refused(STRINGS)),
    (Op::String(StringOp::Length), Row::Refused(STRINGS)),
    (Op::String(StringOp::Upper), Row::Refused(STRINGS)),
    (Op::String(StringOp::Lower), Row::Refused(STRINGS)),
    (Op::Binary(BinaryOp::Sub), Row::Several(arithmetic::sub)),
    (Op::Binary(BinaryOp::Mul), Row::Several(arithmetic::mul)),
    (Op::Binary(BinaryOp::Div), Row::Same("stablehlo.divide")),
    (Op::Binary(BinaryOp::FloorDiv), Row::Several(division::floor_div)),
    (Op::Binary(BinaryOp::Mod), Row::Several(division::modulo)),
    (Op::Binary(BinaryOp::Pow), Row::Several(arithmetic::pow)),
    (Op::Binary(BinaryOp::Max), Row::Same("stablehlo.maximum")),
    (Op::Binary(BinaryOp::Min), Row::Same("stablehlo.minimum")),
    (Op::Binary(BinaryOp::Atan2), Row::Same("stablehlo.atan2")),
    (Op::Binary(BinaryOp::And), Row::Same("stablehlo.and")),
    (Op::Binary(BinaryOp::Or), Row::Same("stablehlo.or")),
    (Op::Binary(BinaryOp::Xor), Row::Same("stablehlo.xor")),
    (Op::Binary(BinaryOp::Shl), Row::Several(arithmetic::shift_left)),
    (Op::Binary(BinaryOp::Shr), Row::Several(arithmetic::shift_right)),
    (Op::Binary(BinaryOp::RandomBits), Row::Several(random::bits)),
    (Op::Compare(CompareOp::Eq), Row::Compare("EQ")),
    (Op::Compare(CompareOp::Ne), Row::Compare("NE")),
    (Op::Compare(CompareOp::Lt), Row::Compare("LT")),
    (Op::Compare(CompareOp::Le), Row::Compare("LE")),
    (Op::Compare(CompareOp::Gt), Row::Compare("GT")),
    (Op::Compare(CompareOp::Ge), Row::Compare("GE")),
    (Op::Select, Row::Several(elementwise::select)),
    (Op::Foreign, Row::Refused(NATIVE)),
    (Op::Cast, Row::Several(casts::cast)),
    (Op::Unary(UnaryOp::Stop), Row::Several(elementwise::same)),
    (Op::Reduce(ReduceOp::Sum), Row::Fold("stablehlo.add")),
    (Op::Reduce(ReduceOp::Prod), Row::Fold("stablehlo.multiply")),
    (Op::Reduce(ReduceOp::Max), Row::Fold("stablehlo.maximum")),
    (Op::Reduce(ReduceOp::Min), Row::Fold("stablehlo.minimum")),
    (Op::Reduce(ReduceOp::All), Row::Fold("stablehlo.and")),
    (Op::Reduce(ReduceOp::Any), Row::Fold("stablehlo.or")),
    (Op::Arg(ArgOp::Max), Row::Several(reduce::arg_max)),
    (Op::Arg(ArgOp::Min), Row::Several(reduce::arg_min)),
    (Op::Arg(ArgOp::Sort), Row::Several(sort::arg_sort)),
    (Op::Arg(ArgOp::Top), Row::Several(sort::arg_top)),
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
    (Op::Matrix(MatrixOp::Cholesky), Row::Refused(FACTORS)),
    (Op::Matrix(MatrixOp::TriangularSolve), Row::Refused(FACTORS)),
    (Op::Matrix(MatrixOp::Solve), Row::Refused(FACTORS)),
    (Op::Matrix(MatrixOp::Det), Row::Refused(FACTORS)),
    (Op::Matrix(MatrixOp::Qr), Row::Refused(FACTORS)),
    (Op::Matrix(MatrixOp::Eigh), Row::Refused(FACTORS)),
    (Op::Matrix(MatrixOp::Svd), Row::Refused(FACTORS)),
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

//! One row per op: its words in StableHLO, or the reason why there are none.

use gw_ir::{ArgOp, BinaryOp, CompareOp, Graph, Node, NodeId, Op, ReduceOp, RegionId, TestOp, UnaryOp};

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
pub(crate) const COMPLEX: &str = "this target has no complex numbers";
const FACTORS: &str = "matrices are not taken apart by this target";
const NATIVE: &str = "a module cannot call a native function of this process";
const WORLD: &str = "a module cannot act on the world while it runs";

/// The row of an op.
pub(crate) fn row(op: Op) -> Row {
    match op {
        Op::Unary(op) => of_one(op),
        Op::Binary(op) => of_two(op),
        Op::Test(TestOp::IsNan) => Row::Several(elementwise::is_nan),
        Op::Test(TestOp::IsFinite) => Row::Several(elementwise::is_finite),
        Op::Compare(op) => Row::Compare(direction(op)),
        Op::Reduce(op) => Row::Fold(folded_by(op)),
        Op::Part(_) | Op::Complex => Row::Refused(COMPLEX),
        Op::String(_) => Row::Refused(STRINGS),
        Op::Matrix(_) => Row::Refused(FACTORS),
        Op::Arg(ArgOp::Max) => Row::Several(reduce::arg_max),
        Op::Arg(ArgOp::Min) => Row::Several(reduce::arg_min),
        Op::Arg(ArgOp::Sort) => Row::Several(sort::arg_sort),
        Op::Arg(ArgOp::Top) => Row::Several(sort::arg_top),
        Op::Select => Row::Several(elementwise::select),
        Op::Foreign => Row::Refused(NATIVE),
        Op::Cast => Row::Several(casts::cast),
        Op::Reshape => Row::Several(moves::reshape),
        Op::Broadcast => Row::Several(moves::broadcast),
        Op::Sort => Row::Several(sort::sort),
        Op::Transpose => Row::Several(moves::transpose),
        Op::Slice => Row::Several(slices::slice),
        Op::Index => Row::Several(positions::index),
        Op::Gather => Row::Several(positions::gather),
        Op::Concat => Row::Several(moves::concat),
        Op::Put => Row::Several(put::put),
        Op::Matmul => Row::Several(contract::matmul),
        Op::Conv2d => Row::Several(contract::conv2d),
        Op::Const => Row::Several(moves::constant),
        Op::Range => Row::Several(moves::range),
        Op::Dim => Row::Several(moves::dim),
        Op::Print | Op::Host => Row::Refused(WORLD),
        Op::Cond | Op::While | Op::Call | Op::Try | Op::Check | Op::Leave => Row::Control,
    }
}

fn of_one(op: UnaryOp) -> Row {
    match op {
        UnaryOp::Neg => Row::Several(arithmetic::neg),
        UnaryOp::Abs => Row::Several(arithmetic::abs),
        UnaryOp::Sign => Row::Same("stablehlo.sign"),
        UnaryOp::Exp => Row::Same("stablehlo.exponential"),
        UnaryOp::Expm1 => Row::Same("stablehlo.exponential_minus_one"),
        UnaryOp::Log => Row::Same("stablehlo.log"),
        UnaryOp::Log2 => Row::Several(elementwise::log2),
        UnaryOp::Log1p => Row::Same("stablehlo.log_plus_one"),
        UnaryOp::Sqrt => Row::Same("stablehlo.sqrt"),
        UnaryOp::Rsqrt => Row::Same("stablehlo.rsqrt"),
        UnaryOp::Sin => Row::Same("stablehlo.sine"),
        UnaryOp::Cos => Row::Same("stablehlo.cosine"),
        UnaryOp::Tan => Row::Same("stablehlo.tan"),
        UnaryOp::Atan => Row::Several(elementwise::atan),
        UnaryOp::Asin => Row::Same("chlo.asin"),
        UnaryOp::Acos => Row::Same("chlo.acos"),
        UnaryOp::Sinh => Row::Same("chlo.sinh"),
        UnaryOp::Asinh => Row::Same("chlo.asinh"),
        UnaryOp::Tanh => Row::Same("stablehlo.tanh"),
        UnaryOp::Erf => Row::Same("chlo.erf"),
        UnaryOp::Floor => Row::Same("stablehlo.floor"),
        UnaryOp::Ceil => Row::Same("stablehlo.ceil"),
        UnaryOp::Round => Row::Same("stablehlo.round_nearest_even"),
        UnaryOp::Not => Row::Same("stablehlo.not"),
        UnaryOp::Stop => Row::Several(elementwise::same),
    }
}

fn of_two(op: BinaryOp) -> Row {
    match op {
        BinaryOp::Add => Row::Several(arithmetic::add),
        BinaryOp::Sub => Row::Several(arithmetic::sub),
        BinaryOp::Mul => Row::Several(arithmetic::mul),
        BinaryOp::Div => Row::Same("stablehlo.divide"),
        BinaryOp::FloorDiv => Row::Several(division::floor_div),
        BinaryOp::Mod => Row::Several(division::modulo),
        BinaryOp::Pow => Row::Several(arithmetic::pow),
        BinaryOp::Max => Row::Same("stablehlo.maximum"),
        BinaryOp::Min => Row::Same("stablehlo.minimum"),
        BinaryOp::Atan2 => Row::Same("stablehlo.atan2"),
        BinaryOp::And => Row::Same("stablehlo.and"),
        BinaryOp::Or => Row::Same("stablehlo.or"),
        BinaryOp::Xor => Row::Same("stablehlo.xor"),
        BinaryOp::Shl => Row::Several(arithmetic::shift_left),
        BinaryOp::Shr => Row::Several(arithmetic::shift_right),
        BinaryOp::RandomBits => Row::Several(random::bits),
    }
}

fn direction(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "EQ",
        CompareOp::Ne => "NE",
        CompareOp::Lt => "LT",
        CompareOp::Le => "LE",
        CompareOp::Gt => "GT",
        CompareOp::Ge => "GE",
    }
}

/// The op that a reduction folds with.
fn folded_by(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Sum => "stablehlo.add",
        ReduceOp::Prod => "stablehlo.multiply",
        ReduceOp::Max => "stablehlo.maximum",
        ReduceOp::Min => "stablehlo.minimum",
        ReduceOp::All => "stablehlo.and",
        ReduceOp::Any => "stablehlo.or",
    }
}

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

//! The table: one row per op, how it is said in StableHLO, or why not.

use gw_ir::{Graph, Node, NodeId, Op, RegionId};

use crate::items::Item;
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::{
    arithmetic, contract, division, elementwise, moves, positions, put, random, reduce, slices, sort,
};

/// Writes an op of one result.
pub(crate) type Write = fn(&mut Lowering<'_>, &Node, &[Item]) -> Made<Item>;

/// How an op is said.
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
const WORLD: &str = "a module cannot act on the world while it runs";

/// The row of an op.
pub(crate) fn row(op: Op) -> Row {
    use Row::{Compare, Control, Fold, Refused, Same, Several};
    match op {
        Op::Neg => Several(arithmetic::neg),
        Op::Abs => Several(arithmetic::abs),
        Op::Sign => Same("stablehlo.sign"),
        Op::Exp => Same("stablehlo.exponential"),
        Op::Expm1 => Same("stablehlo.exponential_minus_one"),
        Op::Log => Same("stablehlo.log"),
        Op::Log1p => Same("stablehlo.log_plus_one"),
        Op::Sqrt => Same("stablehlo.sqrt"),
        Op::Rsqrt => Same("stablehlo.rsqrt"),
        Op::Sin => Same("stablehlo.sine"),
        Op::Cos => Same("stablehlo.cosine"),
        Op::Tan => Same("stablehlo.tan"),
        Op::Atan => Several(elementwise::atan),
        Op::Tanh => Same("stablehlo.tanh"),
        Op::Erf => Same("chlo.erf"),
        Op::Floor => Same("stablehlo.floor"),
        Op::Ceil => Same("stablehlo.ceil"),
        Op::Round => Same("stablehlo.round_nearest_even"),
        Op::Not => Same("stablehlo.not"),
        Op::IsNan => Several(elementwise::is_nan),
        Op::IsFinite => Several(elementwise::is_finite),
        Op::Add => Several(arithmetic::add),
        Op::Sub => Several(arithmetic::sub),
        Op::Mul => Several(arithmetic::mul),
        Op::Div => Same("stablehlo.divide"),
        Op::FloorDiv => Several(division::floor_div),
        Op::Mod => Several(division::modulo),
        Op::Pow => Several(arithmetic::pow),
        Op::Max => Same("stablehlo.maximum"),
        Op::Min => Same("stablehlo.minimum"),
        Op::Atan2 => Same("stablehlo.atan2"),
        Op::And => Same("stablehlo.and"),
        Op::Or => Same("stablehlo.or"),
        Op::Xor => Same("stablehlo.xor"),
        Op::Shl => Several(arithmetic::shift_left),
        Op::Shr => Several(arithmetic::shift_right),
        Op::RandomBits => Several(random::bits),
        Op::Append | Op::Length | Op::Upper | Op::Lower => Refused(STRINGS),
        Op::Eq => Compare("EQ"),
        Op::Ne => Compare("NE"),
        Op::Lt => Compare("LT"),
        Op::Le => Compare("LE"),
        Op::Gt => Compare("GT"),
        Op::Ge => Compare("GE"),
        Op::Select => Several(elementwise::select),
        Op::Cast => Several(elementwise::cast),
        Op::Stop => Several(elementwise::same),
        Op::ReduceSum => Fold("stablehlo.add"),
        Op::ReduceProd => Fold("stablehlo.multiply"),
        Op::ReduceMax => Fold("stablehlo.maximum"),
        Op::ReduceMin => Fold("stablehlo.minimum"),
        Op::ReduceAll => Fold("stablehlo.and"),
        Op::ReduceAny => Fold("stablehlo.or"),
        Op::ArgMax => Several(reduce::arg_max),
        Op::ArgMin => Several(reduce::arg_min),
        Op::ArgSort => Several(sort::arg_sort),
        Op::ArgTop => Several(sort::arg_top),
        Op::Reshape => Several(moves::reshape),
        Op::Broadcast => Several(moves::broadcast),
        Op::Transpose => Several(moves::transpose),
        Op::Slice => Several(slices::slice),
        Op::Index => Several(positions::index),
        Op::Gather => Several(positions::gather),
        Op::Concat => Several(moves::concat),
        Op::Put => Several(put::put),
        Op::Matmul => Several(contract::matmul),
        Op::Conv2d => Several(contract::conv2d),
        Op::Cholesky | Op::TriangularSolve | Op::Solve | Op::Det | Op::Qr | Op::Eigh | Op::Svd => {
            Refused(FACTORS)
        }
        Op::Const => Several(moves::constant),
        Op::Range => Several(moves::range),
        Op::Dim => Several(moves::dim),
        Op::Cond | Op::While | Op::Call | Op::Check | Op::Try | Op::Leave => Control,
        Op::Print | Op::Host => Refused(WORLD),
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

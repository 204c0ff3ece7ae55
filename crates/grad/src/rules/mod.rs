//! One rule per op: what flows back to its operands. The rows are grouped as the ops are.

mod binary;
mod contract;
mod matrices;
mod moves;
mod places;
mod put;
mod reduce;
mod step;
mod unary;

use gw_ir::{NodeId, Op, ValueId};

use crate::adjoint::Adjoint;
use crate::stop::Made;

use step::Step;

/// The cotangent of one operand, before it is summed over the axes that were broadcast.
type Flow = fn(&mut Adjoint<'_, '_>, &Step) -> Made<ValueId>;

/// The gradient rule of an op.
enum Row {
    /// To its only operand, element by element.
    One(Flow),
    /// To its first operand and to its second.
    Two(Flow, Flow),
    /// As it says itself.
    Own(fn(&mut Adjoint<'_, '_>, &Step) -> Made<()>),
    /// Through its regions.
    Regions,
    /// Not, though a change of its operands may change what it gives: nobody knows how.
    Unknown(&'static str),
    /// Not: it is a step function, gives whole numbers or no number, acts, or is said to stop it.
    Nothing,
}

/// The row of an op.
fn row(op: Op) -> Row {
    use Row::{Nothing, One, Own, Regions, Two, Unknown};
    match op {
        Op::Neg => One(unary::neg),
        Op::Abs => One(unary::abs),
        Op::Exp => One(unary::exp),
        Op::Expm1 => One(unary::expm1),
        Op::Log => One(unary::log),
        Op::Log1p => One(unary::log1p),
        Op::Sqrt => One(unary::sqrt),
        Op::Rsqrt => One(unary::rsqrt),
        Op::Sin => One(unary::sin),
        Op::Cos => One(unary::cos),
        Op::Tan => One(unary::tan),
        Op::Atan => One(unary::atan),
        Op::Tanh => One(unary::tanh),
        Op::Erf => One(unary::erf),
        Op::Cast => One(unary::cast),
        Op::Add => Two(binary::same, binary::same),
        Op::Sub => Two(binary::same, unary::neg),
        Op::Mul => Two(binary::mul_x, binary::mul_y),
        Op::Div => Two(binary::div_x, binary::div_y),
        Op::Mod => Two(binary::same, binary::mod_y),
        Op::Pow => Two(binary::pow_x, binary::pow_y),
        Op::Max => Two(binary::max_x, binary::max_y),
        Op::Min => Two(binary::min_x, binary::min_y),
        Op::Atan2 => Two(binary::atan2_y, binary::atan2_x),
        Op::Select => Own(binary::select),
        Op::ReduceSum => Own(reduce::sum),
        Op::ReduceProd => Own(reduce::product),
        Op::ReduceMax | Op::ReduceMin => Own(reduce::extreme),
        Op::Reshape => Own(moves::reshape),
        Op::Broadcast => Own(moves::broadcast),
        Op::Transpose => Own(moves::transpose),
        Op::Slice => Own(moves::slice),
        Op::Index => Own(moves::index),
        Op::Gather => Own(moves::gather),
        Op::Concat => Own(moves::concat),
        Op::Put => Own(put::put),
        Op::Matmul => Own(contract::matmul),
        Op::Conv2d => Own(contract::conv2d),
        Op::Cholesky => Own(matrices::cholesky),
        Op::TriangularSolve | Op::Solve => Own(matrices::solve),
        Op::Det => Own(matrices::det),
        Op::Qr => Own(matrices::qr),
        Op::Eigh => Own(matrices::eigh),
        Op::Svd => Own(matrices::svd),
        Op::Cond | Op::While | Op::Call | Op::Try => Regions,
        Op::Host => Unknown("what a function of the host gives"),
        Op::Foreign => Unknown("what a custom op gives"),
        Op::Sign | Op::Floor | Op::Ceil | Op::Round | Op::FloorDiv | Op::Stop => Nothing,
        Op::Not | Op::IsNan | Op::IsFinite | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr => Nothing,
        Op::RandomBits | Op::Append | Op::Length | Op::Upper | Op::Lower => Nothing,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Nothing,
        Op::ReduceAll | Op::ReduceAny | Op::ArgMax | Op::ArgMin | Op::ArgSort | Op::ArgTop => Nothing,
        Op::Const | Op::Range | Op::Dim | Op::Print | Op::Check | Op::Leave => Nothing,
    }
}

/// True if a change of an operand changes what the op gives.
pub(crate) fn passes(op: Op) -> bool {
    !matches!(row(op), Row::Nothing)
}

/// Hands the cotangent of what a node gives on to what it takes.
pub(crate) fn node(r: &mut Adjoint<'_, '_>, id: NodeId, out: ValueId) -> Made<()> {
    let Some(g) = r.cotangent(out) else { return Ok(()) };
    let node = &r.graph().nodes[id];
    let (op, args) = (node.op, node.args.clone());
    let step = Step { id, args, out, g };
    match row(op) {
        Row::One(flow) => hand_on(r, &step, 0, flow),
        Row::Two(first, second) => {
            hand_on(r, &step, 0, first)?;
            hand_on(r, &step, 1, second)
        }
        Row::Own(rule) => rule(r, &step),
        Row::Unknown(what) => r.refuse_host(what, id),
        Row::Regions | Row::Nothing => Ok(()),
    }
}

fn hand_on(r: &mut Adjoint<'_, '_>, step: &Step, side: usize, flow: Flow) -> Made<()> {
    let arg = step.args[side];
    if !r.activity.reaches(arg, step.id) {
        return Ok(());
    }
    let flow = flow(r, step)?;
    let flow = r.unbroadcast(flow, arg)?;
    r.add(arg, flow)
}

//! One rule per op: what flows back to its operands. The rows are grouped as the ops are.

mod binary;
mod complex;
mod contract;
mod matrices;
mod moves;
mod places;
mod put;
mod reduce;
mod sort;
mod step;
mod unary;

use gw_ir::{BinaryOp, MatrixOp, NodeId, Op, PartOp, ReduceOp, UnaryOp, ValueId};

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
        Op::Unary(op) => of_one(op),
        Op::Binary(op) => of_two(op),
        Op::Part(PartOp::Real) => One(complex::of_real),
        Op::Part(PartOp::Imag) => One(complex::of_imag),
        Op::Complex => Two(complex::to_real, complex::to_imag),
        Op::Cast => One(unary::cast),
        Op::Select => Own(binary::select),
        Op::Reduce(ReduceOp::Sum) => Own(reduce::sum),
        Op::Reduce(ReduceOp::Prod) => Own(reduce::product),
        Op::Reduce(ReduceOp::Max | ReduceOp::Min) => Own(reduce::extreme),
        Op::Reshape => Own(moves::reshape),
        Op::Broadcast => Own(moves::broadcast),
        Op::Transpose => Own(moves::transpose),
        Op::Slice => Own(moves::slice),
        Op::Index => Own(moves::index),
        Op::Gather => Own(moves::gather),
        Op::Sort => Own(sort::sort),
        Op::Concat => Own(moves::concat),
        Op::Put => Own(put::put),
        Op::Matmul => Own(contract::matmul),
        Op::Conv2d => Own(contract::conv2d),
        Op::Matrix(op) => Own(of_matrices(op)),
        Op::Cond | Op::While | Op::Call | Op::Try => Regions,
        Op::Host => Unknown("what a function of the host gives"),
        Op::Foreign => Unknown("what a custom op gives"),
        Op::Test(_) | Op::Compare(_) | Op::String(_) | Op::Arg(_) => Nothing,
        Op::Reduce(ReduceOp::All | ReduceOp::Any) => Nothing,
        Op::Const | Op::Range | Op::Dim | Op::Print | Op::Check | Op::Leave => Nothing,
    }
}

fn of_one(op: UnaryOp) -> Row {
    use Row::{Nothing, One};
    match op {
        UnaryOp::Neg => One(unary::neg),
        UnaryOp::Abs => One(unary::abs),
        UnaryOp::Exp => One(unary::exp),
        UnaryOp::Expm1 => One(unary::expm1),
        UnaryOp::Log => One(unary::log),
        UnaryOp::Log2 => One(unary::log2),
        UnaryOp::Log1p => One(unary::log1p),
        UnaryOp::Sqrt => One(unary::sqrt),
        UnaryOp::Rsqrt => One(unary::rsqrt),
        UnaryOp::Sin => One(unary::sin),
        UnaryOp::Cos => One(unary::cos),
        UnaryOp::Tan => One(unary::tan),
        UnaryOp::Atan => One(unary::atan),
        UnaryOp::Asin => One(unary::asin),
        UnaryOp::Acos => One(unary::acos),
        UnaryOp::Sinh => One(unary::sinh),
        UnaryOp::Asinh => One(unary::asinh),
        UnaryOp::Tanh => One(unary::tanh),
        UnaryOp::Erf => One(unary::erf),
        UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round => Nothing,
        UnaryOp::Not | UnaryOp::Stop => Nothing,
    }
}

fn of_two(op: BinaryOp) -> Row {
    use Row::{Nothing, Two};
    match op {
        BinaryOp::Add => Two(binary::same, binary::same),
        BinaryOp::Sub => Two(binary::same, unary::neg),
        BinaryOp::Mul => Two(binary::mul_x, binary::mul_y),
        BinaryOp::Div => Two(binary::div_x, binary::div_y),
        BinaryOp::Mod => Two(binary::same, binary::mod_y),
        BinaryOp::Pow => Two(binary::pow_x, binary::pow_y),
        BinaryOp::Max => Two(binary::max_x, binary::max_y),
        BinaryOp::Min => Two(binary::min_x, binary::min_y),
        BinaryOp::Atan2 => Two(binary::atan2_y, binary::atan2_x),
        BinaryOp::FloorDiv | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Nothing,
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RandomBits => Nothing,
    }
}

fn of_matrices(op: MatrixOp) -> fn(&mut Adjoint<'_, '_>, &Step) -> Made<()> {
    match op {
        MatrixOp::Cholesky => matrices::cholesky,
        MatrixOp::TriangularSolve | MatrixOp::Solve => matrices::solve,
        MatrixOp::Det => matrices::det,
        MatrixOp::Qr => matrices::qr,
        MatrixOp::Eigh => matrices::eigh,
        MatrixOp::Svd => matrices::svd,
        MatrixOp::Fft => matrices::fft,
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

/// True of a function of complex numbers that gives complex numbers: a rule is that of the derivative, and what flows back is
/// multiplied by its conjugate.
fn turns(r: &Adjoint<'_, '_>, step: &Step) -> bool {
    let op = r.graph().nodes[step.id].op;
    !op.is_of_parts() && r.ty(step.out).dtype.is_complex()
}

/// The cotangent by a rule that multiplies by the derivative itself: conjugated before and behind it.
fn turned(r: &mut Adjoint<'_, '_>, step: &Step, flow: Flow) -> Made<ValueId> {
    let g = r.conj(step.g)?;
    let step = Step { g, args: step.args.clone(), ..*step };
    let flows = flow(r, &step)?;
    r.conj(flows)
}

fn hand_on(r: &mut Adjoint<'_, '_>, step: &Step, side: usize, flow: Flow) -> Made<()> {
    let arg = step.args[side];
    if !r.activity.reaches(arg, step.id) {
        return Ok(());
    }
    let flow = if turns(r, step) { turned(r, step, flow)? } else { flow(r, step)? };
    let flow = r.unbroadcast(flow, arg)?;
    r.add(arg, flow)
}

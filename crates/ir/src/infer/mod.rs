//! Type inference: the result type of an op for operands of given types, or the clause of its page that they break.
//!
//! One file per class of ops. Clause 0 is common to all ops: as many operands, and the kind of attribute, as the table
//! says; it cannot be broken from Python.

mod context;
mod conv;
mod effect;
mod elementwise;
mod matmul;
mod matrices;
mod moves;
mod put;
mod reduce;
mod slices;
mod source;
mod words;

use gw_base::Code;
use gw_types::{Arithmetic, DimVar, TensorType};

use crate::{Attr, Node, Op};
use context::Ctx;
pub use context::Unfit;
use elementwise::{binary, cast, comparison, foreign, length, select, test_of, unary};
use reduce::reduce as fold;
use words::Takes;

/// The types that `op` gives; `fresh` makes dimension variables.
///
/// # Errors
/// If the operands or attributes do not fit.
pub fn infer(
    op: Op,
    attr: &Attr,
    args: &[TensorType],
    fresh: &mut dyn FnMut() -> DimVar,
) -> Result<Vec<TensorType>, Unfit> {
    let mut ctx = Ctx { op, args, fresh };
    ctx.judge_arity()?;
    match op {
        Op::Neg | Op::Abs | Op::Sign | Op::Stop => unary(&ctx, attr, Takes::Numbers),
        Op::Exp | Op::Expm1 | Op::Log | Op::Log1p | Op::Sqrt | Op::Rsqrt => unary(&ctx, attr, Takes::Floats),
        Op::Sin | Op::Cos | Op::Tan | Op::Atan | Op::Tanh | Op::Erf => unary(&ctx, attr, Takes::Floats),
        Op::Floor | Op::Ceil | Op::Round => unary(&ctx, attr, Takes::Floats),
        Op::Not => unary(&ctx, attr, Takes::BoolsAndInts),
        Op::IsNan | Op::IsFinite => test_of(&ctx, attr, Takes::Floats),
        Op::Add | Op::Sub | Op::Mul | Op::FloorDiv | Op::Mod | Op::Pow | Op::Max | Op::Min => {
            binary(&mut ctx, attr, Takes::Numbers)
        }
        Op::Div | Op::Atan2 => binary(&mut ctx, attr, Takes::Floats),
        Op::And | Op::Or | Op::Xor => binary(&mut ctx, attr, Takes::BoolsAndInts),
        Op::Shl | Op::Shr => binary(&mut ctx, attr, Takes::Ints),
        Op::RandomBits => binary(&mut ctx, attr, Takes::WideInts),
        Op::Append => binary(&mut ctx, attr, Takes::Strings),
        Op::Length => length(&ctx, attr),
        Op::Upper | Op::Lower => unary(&ctx, attr, Takes::Strings),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => comparison(&mut ctx, attr),
        Op::Select => select(&mut ctx, attr),
        Op::Foreign => foreign(&mut ctx, attr),
        Op::Cast => cast(&ctx, attr),
        Op::ReduceSum | Op::ReduceProd | Op::ReduceMax | Op::ReduceMin => fold(&ctx, attr, Takes::Numbers),
        Op::ReduceAll | Op::ReduceAny => fold(&ctx, attr, Takes::Bools),
        Op::ArgMax | Op::ArgMin => reduce::arg_reduce(&ctx, attr),
        Op::ArgSort => reduce::arg_sort(&ctx, attr),
        Op::ArgTop => reduce::arg_top(&ctx, attr),
        Op::Reshape => moves::reshape(&mut ctx, attr),
        Op::Broadcast => moves::broadcast_to(&mut ctx, attr),
        Op::Transpose => moves::transpose(&ctx, attr),
        Op::Slice => slices::slice(&mut ctx, attr),
        Op::Index => moves::index(&ctx, attr),
        Op::Gather => moves::gather(&ctx, attr),
        Op::Concat => moves::concat(&mut ctx, attr),
        Op::Put => put::put(&mut ctx, attr),
        Op::Matmul => matmul::matmul(&mut ctx, attr),
        Op::Conv2d => conv::conv2d(&mut ctx, attr),
        Op::Cholesky | Op::Det | Op::Eigh => matrices::of_square(&mut ctx, attr),
        Op::Qr | Op::Svd => matrices::factors(&mut ctx, attr),
        Op::TriangularSolve | Op::Solve => matrices::solve(&mut ctx, attr),
        Op::Const => source::constant(&ctx, attr),
        Op::Range => source::range(&mut ctx, attr),
        Op::Dim => source::dim(&ctx, attr),
        Op::Cond | Op::While | Op::Call | Op::Try => {
            Err(ctx.unfit(0, Code::BadArgument, "regions are not judged by their operands"))
        }
        Op::Print => effect::print(&ctx, attr),
        Op::Host => effect::host(&mut ctx, attr),
        Op::Check => effect::check(&ctx, attr),
        Op::Leave => effect::leave(&ctx, attr),
    }
}

impl Op {
    /// How many clauses its page has, besides clause 0: what `infer` may say of its operands and attribute.
    pub fn clauses(self) -> usize {
        match self {
            Op::Neg
            | Op::Abs
            | Op::Sign
            | Op::Exp
            | Op::Expm1
            | Op::Log
            | Op::Log1p
            | Op::Sqrt
            | Op::Rsqrt => 1,
            Op::Sin
            | Op::Cos
            | Op::Tan
            | Op::Atan
            | Op::Tanh
            | Op::Erf
            | Op::Floor
            | Op::Ceil
            | Op::Round => 1,
            Op::Not | Op::IsNan | Op::IsFinite | Op::Cast | Op::Stop | Op::Length | Op::Upper | Op::Lower => {
                1
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::FloorDiv | Op::Mod | Op::Pow | Op::Max | Op::Min => 3,
            Op::Atan2 | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::RandomBits | Op::Append => 3,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 2,
            Op::Select => 3,
            Op::Const | Op::Cond | Op::While | Op::Call | Op::Try | Op::Host => 0,
            Op::ReduceSum
            | Op::ReduceProd
            | Op::ReduceMax
            | Op::ReduceMin
            | Op::ReduceAll
            | Op::ReduceAny => 2,
            Op::ArgMax | Op::ArgMin => 3,
            Op::ArgSort => 2,
            Op::Reshape | Op::Broadcast | Op::Slice | Op::Index | Op::Gather | Op::Range | Op::Check => 2,
            Op::Foreign => 2,
            Op::Transpose | Op::Dim | Op::Print | Op::Leave => 1,
            Op::Concat | Op::ArgTop | Op::Cholesky | Op::Det | Op::Eigh => 3,
            Op::Qr | Op::Svd => 2,
            Op::Matmul | Op::Put | Op::Conv2d | Op::TriangularSolve | Op::Solve => 5,
        }
    }
}

impl Attr {
    /// The step of arithmetic that an op with this attribute checks for overflow, if it does.
    pub fn checked(&self, op: Op) -> Option<Arithmetic> {
        if let Attr::ToChecked(_) = self {
            return Some(Arithmetic::Cast);
        }
        if *self == Attr::Checked { op.arithmetic() } else { None }
    }
}

impl Node {
    /// The step of arithmetic that fails where its result leaves the type of integers, if the node checks that.
    pub fn checked(&self) -> Option<Arithmetic> {
        self.attr.checked(self.op)
    }
}

impl Op {
    /// The step of arithmetic that may leave the type of integers, so that [`Attr::Checked`] may be said of it.
    pub fn arithmetic(self) -> Option<Arithmetic> {
        let steps = [
            (Op::Neg, Arithmetic::Neg),
            (Op::Abs, Arithmetic::Abs),
            (Op::Add, Arithmetic::Add),
            (Op::Sub, Arithmetic::Sub),
            (Op::Mul, Arithmetic::Mul),
            (Op::FloorDiv, Arithmetic::FloorDiv),
            (Op::Pow, Arithmetic::Pow),
            (Op::Shl, Arithmetic::Shl),
        ];
        steps.into_iter().find(|(op, _)| *op == self).map(|(_, step)| step)
    }
}

#[cfg(test)]
mod tests;

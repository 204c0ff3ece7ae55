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
mod takes;

use gw_base::Code;
use gw_types::{Arithmetic, DimVar, TensorType};

use crate::{ArgOp, Attr, BinaryOp, CompareOp, MatrixOp, Node, Op, StringOp, UnaryOp};
use context::Ctx;
pub use context::Unfit;
use elementwise::{binary, cast, comparison, complex, foreign, length, part, select, test_of, unary};
use reduce::reduce as fold;

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
        Op::Unary(_) | Op::String(StringOp::Upper | StringOp::Lower) => unary(&ctx, attr),
        Op::Part(_) => part(&ctx, attr),
        Op::Complex => complex(&mut ctx, attr),
        Op::Test(_) => test_of(&ctx, attr),
        Op::Binary(_) | Op::String(StringOp::Append) => binary(&mut ctx, attr),
        Op::Compare(_) => comparison(&mut ctx, attr),
        Op::String(StringOp::Length) => length(&ctx, attr),
        Op::Select => select(&mut ctx, attr),
        Op::Foreign => foreign(&mut ctx, attr),
        Op::Cast => cast(&ctx, attr),
        Op::Reduce(_) => fold(&ctx, attr),
        Op::Arg(ArgOp::Max | ArgOp::Min) => reduce::arg_reduce(&ctx, attr),
        Op::Arg(ArgOp::Sort) => reduce::arg_sort(&ctx, attr),
        Op::Arg(ArgOp::Top) => reduce::arg_top(&ctx, attr),
        Op::Reshape => moves::reshape(&mut ctx, attr),
        Op::Broadcast => moves::broadcast_to(&mut ctx, attr),
        Op::Transpose => moves::transpose(&ctx, attr),
        Op::Slice => slices::slice(&mut ctx, attr),
        Op::Index => moves::index(&ctx, attr),
        Op::Gather => moves::gather(&ctx, attr),
        Op::Sort => reduce::sort(&ctx, attr),
        Op::Concat => moves::concat(&mut ctx, attr),
        Op::Put => put::put(&mut ctx, attr),
        Op::Matmul => matmul::matmul(&mut ctx, attr),
        Op::Conv2d => conv::conv2d(&mut ctx, attr),
        Op::Matrix(MatrixOp::Cholesky | MatrixOp::Det | MatrixOp::Eigh) => {
            matrices::of_square(&mut ctx, attr)
        }
        Op::Matrix(MatrixOp::Qr | MatrixOp::Svd) => matrices::factors(&mut ctx, attr),
        Op::Matrix(MatrixOp::Fft) => matrices::transform(&ctx, attr),
        Op::Matrix(MatrixOp::TriangularSolve | MatrixOp::Solve) => matrices::solve(&mut ctx, attr),
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
    /// Number of clauses on its page, besides clause 0: what `infer` may say of its operands and attribute.
    pub fn clauses(self) -> usize {
        match self {
            Op::Const | Op::Cond | Op::While | Op::Call | Op::Try | Op::Host => 0,
            Op::Unary(_)
            | Op::Part(_)
            | Op::Test(_)
            | Op::Cast
            | Op::Transpose
            | Op::Dim
            | Op::Print
            | Op::Leave => 1,
            Op::String(StringOp::Length | StringOp::Upper | StringOp::Lower) => 1,
            Op::Compare(CompareOp::Eq | CompareOp::Ne)
            | Op::Reduce(_)
            | Op::Foreign
            | Op::Sort
            | Op::Arg(ArgOp::Sort) => 2,
            Op::Reshape | Op::Broadcast | Op::Slice | Op::Index | Op::Gather | Op::Range | Op::Check => 2,
            Op::Matrix(MatrixOp::Qr | MatrixOp::Svd) => 2,
            Op::Compare(CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge) | Op::Complex => 3,
            Op::Binary(_) | Op::String(StringOp::Append) | Op::Select | Op::Concat => 3,
            Op::Arg(ArgOp::Max | ArgOp::Min | ArgOp::Top) => 3,
            Op::Matrix(MatrixOp::Cholesky | MatrixOp::Det | MatrixOp::Eigh | MatrixOp::Fft) => 3,
            Op::Matmul | Op::Put | Op::Conv2d | Op::Matrix(MatrixOp::TriangularSolve | MatrixOp::Solve) => 5,
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
        let steps: [(Op, Arithmetic); 8] = [
            (UnaryOp::Neg.into(), Arithmetic::Neg),
            (UnaryOp::Abs.into(), Arithmetic::Abs),
            (BinaryOp::Add.into(), Arithmetic::Add),
            (BinaryOp::Sub.into(), Arithmetic::Sub),
            (BinaryOp::Mul.into(), Arithmetic::Mul),
            (BinaryOp::FloorDiv.into(), Arithmetic::FloorDiv),
            (BinaryOp::Pow.into(), Arithmetic::Pow),
            (BinaryOp::Shl.into(), Arithmetic::Shl),
        ];
        steps.into_iter().find(|(op, _)| *op == self).map(|(_, step)| step)
    }
}

#[cfg(test)]
mod tests;

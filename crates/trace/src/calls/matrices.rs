//! Factorisations and solvers of matrices, which fail where there is no answer: a matrix of finite numbers gives finite
//! numbers, or it is not positive definite, or singular.

use gw_ir::{
    Attr, BinaryOp, Builder, CheckKind, MatrixOp, Op, Piece, PrintFormat, ReduceOp, Stream, TestOp, UnaryOp,
    Unfit, ValueId,
};

use super::meeting::together;
use crate::Staged;

pub(super) fn matrices(b: &mut Builder, op: MatrixOp, attr: &Attr, args: &[Staged]) -> Result<Staged, Unfit> {
    let (operands, _) = together(b, args)?;
    let made = b.op(op, attr.clone(), &operands)?;
    let refused = if op == MatrixOp::Cholesky {
        "Matrix is not positive definite"
    } else if op == MatrixOp::Solve || op == MatrixOp::TriangularSolve {
        "Singular matrix"
    } else {
        return Ok(Staged::strong(made));
    };
    let mut given = are_finite(b, operands[0])?;
    for &operand in &operands[1..] {
        let other = are_finite(b, operand)?;
        given = b.op(BinaryOp::And, Attr::None, &[given, other])?;
    }
    let [found, strange] = [are_finite(b, made)?, b.op(UnaryOp::Not, Attr::None, &[given])?];
    let ok = b.op(BinaryOp::Or, Attr::None, &[found, strange])?;
    let axes: Vec<usize> = (0..b.ty(ok).rank()).collect();
    let ok = if axes.is_empty() { ok } else { b.op(ReduceOp::All, Attr::Axes { axes, keep: false }, &[ok])? };
    let pieces = vec![Piece::Text(refused.to_owned())];
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    b.effect(Op::Check, Attr::Check { kind: CheckKind::Value, message, limit: false }, &[ok])?;
    Ok(Staged::strong(made))
}

/// Emits a test for each matrix: true if all its numbers are finite.
fn are_finite(b: &mut Builder, matrices: ValueId) -> Result<ValueId, Unfit> {
    let rank = b.ty(matrices).rank();
    let finite = b.op(TestOp::IsFinite, Attr::None, &[matrices])?;
    b.op(ReduceOp::All, Attr::Axes { axes: vec![rank - 2, rank - 1], keep: false }, &[finite])
}

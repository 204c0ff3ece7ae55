//! Linear algebra that is several calls: matrices are the last two axes, those before them a batch.

use gw_ir::{Attr, BinaryOp, Builder, CompareOp, Literal, MatrixOp, ReduceOp, UnaryOp, Unfit, ValueId};
use gw_types::{DType, Scalar};

use super::grids::eye;
use super::norms::{Norm, norm};
use super::sizes::{Size, counted, product_of, shaped, size_of, sizes_of};
use crate::Staged;
use crate::calls::elementwise::{binary, logical, select, unary};
use crate::calls::entries::Item;
use crate::calls::matrices::matrices;
use crate::calls::movement::{expand_dims, gather, matmul, squeeze, transpose};
use crate::calls::reduce::reduce;
use crate::calls::source::full_like;
use crate::calls::steps::{axis_of, bad, cast, float, integer};
use crate::calls::subscript::subscript;

/// A function of matrices without its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Algebra {
    /// Solutions of linear systems by Cholesky's triangles; operands: the triangles and the right-hand sides.
    CholeskySolve,
    /// Inverses.
    Inverse {
        /// True for those of the transposed matrices.
        adjoint: bool,
    },
    /// Determinants.
    Determinant,
    /// Logarithms of the determinants of symmetric, positive definite matrices.
    LogDeterminant,
    /// The sums of diagonals.
    Trace,
    /// A band around the diagonal, and zeros elsewhere; operands `x` and the numbers of diagonals below and above, of
    /// which one below zero keeps all.
    Band,
    /// Products of matrices and vectors; operands: the matrices and the vectors.
    MatVec {
        /// True if the matrices are transposed first.
        transpose: bool,
    },
    /// Cross products of the vectors along the last axis.
    Cross,
    /// Sums of products over axes of both operands.
    TensorDot {
        /// Axes of the first operand.
        ours: Vec<i64>,
        /// Axes of the second one, in the same order.
        theirs: Vec<i64>,
    },
    /// A norm of vectors or matrices.
    Norm(Norm),
}

pub(super) fn algebra(b: &mut Builder, algebra: &Algebra, args: &[Staged]) -> Result<Staged, Unfit> {
    match algebra {
        Algebra::CholeskySolve => cholesky_solve(b, args[0], args[1]),
        Algebra::Inverse { adjoint } => inverse(b, args[0], *adjoint),
        Algebra::Determinant => {
            let found = matrices(b, MatrixOp::Det, &Attr::None, args)?;
            subscript(b, &[Item::Ellipsis, Item::At(0)], &[found])
        }
        Algebra::LogDeterminant => log_determinant(b, args[0]),
        Algebra::Trace => trace(b, args[0].value),
        Algebra::Band => band(b, args[0], args[1], args[2]),
        Algebra::MatVec { transpose } => {
            let columns = expand_dims(b, args[1].value, -1)?;
            let product = matmul(b, &[args[0], columns], *transpose, false)?;
            squeeze(b, product.value, Some(&[-1]))
        }
        Algebra::Cross => cross(b, args[0], args[1]),
        Algebra::TensorDot { ours, theirs } => tensor_dot(b, [args[0].value, args[1].value], [ours, theirs]),
        Algebra::Norm(kind) => norm(b, kind, args),
    }
}

fn cholesky_solve(b: &mut Builder, triangles: Staged, right: Staged) -> Result<Staged, Unfit> {
    let triangle = |adjoint| Attr::Triangle { lower: true, adjoint };
    let half = matrices(b, MatrixOp::TriangularSolve, &triangle(false), &[triangles, right])?;
    matrices(b, MatrixOp::TriangularSolve, &triangle(true), &[triangles, half])
}

/// Of `x`, the lengths of the axes before the matrices, the number of rows and that of columns.
fn split(b: &mut Builder, x: ValueId) -> Result<(Vec<Size>, [Size; 2]), Unfit> {
    let mut sizes = sizes_of(b, x)?;
    let (Some(columns), Some(rows)) = (sizes.pop(), sizes.pop()) else {
        let message = format!("a tensor of {} axes has no matrices", b.ty(x).rank());
        return Err(bad("call.matrices", message));
    };
    Ok((sizes, [rows, columns]))
}

fn inverse(b: &mut Builder, x: Staged, adjoint: bool) -> Result<Staged, Unfit> {
    let last = axis_of(-1, b.ty(x.value).rank())?;
    let columns = size_of(b, x.value, last)?;
    let ones = eye(b, columns, columns, b.ty(x.value).dtype)?;
    matrices(b, MatrixOp::Solve, &Attr::Adjoint(adjoint), &[x, ones])
}

/// Twice the logarithms on the diagonal of Cholesky's triangle.
fn log_determinant(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    let triangles = matrices(b, MatrixOp::Cholesky, &Attr::None, &[x])?;
    let (_, [_, columns]) = split(b, triangles.value)?;
    let ones = eye(b, columns, columns, DType::F32)?;
    let is_diagonal = Staged::strong(cast(b, ones.value, DType::Bool)?);
    let one = float(b, 1.0);
    let diagonal = select(b, is_diagonal, triangles, one)?;
    let logs = unary(b, UnaryOp::Log, diagonal)?;
    let sum = reduce(b, ReduceOp::Sum, logs.value, Some(&[-2, -1]), false)?;
    let two = float(b, 2.0);
    binary(b, BinaryOp::Mul, two, sum)
}

/// The diagonal is every element of the rows, joined, that is a row and one further than the one before.
fn trace(b: &mut Builder, x: ValueId) -> Result<Staged, Unfit> {
    let (batch, [rows, columns]) = split(b, x)?;
    let count = rows.times(b, columns)?;
    let flat = shaped(b, x, &[&batch[..], &[count]].concat())?;
    let places = places_of_diagonal(b, rows, columns)?;
    let diagonal = gather(b, flat, places, -1)?;
    reduce(b, ReduceOp::Sum, diagonal.value, Some(&[-1]), false)
}

fn places_of_diagonal(b: &mut Builder, rows: Size, columns: Size) -> Result<ValueId, Unfit> {
    let further = columns.plus(b, Size::Known(1))?;
    if let (Size::Known(rows), Size::Known(columns), Size::Known(further)) = (rows, columns, further) {
        let numbers: Vec<_> = (0..rows.min(columns)).map(|at| Scalar::Int(at * further)).collect();
        return Ok(b.constant(Literal::from_scalars(DType::I64, vec![numbers.len()], &numbers)));
    }
    let count = rows.at_most(b, columns)?;
    let numbers = counted(b, count, None)?;
    let further = further.operand(b);
    binary(b, BinaryOp::Mul, numbers, further).map(|places| places.value)
}

fn band(b: &mut Builder, x: Staged, lower: Staged, upper: Staged) -> Result<Staged, Unfit> {
    let (_, sizes) = split(b, x.value)?;
    let [rows, columns] = [counted(b, sizes[0], None)?, counted(b, sizes[1], None)?];
    let rows = expand_dims(b, rows.value, 1)?;
    let below = binary(b, BinaryOp::Sub, rows, columns)?;
    let above = unary(b, UnaryOp::Neg, below)?;
    let mut x = x;
    for (far, most) in [(below, lower), (above, upper)] {
        let zero = integer(b, 0);
        let all = binary(b, CompareOp::Lt, most, zero)?;
        let near = binary(b, CompareOp::Le, far, most)?;
        let keeps = logical(b, BinaryOp::Or.into(), &[all, near])?;
        let zero = integer(b, 0);
        let zeros = full_like(b, x.value, zero, None)?;
        x = select(b, keeps, x, zeros)?;
    }
    Ok(x)
}

/// Each component is of the two others of both vectors.
fn cross(b: &mut Builder, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    let turned = |b: &mut Builder, places: [i64; 3]| {
        b.constant(Literal::from_scalars(DType::I32, vec![3], &places.map(Scalar::Int)))
    };
    let (next, last) = (turned(b, [1, 2, 0]), turned(b, [2, 0, 1]));
    let (x1, x2) = (gather(b, x.value, next, -1)?, gather(b, x.value, last, -1)?);
    let (y1, y2) = (gather(b, y.value, next, -1)?, gather(b, y.value, last, -1)?);
    let one = binary(b, BinaryOp::Mul, x1, y2)?;
    let other = binary(b, BinaryOp::Mul, x2, y1)?;
    binary(b, BinaryOp::Sub, one, other)
}

/// One product of matrices, whose columns and rows are the axes to sum over.
fn tensor_dot(b: &mut Builder, operands: [ValueId; 2], axes: [&[i64]; 2]) -> Result<Staged, Unfit> {
    let ranks = operands.map(|operand| b.ty(operand).rank());
    let mut named = [Vec::new(), Vec::new()];
    for (named, (axes, rank)) in named.iter_mut().zip(axes.iter().zip(ranks)) {
        *named =
            axes.iter().map(|&axis| axis_of(axis, rank).map(|at| at as i64)).collect::<Result<_, _>>()?;
    }
    let [ours, theirs] = named;
    let others = |rank: usize, named: &[i64]| -> Vec<i64> {
        (0..rank as i64).filter(|axis| !named.contains(axis)).collect()
    };
    let (rows, columns) = (others(ranks[0], &ours), others(ranks[1], &theirs));
    let left = transpose(b, operands[0], Some(&[&rows[..], &ours].concat()))?.value;
    let right = transpose(b, operands[1], Some(&[&theirs[..], &columns].concat()))?.value;
    let (above, below) = (sizes_of(b, left)?, sizes_of(b, right)?);
    let (above, (inner, below)) = (&above[..rows.len()], below.split_at(theirs.len()));
    let [outer, inner, along] = [product_of(b, above)?, product_of(b, inner)?, product_of(b, below)?];
    let left = Staged::strong(shaped(b, left, &[outer, inner])?);
    let right = Staged::strong(shaped(b, right, &[inner, along])?);
    let product = matmul(b, &[left, right], false, false)?;
    shaped(b, product.value, &[above, below].concat()).map(Staged::strong)
}

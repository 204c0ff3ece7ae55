//! Factorisations and solvers: the last two axes are a matrix, those before them a batch.

use gw_types::{Dim, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::{Attr, MatrixOp, Op, Takes};

/// `[…, n, n]` to the triangle `[…, n, n]`, the three numbers `[…, 3]`, or values over vectors `[…, n + 1, n]`.
pub(super) fn of_square(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    let (mut shape, [rows, columns]) = matrix(ctx)?;
    if let (Dim::Fixed(m), Dim::Fixed(n)) = (rows, columns)
        && m != n
    {
        return Err(not_square(ctx, 3, &ctx.args[0].shape));
    }
    let length = known(rows, columns);
    if ctx.op == Op::Matrix(MatrixOp::Det) {
        shape.0.push(Dim::Fixed(3));
    } else if ctx.op == Op::Matrix(MatrixOp::Eigh) {
        let below = ctx.sum(&[length, Dim::Fixed(1)]);
        shape.0.extend([below, length]);
    } else {
        shape.0.extend([length, length]);
    }
    one(ctx.args[0].dtype, shape)
}

/// `[…, m, n]` to `r` and `qᵀ` side by side, or to singular values over `u` over `v`.
pub(super) fn factors(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let is_qr = ctx.op == Op::Matrix(MatrixOp::Qr);
    let full = if let (Attr::Full(full), true) = (attr, is_qr) { *full } else { false };
    if is_qr != matches!(attr, Attr::Full(_)) || !is_qr && *attr != Attr::None {
        return Err(ctx.wrong_attr());
    }
    let (mut shape, [rows, columns]) = matrix(ctx)?;
    let least = match (rows, columns) {
        _ if full => rows,
        (Dim::Fixed(m), Dim::Fixed(n)) => Dim::Fixed(m.min(n)),
        (m, n) if m == n => m,
        (Dim::Fixed(_) | Dim::Var(_), _) => ctx.fresh(),
    };
    if is_qr {
        let wide = ctx.sum(&[columns, rows]);
        shape.0.extend([least, wide]);
    } else {
        let high = ctx.sum(&[Dim::Fixed(1), rows, columns]);
        shape.0.extend([high, least]);
    }
    one(ctx.args[0].dtype, shape)
}

/// `[…, n, n]` and `[…, n, k]` to `[…, n, k]`.
pub(super) fn solve(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let is_triangle = matches!(attr, Attr::Triangle { .. });
    if is_triangle != (ctx.op == Op::Matrix(MatrixOp::TriangularSolve))
        || !is_triangle && !matches!(attr, Attr::Adjoint(_))
    {
        return Err(ctx.wrong_attr());
    }
    let [a, b] = [&ctx.args[0], &ctx.args[1]];
    ctx.judge_same_dtype(1, a, b)?;
    ctx.judge_dtype(2, a.dtype, Takes::Floats)?;
    let (Some((a_batch, &[rows, columns])), Some((b_batch, &[held, right]))) =
        (a.shape.0.split_last_chunk::<2>(), b.shape.0.split_last_chunk::<2>())
    else {
        let (a, b) = (&a.shape, &b.shape);
        return Err(ctx.wrong_shape(3, format!("matrices need two axes or more, not shapes {a} and {b}")));
    };
    let lengths: Vec<usize> = [rows, columns, held].iter().filter_map(|dim| dim.fixed()).collect();
    if lengths.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(match rows.fixed().zip(columns.fixed()).is_some_and(|(m, n)| m != n) {
            true => not_square(ctx, 4, &a.shape),
            false => {
                let (a, b) = (&a.shape, &b.shape);
                ctx.wrong_shape(4, format!("a matrix of shape {a} and a right side of shape {b} do not fit"))
            }
        });
    }
    let length = known(known(rows, columns), held);
    let (a_batch, b_batch) = (Shape(a_batch.to_vec()), Shape(b_batch.to_vec()));
    let dtype = a.dtype;
    let mut shape = ctx.broadcast(5, &a_batch, &b_batch)?;
    shape.0.extend([length, right]);
    one(dtype, shape)
}

/// `[…, 2, n]` to the same.
pub(super) fn transform(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Adjoint(_) = attr else { return Err(ctx.wrong_attr()) };
    let (_, [parts, _]) = matrix(ctx)?;
    if parts.fixed().is_some_and(|parts| parts != 2) {
        let shape = &ctx.args[0].shape;
        return Err(
            ctx.wrong_shape(3, format!("complex numbers have two rows, not as many as shape {shape}"))
        );
    }
    Ok(vec![ctx.args[0].clone()])
}

/// The batch, and the lengths of the matrices, of the only operand.
fn matrix(ctx: &Ctx) -> Result<(Shape, [Dim; 2]), Unfit> {
    let x = &ctx.args[0];
    ctx.judge_dtype(1, x.dtype, Takes::Floats)?;
    let Some((batch, &lengths)) = x.shape.0.split_last_chunk::<2>() else {
        return Err(ctx.wrong_shape(2, format!("a matrix needs two axes or more, not shape {}", x.shape)));
    };
    Ok((Shape(batch.to_vec()), lengths))
}

fn not_square(ctx: &Ctx, clause: usize, shape: &Shape) -> Unfit {
    ctx.wrong_shape(clause, format!("the matrix must be square, not of shape {shape}"))
}

/// Two lengths that are the same when the graph runs: the one that is known.
fn known(x: Dim, y: Dim) -> Dim {
    if x.fixed().is_some() { x } else { y }
}

impl Ctx<'_> {
    /// The sum of lengths, if it is known now.
    fn sum(&mut self, lengths: &[Dim]) -> Dim {
        let known = lengths.iter().map(|dim| dim.fixed()).sum::<Option<usize>>();
        known.map_or_else(|| self.fresh(), Dim::Fixed)
    }
}

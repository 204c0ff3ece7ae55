//! Matrices that are taken apart or solved with: what flows back is solved with the same matrix, turned.
//!
//! Of a symmetric matrix, of which one triangle is read, the derivative is symmetric, as of `(x + xᵀ) / 2`.

use gw_ir::{Attr, AxisSlice, BinaryOp, Bound, CompareOp, MatrixOp, Op, UnaryOp, ValueId};
use gw_types::Dim;

use super::contract::product;
use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

type R<'x, 'a, 'b> = &'x mut Adjoint<'a, 'b>;

/// The transform the other way.
pub(super) fn fft(r: R, step: &Step) -> Made<()> {
    let Attr::Adjoint(adjoint) = r.graph().nodes[step.id].attr else { unreachable!("which way") };
    let flow = r.with(Op::Matrix(MatrixOp::Fft), Attr::Adjoint(!adjoint), &[step.g])?;
    r.add(step.args[0], flow)
}

/// `a @ out = b`: to b what solves with a the other way, and to a that times the result.
pub(super) fn solve(r: R, step: &Step) -> Made<()> {
    let (a, b) = (step.args[0], step.args[1]);
    let attr = r.graph().nodes[step.id].attr.clone();
    let (turned, adjoint, keep) = if let Attr::Triangle { lower, adjoint } = attr {
        (
            Attr::Triangle { lower, adjoint: !adjoint },
            adjoint,
            Some(if lower { CompareOp::Ge } else { CompareOp::Le }),
        )
    } else if let Attr::Adjoint(adjoint) = attr {
        (Attr::Adjoint(!adjoint), adjoint, None)
    } else {
        unreachable!("how it is solved")
    };
    let op = r.graph().nodes[step.id].op;
    let matrix = r.primal(a)?;
    let back = r.with(op, turned, &[matrix, step.g])?;
    if r.activity.reaches(b, step.id) {
        let flow = r.unbroadcast(back, b)?;
        r.add(b, flow)?;
    }
    if r.activity.reaches(a, step.id) {
        let out = r.primal(step.out)?;
        let pair = if adjoint { [out, back] } else { [back, out] };
        let flow = product(r, pair, [false, true])?;
        let flow = r.op(UnaryOp::Neg, [flow])?;
        let flow = r.unbroadcast(flow, a)?;
        let flow = keep.map_or(Ok(flow), |keep| kept(r, flow, keep))?;
        r.add(a, flow)?;
    }
    Ok(())
}

/// With `φ` the lower triangle of `lᵀ g` and half of its diagonal: `l⁻ᵀ φ l⁻¹`, made symmetric.
pub(super) fn cholesky(r: R, step: &Step) -> Made<()> {
    let l = r.primal(step.out)?;
    let g = kept(r, step.g, CompareOp::Ge)?;
    let all = product(r, [l, g], [true, false])?;
    let (lower, diagonal) = (kept(r, all, CompareOp::Ge)?, kept(r, all, CompareOp::Eq)?);
    let diagonal = half(r, diagonal)?;
    let phi = r.op(BinaryOp::Sub, [lower, diagonal])?;
    let attr = || Attr::Triangle { lower: true, adjoint: true };
    let left = r.with(Op::Matrix(MatrixOp::TriangularSolve), attr(), &[l, phi])?;
    let left = transposed(r, left)?;
    let both = r.with(Op::Matrix(MatrixOp::TriangularSolve), attr(), &[l, left])?;
    let flow = symmetric(r, both)?;
    r.add(step.args[0], flow)
}

/// `(g₀ det + g₂) x⁻ᵀ`; the sign is a step function.
pub(super) fn det(r: R, step: &Step) -> Made<()> {
    let out = r.primal(step.out)?;
    let axis = r.ty(out).rank() - 1;
    let [det, of_det] = [cut(r, out, axis, [0, 1])?, cut(r, step.g, axis, [0, 1])?];
    let of_log = cut(r, step.g, axis, [2, 3])?;
    let scaled = r.op(BinaryOp::Mul, [of_det, det])?;
    let factor = r.op(BinaryOp::Add, [scaled, of_log])?;
    let factor = r.expanded(factor, axis)?;
    let x = r.primal(step.args[0])?;
    let zeros = r.cleared(x)?;
    let (on_diagonal, ty) = (compared(r, x, CompareOp::Eq)?, r.ty(x));
    let right = r.b.op_as(Op::Select, Attr::None, &[on_diagonal, factor, zeros], &ty)?;
    let flow = r.with(Op::Matrix(MatrixOp::Solve), Attr::Adjoint(true), &[x, right])?;
    r.add(step.args[0], flow)
}

/// With `x = [y, z]`, `r = [u, v]` where `y` and `u` are as wide as `q`: `[u⁻¹ (g_qᵀ + c qᵀ)]ᵀ` and `q g_v`, where
/// `g_q` is with `z g_vᵀ` and `c` the lower triangle of `u g_uᵀ - g_qᵀ q`, mirrored.
pub(super) fn qr(r: R, step: &Step) -> Made<()> {
    let x = step.args[0];
    let axis = r.ty(x).rank() - 1;
    let [rows, columns] = [r.ty(x).shape.0[axis - 1], r.ty(x).shape.0[axis]];
    let is_wide = rows.fixed().zip(columns.fixed()).map(|(m, n)| m < n);
    if r.graph().nodes[step.id].attr == Attr::Full(true) && rows != columns && is_wide != Some(true) {
        return r.refuse("a square `q` of a matrix that may be higher than wide", step.id);
    }
    let out = r.primal(step.out)?;
    let width = End::of(r, x, axis)?;
    let [whole, of_whole] = [out, step.g].map(|packed| cut(r, packed, axis, [End::Open, width]));
    let [q, of_q] = [out, step.g].map(|packed| cut(r, packed, axis, [width, End::Open]));
    let (whole, of_whole, q, mut of_q) = (whole?, of_whole?, q?, of_q?);
    let (mut u, mut of_u, mut rest) = (whole, of_whole, None);
    if rows != columns && is_wide != Some(false) {
        let least = End::of(r, out, axis - 1)?;
        u = cut(r, whole, axis, [End::Open, least])?;
        of_u = cut(r, of_whole, axis, [End::Open, least])?;
        let of_v = cut(r, of_whole, axis, [least, End::Open])?;
        let x = r.primal(x)?;
        let z = cut(r, x, axis, [least, End::Open])?;
        let more = product(r, [of_v, z], [false, true])?;
        of_q = r.op(BinaryOp::Add, [of_q, more])?;
        rest = Some(product(r, [q, of_v], [true, false])?);
    }
    let of_u = kept(r, of_u, CompareOp::Le)?;
    let [first, second] = [product(r, [u, of_u], [false, true])?, product(r, [of_q, q], [false, true])?];
    let both = r.op(BinaryOp::Sub, [first, second])?;
    let (lower, below) = (kept(r, both, CompareOp::Ge)?, kept(r, both, CompareOp::Gt)?);
    let below = transposed(r, below)?;
    let mirrored = r.op(BinaryOp::Add, [lower, below])?;
    let along = product(r, [mirrored, q], [false, false])?;
    let right = r.op(BinaryOp::Add, [of_q, along])?;
    let solved = r.with(
        Op::Matrix(MatrixOp::TriangularSolve),
        Attr::Triangle { lower: false, adjoint: false },
        &[u, right],
    )?;
    let mut flow = transposed(r, solved)?;
    if let Some(rest) = rest {
        let ty = r.ty(x);
        flow = r.b.op_as(Op::Concat, Attr::Axis(axis), &[flow, rest], &ty)?;
    }
    r.add(x, flow)
}

/// `v (diag g_w + f ∘ (vᵀ g_v)) vᵀ`, made symmetric, with `f = 1 / (w_j - w_i)`.
pub(super) fn eigh(r: R, step: &Step) -> Made<()> {
    let out = r.primal(step.out)?;
    let axis = r.ty(out).rank() - 2;
    let [w, of_w] = [cut(r, out, axis, [0, 1])?, cut(r, step.g, axis, [0, 1])?];
    let one = End::Known(1);
    let [v, of_v] = [cut(r, out, axis, [one, End::Open])?, cut(r, step.g, axis, [one, End::Open])?];
    let turns = product(r, [v, of_v], [true, false])?;
    let turns = half(r, turns)?;
    let turns = without_transposed(r, turns)?;
    let below = transposed(r, w)?;
    let apart = r.op(BinaryOp::Sub, [w, below])?;
    let turns = over(r, turns, apart, true)?;
    let inner = on_diagonal(r, of_w, turns)?;
    let left = product(r, [v, inner], [false, false])?;
    let flow = product(r, [left, v], [false, true])?;
    r.add(step.args[0], flow)
}

/// `u (f ∘ (uᵀ g_u - g_uᵀ u) s + s f ∘ (vᵀ g_v - g_vᵀ v) + diag g_s) vᵀ` with `f = 1 / (s_j² - s_i²)`; where `u` or `v` has
/// more rows than columns, what of its cotangent stands upright on it, over `s`, too.
pub(super) fn svd(r: R, step: &Step) -> Made<()> {
    let (x, out) = (step.args[0], r.primal(step.out)?);
    let axis = r.ty(out).rank() - 2;
    let [rows, columns] = [r.ty(x).shape.0[axis], r.ty(x).shape.0[axis + 1]];
    let first = r.integer(1);
    let high = match rows {
        Dim::Fixed(m) => End::Known(m + 1),
        Dim::Var(_) => {
            let rows = r.length(x, axis)?;
            End::At(r.op(BinaryOp::Add, [rows, first])?)
        }
    };
    let [s, of_s] = [cut(r, out, axis, [0, 1])?, cut(r, step.g, axis, [0, 1])?];
    let ends = [End::Known(1), high];
    let [u, of_u] = [cut(r, out, axis, ends)?, cut(r, step.g, axis, ends)?];
    let ends = [high, End::Open];
    let [v, of_v] = [cut(r, out, axis, ends)?, cut(r, step.g, axis, ends)?];
    let below = transposed(r, s)?;
    let [squares, squares_below] = [r.op(BinaryOp::Mul, [s, s])?, r.op(BinaryOp::Mul, [below, below])?];
    let apart = r.op(BinaryOp::Sub, [squares, squares_below])?;
    let [along_u, along_v] = [product(r, [u, of_u], [true, false])?, product(r, [v, of_v], [true, false])?];
    let [turns_u, turns_v] = [without_transposed(r, along_u)?, without_transposed(r, along_v)?];
    let [turns_u, turns_v] = [over(r, turns_u, apart, true)?, over(r, turns_v, apart, true)?];
    let [turns_u, turns_v] = [r.op(BinaryOp::Mul, [turns_u, s])?, r.op(BinaryOp::Mul, [below, turns_v])?];
    let turns = r.op(BinaryOp::Add, [turns_u, turns_v])?;
    let inner = on_diagonal(r, of_s, turns)?;
    let mut left = product(r, [u, inner], [false, false])?;
    let is_most =
        |one: Dim, other: Dim| one.fixed().zip(other.fixed()).is_none_or(|(one, other)| one > other);
    if rows != columns && is_most(rows, columns) {
        let upright = upright(r, (u, of_u), along_u, s)?;
        left = r.op(BinaryOp::Add, [left, upright])?;
    }
    let mut flow = product(r, [left, v], [false, true])?;
    if rows != columns && is_most(columns, rows) {
        let upright = upright(r, (v, of_v), along_v, s)?;
        let more = product(r, [u, upright], [false, true])?;
        flow = r.op(BinaryOp::Add, [flow, more])?;
    }
    let ty = r.ty(x);
    let zeros = r.zeros(x)?;
    let flow = r.b.op_as(BinaryOp::Add, Attr::None, &[flow, zeros], &ty)?;
    r.add(x, flow)
}

/// `(g - v (vᵀ g)) / s`
fn upright(r: R, (v, g): (ValueId, ValueId), along: ValueId, s: ValueId) -> Made<ValueId> {
    let inside = product(r, [v, along], [false, false])?;
    let outside = r.op(BinaryOp::Sub, [g, inside])?;
    over(r, outside, s, false)
}

/// `x / y`; zero where both are, which is where nothing flows back and nothing is apart. With `square` the diagonal of `y` is
/// zero, and that of `x` too.
fn over(r: R, x: ValueId, y: ValueId, square: bool) -> Made<ValueId> {
    let dtype = r.ty(x).dtype;
    let (zero, one) = (r.number(dtype, 0.0), r.number(dtype, 1.0));
    let [no_x, no_y] = [r.op(CompareOp::Eq, [x, zero])?, r.op(CompareOp::Eq, [y, zero])?];
    let neither = r.op(BinaryOp::And, [no_x, no_y])?;
    let below = if square { on_diagonal(r, one, y)? } else { y };
    let quotient = r.op(BinaryOp::Div, [x, below])?;
    r.op(Op::Select, [neither, zero, quotient])
}

/// Square matrices with another diagonal: a row, or one number everywhere.
fn on_diagonal(r: R, diagonal: ValueId, matrix: ValueId) -> Made<ValueId> {
    let on = compared(r, matrix, CompareOp::Eq)?;
    let ty = r.ty(matrix);
    Ok(r.b.op_as(Op::Select, Attr::None, &[on, diagonal, matrix], &ty)?)
}

/// The elements whose row and column compare so; zeros elsewhere.
fn kept(r: R, matrix: ValueId, op: CompareOp) -> Made<ValueId> {
    let keeps = compared(r, matrix, op)?;
    let ty = r.ty(matrix);
    let zero = r.number(ty.dtype, 0.0);
    Ok(r.b.op_as(Op::Select, Attr::None, &[keeps, matrix, zero], &ty)?)
}

/// The shape of a matrix: its rows compared with its columns.
fn compared(r: R, matrix: ValueId, op: CompareOp) -> Made<ValueId> {
    let axis = r.ty(matrix).rank() - 2;
    let rows = numbers(r, matrix, axis)?;
    let columns = numbers(r, matrix, axis + 1)?;
    let rows = r.expanded(rows, 1)?;
    r.op(op, [rows, columns])
}

/// `0, 1, …` along an axis.
fn numbers(r: R, value: ValueId, axis: usize) -> Made<ValueId> {
    if let Dim::Fixed(count) = r.ty(value).shape.0[axis] {
        return Ok(r.counting(count));
    }
    let count = r.with(Op::Dim, Attr::Axis(axis), &[value])?;
    let (zero, one) = (r.integer(0), r.integer(1));
    r.op(Op::Range, [zero, count, one])
}

fn half(r: R, value: ValueId) -> Made<ValueId> {
    let dtype = r.ty(value).dtype;
    let half = r.number(dtype, 0.5);
    r.op(BinaryOp::Mul, [value, half])
}

/// `(x + xᵀ) / 2`
fn symmetric(r: R, x: ValueId) -> Made<ValueId> {
    let x = half(r, x)?;
    let other = transposed(r, x)?;
    r.op(BinaryOp::Add, [x, other])
}

/// `x - xᵀ`
fn without_transposed(r: R, x: ValueId) -> Made<ValueId> {
    let other = transposed(r, x)?;
    r.op(BinaryOp::Sub, [x, other])
}

fn transposed(r: R, x: ValueId) -> Made<ValueId> {
    let rank = r.ty(x).rank();
    let mut perm: Vec<usize> = (0..rank).collect();
    perm.swap(rank - 1, rank - 2);
    r.with(Op::Transpose, Attr::Perm(perm), &[x])
}

/// End of a part of an axis.
#[derive(Clone, Copy)]
enum End {
    Open,
    Known(usize),
    At(ValueId),
}

impl End {
    /// Behind as many elements as an axis of a value of the forward pass has.
    fn of(r: R, value: ValueId, axis: usize) -> Made<Self> {
        match r.ty(value).shape.0[axis] {
            Dim::Fixed(length) => Ok(End::Known(length)),
            Dim::Var(_) => Ok(End::At(r.length(value, axis)?)),
        }
    }
}

impl From<usize> for End {
    fn from(known: usize) -> Self {
        End::Known(known)
    }
}

/// The part of an axis between two ends.
fn cut(r: R, value: ValueId, axis: usize, ends: [impl Into<End>; 2]) -> Made<ValueId> {
    let mut args = vec![value];
    let [start, stop] = ends.map(|end| match end.into() {
        End::Open => Bound::Open,
        End::Known(at) => Bound::Fixed(at as i64),
        End::At(at) => {
            args.push(at);
            Bound::Arg(args.len() - 1)
        }
    });
    let mut slices = vec![AxisSlice::ALL; r.ty(value).rank()];
    slices[axis] = AxisSlice { start, stop, step: 1 };
    r.with(Op::Slice, Attr::Slices(slices), &args)
}

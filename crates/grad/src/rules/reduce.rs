//! Reductions: what flows back to one number flows to all that it was made of, each by its part in it.

use gw_ir::{Attr, BinaryOp, CompareOp, Op, ReduceOp, ValueId};
use gw_types::{DType, Dim};

use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

/// The axes of a reduction, and whether they stay.
fn axes_of(r: &Adjoint<'_, '_>, step: &Step) -> (Vec<usize>, bool) {
    let Attr::Axes { axes, keep } = &r.graph().nodes[step.id].attr else {
        unreachable!("a reduction says its axes")
    };
    (axes.clone(), *keep)
}

pub(super) fn sum(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let (axes, keep) = axes_of(r, step);
    let g = r.with_axes(step.g, &axes, keep)?;
    let flows = r.repeated(g, step.args[0])?;
    r.add(step.args[0], flows)
}

/// Equal shares to all that are the greatest or least.
pub(super) fn extreme(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let (axes, keep) = axes_of(r, step);
    let [x, out] = [r.primal(step.args[0])?, r.primal(step.out)?];
    let [out, g] = [r.with_axes(out, &axes, keep)?, r.with_axes(step.g, &axes, keep)?];
    let dtype = r.ty(g).dtype;
    let is_one = r.op(CompareOp::Eq, [x, out])?;
    let ones = r.with(Op::Cast, Attr::To(dtype), &[is_one])?;
    let count = r.sum(ones, axes, true)?;
    let share = r.op(BinaryOp::Div, [g, count])?;
    let zero = r.number(dtype, 0.0);
    let wanted = r.ty(step.args[0]);
    let flows = r.b.op_as(Op::Select, Attr::None, &[is_one, share, zero], &wanted)?;
    r.add(step.args[0], flows)
}

/// Axis by axis: a factor's part is the product of the others.
pub(super) fn product(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let (axes, keep) = axes_of(r, step);
    let mut factors = vec![r.primal(step.args[0])?];
    for &axis in &axes {
        let last = factors[factors.len() - 1];
        factors.push(r.with(
            Op::Reduce(ReduceOp::Prod),
            Attr::Axes { axes: vec![axis], keep: true },
            &[last],
        )?);
    }
    let mut g = r.with_axes(step.g, &axes, keep)?;
    for (&axis, &factors) in axes.iter().zip(&factors).rev() {
        let others = products_of_others(r, factors, axis)?;
        g = r.op(BinaryOp::Mul, [g, others])?;
    }
    let wanted = r.ty(step.args[0]);
    let zero = r.number(wanted.dtype, 0.0);
    let flows = r.b.op_as(BinaryOp::Add, Attr::None, &[g, zero], &wanted)?;
    r.add(step.args[0], flows)
}

/// For each factor along an axis the product of the others, zeros among them or not.
fn products_of_others(r: &mut Adjoint<'_, '_>, x: ValueId, axis: usize) -> Made<ValueId> {
    let ty = r.ty(x);
    let one = r.number(ty.dtype, 1.0);
    let numbers = match ty.shape.0[axis] {
        Dim::Fixed(n) => r.counting(n),
        Dim::Var(_) => {
            let length = r.with(Op::Dim, Attr::Axis(axis), &[x])?;
            let [first, step] = [0, 1].map(|n| r.integer(n));
            r.op(Op::Range, [first, length, step])?
        }
    };
    let (mut row, mut column) = (numbers, r.expanded(numbers, 1)?);
    for _ in axis + 1..ty.rank() {
        let end = r.ty(row).rank();
        row = r.expanded(row, end)?;
        let end = r.ty(column).rank();
        column = r.expanded(column, end)?;
    }
    let itself = r.op(CompareOp::Eq, [row, column])?;
    let each = r.expanded(x, axis)?;
    let others = r.op(Op::Select, [itself, one, each])?;
    debug_assert_ne!(ty.dtype, DType::Bool, "only floats flow back");
    Ok(r.b.op_as(ReduceOp::Prod, Attr::Axes { axes: vec![axis + 1], keep: false }, &[others], &ty)?)
}

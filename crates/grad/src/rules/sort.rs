//! Sorting: what flows back to a place goes to the element that came there.

use gw_ir::{ArgOp, Attr, BinaryOp, DimArg, Op, ValueId};

use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

/// The places in the order of the places are those where each element went.
pub(super) fn sort(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let x = r.primal(step.args[0])?;
    let from = r.with(Op::Arg(ArgOp::Sort), Attr::None, &[x])?;
    let went = r.with(Op::Arg(ArgOp::Sort), Attr::None, &[from])?;
    let flows = picked(r, step.g, went)?;
    r.add(step.args[0], flows)
}

/// `g[…, places[…, j]]`, with all rows one behind the other.
fn picked(r: &mut Adjoint<'_, '_>, g: ValueId, places: ValueId) -> Made<ValueId> {
    let rank = r.ty(g).rank();
    if rank == 1 {
        return r.with(Op::Gather, Attr::Axis(0), &[g, places]);
    }
    let flat = Attr::Dims(vec![DimArg::Rest]);
    let line = r.with(Op::Reshape, flat, &[g])?;
    let starts = starts(r, g)?;
    let numbers = r.op(BinaryOp::Add, [places, starts])?;
    r.with(Op::Gather, Attr::Axis(0), &[line, numbers])
}

/// The number of each row's first element, in the shape of the rows with one element each.
fn starts(r: &mut Adjoint<'_, '_>, g: ValueId) -> Made<ValueId> {
    let rank = r.ty(g).rank();
    let lengths: Vec<ValueId> =
        (0..rank).map(|axis| r.with(Op::Dim, Attr::Axis(axis), &[g])).collect::<Made<_>>()?;
    let [zero, one] = [0, 1].map(|n| r.integer(n));
    let rows = lengths[..rank - 1].iter().try_fold(one, |rows, &n| r.op(BinaryOp::Mul, [rows, n]))?;
    let numbers = r.op(Op::Range, [zero, rows, one])?;
    let starts = r.op(BinaryOp::Mul, [numbers, lengths[rank - 1]])?;
    let (mut dims, given) = r.lengths(g)?;
    dims[rank - 1] = DimArg::Fixed(1);
    let used = dims.iter().filter(|dim| matches!(dim, DimArg::Arg(_))).count();
    let args: Vec<ValueId> = std::iter::once(starts).chain(given.into_iter().take(used)).collect();
    r.with(Op::Reshape, Attr::Dims(dims), &args)
}

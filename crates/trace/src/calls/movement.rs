//! Calls that move elements without computing on them, and the matrix product.

use gw_ir::{Attr, Builder, CheckKind, CompareOp, DimArg, Op, Unfit, ValueId};
use gw_types::{DType, Dim, Scalar};

use super::elementwise::fails_unless;
use super::meeting::{meet, together};
use super::steps::{Length, as_place, axes_of, axis_of, bad, cast, lengths_of, reshape, scalar, written};
use crate::Staged;

/// `reshape` and `broadcast` to lengths of which some are operands.
pub(super) fn to_lengths(
    b: &mut Builder,
    op: Op,
    lengths: &[Length],
    args: &[Staged],
) -> Result<Staged, Unfit> {
    let (mut operands, mut given) = (vec![args[0].value], args[1..].iter());
    let mut dims = Vec::with_capacity(lengths.len());
    for length in lengths {
        dims.push(match length {
            Length::Known(-1) if op == Op::Reshape => DimArg::Rest,
            Length::Known(n) => DimArg::Fixed(usize::try_from(*n).map_err(|_| negative(*n))?),
            Length::Given => {
                let given = given.next().expect("one operand per length").value;
                match written(b, given).and_then(|number| usize::try_from(number.to_i64()).ok()) {
                    Some(n) => DimArg::Fixed(n),
                    None => {
                        operands.push(cast(b, given, DType::I64)?);
                        DimArg::Arg(operands.len() - 1)
                    }
                }
            }
        });
    }
    b.op(op, Attr::Dims(dims), &operands).map(Staged::strong)
}

pub(super) fn negative(length: i64) -> Unfit {
    bad("call.length", format!("{length} is not the length of an axis"))
}

pub(super) fn transpose(b: &mut Builder, x: ValueId, perm: Option<&[i64]>) -> Result<Staged, Unfit> {
    let rank = b.ty(x).rank();
    let perm = match perm {
        None => (0..rank).rev().collect(),
        Some(perm) => perm.iter().map(|&a| axis_of(a, rank)).collect::<Result<_, _>>()?,
    };
    b.op(Op::Transpose, Attr::Perm(perm), &[x]).map(Staged::strong)
}

/// `x` with one axis at another place among the others.
pub(super) fn moved(b: &mut Builder, x: ValueId, axis: i64, place: usize) -> Result<ValueId, Unfit> {
    let rank = b.ty(x).rank();
    let axis = axis_of(axis, rank)?;
    if axis == place {
        return Ok(x);
    }
    let mut order: Vec<_> = (0..rank).filter(|&at| at != axis).collect();
    order.insert(place.min(order.len()), axis);
    b.op(Op::Transpose, Attr::Perm(order), &[x])
}

pub(super) fn expand_dims(b: &mut Builder, x: ValueId, axis: i64) -> Result<Staged, Unfit> {
    let axis = axis_of(axis, b.ty(x).rank() + 1)?;
    let (mut dims, operands) = lengths_of(b, x, 1)?;
    dims.insert(axis, DimArg::Fixed(1));
    reshape(b, x, dims, &operands).map(Staged::strong)
}

/// NumPy's message for an axis that a call names to drop.
const NOT_ONE: &str = "cannot select an axis to squeeze out which has size not equal to one";

const UNNAMED: &str = "`squeeze` drops this axis, whose length is 1, only where the call names it: a graph knows the number of axes before it runs";

pub(super) fn squeeze(b: &mut Builder, x: ValueId, axes: Option<&[i64]>) -> Result<Staged, Unfit> {
    let shape = b.ty(x).shape.clone();
    let gone = match axes {
        Some(axes) => axes_of(Some(axes), shape.rank())?,
        None => (0..shape.rank()).filter(|&i| shape.0[i] == Dim::Fixed(1)).collect(),
    };
    if let Some(&axis) = gone.iter().find(|&&i| shape.0[i].fixed().is_some_and(|n| n != 1)) {
        let length = shape.0[axis];
        return Err(bad(
            "call.squeeze",
            format!("axis {axis} has length {length}, so it cannot be squeezed"),
        ));
    }
    for axis in (0..shape.rank()).filter(|&axis| shape.0[axis].fixed().is_none()) {
        match (axes, gone.contains(&axis)) {
            (Some(_), true) => check_length(b, (x, axis), CompareOp::Eq, NOT_ONE)?,
            (Some(_), false) => {}
            (None, _) => check_length(b, (x, axis), CompareOp::Ne, UNNAMED)?,
        }
    }
    let (dims, operands) = lengths_of(b, x, 1)?;
    let kept = dims.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, d)| *d);
    // Operands of axes that go away are no longer named, so the rest are numbered anew.
    let (dims, operands) = renumber(kept, &operands);
    reshape(b, x, dims, &operands).map(Staged::strong)
}

/// Checks, when the graph runs, that the length of an axis is 1, or that it is another one, which is a limit of graphs.
fn check_length(
    b: &mut Builder,
    (x, axis): (ValueId, usize),
    op: CompareOp,
    text: &str,
) -> Result<(), Unfit> {
    let length = b.op(Op::Dim, Attr::Axis(axis), &[x])?;
    let one = scalar(b, DType::I64, Scalar::Int(1));
    let ok = b.op(op, Attr::None, &[length, one])?;
    fails_unless(b, ok, (CheckKind::Value, text), op == CompareOp::Ne)
}

pub(super) fn renumber(
    dims: impl Iterator<Item = DimArg>,
    operands: &[ValueId],
) -> (Vec<DimArg>, Vec<ValueId>) {
    let mut kept = Vec::new();
    let dims = dims.map(|dim| match dim {
        DimArg::Arg(at) => {
            kept.push(operands[at - 1]);
            DimArg::Arg(kept.len())
        }
        DimArg::Fixed(_) | DimArg::Rest => dim,
    });
    (dims.collect(), kept)
}

pub(super) fn gather(b: &mut Builder, x: ValueId, indices: ValueId, axis: i64) -> Result<Staged, Unfit> {
    let axis = axis_of(axis, b.ty(x).rank())?;
    if b.ty(indices).is_scalar() {
        let i = as_place(b, indices)?;
        return b.op(Op::Index, Attr::Axis(axis), &[x, i]).map(Staged::strong);
    }
    b.op(Op::Gather, Attr::Axis(axis), &[x, indices]).map(Staged::strong)
}

pub(super) fn concat(b: &mut Builder, args: &[Staged], axis: i64) -> Result<Staged, Unfit> {
    let axis = axis_of(axis, b.ty(args[0].value).rank())?;
    let (values, weak) = together(b, args)?;
    let value = b.op(Op::Concat, Attr::Axis(axis), &values)?;
    Ok(Staged { value, weak })
}

/// Joins along a new axis.
pub(super) fn stack(b: &mut Builder, args: &[Staged], axis: i64) -> Result<Staged, Unfit> {
    let (values, weak) = together(b, args)?;
    let mut rows = Vec::with_capacity(values.len());
    for value in values {
        rows.push(expand_dims(b, value, axis)?);
    }
    Ok(Staged { weak, ..concat(b, &rows, axis)? })
}

/// The matrix product; a vector on either side is a row or column whose axis goes away again.
pub(super) fn matmul(
    b: &mut Builder,
    args: &[Staged],
    transpose_x: bool,
    transpose_y: bool,
) -> Result<Staged, Unfit> {
    let (x, y, _) = meet(b, Op::Matmul, args[0], args[1])?;
    let (x_vector, y_vector) = (b.ty(x).rank() == 1, b.ty(y).rank() == 1);
    let x = if x_vector { expand_dims(b, x, 0)?.value } else { x };
    let y = if y_vector { expand_dims(b, y, -1)?.value } else { y };
    let attr = Attr::Matmul { transpose_x: transpose_x && !x_vector, transpose_y: transpose_y && !y_vector };
    let mut product = Staged::strong(b.op(Op::Matmul, attr, &[x, y])?);
    if y_vector {
        product = squeeze(b, product.value, Some(&[-1]))?;
    }
    if x_vector {
        let row = if y_vector { -1 } else { -2 };
        product = squeeze(b, product.value, Some(&[row]))?;
    }
    Ok(product)
}

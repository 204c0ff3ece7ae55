//! Steps that calls are made of: constants, conversions, and the axes and lengths that arguments mean.

use gw_base::Code;
use gw_ir::{Attr, BinaryOp, Builder, DimArg, Literal, Op, Unfit, ValueId};
use gw_types::{DType, Dim, Number, Scalar};

use crate::Staged;

/// The length of an axis in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Length {
    /// Known; -1 is what is left over.
    Known(i64),
    /// The next of the operands.
    Given,
}

pub(super) fn cast(b: &mut Builder, value: ValueId, dtype: DType) -> Result<ValueId, Unfit> {
    if b.ty(value).dtype == dtype {
        return Ok(value);
    }
    b.op(Op::Cast, Attr::To(dtype), &[value])
}

/// An index as an integer of 64 bits. One without a sign that is greater than any becomes the greatest: it would become a place
/// counted from the end.
pub(super) fn as_place(b: &mut Builder, index: ValueId) -> Result<ValueId, Unfit> {
    if b.ty(index).dtype != DType::U64 {
        return cast(b, index, DType::I64);
    }
    let most = scalar(b, DType::U64, Scalar::Nat(i64::MAX.unsigned_abs()));
    let near = b.op(BinaryOp::Min, Attr::None, &[index, most])?;
    cast(b, near, DType::I64)
}

pub(super) fn scalar(b: &mut Builder, dtype: DType, value: Scalar) -> ValueId {
    b.constant(Literal::scalar(dtype, value))
}

/// An integer of the host's, which takes the type of the other operand.
pub(super) fn integer(b: &mut Builder, number: i64) -> Staged {
    let value = scalar(b, Number::Int.own_dtype(), Scalar::Int(number));
    Staged { value, weak: Some(Number::Int) }
}

/// A float of the host's, which takes the type of the other operand.
pub(super) fn float(b: &mut Builder, number: f64) -> Staged {
    let value = scalar(b, Number::Float.own_dtype(), Scalar::Float(number));
    Staged { value, weak: Some(Number::Float) }
}

/// The number that a value is, if it stands in the graph.
pub(super) fn written(b: &Builder, value: ValueId) -> Option<Scalar> {
    literal(b, value)?.as_scalar()
}

/// The constant that a value is.
pub(super) fn literal(b: &Builder, value: ValueId) -> Option<&Literal> {
    let graph = b.graph();
    let Attr::Literal(literal) = &graph.nodes[graph.definer(value)?].attr else { return None };
    Some(literal)
}

pub(super) fn bad(clause: &'static str, message: String) -> Unfit {
    Unfit { clause, code: Code::BadArgument, message }
}

/// The axis that `axis` means on a tensor of `rank` axes.
pub(super) fn axis_of(axis: i64, rank: usize) -> Result<usize, Unfit> {
    let wrapped = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(wrapped) {
        Ok(found) if found < rank => Ok(found),
        _ => Err(bad("call.axis", format!("axis {axis} of a tensor of {rank} axes does not exist"))),
    }
}

/// The axes that `axes` mean, ascending; all of them if none are named.
pub(super) fn axes_of(axes: Option<&[i64]>, rank: usize) -> Result<Vec<usize>, Unfit> {
    let Some(axes) = axes else { return Ok((0..rank).collect()) };
    let mut found = axes.iter().map(|&a| axis_of(a, rank)).collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    if found.windows(2).any(|w| w[0] == w[1]) {
        return Err(bad("call.axes", format!("an axis is named twice in {axes:?}")));
    }
    Ok(found)
}

/// The lengths of a tensor's axes as a result's: known ones as they are, others as operands from position `first` on.
pub(super) fn lengths_of(
    b: &mut Builder,
    x: ValueId,
    first: usize,
) -> Result<(Vec<DimArg>, Vec<ValueId>), Unfit> {
    let mut operands = Vec::new();
    let shape = b.ty(x).shape.clone();
    let mut dims = Vec::with_capacity(shape.rank());
    for (axis, dim) in shape.0.iter().enumerate() {
        dims.push(match dim {
            Dim::Fixed(n) => DimArg::Fixed(*n),
            Dim::Var(_) => {
                operands.push(b.op(Op::Dim, Attr::Axis(axis), &[x])?);
                DimArg::Arg(first + operands.len() - 1)
            }
        });
    }
    Ok((dims, operands))
}

/// `x` in other axes, of which those that are not known are operands.
pub(super) fn reshape(
    b: &mut Builder,
    x: ValueId,
    dims: Vec<DimArg>,
    operands: &[ValueId],
) -> Result<ValueId, Unfit> {
    let args: Vec<_> = std::iter::once(x).chain(operands.iter().copied()).collect();
    b.op(Op::Reshape, Attr::Dims(dims), &args)
}

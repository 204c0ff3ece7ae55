//! Lengths of axes that calls compute with: numbers where they are known, else values of the graph.

use gw_ir::{Attr, BinaryOp, Builder, DimArg, Op, Unfit, ValueId};
use gw_types::{DType, Dim, Scalar};

use crate::Staged;
use crate::calls::movement::negative;
use crate::calls::source::range;
use crate::calls::steps::{Length, cast, integer, reshape, scalar, written};

/// The length of an axis, or a number of places on one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// A number.
    Known(i64),
    /// An `int64` of the graph.
    Found(ValueId),
}

impl Size {
    /// The length that a call is given, as a number or as the next of its operands.
    pub(super) fn given(
        b: &mut Builder,
        length: Length,
        operands: &mut impl Iterator<Item = Staged>,
    ) -> Result<Self, Unfit> {
        match length {
            Length::Known(number) => Ok(Self::Known(number)),
            Length::Given => {
                let given = operands.next().expect("one operand per length").value;
                match written(b, given) {
                    Some(number) => Ok(Self::Known(number.to_i64())),
                    None => cast(b, given, DType::I64).map(Self::Found),
                }
            }
        }
    }

    /// The length as an operand: a number of the host's where it is known.
    pub(super) fn operand(self, b: &mut Builder) -> Staged {
        match self {
            Self::Known(number) => integer(b, number),
            Self::Found(value) => Staged::strong(value),
        }
    }

    /// The length as an `int64` of the graph.
    pub(super) fn value(self, b: &mut Builder) -> ValueId {
        match self {
            Self::Known(number) => scalar(b, DType::I64, Scalar::Int(number)),
            Self::Found(value) => value,
        }
    }

    /// The sum of two.
    pub(super) fn plus(self, b: &mut Builder, other: Self) -> Result<Self, Unfit> {
        self.joined(b, BinaryOp::Add, other, i64::saturating_add)
    }

    /// The difference of two.
    pub(super) fn minus(self, b: &mut Builder, other: Self) -> Result<Self, Unfit> {
        self.joined(b, BinaryOp::Sub, other, i64::saturating_sub)
    }

    /// The product of two.
    pub(super) fn times(self, b: &mut Builder, other: Self) -> Result<Self, Unfit> {
        match (self, other) {
            (Self::Known(1), one) | (one, Self::Known(1)) => Ok(one),
            _ => self.joined(b, BinaryOp::Mul, other, i64::saturating_mul),
        }
    }

    /// The greater of two.
    pub(super) fn at_least(self, b: &mut Builder, other: Self) -> Result<Self, Unfit> {
        self.joined(b, BinaryOp::Max, other, i64::max)
    }

    /// The smaller of two.
    pub(super) fn at_most(self, b: &mut Builder, other: Self) -> Result<Self, Unfit> {
        self.joined(b, BinaryOp::Min, other, i64::min)
    }

    /// Numbers are joined now. What is found when the graph runs wraps: no axis is as long.
    fn joined(
        self,
        b: &mut Builder,
        op: BinaryOp,
        other: Self,
        now: impl Fn(i64, i64) -> i64,
    ) -> Result<Self, Unfit> {
        if let (Self::Known(one), Self::Known(other)) = (self, other) {
            return Ok(Self::Known(now(one, other)));
        }
        let both = [self, other].map(|one| one.value(b));
        b.op(op, Attr::None, &both).map(Self::Found)
    }
}

/// The length of each axis.
pub(super) fn sizes_of(b: &mut Builder, x: ValueId) -> Result<Vec<Size>, Unfit> {
    (0..b.ty(x).rank()).map(|axis| size_of(b, x, axis)).collect()
}

/// The length of an axis.
pub(super) fn size_of(b: &mut Builder, x: ValueId, axis: usize) -> Result<Size, Unfit> {
    match b.ty(x).shape.0[axis] {
        Dim::Fixed(length) => Ok(Size::Known(i64::try_from(length).unwrap_or(i64::MAX))),
        Dim::Var(_) => b.op(Op::Dim, Attr::Axis(axis), &[x]).map(Size::Found),
    }
}

/// The length of each axis, if it is known.
pub(super) fn known_lengths(b: &Builder, x: ValueId) -> Vec<Option<usize>> {
    b.ty(x).shape.0.iter().map(|dim| dim.fixed()).collect()
}

/// The product of lengths: the number of elements.
pub(super) fn product_of(b: &mut Builder, sizes: &[Size]) -> Result<Size, Unfit> {
    sizes.iter().try_fold(Size::Known(1), |count, &size| count.times(b, size))
}

/// The numbers from 0 to a length; `int32` if it is known and no other type is asked for.
pub(super) fn counted(b: &mut Builder, count: Size, dtype: Option<DType>) -> Result<Staged, Unfit> {
    let (start, stop, step) = (integer(b, 0), count.operand(b), integer(b, 1));
    range(b, &[start, stop, step], dtype)
}

/// The elements of `x` in axes of these lengths.
pub(super) fn shaped(b: &mut Builder, x: ValueId, sizes: &[Size]) -> Result<ValueId, Unfit> {
    let (dims, operands) = arguments(sizes)?;
    reshape(b, x, dims, &operands)
}

/// `x` repeated along axes of length 1 and new ones.
pub(super) fn broadcast(b: &mut Builder, x: ValueId, sizes: &[Size]) -> Result<ValueId, Unfit> {
    let (dims, operands) = arguments(sizes)?;
    let args: Vec<_> = std::iter::once(x).chain(operands).collect();
    b.op(Op::Broadcast, Attr::Dims(dims), &args)
}

/// The same, or `x` itself where its axes are known to have these lengths.
pub(super) fn stretched(b: &mut Builder, x: ValueId, sizes: &[Size]) -> Result<ValueId, Unfit> {
    let known = known_lengths(b, x);
    let is_known = |(own, size): (&Option<usize>, &Size)| match size {
        Size::Known(length) => own.is_some_and(|own| usize::try_from(*length) == Ok(own)),
        Size::Found(_) => false,
    };
    let is_so = known.len() == sizes.len() && known.iter().zip(sizes).all(is_known);
    if is_so { Ok(x) } else { broadcast(b, x, sizes) }
}

/// Lengths as the attribute of an op whose first operand is something else, and the other operands.
fn arguments(sizes: &[Size]) -> Result<(Vec<DimArg>, Vec<ValueId>), Unfit> {
    let mut operands = Vec::new();
    let mut dims = Vec::with_capacity(sizes.len());
    for size in sizes {
        dims.push(match size {
            Size::Known(length) => DimArg::Fixed(usize::try_from(*length).map_err(|_| negative(*length))?),
            Size::Found(value) => {
                operands.push(*value);
                DimArg::Arg(operands.len())
            }
        });
    }
    Ok((dims, operands))
}

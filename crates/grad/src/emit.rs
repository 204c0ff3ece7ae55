//! Steps for rules: ops on values that are there, numbers, shapes.

use gw_ir::{Attr, BinaryOp, CompareOp, DimArg, Literal, Op, ReduceOp, ValueId};
use gw_types::{DType, Dim, Scalar, Shape, TensorType};

use crate::adjoint::Adjoint;
use crate::stop::Made;

impl Adjoint<'_, '_> {
    /// An op without attribute.
    pub fn op<const N: usize>(&mut self, op: impl Into<Op>, args: [ValueId; N]) -> Made<ValueId> {
        Ok(self.b.op(op, Attr::None, &args)?)
    }

    /// An op with one.
    pub fn with(&mut self, op: Op, attr: Attr, args: &[ValueId]) -> Made<ValueId> {
        Ok(self.b.op(op, attr, args)?)
    }

    /// A number of this type.
    pub fn number(&mut self, dtype: DType, number: f64) -> ValueId {
        self.b.constant(Literal::scalar(dtype, Scalar::Float(number)))
    }

    /// An integer.
    pub fn integer(&mut self, number: i64) -> ValueId {
        self.b.constant(Literal::scalar(DType::I64, Scalar::Int(number)))
    }

    /// `0, 1, …`, so many.
    pub fn counting(&mut self, count: usize) -> ValueId {
        let numbers: Vec<_> = (0..count as i64).map(Scalar::Int).collect();
        self.b.constant(Literal::from_scalars(DType::I64, vec![count], &numbers))
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> TensorType {
        self.b.ty(value).clone()
    }

    /// The lengths of a value of the forward pass, for `reshape` and `broadcast`, with the operands that they
    /// speak of; the first of these is the operand at position 1.
    pub fn lengths(&mut self, value: ValueId) -> Made<(Vec<DimArg>, Vec<ValueId>)> {
        self.lengths_by(value, |r, axis| r.length(value, axis))
    }

    /// The same of a value that is seen where nodes are added.
    fn lengths_there(&mut self, value: ValueId) -> Made<(Vec<DimArg>, Vec<ValueId>)> {
        self.lengths_by(value, |r, axis| r.with(Op::Dim, Attr::Axis(axis), &[value]))
    }

    fn lengths_by(
        &mut self,
        value: ValueId,
        length: impl Fn(&mut Self, usize) -> Made<ValueId>,
    ) -> Made<(Vec<DimArg>, Vec<ValueId>)> {
        let shape = self.ty(value).shape;
        let (mut dims, mut operands) = (Vec::new(), Vec::new());
        for (axis, dim) in shape.0.iter().enumerate() {
            dims.push(match dim {
                Dim::Fixed(n) => DimArg::Fixed(*n),
                Dim::Var(_) => {
                    operands.push(length(self, axis)?);
                    DimArg::Arg(operands.len())
                }
            });
        }
        Ok((dims, operands))
    }

    /// Zeros of the type of a value of the forward pass.
    pub fn zeros(&mut self, like: ValueId) -> Made<ValueId> {
        let ty = self.ty(like);
        if ty.shape.lengths().is_none()
            && let Some(here) = self.known(like)
        {
            return self.cleared(here);
        }
        let zero = self.number(ty.dtype, 0.0);
        if ty.rank() == 0 {
            return Ok(zero);
        }
        let (dims, operands) = self.lengths(like)?;
        let args: Vec<_> = std::iter::once(zero).chain(operands).collect();
        Ok(self.b.op_as(Op::Broadcast, Attr::Dims(dims), &args, &ty)?)
    }

    /// Zeros of the type of a value that is here.
    pub fn cleared(&mut self, here: ValueId) -> Made<ValueId> {
        let ty = self.ty(here);
        let zero = self.number(ty.dtype, 0.0);
        let never = self.b.constant(Literal::scalar(DType::Bool, Scalar::Bool(false)));
        Ok(self.b.op_as(Op::Select, Attr::None, &[never, here, zero], &ty)?)
    }

    /// A value in other axes: those of `like`, of the forward pass.
    pub fn reshaped(&mut self, value: ValueId, like: ValueId) -> Made<ValueId> {
        let wanted = self.ty(like);
        if self.ty(value).shape == wanted.shape {
            return Ok(value);
        }
        let (dims, operands) = self.lengths(like)?;
        let args: Vec<_> = std::iter::once(value).chain(operands).collect();
        Ok(self.b.op_as(Op::Reshape, Attr::Dims(dims), &args, &wanted)?)
    }

    /// A value with one more axis, of length 1.
    pub fn expanded(&mut self, value: ValueId, axis: usize) -> Made<ValueId> {
        let (mut dims, operands) = self.lengths_there(value)?;
        dims.insert(axis, DimArg::Fixed(1));
        let mut wanted = self.ty(value);
        wanted.shape.0.insert(axis, Dim::Fixed(1));
        let args: Vec<_> = std::iter::once(value).chain(operands).collect();
        Ok(self.b.op_as(Op::Reshape, Attr::Dims(dims), &args, &wanted)?)
    }

    /// A sum over axes.
    pub fn sum(&mut self, value: ValueId, axes: Vec<usize>, keep: bool) -> Made<ValueId> {
        if axes.is_empty() {
            return Ok(value);
        }
        self.with(Op::Reduce(ReduceOp::Sum), Attr::Axes { axes, keep }, &[value])
    }

    /// The cotangent of `to`, which was broadcast to the shape of `cotangent`: the sum over the axes that were broadcast.
    pub fn unbroadcast(&mut self, cotangent: ValueId, to: ValueId) -> Made<ValueId> {
        let (from, wanted) = (self.ty(cotangent).shape, self.ty(to));
        let added = from.rank() - wanted.rank();
        let sum = self.sum(cotangent, (0..added).collect(), false)?;
        let axes = from.0[added..].iter().zip(&wanted.shape.0).enumerate();
        let stretched: Vec<usize> = axes
            .clone()
            .filter(|(_, (long, own))| **own == Dim::Fixed(1) && **long != Dim::Fixed(1))
            .map(|(axis, _)| axis)
            .collect();
        let mut sum = self.sum(sum, stretched, true)?;
        let unsure: Vec<usize> = axes
            .filter(|(_, (long, own))| own.fixed().is_none() && long != own)
            .map(|(axis, _)| axis)
            .collect();
        for axis in unsure {
            sum = self.unstretched(sum, to, axis)?;
        }
        Ok(sum)
    }

    /// The same along one axis whose length is 1, or as long as that of the cotangent, which is known at run time only.
    fn unstretched(&mut self, cotangent: ValueId, to: ValueId, axis: usize) -> Made<ValueId> {
        use gw_ir::{AxisSlice, Bound};
        let length = self.length(to, axis)?;
        let one = self.integer(1);
        let was_one = self.op(CompareOp::Eq, [length, one])?;
        let total = self.sum(cotangent, vec![axis], true)?;
        let chosen = self.op(Op::Select, [was_one, total, cotangent])?;
        let mut slices = vec![AxisSlice::ALL; self.ty(chosen).rank()];
        slices[axis].stop = Bound::Arg(1);
        let mut known = self.ty(chosen);
        known.shape.0[axis] = self.ty(to).shape.0[axis];
        Ok(self.b.op_as(Op::Slice, Attr::Slices(slices), &[chosen, length], &known)?)
    }

    /// The same elements as those of a value with `keep`: axes that a reduction took away have length 1 again.
    pub fn with_axes(&mut self, value: ValueId, axes: &[usize], keep: bool) -> Made<ValueId> {
        if keep {
            return Ok(value);
        }
        axes.iter().try_fold(value, |value, &axis| self.expanded(value, axis))
    }

    /// A value repeated to the shape of another one of the forward pass.
    pub fn repeated(&mut self, value: ValueId, like: ValueId) -> Made<ValueId> {
        let wanted = self.ty(like);
        if self.ty(value).shape == wanted.shape {
            return Ok(value);
        }
        if let Some(lengths) = wanted.shape.lengths() {
            let dims = lengths.into_iter().map(DimArg::Fixed).collect();
            return self.with(Op::Broadcast, Attr::Dims(dims), &[value]);
        }
        let zeros = self.zeros(like)?;
        Ok(self.b.op_as(BinaryOp::Add, Attr::None, &[value, zeros], &wanted)?)
    }

    /// An empty tensor whose rows are of this type, in which each length that is not known is that of an axis of a value.
    pub fn no_rows(&mut self, row: &TensorType, lengths: &[(ValueId, usize)]) -> Made<ValueId> {
        let zero = self.number(row.dtype, 0.0);
        let zero =
            if row.dtype.is_fractional() { zero } else { self.with(Op::Cast, Attr::To(row.dtype), &[zero])? };
        let mut dims = vec![DimArg::Fixed(0)];
        let mut args = vec![zero];
        let mut lengths = lengths.iter();
        for dim in &row.shape.0 {
            dims.push(match (dim, dim.fixed()) {
                (_, Some(n)) => DimArg::Fixed(n),
                (_, None) => {
                    let &(value, axis) = lengths.next().expect("a value for each length that is not known");
                    args.push(self.with(Op::Dim, Attr::Axis(axis), &[value])?);
                    DimArg::Arg(args.len() - 1)
                }
            });
        }
        // The lengths are those of the rows to come: a loop need not carry them.
        Ok(self.b.op_as(Op::Broadcast, Attr::Dims(dims), &args, &rows_of(row, Dim::Fixed(0)))?)
    }
}

/// The type of any number of rows of a type.
pub(crate) fn rows_of(row: &TensorType, count: Dim) -> TensorType {
    let dims = std::iter::once(count).chain(row.shape.0.iter().copied()).collect();
    TensorType::new(row.dtype, Shape(dims))
}

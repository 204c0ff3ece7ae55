//! Calls that fold axes.

use gw_ir::{ArgOp, Attr, BinaryOp, Builder, Op, PartOp, ReduceOp, UnaryOp, Unfit, ValueId};
use gw_types::{DType, Scalar, true_division};

use super::complex;
use super::elementwise::{binary, true_div, unary};
use super::steps::{axes_of, axis_of, cast, scalar};
use crate::Staged;

pub(super) fn reduce(
    b: &mut Builder,
    op: ReduceOp,
    x: ValueId,
    axes: Option<&[i64]>,
    keep: bool,
) -> Result<Staged, Unfit> {
    let axes = axes_of(axes, b.ty(x).rank())?;
    if op == ReduceOp::Prod && b.ty(x).dtype.is_complex() {
        return complex::product(b, x, &axes, keep).map(Staged::strong);
    }
    b.op(op, Attr::Axes { axes, keep }, &[x]).map(Staged::strong)
}

/// The mean; of integers in `float64`, of nothing NaN.
pub(super) fn mean(b: &mut Builder, x: ValueId, axes: Option<&[i64]>, keep: bool) -> Result<Staged, Unfit> {
    let found = axes_of(axes, b.ty(x).rank())?;
    let own = true_division(b.ty(x).dtype);
    // The sum of numbers of half precision may be too great for one.
    let dtype = if own.is_float() { own.register() } else { own };
    let x = cast(b, x, dtype)?;
    let mut count = scalar(b, DType::I64, Scalar::Int(1));
    for &axis in &found {
        let length = b.op(Op::Dim, Attr::Axis(axis), &[x])?;
        count = b.op(BinaryOp::Mul, Attr::None, &[count, length])?;
    }
    let count = cast(b, count, dtype)?;
    let sum = b.op(ReduceOp::Sum, Attr::Axes { axes: found, keep }, &[x])?;
    let mean = b.op(BinaryOp::Div, Attr::None, &[sum, count])?;
    cast(b, mean, own).map(Staged::strong)
}

/// The mean of the squares of distances from the mean.
pub(super) fn variance(
    b: &mut Builder,
    x: Staged,
    axes: Option<&[i64]>,
    keep: bool,
) -> Result<Staged, Unfit> {
    let middle = mean(b, x.value, axes, true)?;
    let away = binary(b, BinaryOp::Sub, x, middle)?;
    let squares = squares(b, away)?;
    mean(b, squares.value, axes, keep)
}

/// The squares of numbers, of complex ones those of their sizes.
fn squares(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    if !b.ty(x.value).dtype.is_complex() {
        return binary(b, BinaryOp::Mul, x, x);
    }
    let [re, im] = [PartOp::Real, PartOp::Imag].map(|part| complex::part(b, part, x));
    let (re, im) = (re?, im?);
    let [re, im] = [binary(b, BinaryOp::Mul, re, re)?, binary(b, BinaryOp::Mul, im, im)?];
    binary(b, BinaryOp::Add, re, im)
}

/// The square root of the variance.
pub(super) fn deviation(
    b: &mut Builder,
    x: Staged,
    axes: Option<&[i64]>,
    keep: bool,
) -> Result<Staged, Unfit> {
    let variance = variance(b, x, axes, keep)?;
    unary(b, UnaryOp::Sqrt, variance)
}

/// The number of elements that are not zero.
pub(super) fn count(
    b: &mut Builder,
    x: Staged,
    axes: Option<&[i64]>,
    keep: bool,
    dtype: DType,
) -> Result<Staged, Unfit> {
    let truths = cast(b, x.value, DType::Bool)?;
    let ones = cast(b, truths, dtype)?;
    reduce(b, ReduceOp::Sum, ones, axes, keep)
}

pub(super) fn arg(b: &mut Builder, op: ArgOp, x: ValueId, axis: i64) -> Result<Staged, Unfit> {
    let axis = axis_of(axis, b.ty(x).rank())?;
    b.op(op, Attr::Axis(axis), &[x]).map(Staged::strong)
}

pub(super) fn softmax(b: &mut Builder, x: Staged, axis: i64) -> Result<Staged, Unfit> {
    let axes = [axis];
    let axes = Some(axes.as_slice());
    let top = reduce(b, ReduceOp::Max, x.value, axes, true)?;
    let shifted = binary(b, BinaryOp::Sub, x, top)?;
    let e = unary(b, UnaryOp::Exp, shifted)?;
    let sum = reduce(b, ReduceOp::Sum, e.value, axes, true)?;
    true_div(b, e, sum)
}

//! Calls that make tensors out of lengths and numbers.

use gw_ir::{Attr, Builder, DimArg, Literal, Op, Unfit, ValueDef, ValueId};
use gw_types::{DType, Dim, Number, Scalar, join_weak};

use super::meeting::converted;
use super::{axis_of, cast, lengths_of, scalar, written};
use crate::Staged;

/// `range(start, stop, step)` in the given type, or in the one in which the operands meet. Numbers written as such count in
/// `int32` if they fit it, what the graph computed from numbers alone as wide as Python.
pub(super) fn range(b: &mut Builder, args: &[Staged], dtype: Option<DType>) -> Result<Staged, Unfit> {
    let strong = args.iter().filter(|a| a.weak.is_none()).map(|a| b.ty(a.value).dtype).max();
    let number = args.iter().filter_map(|a| a.weak).max();
    let found = match (strong, number) {
        (Some(strong), Some(number)) => join_weak(strong, number),
        (Some(strong), None) => strong,
        (None, number) => alone(b, args, number.unwrap_or(Number::Int).max(Number::Int)),
    };
    let dtype = dtype.unwrap_or(found);
    let args = args.iter().map(|&a| converted(b, a, dtype)).collect::<Result<Vec<_>, _>>()?;
    b.op(Op::Range, Attr::None, &args).map(Staged::strong)
}

/// The type of a range of host numbers alone, which they fit.
fn alone(b: &Builder, args: &[Staged], number: Number) -> DType {
    let dtype = number.default_dtype();
    let fits = |a: &Staged| match written(b, a.value) {
        Some(Scalar::Int(n)) => !dtype.is_int() || Scalar::Int(n).cast(dtype) == Scalar::Int(n),
        Some(_) | None => is_written(b, a.value),
    };
    if args.iter().all(fits) { dtype } else { number.own_dtype() }
}

/// Whether a number stands in the user's text, or is given to the graph of one eager call.
fn is_written(b: &Builder, value: ValueId) -> bool {
    let graph = b.graph();
    match graph.values[value].def {
        ValueDef::Result(node, _) => graph.nodes[node].op == Op::Const,
        ValueDef::Param(region, _) => region == graph.body,
    }
}

pub(super) fn shape_of(b: &mut Builder, x: ValueId, dtype: DType) -> Result<Staged, Unfit> {
    let shape = b.ty(x).shape.clone();
    if let Some(lengths) = shape.lengths() {
        let scalars: Vec<_> = lengths.iter().map(|&n| Scalar::Int(n as i64)).collect();
        let literal = Literal::from_scalars(dtype, vec![scalars.len()], &scalars);
        return Ok(Staged::strong(b.constant(literal)));
    }
    let mut parts = Vec::with_capacity(shape.rank());
    for axis in 0..shape.rank() {
        let length = match shape.0[axis] {
            Dim::Fixed(n) => scalar(b, DType::I64, Scalar::Int(n as i64)),
            Dim::Var(_) => b.op(Op::Dim, Attr::Axis(axis), &[x])?,
        };
        parts.push(b.op(Op::Reshape, Attr::Dims(vec![DimArg::Fixed(1)]), &[length])?);
    }
    let whole = b.op(Op::Concat, Attr::Axis(0), &parts)?;
    cast(b, whole, dtype).map(Staged::strong)
}

pub(super) fn dim_of(b: &mut Builder, x: ValueId, axis: i64, dtype: DType) -> Result<Staged, Unfit> {
    let axis = axis_of(axis, b.ty(x).rank())?;
    if let Dim::Fixed(n) = b.ty(x).shape.0[axis] {
        return Ok(Staged::strong(scalar(b, dtype, Scalar::Int(n as i64))));
    }
    let length = b.op(Op::Dim, Attr::Axis(axis), &[x])?;
    cast(b, length, dtype).map(Staged::strong)
}

pub(super) fn size_of(b: &mut Builder, x: ValueId, dtype: DType) -> Result<Staged, Unfit> {
    let mut count = scalar(b, DType::I64, Scalar::Int(1));
    for axis in 0..b.ty(x).rank() {
        let length = b.op(Op::Dim, Attr::Axis(axis), &[x])?;
        count = b.op(Op::Mul, Attr::None, &[count, length])?;
    }
    cast(b, count, dtype).map(Staged::strong)
}

pub(super) fn full_like(
    b: &mut Builder,
    x: ValueId,
    number: Staged,
    dtype: Option<DType>,
) -> Result<Staged, Unfit> {
    let dtype = dtype.unwrap_or(b.ty(x).dtype);
    let number = cast(b, number.value, dtype)?;
    let (dims, operands) = lengths_of(b, x, 1)?;
    let args: Vec<_> = std::iter::once(number).chain(operands).collect();
    b.op(Op::Broadcast, Attr::Dims(dims), &args).map(Staged::strong)
}

pub(super) fn one_hot(
    b: &mut Builder,
    indices: ValueId,
    depth: usize,
    dtype: DType,
) -> Result<Staged, Unfit> {
    let wide = cast(b, indices, DType::I64)?;
    let column = super::movement::expand_dims(b, wide, -1)?;
    let numbers: Vec<_> = (0..depth as i64).map(Scalar::Int).collect();
    let row = b.constant(Literal::from_scalars(DType::I64, vec![depth], &numbers));
    let hits = b.op(Op::Eq, Attr::None, &[column.value, row])?;
    cast(b, hits, dtype).map(Staged::strong)
}

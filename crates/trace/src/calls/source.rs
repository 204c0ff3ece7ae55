//! Calls that make tensors out of lengths and numbers.

use gw_ir::{
    Attr, BinaryOp, Builder, CheckKind, CompareOp, DimArg, Literal, Op, UnaryOp, Unfit, ValueDef, ValueId,
};
use gw_types::{DType, Dim, Kind, Number, Scalar, join_weak};

use super::elementwise::fails_unless;
use super::meeting::converted;
use super::steps::{axis_of, cast, lengths_of, scalar, written};
use crate::Staged;

/// `range(start, stop, step)` in the given type, or in the one in which the operands meet. Numbers written as such count in
/// `int32` if they fit it, what the graph computed from numbers alone as wide as Python.
pub(super) fn range(b: &mut Builder, args: &[Staged], dtype: Option<DType>) -> Result<Staged, Unfit> {
    let strong = args.iter().filter(|a| a.weak.is_none()).map(|a| b.ty(a.value).dtype);
    let strong = strong.reduce(|met, dtype| met.join(dtype).unwrap_or(met.max(dtype)));
    let number = args.iter().filter_map(|a| a.weak).max();
    let found = match (strong, number) {
        (Some(strong), Some(number)) => join_weak(strong, number),
        (Some(strong), None) => strong,
        (None, number) => alone(b, args, number.unwrap_or(Number::Int).max(Number::Int)),
    };
    let dtype = dtype.unwrap_or(found);
    let args = args.iter().map(|&a| converted(b, a, dtype)).collect::<Result<Vec<_>, _>>()?;
    match (&args[..], dtype.kind()) {
        (&[start, stop, step], Kind::Float) => floats(b, [start, stop, step], dtype),
        (_, Kind::Bool | Kind::Int | Kind::Float | Kind::Complex | Kind::Text) => {
            b.op(Op::Range, Attr::None, &args).map(Staged::strong)
        }
    }
}

/// `start + i * step` for the `⌈(stop - start) / step⌉` numbers of a range of floats; those of half precision are computed in
/// `float32`, and each step is rounded, as TensorFlow does.
fn floats(b: &mut Builder, ends: [ValueId; 3], dtype: DType) -> Result<Staged, Unfit> {
    let wide = if dtype.size() < 4 { DType::F32 } else { dtype };
    let [start, stop, step] = ends;
    let (start, stop, step) = (cast(b, start, wide)?, cast(b, stop, wide)?, cast(b, step, wide)?);
    let zero = scalar(b, wide, Scalar::Float(0.0));
    let moves = b.op(CompareOp::Ne, Attr::None, &[step, zero])?;
    fails_unless(b, moves, (CheckKind::Value, "the step of a range must not be zero"), false)?;
    let rounded = |b: &mut Builder, value: ValueId| {
        let narrow = cast(b, value, dtype)?;
        cast(b, narrow, wide)
    };
    let span = b.op(BinaryOp::Sub, Attr::None, &[stop, start])?;
    let span = rounded(b, span)?;
    let steps = b.op(BinaryOp::Div, Attr::None, &[span, step])?;
    let steps = rounded(b, steps)?;
    let most = scalar(b, wide, Scalar::Float(MOST_FLOATS));
    let is_finite = b.op(CompareOp::Lt, Attr::None, &[steps, most])?;
    fails_unless(b, is_finite, (CheckKind::Value, "a range has no end, or too many numbers"), false)?;
    let whole = b.op(UnaryOp::Ceil, Attr::None, &[steps])?;
    let count = b.op(BinaryOp::Max, Attr::None, &[whole, zero])?;
    let count = cast(b, count, DType::I64)?;
    let (first, one) = (scalar(b, DType::I64, Scalar::Int(0)), scalar(b, DType::I64, Scalar::Int(1)));
    let numbers = b.op(Op::Range, Attr::None, &[first, count, one])?;
    let numbers = cast(b, numbers, dtype)?;
    let numbers = cast(b, numbers, wide)?;
    let far = b.op(BinaryOp::Mul, Attr::None, &[numbers, step])?;
    let far = rounded(b, far)?;
    let found = b.op(BinaryOp::Add, Attr::None, &[start, far])?;
    cast(b, found, dtype).map(Staged::strong)
}

/// More numbers than memory has room for; NaN is not below it.
const MOST_FLOATS: f64 = 9_223_372_036_854_775_808.0;

/// The type of a range of host numbers alone, which they fit.
fn alone(b: &Builder, args: &[Staged], number: Number) -> DType {
    let dtype = number.default_dtype();
    let fits = |a: &Staged| match written(b, a.value) {
        Some(Scalar::Int(n)) => !dtype.is_int() || dtype.holds(n.into()),
        Some(_) | None => is_written(b, a.value),
    };
    if args.iter().all(fits) { dtype } else { number.own_dtype() }
}

/// True if a number stands in the user's text, or is given to the graph of one eager call.
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
        count = b.op(BinaryOp::Mul, Attr::None, &[count, length])?;
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
    let row = counted(b, depth)?;
    let hits = b.op(CompareOp::Eq, Attr::None, &[column.value, row])?;
    cast(b, hits, dtype).map(Staged::strong)
}

/// So many numbers may be written in the graph.
const MOST_WRITTEN: usize = 1 << 16;

/// The numbers from 0 to `count`.
fn counted(b: &mut Builder, count: usize) -> Result<ValueId, Unfit> {
    let last = i64::try_from(count).unwrap_or(i64::MAX);
    if count <= MOST_WRITTEN {
        let numbers: Vec<_> = (0..last).map(Scalar::Int).collect();
        return Ok(b.constant(Literal::from_scalars(DType::I64, vec![count], &numbers)));
    }
    let [start, stop, step] = [0, last, 1].map(|n| scalar(b, DType::I64, Scalar::Int(n)));
    let numbers = b.op(Op::Range, Attr::None, &[start, stop, step])?;
    b.op(Op::Reshape, Attr::Dims(vec![DimArg::Fixed(count)]), &[numbers])
}

/// True if an integer is among the numbers of a `range` whose step is written; nothing of any other tensor. It takes as
/// long for many numbers as for few.
pub fn is_among(b: &mut Builder, numbers: ValueId, item: ValueId) -> Result<Option<ValueId>, Unfit> {
    let Some([start, stop, step]) = range_of(b, numbers) else { return Ok(None) };
    let Some(step) = written(b, step).map(Scalar::to_i64).filter(|&step| step != 0) else { return Ok(None) };
    let dtype = b.ty(numbers).dtype;
    if b.ty(item).dtype != dtype || !b.ty(item).is_scalar() {
        return Ok(None);
    }
    let (from, until) = if step > 0 {
        (Op::Compare(CompareOp::Le), Op::Compare(CompareOp::Lt))
    } else {
        (Op::Compare(CompareOp::Ge), Op::Compare(CompareOp::Gt))
    };
    let (begun, before) = (b.op(from, Attr::None, &[start, item])?, b.op(until, Attr::None, &[item, stop])?);
    let inside = b.op(BinaryOp::And, Attr::None, &[begun, before])?;
    if step.abs() == 1 {
        return Ok(Some(inside));
    }
    let step = scalar(b, dtype, Scalar::Int(step));
    let rest = |b: &mut Builder, value| b.op(BinaryOp::Mod, Attr::None, &[value, step]);
    let (own, first) = (rest(b, item)?, rest(b, start)?);
    let hit = b.op(CompareOp::Eq, Attr::None, &[own, first])?;
    b.op(BinaryOp::And, Attr::None, &[inside, hit]).map(Some)
}

fn range_of(b: &Builder, numbers: ValueId) -> Option<[ValueId; 3]> {
    let ValueDef::Result(node, _) = b.graph().values[numbers].def else { return None };
    let node = &b.graph().nodes[node];
    let args = (node.op == Op::Range).then_some(&node.args[..])?;
    args.try_into().ok()
}

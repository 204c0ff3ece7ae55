//! Random numbers: bits that belong to a key and to the position of each element, made into numbers of a distribution.

use gw_base::Code;
use gw_ir::{Attr, Builder, CheckKind, Op, Piece, PrintFormat, Stream, Unfit, ValueId};
use gw_types::{DType, Scalar};

use super::{Length, cast, elementwise, movement, reduce, scalar};
use crate::Staged;

/// How numbers are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Law {
    /// Evenly from the first number on and below the second one.
    Uniform,
    /// Normally, with a mean and a standard deviation.
    Normal,
}

/// Numbers of a distribution in a tensor of these lengths; operands: the key, the two numbers of the distribution, and one
/// scalar per `Length::Given`.
pub(super) fn random(
    b: &mut Builder,
    law: Law,
    dtype: DType,
    lengths: &[Length],
    args: &[Staged],
) -> Result<Staged, Unfit> {
    if dtype == DType::Bool || (law == Law::Normal && !dtype.is_float()) {
        let message = format!("there are no such random numbers of `{}`", dtype.python_name());
        return Err(Unfit { clause: "call.random", code: Code::WrongDType, message });
    }
    let key = args[0].value;
    let [first, second] = [cast(b, args[1].value, dtype)?, cast(b, args[2].value, dtype)?];
    let positions = positions(b, lengths, &args[3..])?;
    let made = match law {
        Law::Normal => {
            let made = normal(b, key, positions, dtype)?;
            let scaled = two(b, Op::Mul, made, second)?;
            two(b, Op::Add, scaled, first)?
        }
        Law::Uniform if dtype.is_float() => {
            let bits = b.op(Op::RandomBits, Attr::None, &[key, positions])?;
            let part = fraction(b, bits, dtype)?;
            between(b, part, first, second)?
        }
        Law::Uniform => {
            let bits = b.op(Op::RandomBits, Attr::None, &[key, positions])?;
            integers(b, bits, first, second, dtype)?
        }
    };
    Ok(Staged::strong(made))
}

/// `0, 1, …` in a tensor of these lengths.
fn positions(b: &mut Builder, lengths: &[Length], given: &[Staged]) -> Result<ValueId, Unfit> {
    let (mut known, mut count) = (1i64, None);
    let mut others = given.iter();
    for length in lengths {
        match length {
            Length::Known(n) => known = known.saturating_mul(*n),
            Length::Given => {
                let other =
                    others.next().map_or(Ok(None), |given| cast(b, given.value, DType::I64).map(Some))?;
                count = match (count, other) {
                    (Some(count), Some(other)) => Some(two(b, Op::Mul, count, other)?),
                    (count, other) => count.or(other),
                };
            }
        }
    }
    let known = scalar(b, DType::I64, Scalar::Int(known));
    let count = count.map_or(Ok(known), |count| two(b, Op::Mul, count, known))?;
    let [zero, one] = [0, 1].map(|n| scalar(b, DType::I64, Scalar::Int(n)));
    let all = b.op(Op::Range, Attr::None, &[zero, count, one])?;
    let args: Vec<_> = std::iter::once(Staged::strong(all)).chain(given.iter().copied()).collect();
    Ok(movement::to_lengths(b, Op::Reshape, lengths, &args)?.value)
}

/// From 0 on and below 1, as finely as the dtype tells numbers apart.
fn fraction(b: &mut Builder, bits: ValueId, dtype: DType) -> Result<ValueId, Unfit> {
    let digits = if dtype == DType::F32 { 24 } else { 53 };
    let amount = scalar(b, DType::I64, Scalar::Int(64 - digits));
    let upper = two(b, Op::Shr, bits, amount)?;
    let mask = scalar(b, DType::I64, Scalar::Int((1 << digits) - 1));
    let upper = two(b, Op::And, upper, mask)?;
    let upper = b.op(Op::Cast, Attr::To(dtype), &[upper])?;
    let step = scalar(b, dtype, Scalar::Float(2f64.powi(-(digits as i32))));
    two(b, Op::Mul, upper, step)
}

/// `low + part * (high - low)`, and `low` where that is rounded to `high`.
fn between(b: &mut Builder, part: ValueId, low: ValueId, high: ValueId) -> Result<ValueId, Unfit> {
    let width = two(b, Op::Sub, high, low)?;
    let above = two(b, Op::Mul, part, width)?;
    let number = two(b, Op::Add, above, low)?;
    let below = two(b, Op::Lt, number, high)?;
    b.op(Op::Select, Attr::None, &[below, number, low])
}

/// Integers from `low` on and below `high`; a check fails if there are none.
fn integers(
    b: &mut Builder,
    bits: ValueId,
    low: ValueId,
    high: ValueId,
    dtype: DType,
) -> Result<ValueId, Unfit> {
    let [low, high] = [cast(b, low, DType::I64)?, cast(b, high, DType::I64)?];
    let width = two(b, Op::Sub, high, low)?;
    let zero = scalar(b, DType::I64, Scalar::Int(0));
    let some = two(b, Op::Gt, width, zero)?;
    let ok = if b.ty(some).is_scalar() {
        some
    } else {
        reduce::reduce(b, Op::ReduceAll, some, None, false)?.value
    };
    let pieces = vec![Piece::Text("minval must be less than maxval".to_owned())];
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    b.effect(Op::Check, Attr::Check { kind: CheckKind::Value, message }, &[ok])?;
    let most = scalar(b, DType::I64, Scalar::Int(i64::MAX));
    let bits = two(b, Op::And, bits, most)?;
    let above = two(b, Op::Mod, bits, width)?;
    let number = two(b, Op::Add, above, low)?;
    cast(b, number, dtype)
}

/// Mean 0, standard deviation 1: Box and Muller's way from two even numbers to a normal one.
fn normal(b: &mut Builder, key: ValueId, positions: ValueId, dtype: DType) -> Result<ValueId, Unfit> {
    let [one, turn, minus_two] =
        [1.0, std::f64::consts::TAU, -2.0].map(|x| scalar(b, dtype, Scalar::Float(x)));
    let mut parts = [one; 2];
    let [first, two_] = [1, 2].map(|n| scalar(b, DType::I64, Scalar::Int(n)));
    let mut counter = two(b, Op::Mul, positions, two_)?;
    for part in &mut parts {
        let bits = b.op(Op::RandomBits, Attr::None, &[key, counter])?;
        *part = fraction(b, bits, dtype)?;
        counter = two(b, Op::Add, counter, first)?;
    }
    let above_zero = two(b, Op::Sub, one, parts[0])?;
    let log = b.op(Op::Log, Attr::None, &[above_zero])?;
    let square = two(b, Op::Mul, log, minus_two)?;
    let radius = b.op(Op::Sqrt, Attr::None, &[square])?;
    let angle = two(b, Op::Mul, parts[1], turn)?;
    let height = b.op(Op::Cos, Attr::None, &[angle])?;
    two(b, Op::Mul, radius, height)
}

fn two(b: &mut Builder, op: Op, x: ValueId, y: ValueId) -> Result<ValueId, Unfit> {
    elementwise::binary(b, op, Staged::strong(x), Staged::strong(y)).map(|made| made.value)
}

//! Random numbers: bits that belong to a key and to the position of each element, made into numbers of a distribution.

use gw_base::Code;
use gw_ir::{
    Attr, BinaryOp, Builder, CheckKind, CompareOp, Op, Piece, PrintFormat, ReduceOp, Stream, UnaryOp, Unfit,
    ValueId,
};
use gw_types::{DType, Scalar};

use super::steps::{Length, bad, cast, scalar, written};
use super::{elementwise, movement, reduce};
use crate::Staged;

/// Integers from so many on are drawn with a rest of a division: each is as likely as any other to one part in 2^31.
const NARROW: i64 = 1 << 32;

/// Distribution of random numbers.
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
    if dtype == DType::Bool || dtype.is_complex() || (law == Law::Normal && !dtype.is_float()) {
        let message = format!("there are no such random numbers of `{}`", dtype.python_name());
        return Err(Unfit { clause: "call.random", code: Code::WrongDType, message });
    }
    let key = args[0].value;
    if law == Law::Uniform {
        check_order(b, dtype, [args[1].value, args[2].value])?;
    }
    let [first, second] = [cast(b, args[1].value, dtype)?, cast(b, args[2].value, dtype)?];
    let positions = positions(b, lengths, &args[3..])?;
    let made = match law {
        Law::Normal => {
            let made = normal(b, key, positions, dtype)?;
            let scaled = two(b, Op::Binary(BinaryOp::Mul), made, second)?;
            two(b, Op::Binary(BinaryOp::Add), scaled, first)?
        }
        Law::Uniform if dtype.is_float() => {
            let bits = b.op(BinaryOp::RandomBits, Attr::None, &[key, positions])?;
            let part = fraction(b, bits, dtype)?;
            between(b, part, first, second)?
        }
        Law::Uniform => integers(b, key, positions, [first, second], dtype)?,
    };
    Ok(Staged::strong(made))
}

/// `0, 1, …` in a tensor of these lengths.
fn positions(b: &mut Builder, lengths: &[Length], given: &[Staged]) -> Result<ValueId, Unfit> {
    let (mut known, mut count) = (1i64, None);
    let mut others = given.iter();
    for length in lengths {
        match length {
            Length::Known(n) if *n < 0 => return Err(movement::negative(*n)),
            Length::Known(n) => known = known.saturating_mul(*n),
            Length::Given => {
                let other =
                    others.next().map_or(Ok(None), |given| cast(b, given.value, DType::I64).map(Some))?;
                count = match (count, other) {
                    (Some(count), Some(other)) => Some(two(b, Op::Binary(BinaryOp::Mul), count, other)?),
                    (count, other) => count.or(other),
                };
            }
        }
    }
    let known = scalar(b, DType::I64, Scalar::Int(known));
    let count = count.map_or(Ok(known), |count| two(b, Op::Binary(BinaryOp::Mul), count, known))?;
    let [zero, one] = [0, 1].map(|n| scalar(b, DType::I64, Scalar::Int(n)));
    let all = b.op(Op::Range, Attr::None, &[zero, count, one])?;
    let args: Vec<_> = std::iter::once(Staged::strong(all)).chain(given.iter().copied()).collect();
    Ok(movement::to_lengths(b, Op::Reshape, lengths, &args)?.value)
}

/// From 0 on and below 1, as finely as the dtype tells numbers apart.
fn fraction(b: &mut Builder, bits: ValueId, dtype: DType) -> Result<ValueId, Unfit> {
    let digits = i64::from(dtype.digits());
    let amount = scalar(b, DType::I64, Scalar::Int(64 - digits));
    let upper = two(b, Op::Binary(BinaryOp::Shr), bits, amount)?;
    let mask = scalar(b, DType::I64, Scalar::Int((1 << digits) - 1));
    let upper = two(b, Op::Binary(BinaryOp::And), upper, mask)?;
    let upper = b.op(Op::Cast, Attr::To(dtype), &[upper])?;
    let step = scalar(b, dtype, Scalar::Float(2f64.powi(-(digits as i32))));
    two(b, Op::Binary(BinaryOp::Mul), upper, step)
}

/// `low + part * (high - low)`, and `low` where that is rounded to `high`.
fn between(b: &mut Builder, part: ValueId, low: ValueId, high: ValueId) -> Result<ValueId, Unfit> {
    let width = two(b, Op::Binary(BinaryOp::Sub), high, low)?;
    let above = two(b, Op::Binary(BinaryOp::Mul), part, width)?;
    let number = two(b, Op::Binary(BinaryOp::Add), above, low)?;
    let below = two(b, Op::Compare(CompareOp::Lt), number, high)?;
    b.op(Op::Select, Attr::None, &[below, number, low])
}

/// Fails unless `low` is below `high`, for integers, or not above it: now if both are written in the program, else when the graph
/// runs.
fn check_order(b: &mut Builder, dtype: DType, [low, high]: [ValueId; 2]) -> Result<(), Unfit> {
    let (op, text) = match dtype.is_int() {
        true => (Op::Compare(CompareOp::Lt), "minval must be less than maxval"),
        false => (Op::Compare(CompareOp::Le), "minval must not be greater than maxval"),
    };
    if let (Some(low), Some(high)) = (written(b, low), written(b, high)) {
        let (low, high) = (low.cast(dtype), high.cast(dtype));
        let ordered = match dtype.is_int() {
            true => low.to_i64() < high.to_i64(),
            false => low.to_f64() <= high.to_f64(),
        };
        return if ordered { Ok(()) } else { Err(bad("call.bounds", text.to_owned())) };
    }
    let [low, high] = [cast(b, low, dtype)?, cast(b, high, dtype)?];
    let ordered = two(b, op, low, high)?;
    let ok = match b.ty(ordered).is_scalar() {
        true => ordered,
        false => reduce::reduce(b, ReduceOp::All, ordered, None, false)?.value,
    };
    let message =
        PrintFormat { pieces: vec![Piece::Text(text.to_owned())], stream: Stream::Stderr, summarize: None };
    b.effect(Op::Check, Attr::Check { kind: CheckKind::Value, message, limit: false }, &[ok]).map(drop)
}

/// Integers from `low` on and below `high`, which is known to be greater.
fn integers(
    b: &mut Builder,
    key: ValueId,
    positions: ValueId,
    [low, high]: [ValueId; 2],
    dtype: DType,
) -> Result<ValueId, Unfit> {
    let known = [low, high].map(|bound| written(b, bound).map(|bound| i128::from(bound.to_i64())));
    let narrow = match known {
        _ if dtype != DType::I64 => Some(true),
        [Some(low), Some(high)] => Some(high - low <= i128::from(NARROW)),
        [_, _] => None,
    };
    let [low, high] = [cast(b, low, DType::I64)?, cast(b, high, DType::I64)?];
    let width = wrapping(b, BinaryOp::Sub, high, low)?;
    let bits = b.op(BinaryOp::RandomBits, Attr::None, &[key, positions])?;
    let above = match narrow {
        Some(true) => rest(b, bits, width)?,
        Some(false) => part(b, key, positions, bits, width)?,
        None => {
            let [zero, most] = [0, NARROW].map(|n| scalar(b, DType::I64, Scalar::Int(n)));
            let [some, few] = [
                two(b, Op::Compare(CompareOp::Gt), width, zero)?,
                two(b, Op::Compare(CompareOp::Le), width, most)?,
            ];
            let is_narrow = two(b, Op::Binary(BinaryOp::And), some, few)?;
            let (rest, part) = (rest(b, bits, width)?, part(b, key, positions, bits, width)?);
            b.op(Op::Select, Attr::None, &[is_narrow, rest, part])?
        }
    };
    let number = wrapping(b, BinaryOp::Add, above, low)?;
    cast(b, number, dtype)
}

/// The rest of 63 bits when they are divided by a width.
fn rest(b: &mut Builder, bits: ValueId, width: ValueId) -> Result<ValueId, Unfit> {
    let most = scalar(b, DType::I64, Scalar::Int(i64::MAX));
    let bits = two(b, Op::Binary(BinaryOp::And), bits, most)?;
    two(b, Op::Binary(BinaryOp::Mod), bits, width)
}

/// A width times a number from 0 on and below 1 of 128 bits, rounded down, all without signs: each integer is as likely as any
/// other to one part in 2^64.
fn part(
    b: &mut Builder,
    key: ValueId,
    positions: ValueId,
    upper: ValueId,
    width: ValueId,
) -> Result<ValueId, Unfit> {
    let minus_one = scalar(b, DType::I64, Scalar::Int(-1));
    let others = wrapping(b, BinaryOp::Sub, minus_one, positions)?;
    let lower = b.op(BinaryOp::RandomBits, Attr::None, &[key, others])?;
    let (above, middle) = (upper_half(b, upper, width)?, wrapping(b, BinaryOp::Mul, upper, width)?);
    let below = upper_half(b, lower, width)?;
    let sum = wrapping(b, BinaryOp::Add, middle, below)?;
    let sign = scalar(b, DType::I64, Scalar::Int(i64::MIN));
    let [sum, middle] = [sum, middle].map(|half| wrapping(b, BinaryOp::Xor, half, sign));
    let overflows = two(b, Op::Compare(CompareOp::Lt), sum?, middle?)?;
    let carried = cast(b, overflows, DType::I64)?;
    wrapping(b, BinaryOp::Add, above, carried)
}

/// The upper 64 of the 128 bits of a product of integers without signs: of four products of halves.
fn upper_half(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId, Unfit> {
    let ([x_low, x_high], [y_low, y_high]) = (halves(b, x)?, halves(b, y)?);
    let low = wrapping(b, BinaryOp::Mul, x_low, y_low)?;
    let [_, carried] = halves(b, low)?;
    let first = wrapping(b, BinaryOp::Mul, x_high, y_low)?;
    let first = wrapping(b, BinaryOp::Add, first, carried)?;
    let [first, above] = halves(b, first)?;
    let second = wrapping(b, BinaryOp::Mul, x_low, y_high)?;
    let second = wrapping(b, BinaryOp::Add, second, first)?;
    let [_, second] = halves(b, second)?;
    let high = wrapping(b, BinaryOp::Mul, x_high, y_high)?;
    let high = wrapping(b, BinaryOp::Add, high, above)?;
    wrapping(b, BinaryOp::Add, high, second)
}

/// The lower and the upper 32 bits.
fn halves(b: &mut Builder, x: ValueId) -> Result<[ValueId; 2], Unfit> {
    let (mask, by) =
        (scalar(b, DType::I64, Scalar::Int(0xffff_ffff)), scalar(b, DType::I64, Scalar::Int(32)));
    let upper = wrapping(b, BinaryOp::Shr, x, by)?;
    Ok([wrapping(b, BinaryOp::And, x, mask)?, wrapping(b, BinaryOp::And, upper, mask)?])
}

/// An op on integers that keeps the lower 64 bits of its result.
fn wrapping(b: &mut Builder, op: impl Into<Op>, x: ValueId, y: ValueId) -> Result<ValueId, Unfit> {
    b.op(op, Attr::None, &[x, y])
}

/// Mean 0, standard deviation 1: Box and Muller's way from two even numbers to a normal one. In half precision it is computed
/// in single precision: of 2048 even numbers the tails would not come.
fn normal(b: &mut Builder, key: ValueId, positions: ValueId, dtype: DType) -> Result<ValueId, Unfit> {
    if dtype.register() != dtype {
        let made = normal(b, key, positions, dtype.register())?;
        return cast(b, made, dtype);
    }
    let [one, turn, minus_two] =
        [1.0, std::f64::consts::TAU, -2.0].map(|x| scalar(b, dtype, Scalar::Float(x)));
    let mut parts = [one; 2];
    let [first, two_] = [1, 2].map(|n| scalar(b, DType::I64, Scalar::Int(n)));
    let mut counter = two(b, Op::Binary(BinaryOp::Mul), positions, two_)?;
    for part in &mut parts {
        let bits = b.op(BinaryOp::RandomBits, Attr::None, &[key, counter])?;
        *part = fraction(b, bits, dtype)?;
        counter = two(b, Op::Binary(BinaryOp::Add), counter, first)?;
    }
    let above_zero = two(b, Op::Binary(BinaryOp::Sub), one, parts[0])?;
    let log = b.op(UnaryOp::Log, Attr::None, &[above_zero])?;
    let square = two(b, Op::Binary(BinaryOp::Mul), log, minus_two)?;
    let radius = b.op(UnaryOp::Sqrt, Attr::None, &[square])?;
    let angle = two(b, Op::Binary(BinaryOp::Mul), parts[1], turn)?;
    let height = b.op(UnaryOp::Cos, Attr::None, &[angle])?;
    two(b, Op::Binary(BinaryOp::Mul), radius, height)
}

fn two(b: &mut Builder, op: Op, x: ValueId, y: ValueId) -> Result<ValueId, Unfit> {
    elementwise::binary(b, op, Staged::strong(x), Staged::strong(y)).map(|made| made.value)
}

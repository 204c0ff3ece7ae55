//! Arrays of numbers at equal distances, and identity matrices.

use gw_ir::{BinaryOp, Builder, CompareOp, Unfit};
use gw_types::DType;

use super::sizes::{Size, counted, shaped};
use crate::Staged;
use crate::calls::elementwise::{binary, select, true_div};
use crate::calls::movement::expand_dims;
use crate::calls::source::full_like;
use crate::calls::steps::{Length, axis_of, cast, integer};

/// A call whose result is computed from lengths and ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grid {
    /// Ones on the diagonal of a matrix of zeros; operands: one scalar per `Length::Given`.
    Eye {
        /// Number of rows.
        rows: Length,
        /// Number of columns.
        columns: Length,
        /// Of what type.
        dtype: DType,
    },
    /// Numbers at equal distances along a new axis; operands: the first, the last, and one scalar for `Length::Given`.
    Linspace {
        /// Number of numbers.
        count: Length,
        /// Position of the new axis.
        axis: i64,
    },
}

pub(super) fn grid(b: &mut Builder, grid: &Grid, args: &[Staged]) -> Result<Staged, Unfit> {
    match grid {
        Grid::Eye { rows, columns, dtype } => {
            let mut given = args.iter().copied();
            let (rows, columns) = (Size::given(b, *rows, &mut given)?, Size::given(b, *columns, &mut given)?);
            eye(b, rows, columns, *dtype)
        }
        Grid::Linspace { count, axis } => {
            let count = Size::given(b, *count, &mut args[2..].iter().copied())?;
            linspace(b, args[0], args[1], count, *axis)
        }
    }
}

/// In a graph the lengths of ranges are not known before it runs, so known ones are said again.
pub(super) fn eye(b: &mut Builder, rows: Size, columns: Size, dtype: DType) -> Result<Staged, Unfit> {
    let row = counted(b, rows, None)?;
    let row = expand_dims(b, row.value, 1)?;
    let column = counted(b, columns, None)?;
    let hits = binary(b, CompareOp::Eq, row, column)?;
    let ones = cast(b, hits.value, dtype)?;
    if let (Size::Known(_), Size::Known(_)) = (rows, columns) {
        return shaped(b, ones, &[rows, columns]).map(Staged::strong);
    }
    Ok(Staged::strong(ones))
}

fn linspace(b: &mut Builder, start: Staged, stop: Staged, count: Size, axis: i64) -> Result<Staged, Unfit> {
    let span = binary(b, BinaryOp::Sub, stop, start)?;
    let own = b.ty(span.value).dtype;
    let dtype = if own.is_fractional() { own } else { DType::F64 };
    let zero = integer(b, 0);
    let zeros = full_like(b, span.value, zero, Some(dtype))?;
    let first = Staged::strong(cast(b, start.value, dtype)?);
    let first = binary(b, BinaryOp::Add, first, zeros)?;
    let span = Staged::strong(cast(b, span.value, dtype)?);
    let last = Staged::strong(cast(b, stop.value, dtype)?);
    let last = binary(b, BinaryOp::Add, last, zeros)?;
    let rank = b.ty(first.value).rank();
    let place = axis_of(axis, rank + 1)?;
    let parts = parts(b, count, dtype, rank - place)?;
    let beside = |b: &mut Builder, x: Staged| expand_dims(b, x.value, place as i64);
    let (from, over) = (beside(b, first)?, beside(b, span)?);
    let way = binary(b, BinaryOp::Mul, parts, over)?;
    let inner = binary(b, BinaryOp::Add, from, way)?;
    let one = integer(b, 1);
    let is_last = binary(b, CompareOp::Eq, parts, one)?;
    let last = beside(b, last)?;
    select(b, is_last, last, inner)
}

/// The numbers from 0 to 1 at equal distances, and so many axes of length 1 behind theirs.
fn parts(b: &mut Builder, count: Size, dtype: DType, axes: usize) -> Result<Staged, Unfit> {
    let numbers = counted(b, count, None)?;
    let steps = count.minus(b, Size::Known(1))?.at_least(b, Size::Known(1))?.operand(b);
    let numbers = Staged::strong(cast(b, numbers.value, dtype)?);
    let steps = Staged::strong(cast(b, steps.value, dtype)?);
    let mut parts = true_div(b, numbers, steps)?;
    for _ in 0..axes {
        parts = expand_dims(b, parts.value, -1)?;
    }
    Ok(parts)
}

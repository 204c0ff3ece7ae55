//! Copies of elements side by side and in a row: new axes of which each is repeated, joined with the axis beside it.

use gw_ir::{Builder, Unfit, ValueId};

use super::sizes::{Size, broadcast, shaped, sizes_of};
use crate::Staged;
use crate::calls::movement::expand_dims;
use crate::calls::steps::{Length, axis_of};

/// `[1, 2]`, twice, is `[1, 2, 1, 2]`.
pub(super) fn tile(
    b: &mut Builder,
    x: ValueId,
    times: &[Length],
    given: &mut impl Iterator<Item = Staged>,
) -> Result<ValueId, Unfit> {
    let own = sizes_of(b, x)?;
    let times = times.iter().map(|&one| Size::given(b, one, given)).collect::<Result<Vec<_>, _>>()?;
    let beside = |left: &[Size]| left.iter().zip(&own).flat_map(|(&a, &b)| [a, b]).collect::<Vec<_>>();
    let apart = shaped(b, x, &beside(&vec![Size::Known(1); own.len()]))?;
    let wide = broadcast(b, apart, &beside(&times))?;
    let joined =
        times.iter().zip(&own).map(|(one, &other)| one.times(b, other)).collect::<Result<Vec<_>, _>>()?;
    shaped(b, wide, &joined)
}

/// `[1, 2]`, twice, is `[1, 1, 2, 2]`.
pub(super) fn repeat(
    b: &mut Builder,
    x: ValueId,
    axis: i64,
    times: Length,
    given: &mut impl Iterator<Item = Staged>,
) -> Result<ValueId, Unfit> {
    let (own, times) = (sizes_of(b, x)?, Size::given(b, times, given)?);
    let axis = axis_of(axis, own.len())?;
    let apart = expand_dims(b, x, axis as i64 + 1)?;
    let (before, behind) = own.split_at(axis + 1);
    let wide = broadcast(b, apart.value, &[before, &[times], behind].concat())?;
    let long = own[axis].times(b, times)?;
    shaped(b, wide, &[&own[..axis], &[long], behind].concat())
}

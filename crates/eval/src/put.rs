//! `x[places] = value`, one place after the other.

use gw_ir::{Attr, AxisSlice, Bound, Keep, Place};
use gw_types::{DType, Scalar};

use crate::array::{Array, indices};
use crate::fault::misused;
use crate::moves::position;
use crate::{EvalError, elementwise as el};

/// Positions written on one axis: those that belong to the shared axes of the indices, or those of a slice.
enum Along {
    At(Array),
    Slice { start: usize, step: i64 },
}

/// The places are gone through in row-major order: the shared axes of the indices first, then one axis per slice.
pub(crate) fn put(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let Attr::Places { places, keep } = attr else { return Err(misused(attr)) };
    let [x, value] = [args[0], args[1]];
    let mut along = Vec::new();
    let mut counts = Vec::new();
    for (place, &length) in places.iter().zip(&x.lengths) {
        along.push(match place {
            Place::At(at) => Along::At(positions(args[*at], length)?),
            Place::Slice(slice) => {
                let (start, count) = span(slice, length, args);
                counts.push(count);
                Along::Slice { start, step: slice.step }
            }
        });
    }
    let shared = shared_lengths(&along)?;
    let rank = shared.len();
    let picked: Vec<usize> = shared.into_iter().chain(counts).collect();
    judge_fits(value, &picked)?;
    let mut out = x.clone();
    for index in indices(&picked) {
        let mut sliced = index[rank..].iter();
        let to = along.iter().map(|along| match along {
            Along::At(positions) => positions.at(&index[..positions.lengths.len()]).to_index() as usize,
            Along::Slice { start, step } => {
                let number = sliced.next().copied().unwrap_or(0);
                (*start as i64 + number as i64 * step) as usize
            }
        });
        let to: Vec<usize> = to.collect();
        let kept = kept(*keep, out.at(&to), value.stretched_at(&index));
        out.set(&to, kept);
    }
    Ok(out)
}

fn kept(keep: Keep, old: Scalar, new: Scalar) -> Scalar {
    match keep {
        Keep::Last => new,
        Keep::Sum => el::arithmetic(old, new, i64::wrapping_add, |x, y| x + y),
        Keep::Product => el::arithmetic(old, new, i64::wrapping_mul, |x, y| x * y),
        Keep::Least => el::min(old, new),
        Keep::Greatest => el::max(old, new),
    }
}

fn positions(indices: &Array, length: usize) -> Result<Array, EvalError> {
    let place = |i: &Scalar| position(i.to_index(), length).map(|place| Scalar::Int(place as i64));
    let places = indices.elements.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    Ok(Array::new(DType::I64, indices.lengths.clone(), places))
}

fn span(slice: &AxisSlice, length: usize, args: &[&Array]) -> (usize, usize) {
    let bound = |bound| match bound {
        Bound::Open => None,
        Bound::Fixed(at) => Some(at),
        Bound::Arg(at) => Some(args[at].first().to_index()),
    };
    AxisSlice::span(length, bound(slice.start), bound(slice.stop), slice.step)
}

/// The lengths that indices with axes have in common.
fn shared_lengths(along: &[Along]) -> Result<Vec<usize>, EvalError> {
    let mut lengths = along.iter().filter_map(|along| match along {
        Along::At(positions) if !positions.lengths.is_empty() => Some(&positions.lengths),
        Along::At(_) | Along::Slice { .. } => None,
    });
    let first = lengths.next().cloned().unwrap_or_default();
    match lengths.find(|other| **other != first) {
        Some(other) => Err(EvalError::shapes(format!("indices of lengths {first:?} and {other:?}"))),
        None => Ok(first),
    }
}

fn judge_fits(value: &Array, picked: &[usize]) -> Result<(), EvalError> {
    let pairs = value.lengths.iter().rev().zip(picked.iter().rev());
    match pairs.into_iter().find(|&(&own, &to)| own != 1 && own != to) {
        Some((own, to)) => Err(EvalError::shapes(format!("cannot store length {own} in {to} places"))),
        None => Ok(()),
    }
}

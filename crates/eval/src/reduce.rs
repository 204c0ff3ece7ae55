//! Reductions: whole axes are folded, in order.

use gw_ir::Attr;
use gw_types::{DType, Kind, Scalar, Text};

use crate::array::{Array, indices};
use crate::elementwise::{arithmetic, is_nan, less, max, min, order};
use crate::fault::misused;
use crate::{EvalError, Failure};

/// Of nothing 0; floats are added in double precision and rounded once.
pub(crate) fn sum(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let add = |x, y| arithmetic(x, y, i64::wrapping_add, |x, y| x + y);
    reduce(attr, args[0], Scalar::Int(0).cast(args[0].dtype), add)
}

/// Of nothing 1; floats are multiplied in double precision and rounded once.
pub(crate) fn product(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let multiply = |x, y| arithmetic(x, y, i64::wrapping_mul, |x, y| x * y);
    reduce(attr, args[0], Scalar::Int(1).cast(args[0].dtype), multiply)
}

/// Of nothing the least value of the dtype.
pub(crate) fn greatest(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    reduce(attr, args[0], least_of(args[0].dtype), |so_far, x| max(x, so_far))
}

/// Of nothing the greatest value of the dtype.
pub(crate) fn least(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    reduce(attr, args[0], greatest_of(args[0].dtype), |so_far, x| min(x, so_far))
}

/// Of nothing true.
pub(crate) fn all(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    reduce(attr, args[0], Scalar::Bool(true), |x, y| Scalar::Bool(x.to_bool() && y.to_bool()))
}

/// Of nothing false.
pub(crate) fn any(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    reduce(attr, args[0], Scalar::Bool(false), |x, y| Scalar::Bool(x.to_bool() || y.to_bool()))
}

/// Position of the first greatest; the first NaN wins.
pub(crate) fn arg_max(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    position(attr, args[0], |new, old| less(old, new))
}

/// Position of the first least; the first NaN wins.
pub(crate) fn arg_min(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    position(attr, args[0], less)
}

/// Positions along the last axis in ascending order; equal elements keep theirs, NaN comes last.
pub(crate) fn arg_sort(_: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    Ok(in_order(args[0], usize::MAX, ascending))
}

/// Elements of the last axis in ascending order; equal elements keep theirs, NaN comes last.
pub(crate) fn sort(_: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let x = args[0];
    let length = x.lengths.last().copied().unwrap_or(1).max(1);
    let places = in_order(x, usize::MAX, ascending);
    let of = |(at, place): (usize, &Scalar)| x.elements[at / length * length + place.to_i64() as usize];
    let elements: Vec<Scalar> = places.elements.iter().enumerate().map(of).collect();
    Ok(Array::new(x.dtype, x.lengths.clone(), elements))
}

/// Positions of the greatest elements of the last axis, from the greatest down; equal elements keep theirs, NaN is first.
pub(crate) fn arg_top(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let (&Attr::Count(count), x) = (attr, args[0]) else { return Err(misused(attr)) };
    if x.lengths.last().is_none_or(|&length| length < count) {
        return Err(EvalError::shapes(format!("an axis has no {count} greatest elements")));
    }
    Ok(in_order(x, count, |x, y| ascending(y, x)))
}

/// The first positions along the last axis in an order, at most so many; elements that the order does not tell apart keep
/// theirs.
fn in_order(x: &Array, most: usize, order: impl Fn(Scalar, Scalar) -> std::cmp::Ordering) -> Array {
    let (&length, rows) = x.lengths.split_last().expect("there is an axis");
    let mut elements = Vec::new();
    for mut index in indices(rows) {
        index.push(0);
        let row = (0..length).map(|at| {
            index[rows.len()] = at;
            x.at(&index)
        });
        let row: Vec<Scalar> = row.collect();
        let mut places: Vec<usize> = (0..length).collect();
        places.sort_by(|&a, &b| order(row[a], row[b]));
        elements.extend(places.into_iter().take(most).map(|place| Scalar::Int(place as i64)));
    }
    let lengths = [rows, &[length.min(most)]].concat();
    Array::new(DType::I64, lengths, elements)
}

fn ascending(x: Scalar, y: Scalar) -> std::cmp::Ordering {
    order(x, y).unwrap_or_else(|| is_nan(x).cmp(&is_nan(y)))
}

fn reduce(
    attr: &Attr,
    x: &Array,
    empty: Scalar,
    f: impl Fn(Scalar, Scalar) -> Scalar,
) -> Result<Array, EvalError> {
    let Attr::Axes { axes, keep } = attr else { return Err(misused(attr)) };
    Ok(fold_axes(x, axes, *keep, x.dtype, |group| group.iter().copied().fold(empty, &f)))
}

fn position(attr: &Attr, x: &Array, beats: impl Fn(Scalar, Scalar) -> bool) -> Result<Array, EvalError> {
    let Attr::Axis(axis) = attr else { return Err(misused(attr)) };
    if x.lengths[*axis] == 0 {
        let message = format!("axis {axis} has no elements to choose from");
        return Err(EvalError::new(Failure::Value, message));
    }
    let better = |new: Scalar, old: Scalar| !is_nan(old) && (is_nan(new) || beats(new, old));
    let first = |group: &[Scalar]| {
        let best =
            (1..group.len()).fold(0, |best, at| if better(group[at], group[best]) { at } else { best });
        Scalar::Int(best as i64)
    };
    Ok(fold_axes(x, &[*axis], false, DType::I64, first))
}

fn fold_axes(x: &Array, axes: &[usize], keep: bool, to: DType, fold: impl Fn(&[Scalar]) -> Scalar) -> Array {
    let folded: Vec<usize> = axes.iter().map(|&axis| x.lengths[axis]).collect();
    let short: Vec<usize> =
        x.lengths.iter().enumerate().map(|(axis, &n)| if axes.contains(&axis) { 1 } else { n }).collect();
    let elements = indices(&short).map(|mut index| {
        let group: Vec<Scalar> = indices(&folded)
            .map(|at| {
                axes.iter().zip(at).for_each(|(&axis, i)| index[axis] = i);
                x.at(&index)
            })
            .collect();
        fold(&group)
    });
    let elements: Vec<Scalar> = elements.collect();
    let kept = short.iter().enumerate().filter(|(axis, _)| keep || !axes.contains(axis));
    let lengths = kept.map(|(_, &n)| n).collect();
    Array::new(to, lengths, elements)
}

fn least_of(dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Bool => Scalar::Bool(false),
        Kind::Int => Scalar::wrapped(dtype, dtype.ends().map_or(0, |ends| ends.0)),
        Kind::Float | Kind::Complex => Scalar::Float(f64::NEG_INFINITY),
        Kind::Text => Scalar::Text(Text::EMPTY),
    }
}

fn greatest_of(dtype: DType) -> Scalar {
    match dtype.kind() {
        Kind::Bool => Scalar::Bool(true),
        Kind::Int => Scalar::wrapped(dtype, dtype.ends().map_or(0, |ends| ends.1)),
        Kind::Float | Kind::Complex => Scalar::Float(f64::INFINITY),
        Kind::Text => Scalar::Text(Text::EMPTY),
    }
}

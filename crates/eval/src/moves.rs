//! Ops that move elements without computing on them.

use gw_ir::{Attr, AxisSlice, Bound, DimArg};
use gw_types::{DType, Scalar};

use crate::array::Array;
use crate::fault::misused;
use crate::{EvalError, Failure};

/// The same elements in other axes.
pub(crate) fn reshape(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let Attr::Dims(dims) = attr else { return Err(misused(attr)) };
    let x = args[0];
    let mut lengths = dims.iter().map(|dim| length(args, *dim)).collect::<Result<Vec<_>, _>>()?;
    let known = lengths.iter().flatten().try_fold(1usize, |size, &n| size.checked_mul(n));
    let size = x.elements.len();
    let misfit = || {
        let wanted: Vec<String> =
            lengths.iter().map(|n| n.map_or("-1".to_owned(), |n| n.to_string())).collect();
        EvalError::shapes(format!("cannot reshape {} elements to [{}]", size, wanted.join(",")))
    };
    let known = known.ok_or_else(misfit)?;
    let rest = lengths.contains(&None);
    if (rest && (known == 0 || !size.is_multiple_of(known))) || (!rest && known != size) {
        return Err(misfit());
    }
    lengths.iter_mut().for_each(|n| *n = n.or(size.checked_div(known)));
    let lengths = lengths.into_iter().flatten().collect();
    Ok(Array::new(x.dtype, lengths, x.elements.iter().copied()))
}

/// Axes of length 1 are repeated, and axes are added in front.
pub(crate) fn broadcast_to(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let Attr::Dims(dims) = attr else { return Err(misused(attr)) };
    let x = args[0];
    let lengths = dims.iter().map(|dim| length(args, *dim)).collect::<Result<Vec<_>, _>>()?;
    let lengths: Vec<usize> = lengths.into_iter().flatten().collect();
    let own = &lengths[lengths.len() - x.lengths.len()..];
    if let Some((n, to)) = x.lengths.iter().zip(own).find(|&(&n, to)| n != 1 && n != *to) {
        return Err(EvalError::shapes(format!("cannot broadcast length {n} to {to}")));
    }
    Ok(Array::build(x.dtype, lengths, |index| x.stretched_at(index)))
}

/// `None` is what is left over.
fn length(args: &[&Array], dim: DimArg) -> Result<Option<usize>, EvalError> {
    match dim {
        DimArg::Fixed(n) => Ok(Some(n)),
        DimArg::Rest => Ok(None),
        DimArg::Arg(at) => {
            let n = args[at].first().to_index();
            let negative = |_| EvalError::shapes(format!("a length cannot be {n}"));
            usize::try_from(n).map(Some).map_err(negative)
        }
    }
}

/// Axis `i` of the result is axis `perm[i]` of the operand.
pub(crate) fn transpose(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let (Attr::Perm(perm), x) = (attr, args[0]) else { return Err(misused(attr)) };
    let lengths = perm.iter().map(|&axis| x.lengths[axis]).collect();
    Ok(Array::build(x.dtype, lengths, |index| {
        let mut at = vec![0; index.len()];
        perm.iter().zip(index).for_each(|(&axis, &i)| at[axis] = i);
        x.at(&at)
    }))
}

/// Python's `x[start:stop:step]` on each axis.
pub(crate) fn slice(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let (Attr::Slices(slices), x) = (attr, args[0]) else { return Err(misused(attr)) };
    let bound = |bound| match bound {
        Bound::Open => None,
        Bound::Fixed(at) => Some(at),
        Bound::Arg(at) => Some(args[at].first().to_index()),
    };
    let axes = x.lengths.iter().zip(slices);
    let spans: Vec<(usize, usize)> =
        axes.map(|(&n, by)| AxisSlice::span(n, bound(by.start), bound(by.stop), by.step)).collect();
    let lengths = spans.iter().map(|&(_, count)| count).collect();
    Ok(Array::build(x.dtype, lengths, |index| {
        let axes = index.iter().zip(&spans).zip(slices);
        let at: Vec<usize> =
            axes.map(|((&i, &(start, _)), by)| (start as i64 + i as i64 * by.step) as usize).collect();
        x.at(&at)
    }))
}

/// `out[…, j, …] = x[…, indices[j], …]`, negative indices from the end; a scalar index drops the axis.
pub(crate) fn gather(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let &Attr::Axis(axis) = attr else { return Err(misused(attr)) };
    let [x, indices] = [args[0], args[1]];
    let length = x.lengths[axis];
    let place = |i: &Scalar| position(i.to_index(), length).map(|place| Scalar::Int(place as i64));
    let places = indices.elements.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let places = Array::new(DType::I64, indices.lengths.clone(), places);
    let mut lengths = x.lengths.clone();
    lengths.splice(axis..=axis, indices.lengths.iter().copied());
    let rank = indices.lengths.len();
    Ok(Array::build(x.dtype, lengths, |index| {
        let mut at = index.to_vec();
        let place = places.at(&index[axis..axis + rank]).to_index() as usize;
        at.splice(axis..axis + rank, [place]);
        x.at(&at)
    }))
}

pub(crate) fn position(i: i64, length: usize) -> Result<usize, EvalError> {
    let from_start = if i < 0 { i.checked_add(length as i64) } else { Some(i) };
    let inside = from_start.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < length);
    let message = || format!("index {i} is out of range for an axis of length {length}");
    inside.ok_or_else(|| EvalError::new(Failure::IndexOutOfRange, message()))
}

/// Joins along an axis; the other lengths agree.
pub(crate) fn concat(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let &Attr::Axis(axis) = attr else { return Err(misused(attr)) };
    let mut lengths = args[0].lengths.clone();
    for other in &args[1..] {
        let axes = lengths.iter().zip(&other.lengths).enumerate();
        if let Some((_, (m, n))) = axes.into_iter().find(|&(at, (m, n))| at != axis && m != n) {
            return Err(EvalError::shapes(format!("cannot join lengths {m} and {n}")));
        }
    }
    lengths[axis] = args.iter().map(|x| x.lengths[axis]).sum();
    Ok(Array::build(args[0].dtype, lengths, |index| {
        let mut at = index.to_vec();
        let mut args = args.iter();
        let mut part = args.next().expect("at least one operand");
        while at[axis] >= part.lengths[axis] {
            at[axis] -= part.lengths[axis];
            part = args.next().expect("the lengths add up");
        }
        part.at(&at)
    }))
}

//! `x[…] = value` with numbers, slices, `...`, `None`, integer tensors and bool masks, as NumPy reads them.
//!
//! *Advanced* entries are integer tensors with axes and the numbers beside them. They are read together, and the places
//! have one group of axes for all of them: where the first one stands if nothing stands between them, else in front.

use gw_base::Code;
use gw_ir::{Attr, AxisSlice, BinaryOp, Bound, Builder, CheckKind, CompareOp, DimArg, Keep, Op, Piece};
use gw_ir::{Place, PrintFormat, Stream, Unfit, ValueId};
use gw_types::{DType, Dim, Promotion, Scalar};

use super::advanced;
use super::elementwise::fails_unless;
use super::entries::{End, Item, are_neighbours, in_range, spelled_out};
use super::masks::{self, has_mask};
use super::meeting::converted;
use super::steps::{as_place, bad, cast, lengths_of, reshape, scalar, written};
use crate::Staged;
use crate::exceptions::{inside, length};

/// One axis, or several, of the places as NumPy orders them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axes {
    /// Those of the advanced entries.
    Group(usize),
    /// That of a slice.
    Slice,
    /// `None`
    New,
}

pub(super) fn store(b: &mut Builder, items: &[Item], args: &[Staged]) -> Result<Staged, Unfit> {
    let x = args[0].value;
    let given: Vec<ValueId> = args[2..].iter().map(|a| a.value).collect();
    if given.iter().all(|&index| b.ty(index).is_scalar()) {
        if may_not_fit(b, x, args[1]) {
            check_places(b, items, x, &given)?;
        }
        check_integer(b, x, args[1])?;
    }
    let value = stored(b, x, args[1])?;
    let is_whole = items.iter().all(|item| matches!(item, Item::Ellipsis));
    if b.ty(x).is_scalar() && is_whole && b.ty(value).is_scalar() {
        return Ok(Staged::strong(value));
    }
    if has_mask(b, &given) {
        return match masked(b, items, x, value, &given)? {
            Some(chosen) => Ok(Staged::strong(chosen)),
            None => at_positions(b, items, x, value, &given),
        };
    }
    stored_at(b, items, x, value, given).map(Staged::strong)
}

/// A store through masks of values in the order of the places: at the positions at which these are true.
fn at_positions(
    b: &mut Builder,
    items: &[Item],
    x: ValueId,
    value: ValueId,
    given: &[ValueId],
) -> Result<Staged, Unfit> {
    let resolved = masks::resolve(b, items, x, given)?;
    let after = stored_at(b, items, resolved.x, value, resolved.given)?;
    let (dims, operands) = lengths_of(b, x, 1)?;
    reshape(b, after, dims, &operands).map(Staged::strong)
}

/// A store without masks.
fn stored_at(
    b: &mut Builder,
    items: &[Item],
    x: ValueId,
    value: ValueId,
    given: Vec<ValueId>,
) -> Result<ValueId, Unfit> {
    let apart = !are_neighbours(items);
    let items = spelled_out(items, b.ty(x).rank())?;
    let mut given = together(b, given)?.into_iter();
    let mut next = || given.next().expect("one operand per entry");
    let (mut places, mut operands, mut axes) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::At(i) => {
                in_range(b, x, places.len(), places.len(), i)?;
                operands.push(scalar(b, DType::I64, Scalar::Int(i)));
                places.push(Place::At(1 + operands.len()));
                axes.push(Axes::Group(0));
            }
            Item::Given => {
                let index = next();
                judge_index(b, index)?;
                operands.push(index);
                places.push(Place::At(1 + operands.len()));
                axes.push(Axes::Group(b.ty(index).rank()));
            }
            Item::Slice(start, stop, step) => {
                let mut end = |e: End| bound(b, e, &mut next, &mut operands);
                places.push(Place::Slice(AxisSlice { start: end(start)?, stop: end(stop)?, step }));
                axes.push(Axes::Slice);
            }
            Item::NewAxis => axes.push(Axes::New),
            Item::Ellipsis => {}
        }
    }
    let value = laid_out(b, value, &ordered(axes, apart))?;
    let all: Vec<ValueId> = [x, value].into_iter().chain(operands).collect();
    b.op(Op::Put, Attr::Places { places, keep: Keep::Last }, &all)
}

/// Stores the slices that `indices` name by their last axis; operands `x, indices, updates`.
pub(super) fn scatter_nd(b: &mut Builder, keep: Keep, args: &[Staged]) -> Result<Staged, Unfit> {
    let [x, indices] = [args[0].value, args[1].value];
    let value = stored(b, x, args[2])?;
    let (numbers, rank) = (numbers(b, x, indices)?, b.ty(x).rank());
    let depth = numbers.len();
    let all: Vec<_> = [x, value].into_iter().chain(numbers).collect();
    let named = (0..depth).map(|at| Place::At(2 + at));
    let places = named.chain(std::iter::repeat_n(Place::Slice(AxisSlice::ALL), rank - depth)).collect();
    b.op(Op::Put, Attr::Places { places, keep }, &all).map(Staged::strong)
}

/// The slices at the numbers that the last axis of the indices speaks of.
pub(super) fn gather_nd(b: &mut Builder, x: ValueId, indices: ValueId) -> Result<Staged, Unfit> {
    let numbers = numbers(b, x, indices)?;
    advanced::at_numbers(b, x, numbers).map(Staged::strong)
}

/// The numbers along each axis that the last axis of the indices speaks of.
fn numbers(b: &mut Builder, x: ValueId, indices: ValueId) -> Result<Vec<ValueId>, Unfit> {
    judge_index(b, indices)?;
    let (shape, rank) = (b.ty(indices).shape.clone(), b.ty(x).rank());
    let Some(&Dim::Fixed(depth)) = shape.0.last() else {
        return Err(bad("call.scatter", "the last axis of the indices must have a known length".to_owned()));
    };
    if depth > rank {
        let message = format!("indices of {depth} numbers for a tensor of {rank} axes");
        return Err(Unfit { clause: "call.scatter", code: Code::WrongShape, message });
    }
    let number = |at| {
        let at = scalar(b, DType::I64, Scalar::Int(at as i64));
        b.op(Op::Index, Attr::Axis(shape.rank() - 1), &[indices, at])
    };
    (0..depth).map(number).collect()
}

/// The value in the type of `x`, cast as NumPy casts what is assigned.
fn stored(b: &mut Builder, x: ValueId, value: Staged) -> Result<ValueId, Unfit> {
    let (wanted, found) = (b.ty(x).dtype, b.ty(value.value).dtype);
    if value.weak.is_none() && b.promotion().join(wanted, found).is_none() {
        let (wanted, found) = (wanted.python_name(), found.python_name());
        let message = format!("cannot store {found} into a tensor of {wanted}; convert it with `gw.cast`");
        return Err(Unfit { clause: "call.store", code: Code::DTypesDiffer, message });
    }
    if wanted.is_int() && found.is_float() && b.ty(value.value).is_scalar() {
        check_number(b, value, wanted)?;
    }
    converted(b, value, wanted)
}

/// True if a single number may be refused by an array of integers.
fn may_not_fit(b: &Builder, x: ValueId, value: Staged) -> bool {
    let (wanted, found) = (b.ty(x).dtype, b.ty(value.value).dtype);
    wanted.is_int() && wanted != found && b.ty(value.value).is_scalar() && written(b, value.value).is_none()
}

/// Single indices are judged before the value is, as NumPy does.
fn check_places(b: &mut Builder, items: &[Item], x: ValueId, given: &[ValueId]) -> Result<(), Unfit> {
    let mut given = given.iter().copied();
    let mut axis = 0;
    for item in spelled_out(items, b.ty(x).rank())? {
        match item {
            Item::At(i) => in_range(b, x, axis, axis, i)?,
            Item::Given => given.next().map_or(Ok(()), |index| check_index(b, x, axis, index))?,
            Item::Slice(start, stop, _) => {
                given
                    .by_ref()
                    .take([start, stop].iter().filter(|end| **end == End::Given).count())
                    .for_each(drop);
            }
            Item::NewAxis | Item::Ellipsis => continue,
        }
        axis += 1;
    }
    Ok(())
}

/// Fails unless an index is inside of an axis.
fn check_index(b: &mut Builder, x: ValueId, axis: usize, index: ValueId) -> Result<(), Unfit> {
    judge_index(b, index)?;
    let (Some(ok), Some(length)) = (inside(b, x, axis, index), length(b, (x, axis))) else { return Ok(()) };
    let text = |text: String| Piece::Text(text);
    let of = text(format!(" is out of bounds for axis {axis} with size "));
    let pieces = vec![text("index ".to_owned()), Piece::Python(1), of, Piece::Python(2)];
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    b.effect(Op::Check, Attr::Check { kind: CheckKind::Index, message, limit: false }, &[ok, index, length])
}

/// A single integer that an array of integers with signs takes has to be one of them, unless arrays of indices say where, as
/// NumPy has it: what an array without signs takes wraps.
fn check_integer(b: &mut Builder, x: ValueId, value: Staged) -> Result<(), Unfit> {
    let (wanted, found) = (b.ty(x).dtype, b.ty(value.value).dtype);
    let is_checked = wanted.is_int() && !wanted.is_unsigned() && found.is_int() && value.weak.is_none();
    let (Some(inner), Some(outer)) = (wanted.ends(), found.ends()) else { return Ok(()) };
    if !is_checked || !b.ty(value.value).is_scalar() || b.promotion() == Promotion::Strict {
        return Ok(());
    }
    let message = format!("this integer is out of bounds for {}", wanted.python_name());
    let sides = [(CompareOp::Ge, inner.0, outer.0 < inner.0), (CompareOp::Le, inner.1, outer.1 > inner.1)];
    for (op, end, _) in sides.into_iter().filter(|side| side.2) {
        let Ok(end) = i64::try_from(end) else { continue };
        let end = scalar(b, DType::I64, Scalar::Int(end));
        let end = cast(b, end, found)?;
        let ok = b.op(op, Attr::None, &[value.value, end])?;
        fails_unless(b, ok, (CheckKind::Overflow, &message), false)?;
    }
    Ok(())
}

/// A single float that an array of integers takes has to be one of them but for its fraction, as where NumPy stores it. In
/// integers without a sign NumPy stores an element of another array whatever it is, with a warning: there the check is a limit, which no
/// handler sees.
fn check_number(b: &mut Builder, value: Staged, wanted: DType) -> Result<(), Unfit> {
    let (x, is_limit) = (value.value, value.weak.is_none() && wanted.is_unsigned());
    if written(b, x).is_some() || b.promotion() == Promotion::Strict {
        return Ok(());
    }
    let x = cast(b, x, DType::F64)?;
    let ok = b.op(CompareOp::Eq, Attr::None, &[x, x])?;
    fails_unless(b, ok, (CheckKind::Value, "cannot convert float NaN to integer"), is_limit)?;
    let Some((least, end)) = wanted.cut_ends() else { return Ok(()) };
    let [below, above] = [least, end].map(|bound| scalar(b, DType::F64, Scalar::Float(bound)));
    let low = b.op(CompareOp::Ge, Attr::None, &[x, below])?;
    let high = b.op(CompareOp::Lt, Attr::None, &[x, above])?;
    let ok = b.op(BinaryOp::And, Attr::None, &[low, high])?;
    let message = format!("this float is out of range for {}", wanted.python_name());
    fails_unless(b, ok, (CheckKind::Overflow, &message), is_limit)
}

fn judge_index(b: &Builder, index: ValueId) -> Result<(), Unfit> {
    let dtype = b.ty(index).dtype;
    if dtype.is_int() {
        return Ok(());
    }
    let message = format!("a tensor of `{}` is not an index; use integers", dtype.python_name());
    Err(Unfit { clause: "call.store", code: Code::IndexPastEnd, message })
}

/// Indices of different known shapes are repeated to the shape that they share.
fn together(b: &mut Builder, given: Vec<ValueId>) -> Result<Vec<ValueId>, Unfit> {
    let shapes: Vec<_> = given.iter().map(|&g| b.ty(g).shape.clone()).filter(|s| s.rank() > 0).collect();
    let lengths = |s: &gw_types::Shape| s.0.iter().map(|d| d.fixed()).collect::<Option<Vec<_>>>();
    let Some(known) = shapes.iter().map(lengths).collect::<Option<Vec<_>>>() else {
        return stretched(b, given);
    };
    let rank = known.iter().map(Vec::len).max().unwrap_or(0);
    let length = |from_end: usize| {
        let mut lengths = known.iter().filter_map(|s| s.iter().rev().nth(from_end));
        lengths.clone().find(|n| **n != 1).or_else(|| lengths.next()).copied().unwrap_or(1)
    };
    let shared: Vec<usize> = (0..rank).rev().map(length).collect();
    if known.iter().all(|s| *s == shared) {
        return Ok(given);
    }
    let dims: Vec<_> = shared.into_iter().map(DimArg::Fixed).collect();
    let stretched = |g: ValueId| match b.ty(g).rank() {
        0 => Ok(g),
        _ => b
            .op(Op::Broadcast, Attr::Dims(dims.clone()), &[g])
            .map_err(|unfit| Unfit { code: Code::IndexPastEnd, ..unfit }),
    };
    given.into_iter().map(stretched).collect()
}

/// The same of lengths that are known when the graph runs: each index has nothing of all others added.
fn stretched(b: &mut Builder, given: Vec<ValueId>) -> Result<Vec<ValueId>, Unfit> {
    let arrays: Vec<ValueId> = given.iter().copied().filter(|&g| b.ty(g).rank() > 0).collect();
    if arrays.windows(2).all(|pair| b.ty(pair[0]).shape == b.ty(pair[1]).shape) {
        return Ok(given);
    }
    let zero = scalar(b, DType::I64, Scalar::Int(0));
    let mut nothing = zero;
    for index in arrays {
        let wide = as_place(b, index)?;
        let none = b.op(BinaryOp::And, Attr::None, &[wide, zero])?;
        nothing = b.op(BinaryOp::Add, Attr::None, &[nothing, none])?;
    }
    let with_nothing = |g: ValueId| match b.ty(g).rank() {
        0 => Ok(g),
        _ => {
            let wide = as_place(b, g)?;
            b.op(BinaryOp::Add, Attr::None, &[wide, nothing])
        }
    };
    given.into_iter().map(with_nothing).collect()
}

fn bound(
    b: &mut Builder,
    end: End,
    next: &mut impl FnMut() -> ValueId,
    operands: &mut Vec<ValueId>,
) -> Result<Bound, Unfit> {
    match end {
        End::Open => Ok(Bound::Open),
        End::At(i) => Ok(Bound::Fixed(i)),
        End::Given => {
            operands.push(as_place(b, next())?);
            Ok(Bound::Arg(1 + operands.len()))
        }
    }
}

/// The axes of the places in NumPy's order, the group once: in front if the advanced entries are apart.
fn ordered(axes: Vec<Axes>, apart: bool) -> Vec<Axes> {
    let group = axes.iter().map(|a| if let Axes::Group(rank) = a { *rank } else { 0 }).max().unwrap_or(0);
    let grouped = |a: &Axes| matches!(a, Axes::Group(_));
    let first = axes.iter().position(grouped).filter(|_| group > 0);
    let mut out = Vec::new();
    for (at, axis) in axes.iter().enumerate() {
        if Some(at) == first && !apart {
            out.push(Axes::Group(group));
        }
        if !grouped(axis) {
            out.push(*axis);
        }
    }
    if apart && first.is_some() {
        out.insert(0, Axes::Group(group));
    }
    out
}

/// The value with its axes as `put` wants them: those of the group first, none for `None`.
fn laid_out(b: &mut Builder, value: ValueId, axes: &[Axes]) -> Result<ValueId, Unfit> {
    let one_each = |axis: &Axes| match axis {
        Axes::Group(rank) => vec![Axes::Group(1); *rank],
        Axes::Slice | Axes::New => vec![*axis],
    };
    let axes: Vec<Axes> = axes.iter().flat_map(one_each).collect();
    let value = without_ones(b, value, &axes)?;
    let axes: Vec<Axes> = axes.into_iter().filter(|axis| *axis != Axes::New).collect();
    let rank = b.ty(value).rank();
    let group: Vec<usize> = (0..axes.len()).filter(|&at| axes[at] != Axes::Slice).collect();
    let in_place = group.iter().enumerate().all(|(at, &axis)| at == axis);
    if in_place || group.last().is_none_or(|&last| last + rank < axes.len()) {
        return Ok(value);
    }
    let (mut dims, operands) = lengths_of(b, value, 1)?;
    dims.splice(0..0, std::iter::repeat_n(DimArg::Fixed(1), axes.len() - rank));
    let full = reshape(b, value, dims, &operands)?;
    let rest = (0..axes.len()).filter(|at| !group.contains(at));
    let perm = group.iter().copied().chain(rest).collect();
    b.op(Op::Transpose, Attr::Perm(perm), &[full])
}

/// The value without the axes that stand for `None`, and without those in front of the places; all have length 1.
fn without_ones(b: &mut Builder, value: ValueId, axes: &[Axes]) -> Result<ValueId, Unfit> {
    let shape = b.ty(value).shape.clone();
    let gone = |at: usize| {
        let from_end = shape.rank() - at;
        from_end > axes.len() || axes[axes.len() - from_end] == Axes::New
    };
    let gone: Vec<usize> = (0..shape.rank()).filter(|&at| gone(at)).collect();
    if gone.is_empty() {
        return Ok(value);
    }
    let other = |at: &usize| shape.0[*at] != Dim::Fixed(1);
    if gone.iter().any(other) {
        let message = format!("a value of shape {shape} has more axes than the places it is stored into");
        let is_known = gone.iter().filter(|at| other(at)).any(|&at| shape.0[at].fixed().is_some());
        let code = if is_known { Code::WrongShape } else { Code::BadArgument };
        return Err(Unfit { clause: "call.store", code, message });
    }
    let gone: Vec<i64> = gone.into_iter().map(|at| at as i64).collect();
    super::movement::squeeze(b, value, Some(&gone)).map(|s| s.value)
}

/// `x[mask] = value` of one value for all places: the value, or what is there; none where each place has its own value, or where other
/// entries stand beside the mask.
fn masked(
    b: &mut Builder,
    items: &[Item],
    x: ValueId,
    value: ValueId,
    given: &[ValueId],
) -> Result<Option<ValueId>, Unfit> {
    let whole = |item: &Item| matches!(item, Item::Ellipsis | Item::Slice(End::Open, End::Open, 1));
    let ([Item::Given, rest @ ..], &[mask]) = (items, given) else { return Ok(None) };
    let (mask_shape, shape) = (b.ty(mask).shape.clone(), b.ty(x).shape.clone());
    if !rest.iter().all(whole) || mask_shape.rank() > shape.rank() {
        return Ok(None);
    }
    let Some(value) = for_all_places(b, value, shape.rank() - mask_shape.rank())? else { return Ok(None) };
    masks::judge(b, mask, x, 0)?;
    let (mut dims, operands) = lengths_of(b, mask, 1)?;
    dims.extend(std::iter::repeat_n(DimArg::Fixed(1), shape.rank() - mask_shape.rank()));
    let mask = reshape(b, mask, dims, &operands)?;
    let value_shape = b.ty(value).shape.clone();
    let value = if value_shape.rank() == 0 || shape.0.ends_with(&value_shape.0) {
        value
    } else {
        let (dims, operands) = lengths_of(b, x, 1)?;
        b.op(Op::Broadcast, Attr::Dims(dims), &[vec![value], operands].concat())?
    };
    b.op(Op::Select, Attr::None, &[mask, value, x]).map(Some)
}

/// The value of a store through a mask if each place takes the same, without the axis of the places.
fn for_all_places(b: &mut Builder, value: ValueId, rest: usize) -> Result<Option<ValueId>, Unfit> {
    let shape = b.ty(value).shape.clone();
    let extra = shape.rank().saturating_sub(rest);
    if extra > 0 && shape.0[..extra].iter().any(|dim| *dim != Dim::Fixed(1)) {
        return Ok(None);
    }
    let gone: Vec<i64> = (0..extra as i64).collect();
    if gone.is_empty() {
        return Ok(Some(value));
    }
    super::movement::squeeze(b, value, Some(&gone)).map(|squeezed| Some(squeezed.value))
}

//! `x[…]` with numbers, slices, `...`, `None` and tensors.

use gw_base::Code;
use gw_ir::{Attr, AxisSlice, Bound, Builder, DimArg, Op, Unfit, ValueId};
use gw_types::{DType, Scalar};

use super::entries::{End, Item, in_range, spelled_out};
use super::steps::{as_place, cast, lengths_of, literal, reshape, scalar, written};
use super::{advanced, masks};
use crate::Staged;

pub(super) fn subscript(b: &mut Builder, items: &[Item], args: &[Staged]) -> Result<Staged, Unfit> {
    // Parts of the host's numbers are the host's.
    let part = |value| Staged { value, weak: args[0].weak };
    let mut x = args[0].value;
    let mut given: Vec<ValueId> = args[1..].iter().map(|a| a.value).collect();
    if masks::has_mask(b, &given) {
        let resolved = masks::resolve(b, items, x, &given)?;
        (x, given) = (resolved.x, resolved.given);
    }
    let written = items;
    let items = spelled_out(items, b.ty(x).rank())?;
    if advanced::is_together(b, written, &given) {
        return advanced::read(b, written, &items, x, &given).map(part);
    }
    let mut given = given.into_iter();
    let mut slices = Vec::new();
    let mut bounds = Vec::new();
    let mut new_axes = Vec::new();
    // The axis of what is left, and the number of those that are gone before it.
    let (mut axis, mut removed) = (0, 0);
    for item in items {
        match item {
            Item::At(i) => {
                in_range(b, x, axis, axis + removed, i)?;
                removed += 1;
                x = at(b, x, axis, i)?;
            }
            Item::Given => {
                let (next, kept) = by_tensor(b, x, axis, given.next().expect("one operand per entry"))?;
                x = next;
                slices.extend(std::iter::repeat_n(AxisSlice::ALL, kept));
                axis += kept;
                removed += usize::from(kept == 0);
            }
            Item::Slice(start, stop, step) => {
                let mut end = |e, b: &mut Builder| bound(b, e, &mut given, &mut bounds);
                slices.push(AxisSlice { start: end(start, b)?, stop: end(stop, b)?, step });
                axis += 1;
            }
            Item::NewAxis => new_axes.push(axis + new_axes.len()),
            Item::Ellipsis => {}
        }
    }
    if slices.iter().any(|s| *s != AxisSlice::ALL) {
        let operands: Vec<_> = std::iter::once(x).chain(bounds).collect();
        x = b.op(Op::Slice, Attr::Slices(slices), &operands)?;
    }
    with_axes(b, x, &new_axes).map(part)
}

/// Element at an index along an axis. For a list of numbers that the graph has one by one it is that number, so
/// that `gw.shape(x)[0]` is a known length where it is known.
fn at(b: &mut Builder, x: ValueId, axis: usize, i: i64) -> Result<ValueId, Unfit> {
    if let Some(length) = b.ty(x).shape.lengths().filter(|lengths| lengths.len() == 1) {
        let place = if i < 0 { i + length[0] as i64 } else { i };
        let list = as_made(b, x);
        if let Some(listed) = usize::try_from(place).ok().and_then(|place| Listed::of(b, list, place)) {
            return match listed {
                Listed::Number(number) => Ok(scalar(b, b.ty(x).dtype, number)),
                Listed::Value(value) => cast(b, value, b.ty(x).dtype),
            };
        }
    }
    let i = scalar(b, DType::I64, Scalar::Int(i));
    b.op(Op::Index, Attr::Axis(axis), &[x, i])
}

/// A list of integers before it got its dtype.
fn as_made(b: &Builder, list: ValueId) -> ValueId {
    let graph = b.graph();
    let cast = graph.definer(list).map(|node| &graph.nodes[node]).filter(|node| node.op == Op::Cast);
    let integers = |&from: &ValueId| [list, from].iter().all(|&value| b.ty(value).dtype.is_int());
    cast.map(|node| node.args[0]).filter(integers).unwrap_or(list)
}

/// A number of a list.
enum Listed {
    Number(Scalar),
    Value(ValueId),
}

impl Listed {
    /// Element at an index of a constant, or of single numbers behind each other.
    fn of(b: &Builder, list: ValueId, place: usize) -> Option<Self> {
        if let Some(literal) = literal(b, list) {
            return literal.scalars().nth(place).map(Self::Number);
        }
        let graph = b.graph();
        let node = &graph.nodes[graph.definer(list)?];
        let single = |arg: &ValueId| b.ty(*arg).shape.lengths().is_some_and(|lengths| lengths == [1]);
        if node.op == Op::Concat && node.args.iter().all(single) {
            return Self::of(b, *node.args.get(place)?, 0);
        }
        let is_number = node.op == Op::Reshape && b.ty(node.args[0]).is_scalar();
        is_number.then(|| written(b, node.args[0]).map_or(Self::Value(node.args[0]), Self::Number))
    }
}

/// An index that is a tensor: a single integer removes the axis, a tensor of them gathers along it.
fn by_tensor(b: &mut Builder, x: ValueId, axis: usize, index: ValueId) -> Result<(ValueId, usize), Unfit> {
    let ty = b.ty(index).clone();
    if !ty.dtype.is_int() {
        let message = format!("a tensor of `{}` is not an index; use integers", ty.dtype.python_name());
        return Err(Unfit { clause: "call.subscript", code: Code::IndexPastEnd, message });
    }
    if ty.is_scalar() {
        let i = as_place(b, index)?;
        return Ok((b.op(Op::Index, Attr::Axis(axis), &[x, i])?, 0));
    }
    Ok((b.op(Op::Gather, Attr::Axis(axis), &[x, index])?, ty.rank()))
}

fn bound(
    b: &mut Builder,
    end: End,
    given: &mut impl Iterator<Item = ValueId>,
    bounds: &mut Vec<ValueId>,
) -> Result<Bound, Unfit> {
    match end {
        End::Open => Ok(Bound::Open),
        End::At(i) => Ok(Bound::Fixed(i)),
        End::Given => {
            let value = given.next().expect("one operand per bound");
            bounds.push(as_place(b, value)?);
            Ok(Bound::Arg(bounds.len()))
        }
    }
}

fn with_axes(b: &mut Builder, x: ValueId, new_axes: &[usize]) -> Result<ValueId, Unfit> {
    if new_axes.is_empty() {
        return Ok(x);
    }
    let (mut dims, operands) = lengths_of(b, x, 1)?;
    for &axis in new_axes {
        dims.insert(axis, DimArg::Fixed(1));
    }
    reshape(b, x, dims, &operands)
}

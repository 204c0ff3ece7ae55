//! Ops that move elements or make them of nothing.

use gw_ir::{Attr, DimArg, Node};
use gw_types::DType;

use crate::constant;
use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::writer::numbers;

/// The literal.
pub(crate) fn constant(to: &mut Lowering<'_>, node: &Node, _: &[Item]) -> Made<Item> {
    let Attr::Literal(literal) = &node.attr else { return Err(Refused::new("it has no value")) };
    let ty = Ty::new(literal.dtype(), literal.lengths().to_vec());
    let known = literal.as_scalar().filter(|_| !ty.dtype.is_float()).map(|value| value.to_i64());
    Ok(Item { known, ..to.text.splat(&constant::dense(literal), ty) })
}

/// The length of an axis.
pub(crate) fn dim(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let Attr::Axis(axis) = node.attr else { return Err(Refused::new("it names no axis")) };
    Ok(to.text.integer(args[0].lengths()[axis] as i64, Ty::scalar(DType::I64)))
}

/// `start, start + step, …` up to and without `stop`, which have to be known.
pub(crate) fn range(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Item> {
    let [start, stop, step] = [0, 1, 2].map(|at| args[at].known.map(i128::from));
    let (Some(start), Some(stop), Some(step)) = (start, stop, step) else {
        return Err(Refused::unknown("the length of a range"));
    };
    if step == 0 {
        return Err(Refused::new("the step of a range must not be zero"));
    }
    let distance = if step > 0 { stop - start } else { start - stop };
    let count = if distance <= 0 { 0 } else { (distance - 1) / step.abs() + 1 };
    let count = usize::try_from(count).map_err(|_| Refused::new("a range is too long"))?;
    let places = to.text.iota(0, &[count]);
    let places = to.text.convert(&places, args[0].dtype());
    let [start, step] = [&args[0], &args[2]].map(|item| to.text.stretch(item, &[count]));
    let along = to.text.same("stablehlo.multiply", &[&places, &step]);
    Ok(to.text.same("stablehlo.add", &[&along, &start]))
}

/// The same elements in other axes.
pub(crate) fn reshape(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let x = &args[0];
    let wanted = lengths(node, args)?;
    let size: usize = x.lengths().iter().product();
    let known = wanted.iter().flatten().fold(1usize, |size, &n| size.saturating_mul(n));
    let rest = size.checked_div(known).unwrap_or(0);
    let found: Vec<usize> = wanted.iter().map(|n| n.unwrap_or(rest)).collect();
    if found.iter().fold(1usize, |size, &n| size.saturating_mul(n)) != size {
        return Err(Refused::new(format!("{size} elements cannot be reshaped to {found:?}")));
    }
    Ok(to.text.reshape(x, &found))
}

/// Axes of length 1 are repeated, and axes are added in front.
pub(crate) fn broadcast(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let x = &args[0];
    let wanted: Vec<usize> = lengths(node, args)?.into_iter().flatten().collect();
    let own = &wanted[wanted.len() - x.ty.rank()..];
    if let Some((n, to)) = x.lengths().iter().zip(own).find(|&(&n, to)| n != 1 && n != *to) {
        return Err(Refused::new(format!("length {n} cannot be broadcast to {to}")));
    }
    Ok(to.text.stretch(x, &wanted))
}

/// The lengths that an attribute names; `None` is what is left over.
fn lengths(node: &Node, args: &[Item]) -> Made<Vec<Option<usize>>> {
    let Attr::Dims(dims) = &node.attr else { return Err(Refused::new("it names no lengths")) };
    let length = |dim: &DimArg| match *dim {
        DimArg::Fixed(n) => Ok(Some(n)),
        DimArg::Rest => Ok(None),
        DimArg::Arg(at) => match args[at].known {
            None => Err(Refused::unknown("a length")),
            Some(n) => {
                usize::try_from(n).map(Some).map_err(|_| Refused::new(format!("a length cannot be {n}")))
            }
        },
    };
    dims.iter().map(length).collect()
}

/// Axis `i` of the result is axis `perm[i]` of the operand.
pub(crate) fn transpose(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let Attr::Perm(perm) = &node.attr else { return Err(Refused::new("it names no order")) };
    let lengths = perm.iter().map(|&axis| args[0].lengths()[axis]).collect();
    let attrs = format!("permutation = {}", numbers(perm));
    Ok(to.text.op("stablehlo.transpose", &[&args[0]], &attrs, Ty::new(args[0].dtype(), lengths)))
}

/// Joins along an axis.
pub(crate) fn concat(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let Attr::Axis(axis) = node.attr else { return Err(Refused::new("it names no axis")) };
    let mut lengths = args[0].lengths().to_vec();
    for other in &args[1..] {
        let pairs = lengths.iter().zip(other.lengths()).enumerate();
        if let Some((_, (m, n))) = pairs.into_iter().find(|&(at, (m, n))| at != axis && m != n) {
            return Err(Refused::new(format!("lengths {m} and {n} cannot be joined")));
        }
    }
    lengths[axis] = args.iter().map(|item| item.lengths()[axis]).sum();
    Ok(joined(to, &args.iter().collect::<Vec<_>>(), axis, lengths))
}

/// Items side by side along an axis.
pub(crate) fn joined(to: &mut Lowering<'_>, args: &[&Item], axis: usize, lengths: Vec<usize>) -> Item {
    let attrs = format!("dimension = {axis} : i64");
    to.text.op("stablehlo.concatenate", args, &attrs, Ty::new(args[0].dtype(), lengths))
}

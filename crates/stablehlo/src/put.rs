//! `x[places] = value`: a scatter of single elements, or one block in place of another.

use gw_ir::{Attr, AxisSlice, Keep, Node, Place};
use gw_types::DType;

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::moves::joined;
use crate::positions::inside;
use crate::refused::{Made, Refused};
use crate::slices::span;
use crate::writer::numbers;

/// Positions written on one axis.
enum Along {
    At(Item),
    Slice { start: usize, count: usize, step: i64 },
}

/// The places have the axes that the indices share first, then one axis per slice.
pub(crate) fn put(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let Attr::Places { places, keep } = &node.attr else { return Err(Refused::new("it names no places")) };
    let [x, value] = [&args[0], &args[1]];
    let along = places.iter().zip(x.lengths()).map(|(place, &length)| along(to, place, length, args));
    let along: Vec<Along> = along.collect::<Made<_>>()?;
    let shared = shared(&along)?;
    let counts = along.iter().filter_map(|along| match along {
        Along::Slice { count, .. } => Some(*count),
        Along::At(_) => None,
    });
    let picked: Vec<usize> = shared.iter().copied().chain(counts).collect();
    let fits = value.lengths().iter().rev().zip(picked.iter().rev()).all(|(&own, &to)| own == 1 || own == to);
    if !fits || value.ty.rank() > picked.len() {
        return Err(Refused::new(format!(
            "a value of lengths {:?} does not fit {picked:?}",
            value.lengths()
        )));
    }
    let value = to.text.stretch(value, &picked);
    if picked.contains(&0) || x.ty.is_empty() {
        return Ok(x.clone());
    }
    let is_block = |along: &Along| match along {
        Along::At(at) => at.lengths().is_empty(),
        Along::Slice { step, count, .. } => *step == 1 || *count == 1,
    };
    match along.iter().all(is_block) {
        true => Ok(block(to, x, &value, &along, *keep)),
        false => Ok(scatter(to, x, &value, &along, *keep)),
    }
}

fn along(to: &mut Lowering<'_>, place: &Place, length: usize, args: &[Item]) -> Made<Along> {
    Ok(match place {
        Place::At(at) => Along::At(inside(to, &args[*at], length)),
        Place::Slice(slice @ AxisSlice { step, .. }) => {
            let (start, count) = span(slice, length, args)?;
            Along::Slice { start, count, step: *step }
        }
    })
}

/// The lengths that indices with axes have in common.
fn shared(along: &[Along]) -> Made<Vec<usize>> {
    let mut lengths = along.iter().filter_map(|along| match along {
        Along::At(places) if !places.lengths().is_empty() => Some(places.lengths()),
        Along::At(_) | Along::Slice { .. } => None,
    });
    let first = lengths.next().unwrap_or_default();
    match lengths.find(|other| *other != first) {
        Some(other) => Err(Refused::new(format!("indices have lengths {first:?} and {other:?}"))),
        None => Ok(first.to_vec()),
    }
}

/// One block in place of another.
fn block(to: &mut Lowering<'_>, x: &Item, value: &Item, along: &[Along], keep: Keep) -> Item {
    let size = |along: &Along| if let Along::Slice { count, .. } = along { *count } else { 1 };
    let sizes: Vec<usize> = along.iter().map(size).collect();
    let mut value = to.text.reshape(value, &sizes);
    let starts = along.iter().map(|along| match along {
        Along::At(place) => place.clone(),
        Along::Slice { start, .. } => to.text.integer(*start as i64, Ty::scalar(DType::I64)),
    });
    let starts: Vec<Item> = starts.collect();
    if keep != Keep::Last {
        let operands: Vec<&Item> = [x].into_iter().chain(&starts).collect();
        let attrs = format!("slice_sizes = {}", numbers(&sizes));
        let old = to.text.op("stablehlo.dynamic_slice", &operands, &attrs, Ty::new(x.dtype(), sizes));
        value = kept(to, keep, &old, &value);
    }
    let operands: Vec<&Item> = [x, &value].into_iter().chain(&starts).collect();
    to.text.op("stablehlo.dynamic_update_slice", &operands, "", x.ty.clone())
}

/// Element by element: the places are rows of coordinates.
fn scatter(to: &mut Lowering<'_>, x: &Item, value: &Item, along: &[Along], keep: Keep) -> Item {
    let places = coordinates(to, value.lengths(), along);
    let axes: Vec<usize> = (0..x.ty.rank()).collect();
    let attrs = format!(
        "indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = {axes:?}, \
         scatter_dims_to_operand_dims = {axes:?}, index_vector_dim = {}>, unique_indices = false",
        value.ty.rank()
    );
    let args = [x, &places, value];
    let results = to.text.open("stablehlo.scatter", &args, &attrs, std::slice::from_ref(&x.ty));
    let sides = [0, 1].map(|_| to.text.item(Ty::scalar(x.dtype())));
    to.text.block(&sides);
    let kept = kept(to, keep, &sides[0], &sides[1]);
    to.text.give(&[kept]);
    to.text.close(&args, &results);
    results[0].clone()
}

/// The element that the old one and the new one become.
fn kept(to: &mut Lowering<'_>, keep: Keep, old: &Item, new: &Item) -> Item {
    match keep {
        Keep::Last => new.clone(),
        Keep::Sum => to.text.same("stablehlo.add", &[old, new]),
        Keep::Product => to.text.same("stablehlo.multiply", &[old, new]),
        Keep::Least => to.text.same("stablehlo.minimum", &[old, new]),
        Keep::Greatest => to.text.same("stablehlo.maximum", &[old, new]),
    }
}

fn coordinates(to: &mut Lowering<'_>, picked: &[usize], along: &[Along]) -> Item {
    let slices = along.iter().filter(|along| matches!(along, Along::Slice { .. })).count();
    let shared: Vec<usize> = (0..picked.len() - slices).collect();
    let mut axis = shared.len();
    let column: Vec<usize> = picked.iter().copied().chain([1]).collect();
    let mut columns = Vec::new();
    for along in along {
        let places = match along {
            Along::At(places) if places.lengths().is_empty() => to.text.spread(places, &[], picked),
            Along::At(places) => to.text.spread(places, &shared, picked),
            Along::Slice { start, step, .. } => {
                axis += 1;
                let places = to.text.iota(axis - 1, picked);
                let [start, step] =
                    [*start as i64, *step].map(|value| to.text.integer(value, places.ty.clone()));
                let along = to.text.same("stablehlo.multiply", &[&places, &step]);
                to.text.same("stablehlo.add", &[&along, &start])
            }
        };
        columns.push(to.text.reshape(&places, &column));
    }
    let lengths = picked.iter().copied().chain([columns.len()]).collect();
    joined(to, &columns.iter().collect::<Vec<_>>(), picked.len(), lengths)
}

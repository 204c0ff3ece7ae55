//! `x[places] = value`: the result is as `x` is; what is judged is whether the value fits the places.

use gw_types::{Dim, Shape};

use super::context::{Ctx, Unfit, one};
use super::slices::{judge, sliced};
use crate::{Attr, Keep, Place, Takes};

pub(super) fn put(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<gw_types::TensorType>, Unfit> {
    let Attr::Places { places, keep } = attr else { return Err(ctx.wrong_attr()) };
    let [x, value] = [ctx.args[0].clone(), ctx.args[1].clone()];
    if places.len() != x.rank() {
        return Err(ctx.bad(1, format!("{} places for shape {}", places.len(), x.shape)));
    }
    for place in places {
        match place {
            Place::Slice(slice) => judge(ctx, [1, 2], slice)?,
            Place::At(at) => judge_indices(ctx, *at)?,
        }
    }
    ctx.judge_same_dtype(4, &x, &value)?;
    if *keep != Keep::Last {
        let takes = if *keep == Keep::Sum { Takes::AnyNumbers } else { Takes::Numbers };
        ctx.judge_dtype(4, x.dtype, takes)?;
    }
    let picked = picked(ctx, &x.shape, places)?;
    if !stretches(&value.shape, &picked) {
        let message = format!("a value of shape {} does not fit into places of shape {picked}", value.shape);
        return Err(ctx.wrong_shape(5, message));
    }
    one(x.dtype, x.shape)
}

fn judge_indices(ctx: &Ctx, at: usize) -> Result<(), Unfit> {
    let fits = at > 1 && ctx.args.get(at).is_some_and(|ty| ty.dtype.is_int());
    if fits { Ok(()) } else { Err(ctx.bad(1, "an index must be of an integer type")) }
}

/// The shape of the places: the axes of the indices, which they share, then one axis per slice.
fn picked(ctx: &mut Ctx, x: &Shape, places: &[Place]) -> Result<Shape, Unfit> {
    let mut shared: Option<Shape> = None;
    let mut sliced_dims = Vec::new();
    for (&dim, place) in x.0.iter().zip(places) {
        match place {
            Place::Slice(slice) => sliced_dims.push(sliced(ctx, dim, slice)),
            Place::At(at) => shared = agree(ctx, shared, &ctx.args[*at].shape)?,
        }
    }
    Ok(Shape(shared.map(|shape| shape.0).unwrap_or_default().into_iter().chain(sliced_dims).collect()))
}

/// The shape that indices share; a single index has none.
fn agree(ctx: &Ctx, known: Option<Shape>, found: &Shape) -> Result<Option<Shape>, Unfit> {
    if found.rank() == 0 {
        return Ok(known);
    }
    let Some(known) = known else { return Ok(Some(found.clone())) };
    let fits = |(a, b): (&Dim, &Dim)| a.fixed().is_none() || b.fixed().is_none() || a == b;
    if known.rank() != found.rank() || !known.0.iter().zip(&found.0).all(fits) {
        let message = format!("indices of shapes {known} and {found} are not read together");
        return Err(ctx.wrong_shape(3, message));
    }
    let known_dim = |(a, b): (&Dim, &Dim)| if a.fixed().is_some() { *a } else { *b };
    Ok(Some(Shape(known.0.iter().zip(&found.0).map(known_dim).collect())))
}

/// True if a value may be repeated to a shape, as far as is known.
fn stretches(value: &Shape, to: &Shape) -> bool {
    let fits = |(own, to): (&Dim, &Dim)| match (own, to) {
        (Dim::Fixed(m), Dim::Fixed(n)) => m == n || *m == 1,
        (Dim::Var(_), _) | (_, Dim::Var(_)) => true,
    };
    value.rank() <= to.rank() && value.0.iter().rev().zip(to.0.iter().rev()).all(fits)
}

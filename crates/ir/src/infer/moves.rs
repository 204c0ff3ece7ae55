//! Ops that move elements: known lengths stay known.

use gw_base::Code;
use gw_types::{Dim, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::{Attr, DimArg, Takes};

/// The same elements in other axes.
pub(super) fn reshape(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Dims(dims) = attr else { return Err(ctx.wrong_attr()) };
    judge_lengths(ctx, dims)?;
    if dims.iter().filter(|&&dim| dim == DimArg::Rest).count() > 1 {
        return Err(ctx.bad(1, "only one length can be left to be found out (-1)"));
    }
    let x = &ctx.args[0];
    let rest = left_over(ctx, &x.shape, dims)?;
    let shape = dims.iter().map(|dim| match dim {
        DimArg::Fixed(n) => Dim::Fixed(*n),
        DimArg::Rest => rest.unwrap_or_else(|| ctx.fresh()),
        DimArg::Arg(_) => ctx.fresh(),
    });
    one(x.dtype, Shape(shape.collect()))
}

/// The length that `-1` stands for, where it can be known.
fn left_over(ctx: &Ctx, x: &Shape, dims: &[DimArg]) -> Result<Option<Dim>, Unfit> {
    let given =
        product(dims.iter().filter_map(|dim| if let DimArg::Fixed(n) = dim { Some(*n) } else { None }));
    let known = product(x.0.iter().filter_map(|dim| dim.fixed()));
    let unknown: Vec<Dim> = x.0.iter().copied().filter(|dim| dim.fixed().is_none()).collect();
    let has_rest = dims.contains(&DimArg::Rest);
    if dims.iter().any(|dim| matches!(dim, DimArg::Arg(_))) {
        return Ok(None);
    }
    let fits = match has_rest {
        true => given != 0 && known % given == 0,
        false => given == known,
    };
    match unknown[..] {
        [] if fits => Ok(has_rest.then(|| Dim::Fixed(known / given))),
        [] => {
            let wanted: Vec<_> = dims.iter().map(words_of).collect();
            Err(ctx.wrong_shape(2, format!("cannot reshape {x} to [{}]", wanted.join(","))))
        }
        [dim] if given == known && given != 0 => Ok(Some(dim)),
        _ => Ok(None),
    }
}

/// Lengths past the end of memory stay there.
fn product(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(1, usize::saturating_mul)
}

fn words_of(dim: &DimArg) -> String {
    match dim {
        DimArg::Fixed(n) => n.to_string(),
        DimArg::Rest => "-1".to_owned(),
        DimArg::Arg(_) => "?".to_owned(),
    }
}

/// Axes of length 1 are repeated, and axes are added in front.
pub(super) fn broadcast_to(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Dims(dims) = attr else { return Err(ctx.wrong_attr()) };
    judge_lengths(ctx, dims)?;
    if dims.contains(&DimArg::Rest) {
        return Err(ctx.bad(1, "a length to broadcast to cannot be left to be found out (-1)"));
    }
    let x = &ctx.args[0];
    let misfit = || {
        let wanted: Vec<_> = dims.iter().map(words_of).collect();
        ctx.wrong_shape(2, format!("cannot broadcast {} to [{}]", x.shape, wanted.join(",")))
    };
    let added = dims.len().checked_sub(x.rank()).ok_or_else(misfit)?;
    let stretched = |axis: usize, dim: &DimArg| match (axis.checked_sub(added).map(|at| x.shape.0[at]), dim) {
        (Some(Dim::Fixed(n)), DimArg::Fixed(m)) if n != 1 && n != *m => Err(misfit()),
        (_, DimArg::Fixed(m)) => Ok(Some(Dim::Fixed(*m))),
        (Some(Dim::Fixed(n)), DimArg::Arg(_)) if n != 1 => Ok(Some(Dim::Fixed(n))),
        (_, DimArg::Arg(_) | DimArg::Rest) => Ok(None),
    };
    let known: Vec<_> = dims.iter().enumerate().map(|(i, d)| stretched(i, d)).collect::<Result<_, _>>()?;
    let shape = known.into_iter().map(|dim| dim.unwrap_or_else(|| ctx.fresh())).collect();
    one(x.dtype, Shape(shape))
}

fn judge_lengths(ctx: &Ctx, dims: &[DimArg]) -> Result<(), Unfit> {
    dims.iter().try_for_each(|dim| match dim {
        DimArg::Arg(at) => ctx.judge_length_operand(1, *at),
        DimArg::Fixed(_) | DimArg::Rest => Ok(()),
    })
}

/// Axis `i` of the result is axis `perm[i]` of the operand.
pub(super) fn transpose(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Perm(perm) = attr else { return Err(ctx.wrong_attr()) };
    let x = &ctx.args[0];
    let mut sorted = perm.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..x.rank()) {
        return Err(ctx.wrong_shape(1, format!("{perm:?} is not an order of the axes of shape {}", x.shape)));
    }
    one(x.dtype, Shape(perm.iter().map(|&axis| x.shape.0[axis]).collect()))
}

/// The axis goes away.
pub(super) fn index(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Axis(axis) = attr else { return Err(ctx.wrong_attr()) };
    let [x, at] = [&ctx.args[0], &ctx.args[1]];
    ctx.judge_axis(1, *axis, x)?;
    ctx.judge_dtype(2, at.dtype, Takes::Ints).map_err(|e| Unfit { message: index_words(at), ..e })?;
    if !at.is_scalar() {
        return Err(ctx.unfit(2, Code::WrongShape, index_words(at)));
    }
    let mut dims = x.shape.0.clone();
    dims.remove(*axis);
    one(x.dtype, Shape(dims))
}

fn index_words(at: &TensorType) -> String {
    format!(
        "an index must be a scalar of an integer type, not {} of shape {}",
        at.dtype.python_name(),
        at.shape
    )
}

/// The axis is replaced by the axes of the indices.
pub(super) fn gather(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Axis(axis) = attr else { return Err(ctx.wrong_attr()) };
    let [x, indices] = [&ctx.args[0], &ctx.args[1]];
    ctx.judge_axis(1, *axis, x)?;
    let message = || format!("indices must be of an integer type, not {}", indices.dtype.python_name());
    ctx.judge_dtype(2, indices.dtype, Takes::Ints).map_err(|e| Unfit { message: message(), ..e })?;
    let mut dims = x.shape.0.clone();
    dims.splice(axis..=axis, indices.shape.0.iter().copied());
    one(x.dtype, Shape(dims))
}

/// The axis is as long as all together, the others agree.
pub(super) fn concat(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Axis(axis) = attr else { return Err(ctx.wrong_attr()) };
    let x = &ctx.args[0];
    ctx.judge_axis(1, *axis, x)?;
    let mut dims = x.shape.0.clone();
    for other in &ctx.args[1..] {
        ctx.judge_same_dtype(2, x, other)?;
        let misfit = || {
            let (x, other) = (&x.shape, &other.shape);
            ctx.wrong_shape(3, format!("cannot join shapes {x} and {other} along axis {axis}"))
        };
        if other.rank() != x.rank() {
            return Err(misfit());
        }
        for (i, &dim) in other.shape.0.iter().enumerate().filter(|&(i, _)| i != *axis) {
            dims[i] = agree(dims[i], dim).ok_or_else(misfit)?;
        }
    }
    let joined: Vec<Dim> = ctx.args.iter().map(|ty| ty.shape.0[*axis]).collect();
    dims[*axis] = total(ctx, &joined);
    one(x.dtype, Shape(dims))
}

/// The length of two axes that are equal at run time, the known one if one is.
fn agree(a: Dim, b: Dim) -> Option<Dim> {
    match (a, b) {
        (Dim::Fixed(m), Dim::Fixed(n)) => (m == n).then_some(a),
        (Dim::Fixed(_), Dim::Var(_)) | (Dim::Var(_), Dim::Var(_)) => Some(a),
        (Dim::Var(_), Dim::Fixed(_)) => Some(b),
    }
}

/// The sum of lengths, or the greatest length where that is less: there is no memory for so many elements.
fn total(ctx: &mut Ctx, dims: &[Dim]) -> Dim {
    let known = dims.iter().filter_map(|dim| dim.fixed()).fold(0, usize::saturating_add);
    let known = known.min(i64::MAX as usize);
    let unknown: Vec<Dim> = dims.iter().copied().filter(|dim| dim.fixed().is_none()).collect();
    match unknown[..] {
        [] => Dim::Fixed(known),
        [dim] if known == 0 => dim,
        _ => ctx.fresh(),
    }
}

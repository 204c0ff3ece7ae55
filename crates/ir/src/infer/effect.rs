//! Effects: they give nothing, and take what their texts show.

use gw_base::Code;
use gw_types::{DType, Dim, Shape, TensorType};

use super::context::{Ctx, Unfit};
use crate::{Attr, Piece, PrintFormat};

/// Any operands.
pub(super) fn print(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Print(format) = attr else { return Err(ctx.wrong_attr()) };
    judge_holes(ctx, 1, format)?;
    Ok(Vec::new())
}

/// Any operands; each result has the promised lengths, and what is promised of none is a variable of its own.
pub(super) fn host(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Host(call) = attr else { return Err(ctx.wrong_attr()) };
    let mut types = Vec::with_capacity(call.gives.len());
    for given in &call.gives {
        let dims = given.lengths.iter().map(|length| length.map_or_else(|| ctx.fresh(), Dim::Fixed));
        types.push(TensorType::new(given.dtype, Shape(dims.collect())));
    }
    Ok(types)
}

/// A bool scalar, and any operands.
pub(super) fn check(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Check { kind: _, message, limit: _ } = attr else { return Err(ctx.wrong_attr()) };
    judge_condition(ctx)?;
    judge_holes(ctx, 2, message)?;
    Ok(Vec::new())
}

/// A bool scalar, and what the `try` around gives.
pub(super) fn leave(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    judge_condition(ctx)?;
    Ok(Vec::new())
}

fn judge_condition(ctx: &Ctx) -> Result<(), Unfit> {
    let ok = &ctx.args[0];
    if *ok != TensorType::scalar(DType::Bool) {
        let found = format!("{} of shape {}", ok.dtype.python_name(), ok.shape);
        return Err(ctx.unfit(
            1,
            Code::WrongDType,
            format!("a condition must be a bool scalar, not {found}"),
        ));
    }
    Ok(())
}

fn judge_holes(ctx: &Ctx, clause: usize, format: &PrintFormat) -> Result<(), Unfit> {
    let missing = format.pieces.iter().find_map(|piece| match piece {
        Piece::Operand(at) | Piece::Python(at) if *at >= ctx.args.len() => Some(*at),
        Piece::Operand(_) | Piece::Python(_) | Piece::Text(_) => None,
    });
    let text = |at| format!("the text shows operand {at}, which does not exist");
    missing.map_or(Ok(()), |at| Err(ctx.bad(clause, text(at))))
}

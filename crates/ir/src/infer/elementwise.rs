//! Elementwise ops: dtypes meet as equals, shapes broadcast.

use gw_base::Code;
use gw_types::{DType, Shape, TensorType};

use super::context::{Ctx, Unfit, one};
use crate::{Attr, Op, UnaryOp};

/// `x → x`; the size of a complex number is of the type of its parts.
pub(super) fn unary(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_arithmetic(attr)?;
    let x = &ctx.args[0];
    ctx.judge_dtype(1, x.dtype, ctx.op.takes())?;
    let dtype = if ctx.op == Op::Unary(UnaryOp::Abs) { x.dtype.part() } else { x.dtype };
    one(dtype, x.shape.clone())
}

/// `complex → float`
pub(super) fn part(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    let z = &ctx.args[0];
    ctx.judge_dtype(1, z.dtype, ctx.op.takes())?;
    one(z.dtype.part(), z.shape.clone())
}

/// `float, float → complex`
pub(super) fn complex(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    let shape = meet(ctx)?;
    ctx.judge_dtype(3, ctx.args[0].dtype, ctx.op.takes())?;
    one(ctx.args[0].dtype.complex(), shape)
}

/// `x → bool`
pub(super) fn test_of(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    ctx.judge_dtype(1, ctx.args[0].dtype, ctx.op.takes())?;
    one(DType::Bool, ctx.args[0].shape.clone())
}

/// `string → i64`
pub(super) fn length(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    ctx.judge_dtype(1, ctx.args[0].dtype, ctx.op.takes())?;
    one(DType::I64, ctx.args[0].shape.clone())
}

/// `x, x → x`
pub(super) fn binary(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_arithmetic(attr)?;
    let shape = meet(ctx)?;
    ctx.judge_dtype(3, ctx.args[0].dtype, ctx.op.takes())?;
    one(ctx.args[0].dtype, shape)
}

/// `x, x → bool`
pub(super) fn comparison(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    let shape = meet(ctx)?;
    ctx.judge_dtype(3, ctx.args[0].dtype, ctx.op.takes())?;
    one(DType::Bool, shape)
}

/// `bool, x, x → x`
pub(super) fn select(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    ctx.judge_plain(attr)?;
    let [test, x, y] = [&ctx.args[0], &ctx.args[1], &ctx.args[2]];
    if test.dtype != DType::Bool {
        let found = test.dtype.python_name();
        return Err(ctx.unfit(1, Code::WrongDType, format!("a condition must be bool, not {found}")));
    }
    ctx.judge_same_dtype(2, x, y)?;
    let values = ctx.broadcast(3, &x.shape, &y.shape)?;
    let shape = ctx.broadcast(3, &test.shape, &values)?;
    one(x.dtype, shape)
}

/// Gives the type that the function says.
pub(super) fn foreign(ctx: &mut Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let Attr::Foreign(call) = attr else { return Err(ctx.wrong_attr()) };
    let args = ctx.args;
    if !args.iter().map(|arg| arg.dtype).eq(call.takes.iter().copied()) {
        let named =
            |dtypes: Vec<DType>| dtypes.into_iter().map(DType::python_name).collect::<Vec<_>>().join(", ");
        let (takes, found) = (named(call.takes.clone()), named(args.iter().map(|arg| arg.dtype).collect()));
        let message = format!("`{}` takes ({takes}), not ({found})", call.name);
        return Err(ctx.unfit(1, Code::WrongDType, message));
    }
    let mut shape = args[0].shape.clone();
    for arg in &args[1..] {
        shape = ctx.broadcast(2, &shape, &arg.shape)?;
    }
    one(call.gives, shape)
}

/// `x → to`
pub(super) fn cast(ctx: &Ctx, attr: &Attr) -> Result<Vec<TensorType>, Unfit> {
    let (Attr::To(dtype) | Attr::ToChecked(dtype)) = attr else { return Err(ctx.wrong_attr()) };
    let x = ctx.args[0].dtype;
    let has_check = x != DType::U64 && (dtype.is_checked() || x.is_int() && *dtype == DType::U64);
    let checks = || has_check && ctx.args[0].is_scalar();
    if matches!(attr, Attr::ToChecked(_)) && !checks() {
        return Err(ctx.wrong_attr());
    }
    if x.is_number() != dtype.is_number() {
        let [x, to] = [x, *dtype].map(DType::python_name);
        return Err(ctx.unfit(1, Code::WrongDType, format!("cannot cast {x} to {to}")));
    }
    if x.is_complex() && (dtype.is_float() || dtype.is_int()) {
        let [x, to] = [x, *dtype].map(DType::python_name);
        let remedy = "take its real part with `gw.math.real`";
        return Err(ctx.unfit(1, Code::WrongDType, format!("cannot cast {x} to {to}; {remedy}")));
    }
    one(*dtype, ctx.args[0].shape.clone())
}

fn meet(ctx: &mut Ctx) -> Result<Shape, Unfit> {
    let [x, y] = [&ctx.args[0], &ctx.args[1]];
    ctx.judge_same_dtype(1, x, y)?;
    ctx.broadcast(2, &x.shape, &y.shape)
}

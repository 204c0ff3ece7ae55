//! Functions of neural networks, each written so that no step overflows and no digits are lost far from zero.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

use gw_ir::{BinaryOp, Builder, CompareOp, ReduceOp, TestOp, UnaryOp, Unfit};
use gw_types::Scalar;

use crate::Staged;
use crate::calls::elementwise::{binary, select, true_div, unary};
use crate::calls::movement::gather;
use crate::calls::reduce::reduce;
use crate::calls::steps::{float, scalar};

/// A function of neural networks without its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Network {
    /// `log(1 + e^x)`
    Softplus,
    /// `x` times the normal distribution's probability of less than `x`.
    Gelu {
        /// True for the usual approximation by `tanh`.
        approximate: bool,
    },
    /// The logarithm of the softmax along an axis.
    LogSoftmax {
        /// Along what.
        axis: i64,
    },
    /// `-Σ labels * log(softmax(logits))` along an axis; operands `labels, logits`.
    CrossEntropy {
        /// Along what.
        axis: i64,
    },
    /// Rows of a table by their numbers; operands: the table, the numbers, and the greatest norm of a row if there is one.
    Embedding,
    /// `log(Σ e^x)` over axes.
    LogSumExp {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// `x` divided by its Euclidean norm over axes; operands `x` and the least square of the norm.
    L2Normalize {
        /// Over what.
        axes: Option<Vec<i64>>,
    },
    /// `(x - y)²`
    SquaredDifference,
    /// `1 / x`
    Reciprocal,
}

pub(super) fn network(b: &mut Builder, network: &Network, args: &[Staged]) -> Result<Staged, Unfit> {
    match network {
        Network::Softplus => softplus(b, args[0]),
        Network::Gelu { approximate } => gelu(b, args[0], *approximate),
        Network::LogSoftmax { axis } => log_softmax(b, args[0], *axis),
        Network::CrossEntropy { axis } => cross_entropy(b, args[0], args[1], *axis),
        Network::Embedding => embedding(b, args),
        Network::LogSumExp { axes, keep } => log_sum_exp(b, args[0], axes.as_deref(), *keep),
        Network::L2Normalize { axes } => l2_normalize(b, args[0], args[1], axes.as_deref()),
        Network::SquaredDifference => {
            let away = binary(b, BinaryOp::Sub, args[0], args[1])?;
            times(b, away, away)
        }
        Network::Reciprocal => {
            let one = float(b, 1.0);
            true_div(b, one, args[0])
        }
    }
}

fn times(b: &mut Builder, x: Staged, y: Staged) -> Result<Staged, Unfit> {
    binary(b, BinaryOp::Mul, x, y)
}

fn sum(b: &mut Builder, x: Staged, axes: Option<&[i64]>, keep: bool) -> Result<Staged, Unfit> {
    reduce(b, ReduceOp::Sum, x.value, axes, keep)
}

/// The greatest elements, of which no derivative is asked: they are taken away and added again.
fn greatest(b: &mut Builder, x: Staged, axes: Option<&[i64]>) -> Result<Staged, Unfit> {
    let greatest = reduce(b, ReduceOp::Max, x.value, axes, true)?;
    unary(b, UnaryOp::Stop, greatest)
}

/// One condition chooses both parts, so that each derivative at 0 is that of the one side.
fn softplus(b: &mut Builder, x: Staged) -> Result<Staged, Unfit> {
    let zero = Staged::strong(scalar(b, b.ty(x.value).dtype, Scalar::Int(0)));
    let is_low = binary(b, CompareOp::Le, x, zero)?;
    let linear = select(b, is_low, zero, x)?;
    let minus = unary(b, UnaryOp::Neg, x)?;
    let low = select(b, is_low, x, minus)?;
    let e = unary(b, UnaryOp::Exp, low)?;
    let rest = unary(b, UnaryOp::Log1p, e)?;
    binary(b, BinaryOp::Add, linear, rest)
}

fn gelu(b: &mut Builder, x: Staged, approximate: bool) -> Result<Staged, Unfit> {
    let half = float(b, 0.5);
    let half = times(b, half, x)?;
    let inner = if approximate {
        let mut cube = float(b, 0.044_715);
        for _ in 0..3 {
            cube = times(b, cube, x)?;
        }
        let (factor, inner) = (float(b, FRAC_2_PI.sqrt()), binary(b, BinaryOp::Add, x, cube)?);
        let inner = times(b, factor, inner)?;
        unary(b, UnaryOp::Tanh, inner)?
    } else {
        let factor = float(b, FRAC_1_SQRT_2);
        let inner = times(b, x, factor)?;
        unary(b, UnaryOp::Erf, inner)?
    };
    let one = float(b, 1.0);
    let above = binary(b, BinaryOp::Add, one, inner)?;
    times(b, half, above)
}

fn log_softmax(b: &mut Builder, x: Staged, axis: i64) -> Result<Staged, Unfit> {
    let axes = [axis];
    let top = greatest(b, x, Some(&axes))?;
    let x = binary(b, BinaryOp::Sub, x, top)?;
    let e = unary(b, UnaryOp::Exp, x)?;
    let all = sum(b, e, Some(&axes), true)?;
    let all = unary(b, UnaryOp::Log, all)?;
    binary(b, BinaryOp::Sub, x, all)
}

fn cross_entropy(b: &mut Builder, labels: Staged, logits: Staged, axis: i64) -> Result<Staged, Unfit> {
    let logarithms = log_softmax(b, logits, axis)?;
    let weighted = times(b, labels, logarithms)?;
    let all = sum(b, weighted, Some(&[axis]), false)?;
    unary(b, UnaryOp::Neg, all)
}

fn embedding(b: &mut Builder, args: &[Staged]) -> Result<Staged, Unfit> {
    let rows = gather(b, args[0].value, args[1].value, 0)?;
    let Some(&most) = args.get(2) else { return Ok(rows) };
    let squares = times(b, rows, rows)?;
    let norm = sum(b, squares, Some(&[-1]), true)?;
    let norm = unary(b, UnaryOp::Sqrt, norm)?;
    let norm = binary(b, BinaryOp::Max, norm, most)?;
    let factor = true_div(b, most, norm)?;
    times(b, rows, factor)
}

fn log_sum_exp(b: &mut Builder, x: Staged, axes: Option<&[i64]>, keep: bool) -> Result<Staged, Unfit> {
    let top = greatest(b, x, axes)?;
    let is_finite = unary(b, TestOp::IsFinite, top)?;
    let zero = Staged::strong(scalar(b, b.ty(x.value).dtype, Scalar::Int(0)));
    let top = select(b, is_finite, top, zero)?;
    let low = binary(b, BinaryOp::Sub, x, top)?;
    let e = unary(b, UnaryOp::Exp, low)?;
    let all = sum(b, e, axes, true)?;
    let all = unary(b, UnaryOp::Log, all)?;
    let found = binary(b, BinaryOp::Add, all, top)?;
    if keep { Ok(found) } else { sum(b, found, axes, false) }
}

fn l2_normalize(b: &mut Builder, x: Staged, least: Staged, axes: Option<&[i64]>) -> Result<Staged, Unfit> {
    let squares = times(b, x, x)?;
    let squares = sum(b, squares, axes, true)?;
    let squares = binary(b, BinaryOp::Max, squares, least)?;
    let factor = unary(b, UnaryOp::Rsqrt, squares)?;
    times(b, x, factor)
}

//! Norms of vectors and matrices: sums and extremes of magnitudes.

use gw_ir::{BinaryOp, Builder, ReduceOp, UnaryOp, Unfit, ValueId};

use crate::Staged;
use crate::calls::elementwise::{binary, unary};
use crate::calls::movement::squeeze;
use crate::calls::power::power;
use crate::calls::reduce::reduce;

/// A norm of vectors or matrices; its operand is `x`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Norm {
    /// The root of the sum of squares over axes.
    Euclidean {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// The greatest magnitude over axes.
    Greatest {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// The root of the sum of powers over axes; operands `x`, the exponent of the powers, and that of the root, one over it.
    Power {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// The greatest of the sums of magnitudes: of the columns of matrices, or of their rows.
    GreatestSum {
        /// Along what sums are.
        summed: i64,
        /// Along what the greatest is taken.
        greatest: i64,
        /// True if both axes stay with length 1.
        keep: bool,
    },
}

pub(super) fn norm(b: &mut Builder, norm: &Norm, args: &[Staged]) -> Result<Staged, Unfit> {
    let x = unary(b, UnaryOp::Abs, args[0])?;
    match norm {
        Norm::Euclidean { axes, keep } => {
            let squares = binary(b, BinaryOp::Mul, x, x)?;
            let sum = reduce(b, ReduceOp::Sum, squares.value, axes.as_deref(), *keep)?;
            unary(b, UnaryOp::Sqrt, sum)
        }
        Norm::Greatest { axes, keep } => reduce(b, ReduceOp::Max, x.value, axes.as_deref(), *keep),
        Norm::Power { axes, keep } => {
            let powers = power(b, x, args[1])?;
            let sum = reduce(b, ReduceOp::Sum, powers.value, axes.as_deref(), *keep)?;
            binary(b, BinaryOp::Pow, sum, args[2])
        }
        Norm::GreatestSum { summed, greatest, keep } => greatest_sum(b, x.value, [*summed, *greatest], *keep),
    }
}

fn greatest_sum(b: &mut Builder, x: ValueId, axes: [i64; 2], keep: bool) -> Result<Staged, Unfit> {
    let sums = reduce(b, ReduceOp::Sum, x, Some(&axes[..1]), true)?;
    let found = reduce(b, ReduceOp::Max, sums.value, Some(&axes[1..]), true)?;
    if keep { Ok(found) } else { squeeze(b, found.value, Some(&axes)) }
}

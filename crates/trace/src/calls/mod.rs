//! The public operations: what each adds to the graph. Eager code runs them as graphs of one call.
//!
//! One variant per operation with what it says besides its operands; [`emit`] is the only way in.

mod advanced;
mod compare;
mod complex;
mod compositions;
mod conv;
mod elementwise;
mod entries;
mod masks;
mod matrices;
mod meeting;
mod movement;
mod origin;
mod power;
mod random;
mod reduce;
mod sort;
mod source;
mod steps;
mod store;
mod subscript;

use gw_ir::{ArgOp, Attr, BinaryOp, Builder, ForeignCall, Keep, MatrixOp, Op, PartOp, ReduceOp, Unfit};
use gw_types::DType;

use crate::Staged;
use steps::cast;

pub use compositions::{Algebra, Border, Composition, Equation, Grid, Layout, Network, Norm};
pub use conv::Padding;
pub use entries::{End, Item};
pub use random::Law;
pub use source::is_among;
pub use steps::Length;

/// A public operation without its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Call {
    /// One elementwise op on one operand; functions of reals take host integers as floats.
    Unary(Op),
    /// One elementwise op on two operands, of which host numbers take the other's type.
    Binary(Op),
    /// The same of integers that wrap whatever the program asks for: the compiler's own arithmetic.
    Wrapping(Op),
    /// `and`, `or`, `xor` or `not` of truths; numbers other than zero are true.
    Logical(Op),
    /// `x / y` as Python means it: integers divide in `float64`.
    TrueDiv,
    /// `x ** y` as Python means it: single floats fail where Python's do.
    Power,
    /// `c ? x : y`
    Select,
    /// A function of numbers that the process was given.
    Foreign(ForeignCall),
    /// Another element type.
    Cast(DType),
    /// The complex number of two parts; operands `re, im`.
    Complex,
    /// A part of a complex number; a real one is its own real part.
    Part(PartOp),
    /// The complex conjugate.
    Conj,
    /// The angle with the real axis.
    Angle,
    /// `x * x`
    Square,
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `max(x, 0)`
    Relu,
    /// `min(max(x, low), high)`; operands `x, low, high`
    Clip,
    /// One of the reductions over axes (all, if none are named; negative ones count from the end).
    Reduce {
        /// The fold.
        op: ReduceOp,
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// The mean over axes.
    Mean {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// The mean of the squares of distances from the mean, over axes.
    Variance {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// The square root of the variance.
    Deviation {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// The number of elements that are not zero, over axes.
    CountNonzero {
        /// Over what.
        axes: Option<Vec<i64>>,
        /// True if the axes stay with length 1.
        keep: bool,
        /// Of what type.
        dtype: DType,
    },
    /// Position of the greatest or least element along an axis.
    Arg {
        /// [`ArgOp::Max`] or [`ArgOp::Min`]
        op: ArgOp,
        /// Along what.
        axis: i64,
    },
    /// The elements, or their positions, along an axis in order.
    Sort {
        /// Along what.
        axis: i64,
        /// From the greatest to the least.
        descending: bool,
        /// True if positions are given.
        places: bool,
    },
    /// Positions of the greatest elements of the last axis, in descending order of the elements.
    Top {
        /// Number of elements.
        count: usize,
    },
    /// `x[…, places[…, j]]`: each row's elements at the places of the same row; operands `x, places`.
    Picked,
    /// `e^x / Σ e^x` along an axis.
    Softmax {
        /// Along what.
        axis: i64,
    },
    /// The same elements in other axes; operands `x` and one scalar per `Length::Given`.
    Reshape(Vec<Length>),
    /// Repeats along new or length-1 axes; operands as for `Reshape`.
    BroadcastTo(Vec<Length>),
    /// Permutes the axes; reverses them if no permutation is given.
    Transpose(Option<Vec<i64>>),
    /// A new axis of length 1.
    ExpandDims(i64),
    /// Without these axes of length 1, or without all of them.
    Squeeze(Option<Vec<i64>>),
    /// `x[…]`; operands `x` and one scalar or tensor per given index or bound.
    Subscript(Vec<Item>),
    /// `x` after `x[…] = value`; operands `x`, `value` and one scalar or tensor per given index or bound.
    Store(Vec<Item>),
    /// `x` with `updates` at `indices`, each of which names a slice; operands `x, indices, updates`.
    ScatterNd(Keep),
    /// Slices of `x` at `indices` along an axis; operands `x, indices`.
    Gather {
        /// Along what.
        axis: i64,
    },
    /// The slices that the last axis of `indices` names; operands `x, indices`.
    GatherNd,
    /// The positions of the elements that are not zero, a row each with its number along each axis.
    Nonzero,
    /// Joins along an axis.
    Concat {
        /// Along what.
        axis: i64,
    },
    /// Joins along a new axis.
    Stack {
        /// Position of the new axis.
        axis: i64,
    },
    /// Matrix product.
    Matmul {
        /// True if `x` is transposed first.
        transpose_x: bool,
        /// True if `y` is transposed first.
        transpose_y: bool,
    },
    /// A convolution of images with filters; operands `x, filter`.
    Conv2d {
        /// From one window to the next.
        strides: [usize; 2],
        /// Treatment of elements beyond the edges.
        padding: Padding,
        /// From one element of a window to the next.
        dilations: [usize; 2],
    },
    /// The Fourier transform along the last axis, not divided by the number of elements.
    Fft {
        /// True of the inverse one.
        inverse: bool,
    },
    /// An op that takes matrices apart or solves with them, and how.
    Matrices(MatrixOp, Attr),
    /// A function that is several calls.
    Composition(Composition),
    /// `start, start + step, …`; operands `start, stop, step`.
    Range(Option<DType>),
    /// The lengths of the axes as a vector.
    ShapeOf(DType),
    /// The length of an axis.
    DimOf(i64, DType),
    /// The number of elements.
    SizeOf(DType),
    /// One number everywhere, in the shape of `x`; operands `x, number`.
    FullLike(Option<DType>),
    /// Random numbers; operands: the key, the two numbers of the distribution, and one scalar per given length.
    Random {
        /// Distribution of the numbers.
        law: Law,
        /// Of what type.
        dtype: DType,
        /// The lengths of the axes.
        lengths: Vec<Length>,
    },
    /// `indices` as rows of zeros with a one.
    OneHot {
        /// Length of a row.
        depth: usize,
        /// Of what type.
        dtype: DType,
    },
}

impl Call {
    /// One elementwise op on one operand.
    pub fn unary(op: impl Into<Op>) -> Self {
        Self::Unary(op.into())
    }

    /// One elementwise op on two operands.
    pub fn binary(op: impl Into<Op>) -> Self {
        Self::Binary(op.into())
    }

    /// One elementwise op on two integers that wrap.
    pub fn wrapping(op: impl Into<Op>) -> Self {
        Self::Wrapping(op.into())
    }

    /// An op on truths.
    pub fn logical(op: impl Into<Op>) -> Self {
        Self::Logical(op.into())
    }

    /// A function that is several calls.
    pub fn composed(composition: impl Into<Composition>) -> Self {
        Self::Composition(composition.into())
    }

    /// Compares arguments with the known lengths of operands. [`emit`] does it too: a host that asks first can refuse a call
    /// before there is a graph.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn check(&self, lengths: &[Vec<Option<usize>>]) -> Result<(), Unfit> {
        if let Call::Composition(composition) = self { composition.check(lengths) } else { Ok(()) }
    }
}

/// Adds a call to the graph; gives its result.
///
/// # Errors
/// If the operands do not fit.
pub fn emit(call: &Call, b: &mut Builder, args: &[Staged]) -> Result<Staged, Unfit> {
    let made = emitted(call, b, args)?;
    origin::note(b, args, made);
    Ok(made)
}

fn emitted(call: &Call, b: &mut Builder, args: &[Staged]) -> Result<Staged, Unfit> {
    match call {
        Call::Unary(op) => elementwise::unary(b, *op, args[0]),
        Call::Binary(op) => elementwise::binary(b, *op, args[0], args[1]),
        Call::Wrapping(op) => elementwise::wrapping(b, *op, args[0], args[1]),
        Call::Logical(op) => elementwise::logical(b, *op, args),
        Call::TrueDiv => elementwise::true_div(b, args[0], args[1]),
        Call::Power => power::power(b, args[0], args[1]),
        Call::Select => elementwise::select(b, args[0], args[1], args[2]),
        Call::Foreign(call) => elementwise::foreign(b, call, args),
        Call::Cast(dtype) => cast(b, args[0].value, *dtype).map(Staged::strong),
        Call::Complex => complex::complex(b, args[0], args[1]),
        Call::Part(part) => complex::part(b, *part, args[0]),
        Call::Conj => complex::conj(b, args[0]),
        Call::Angle => complex::angle(b, args[0]),
        Call::Square => elementwise::binary(b, BinaryOp::Mul, args[0], args[0]),
        Call::Sigmoid => elementwise::sigmoid(b, args[0]),
        Call::Relu => elementwise::relu(b, args[0]),
        Call::Clip => elementwise::clip(b, args[0], args[1], args[2]),
        Call::Reduce { op, axes, keep } => reduce::reduce(b, *op, args[0].value, axes.as_deref(), *keep),
        Call::Mean { axes, keep } => reduce::mean(b, args[0].value, axes.as_deref(), *keep),
        Call::Variance { axes, keep } => reduce::variance(b, args[0], axes.as_deref(), *keep),
        Call::Deviation { axes, keep } => reduce::deviation(b, args[0], axes.as_deref(), *keep),
        Call::CountNonzero { axes, keep, dtype } => reduce::count(b, args[0], axes.as_deref(), *keep, *dtype),
        Call::Arg { op, axis } => reduce::arg(b, *op, args[0].value, *axis),
        Call::Sort { axis, descending, places } => sort::of_operand(b, args[0], *axis, *descending, *places),
        Call::Top { count } => b.op(ArgOp::Top, Attr::Count(*count), &[args[0].value]).map(Staged::strong),
        Call::Picked => sort::picked(b, args[0].value, args[1].value).map(Staged::strong),
        Call::Softmax { axis } => reduce::softmax(b, args[0], *axis),
        Call::Composition(composition) => compositions::emit(b, composition, args),
        Call::Reshape(lengths) => movement::to_lengths(b, Op::Reshape, lengths, args),
        Call::BroadcastTo(lengths) => movement::to_lengths(b, Op::Broadcast, lengths, args),
        Call::Transpose(perm) => movement::transpose(b, args[0].value, perm.as_deref()),
        Call::ExpandDims(axis) => movement::expand_dims(b, args[0].value, *axis),
        Call::Squeeze(axes) => movement::squeeze(b, args[0].value, axes.as_deref()),
        Call::Subscript(items) => subscript::subscript(b, items, args),
        Call::Store(items) => store::store(b, items, args),
        Call::ScatterNd(keep) => store::scatter_nd(b, *keep, args),
        Call::Gather { axis } => movement::gather(b, args[0].value, args[1].value, *axis),
        Call::GatherNd => store::gather_nd(b, args[0].value, args[1].value),
        Call::Nonzero => masks::nonzero(b, args[0].value),
        Call::Concat { axis } => movement::concat(b, args, *axis),
        Call::Stack { axis } => movement::stack(b, args, *axis),
        Call::Matmul { transpose_x, transpose_y } => movement::matmul(b, args, *transpose_x, *transpose_y),
        Call::Conv2d { strides, padding, dilations } => {
            conv::conv2d(b, [args[0], args[1]], *strides, *padding, *dilations)
        }
        Call::Fft { inverse } => complex::fft(b, args[0].value, *inverse).map(Staged::strong),
        Call::Matrices(op, attr) => matrices::matrices(b, *op, attr, args),
        Call::Range(dtype) => source::range(b, args, *dtype),
        Call::ShapeOf(dtype) => source::shape_of(b, args[0].value, *dtype),
        Call::DimOf(axis, dtype) => source::dim_of(b, args[0].value, *axis, *dtype),
        Call::SizeOf(dtype) => source::size_of(b, args[0].value, *dtype),
        Call::FullLike(dtype) => source::full_like(b, args[0].value, args[1], *dtype),
        Call::Random { law, dtype, lengths } => random::random(b, *law, *dtype, lengths, args),
        Call::OneHot { depth, dtype } => source::one_hot(b, args[0].value, *depth, *dtype),
    }
}

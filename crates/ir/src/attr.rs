//! Attributes of ops. Equal attributes on equal operands of a pure op mean equal results.

use std::sync::Arc;

use gw_types::{DType, Scalar, Shape, TensorType, Texts};

use crate::{FunctionId, Windows};

/// The constants of one node; which kind goes with which op is judged by `infer`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Attr {
    /// Nothing to say: elementwise ops, `while`.
    #[default]
    None,
    /// `const`
    Literal(Literal),
    /// `cast`
    To(DType),
    /// Arithmetic of integer scalars that fails as `OverflowError` where the result leaves its type; without it, it wraps.
    Checked,
    /// `cast` of a scalar to integers that fails as `OverflowError` where the number leaves the type.
    ToChecked(DType),
    /// `arg_max`, `arg_min`, `index`, `gather`, `concat`, `dim`
    Axis(usize),
    /// `arg_top`: how many.
    Count(usize),
    /// Reductions: the axes that go away (ascending), or stay with length 1.
    Axes {
        /// Axes, ascending and distinct.
        axes: Vec<usize>,
        /// True if the axes stay with length 1.
        keep: bool,
    },
    /// `transpose`: axis `i` of the result is axis `perm[i]` of the operand.
    Perm(Vec<usize>),
    /// `reshape`, `broadcast`: one entry per axis of the result.
    Dims(Vec<DimArg>),
    /// `slice`: one entry per axis.
    Slices(Vec<AxisSlice>),
    /// `put`
    Places {
        /// One entry per axis.
        places: Vec<Place>,
        /// Rule for the elements that are already there.
        keep: Keep,
    },
    /// `matmul`: which operands have their last two axes swapped first.
    Matmul {
        /// The left one.
        transpose_x: bool,
        /// The right one.
        transpose_y: bool,
    },
    /// `conv2d`
    Windows(Windows),
    /// `triangular_solve`
    Triangle {
        /// True if the lower triangle is read, false if the upper one.
        lower: bool,
        /// True if the matrix is transposed then.
        adjoint: bool,
    },
    /// `solve`: whether the matrix is transposed first.
    Adjoint(bool),
    /// `qr`: whether `q` is square.
    Full(bool),
    /// `call`
    Function(FunctionId),
    /// `print`
    Print(PrintFormat),
    /// `host_call`
    Host(HostCall),
    /// `foreign`
    Foreign(ForeignCall),
    /// `check`
    Check {
        /// Kind of exception that is raised.
        kind: CheckKind,
        /// Message of the exception.
        message: PrintFormat,
        /// True for a limit of the graph, where the program's own language raises nothing: no handler of the program catches it.
        limit: bool,
    },
}

/// The length of one axis of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DimArg {
    /// Known now.
    Fixed(usize),
    /// The operand at this position, an i64 scalar (0 is `x` itself, so positions begin at 1).
    Arg(usize),
    /// Remaining length (`-1`); `reshape` only, at most once.
    Rest,
}

/// `start:stop:step` on one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AxisSlice {
    /// Bound at which it begins.
    pub start: Bound,
    /// Bound at which it ends.
    pub stop: Bound,
    /// Never zero.
    pub step: i64,
}

impl AxisSlice {
    /// The whole axis.
    pub const ALL: AxisSlice = AxisSlice { start: Bound::Open, stop: Bound::Open, step: 1 };

    /// Start of Python's `start:stop:step` on an axis of this length, and number of elements it takes; `None`
    /// is a bound left out. A step of zero takes nothing.
    pub fn span(length: usize, start: Option<i64>, stop: Option<i64>, step: i64) -> (usize, usize) {
        let length = length as i64;
        let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
        let clamp =
            |bound: i64| (if bound < 0 { bound.saturating_add(length) } else { bound }).clamp(low, high);
        let (first, last) = if step > 0 { (low, high) } else { (high, low) };
        let (start, stop) = (start.map_or(first, clamp), stop.map_or(last, clamp));
        let distance = if step > 0 { stop - start } else { start - stop };
        let stride = step.unsigned_abs();
        let count = if distance <= 0 || step == 0 { 0 } else { (distance as u64).div_ceil(stride) };
        (start.max(0) as usize, count as usize)
    }
}

/// Positions on one axis that `put` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// At the operand at this position, integers as in `index`. Those with axes are read together: their elements at one
    /// position make one place.
    At(usize),
    /// At each position of a slice.
    Slice(AxisSlice),
}

/// Rule by which `put` combines the element in a place with the one that it stores there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The new one; of several in one place the last.
    Last,
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The lesser; NaN if either is.
    Least,
    /// The greater; NaN if either is.
    Greatest,
}

impl Keep {
    /// Every way.
    pub const ALL: [Keep; 5] = [Keep::Last, Keep::Sum, Keep::Product, Keep::Least, Keep::Greatest];

    /// The name in the graph's text form.
    pub fn text(self) -> &'static str {
        match self {
            Keep::Last => "last",
            Keep::Sum => "sum",
            Keep::Product => "product",
            Keep::Least => "least",
            Keep::Greatest => "greatest",
        }
    }

    /// The way of this name.
    pub fn from_text(text: &str) -> Option<Keep> {
        Self::ALL.into_iter().find(|keep| keep.text() == text)
    }
}

/// One end of a slice, as Python reads it: negative counts from the end, out of range is clamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Left out.
    Open,
    /// Known now.
    Fixed(i64),
    /// The operand at this position, an i64 scalar (0 is `x` itself).
    Arg(usize),
}

/// Stream that `print` writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// The host's standard error.
    Stderr,
    /// The host's standard output.
    Stdout,
}

/// A text with holes for operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrintFormat {
    /// In order.
    pub pieces: Vec<Piece>,
    /// Stream that the text goes to.
    pub stream: Stream,
    /// Number of elements shown at each end of an axis; the middle becomes `...`; `None` shows all.
    pub summarize: Option<usize>,
}

/// One piece of a text with holes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// As it stands.
    Text(String),
    /// The operand at this position, as all operands are counted (0 of `check` is `ok` itself).
    Operand(usize),
    /// The same, and a scalar as Python writes it: `True` and `1.0`, not `1`.
    Python(usize),
}

/// A call of a function of the host's, which is no part of the graph: whoever runs it has the functions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostCall {
    /// Number of the host function among those that the graph calls.
    pub number: usize,
    /// The user's name for it.
    pub name: String,
    /// Types of the results that it promises.
    pub gives: Vec<HostType>,
}

/// A native function of numbers, which the process knows by a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForeignCall {
    /// The number of one of the functions that the process was given.
    pub number: usize,
    /// The user's name for it.
    pub name: String,
    /// The element types that it takes.
    pub takes: Vec<DType>,
    /// The element type that it gives.
    pub gives: DType,
}

/// Type that a host function promises for one result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostType {
    /// Element type.
    pub dtype: DType,
    /// Lengths of the axes, where they are known before the call.
    pub lengths: Vec<Option<usize>>,
}

/// Exception type that a failing check raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckKind {
    /// `AssertionError`
    Assertion,
    /// `UnboundLocalError`
    UnboundLocal,
    /// `IndexError`
    Index,
    /// `ZeroDivisionError`
    ZeroDivision,
    /// `ValueError`
    Value,
    /// `OverflowError`
    Overflow,
    /// `TypeError`
    Type,
    /// `RecursionError`
    Recursion,
    /// `KeyError`; the text is the key as Python writes it.
    Key,
    /// `RuntimeError`
    Runtime,
    /// The host's `InvalidArgumentError`
    Argument,
    /// `NameError`
    Name,
}

/// A tensor of known shape with its elements' bytes, little-endian, row-major.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Literal {
    dtype: DType,
    lengths: Vec<usize>,
    bytes: Arc<[u8]>,
    texts: Texts,
}

impl Literal {
    /// From bytes.
    ///
    /// # Panics
    /// If there are not as many bytes as the type says.
    pub fn new(dtype: DType, lengths: Vec<usize>, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        assert_eq!(bytes.len(), gw_types::count(&lengths) * dtype.size(), "bytes of a literal");
        let texts = Texts::of_bytes(dtype, &bytes);
        Self { dtype, lengths, bytes, texts }
    }

    /// From elements, cast to `dtype`; somebody keeps the strings among them until now.
    pub fn from_scalars(dtype: DType, lengths: Vec<usize>, scalars: &[Scalar]) -> Self {
        let mut bytes = Vec::with_capacity(scalars.len() * dtype.size());
        scalars.iter().for_each(|s| s.write(dtype, &mut bytes));
        Self::new(dtype, lengths, bytes)
    }

    /// A single element, cast to `dtype`.
    pub fn scalar(dtype: DType, value: Scalar) -> Self {
        Self::from_scalars(dtype, Vec::new(), &[value])
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Lengths of the axes.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The elements' bytes.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The elements, in order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.bytes.chunks_exact(self.dtype.size()).map(|b| Scalar::read(self.dtype, b))
    }

    /// The element, if there is just one and no axis.
    pub fn as_scalar(&self) -> Option<Scalar> {
        self.lengths.is_empty().then(|| Scalar::read(self.dtype, &self.bytes))
    }

    /// Element type and shape.
    pub fn tensor_type(&self) -> TensorType {
        TensorType::new(self.dtype, Shape::fixed(&self.lengths))
    }
}

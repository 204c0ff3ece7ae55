//! The values that names and expressions may have, as far as the text proves it. What it does not prove is unknown.

use std::sync::Arc;

use gw_types::{DType, Dim, DimVar, Number, Shape};

use crate::module::FunctionId;

/// The variable of lengths of which nothing is known, not even that they equal each other.
pub const UNKNOWN: DimVar = DimVar(u32::MAX);

/// A length of which nothing is known.
pub const UNKNOWN_LENGTH: Dim = Dim::Var(UNKNOWN);

/// A value of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Value {
    /// Anything.
    #[default]
    Unknown,
    /// A tensor, of the graph or not.
    Tensor(Tensor),
    /// A Python `int`, and which one.
    Int(Option<i64>),
    /// A Python `float`.
    Float,
    /// A Python `bool`, and which one.
    Bool(Option<bool>),
    /// A Python `str`.
    Str(Arc<str>),
    /// `None`
    None,
    /// A tuple of these.
    Tuple(Arc<[Value]>),
    /// A list that nobody else knows: a display in the text.
    List(Arc<[Value]>),
    /// An element type: `gw.float32`, `"float32"` where one is asked for.
    DType(DType),
    /// A `gw.TensorSpec`, as the tensor that it describes.
    Spec(Tensor),
    /// A `gw.TensorSpec` that surely leaves the number of axes open.
    OpenSpec,
    /// A `range` with so many iterations.
    Range(Option<u64>),
    /// The object at a dotted path that begins with an import.
    Import(Arc<str>),
    /// A method of a value.
    Method(Arc<Value>, Arc<str>),
    /// A function of the file.
    Function(FunctionId),
    /// Result of `gw.function(f)` for a function of the file.
    Staged(FunctionId),
    /// An iterator of Python's, which goes on by itself.
    Iterator(HostIterator),
}

/// An iterator of Python's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostIterator {
    /// True if it surely holds a tensor of the graph.
    pub holds_tensors: bool,
    /// True if a copy of it tells what comes next without taking it: one over a list or range, but no generator.
    pub can_be_copied: bool,
    /// The number of staged branches and loops around the place where the function made it; nothing for one from
    /// outside.
    pub depth: Option<u32>,
}

/// Element type and shape of a tensor, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Tensor {
    /// The element type.
    pub dtype: Option<DType>,
    /// The lengths, if the number of axes is known.
    pub shape: Option<Shape>,
}

impl Tensor {
    /// A tensor of these lengths.
    pub fn new(dtype: Option<DType>, dims: Vec<Dim>) -> Self {
        Self { dtype, shape: Some(Shape(dims)) }
    }

    /// A tensor without axes.
    pub fn scalar(dtype: Option<DType>) -> Self {
        Self::new(dtype, Vec::new())
    }

    /// The same with another shape.
    pub fn shaped(&self, shape: Option<Shape>) -> Self {
        Self { dtype: self.dtype, shape }
    }

    /// The number of axes.
    pub fn rank(&self) -> Option<usize> {
        self.shape.as_ref().map(Shape::rank)
    }

    fn join(&self, other: &Tensor) -> Tensor {
        let shape = match (&self.shape, &other.shape) {
            (Some(a), Some(b)) if a.rank() == b.rank() => {
                Some(Shape(a.0.iter().zip(&b.0).map(|(&a, &b)| join_dim(a, b)).collect()))
            }
            (Some(_) | None, Some(_) | None) => None,
        };
        Tensor { dtype: self.dtype.filter(|_| self.dtype == other.dtype), shape }
    }
}

fn join_dim(a: Dim, b: Dim) -> Dim {
    if a == b { a } else { UNKNOWN_LENGTH }
}

impl Value {
    /// A tensor of which nothing more is known.
    pub fn any_tensor() -> Self {
        Value::Tensor(Tensor::default())
    }

    /// A value that is this one on one path and another one on another.
    pub fn join(&self, other: &Value) -> Value {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (Value::Tensor(a), Value::Tensor(b)) => Value::Tensor(a.join(b)),
            (Value::Int(_), Value::Int(_)) => Value::Int(None),
            (Value::Bool(_), Value::Bool(_)) => Value::Bool(None),
            (Value::Range(_), Value::Range(_)) => Value::Range(None),
            (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
                Value::Tuple(a.iter().zip(b.iter()).map(|(a, b)| a.join(b)).collect())
            }
            _ => Value::Unknown,
        }
    }

    /// The value under a name: a list that has one may be changed through it, so nothing of it is known.
    pub fn named(self) -> Value {
        if let Value::Tuple(items) = self {
            return Value::Tuple(items.iter().cloned().map(Value::named).collect());
        }
        if matches!(self, Value::List(_)) { Value::Unknown } else { self }
    }

    /// The Python number that it is.
    pub fn number(&self) -> Option<Number> {
        if let Value::Int(_) = self {
            return Some(Number::Int);
        }
        if let Value::Bool(_) = self {
            return Some(Number::Bool);
        }
        matches!(self, Value::Float).then_some(Number::Float)
    }

    /// The integer, where it is known.
    pub fn integer(&self) -> Option<i64> {
        if let Value::Int(known) = self { *known } else { None }
    }

    /// The items of a tuple or of a list in the text.
    pub fn items(&self) -> Option<&Arc<[Value]>> {
        if let Value::Tuple(items) | Value::List(items) = self { Some(items) } else { None }
    }

    /// The truth of the value, where it is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::Bool(known) => *known,
            Value::Int(known) => known.map(|n| n != 0),
            Value::Str(text) => Some(!text.is_empty()),
            Value::None => Some(false),
            Value::Tuple(items) | Value::List(items) => Some(!items.is_empty()),
            Value::Import(_)
            | Value::Function(_)
            | Value::Staged(_)
            | Value::Method(..)
            | Value::DType(_) => Some(true),
            Value::Unknown
            | Value::Tensor(_)
            | Value::Float
            | Value::Spec(_)
            | Value::OpenSpec
            | Value::Range(_)
            | Value::Iterator(_) => None,
        }
    }

    /// The dotted path of an import.
    pub fn path(&self) -> Option<&str> {
        if let Value::Import(path) = self { Some(path) } else { None }
    }

    /// The tensor that it is.
    pub fn tensor(&self) -> Option<&Tensor> {
        if let Value::Tensor(tensor) = self { Some(tensor) } else { None }
    }

    /// True if it is a tensor, or surely holds one.
    pub fn holds_tensors(&self) -> bool {
        match self {
            Value::Tensor(_) => true,
            Value::Tuple(items) | Value::List(items) => items.iter().any(Value::holds_tensors),
            Value::Iterator(iterator) => iterator.holds_tensors,
            Value::Unknown
            | Value::Int(_)
            | Value::Float
            | Value::Bool(_)
            | Value::Str(_)
            | Value::None
            | Value::DType(_)
            | Value::Spec(_)
            | Value::OpenSpec
            | Value::Range(_)
            | Value::Import(_)
            | Value::Method(..)
            | Value::Function(_)
            | Value::Staged(_) => false,
        }
    }
}

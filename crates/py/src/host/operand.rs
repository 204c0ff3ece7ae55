//! Operands of operations: values of a graph, elements, and numbers of Python's.

use crate::session::Tracing;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_types::{DType, Number, Scalar};
use pyo3::prelude::*;
use std::sync::Arc;

/// An object, and the operand that it is.
pub type Side<'a, 'py> = (&'a Bound<'py, PyAny>, &'a Operand);

/// A Python object as an operand.
#[derive(Debug, Clone)]
pub enum Operand {
    /// A value of a graph.
    Staged(Arc<Tracing>, Staged),
    /// Elements.
    Tensor(Buffer),
    /// A Python number.
    Number(Scalar),
}

impl Operand {
    /// Element type; for a Python number, that of the tensor made from it alone.
    pub fn dtype(&self) -> DType {
        match self {
            Operand::Staged(tracing, staged) => tracing.trace.ty(staged.value).dtype,
            Operand::Tensor(buffer) => buffer.dtype(),
            Operand::Number(n) => lone_dtype(*n),
        }
    }

    /// Lengths of the axes, where they are known.
    pub fn lengths(&self) -> Vec<Option<usize>> {
        match self {
            Operand::Staged(tracing, staged) => {
                tracing.trace.ty(staged.value).shape.0.iter().map(|d| d.fixed()).collect()
            }
            Operand::Tensor(buffer) => buffer.lengths().iter().map(|&n| Some(n)).collect(),
            Operand::Number(_) => Vec::new(),
        }
    }

    /// The operand with a type of its own: a Python number becomes a tensor.
    pub fn strong(self) -> Self {
        match self {
            Operand::Number(n) => Operand::Tensor(Buffer::scalar(lone_dtype(n), n)),
            other @ (Operand::Staged(..) | Operand::Tensor(_)) => other,
        }
    }
}

/// The dtype of `gw.constant(n)`: `int32` (`int64` where it does not fit), `float32`, `bool`.
pub fn lone_dtype(number: Scalar) -> DType {
    match number {
        Scalar::Text(_) => DType::Str,
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(i) if i32::try_from(i).is_err() => DType::I64,
        Scalar::Int(_) => Number::Int.default_dtype(),
        Scalar::Nat(_) => DType::U64,
        Scalar::Float(_) => Number::Float.default_dtype(),
        Scalar::Complex(..) => Number::Complex.default_dtype(),
    }
}

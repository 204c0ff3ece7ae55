//! What type a Python number takes beside a tensor (weak promotion), and what true division gives.

use crate::{DType, Kind, Scalar};

/// A Python number as a type: it has a kind, and takes its width from the tensor that it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    /// `True`
    Bool,
    /// `1`
    Int,
    /// `1.0`
    Float,
}

impl Number {
    /// What a Python number is; a string is none.
    pub fn of(scalar: Scalar) -> Option<Number> {
        match scalar {
            Scalar::Bool(_) => Some(Number::Bool),
            Scalar::Int(_) => Some(Number::Int),
            Scalar::Float(_) => Some(Number::Float),
            Scalar::Text(_) => None,
        }
    }

    /// The element type of a tensor made from such a number alone: `bool`, `int32`, `float32`.
    pub fn default_dtype(self) -> DType {
        match self {
            Number::Bool => DType::Bool,
            Number::Int => DType::I32,
            Number::Float => DType::F32,
        }
    }

    /// The element type in which the graph computes with such numbers alone: as wide as the host's own.
    pub fn own_dtype(self) -> DType {
        match self {
            Number::Bool => DType::Bool,
            Number::Int => DType::I64,
            Number::Float => DType::F64,
        }
    }

    /// The kind of number.
    pub fn kind(self) -> Kind {
        match self {
            Number::Bool => Kind::Bool,
            Number::Int => Kind::Int,
            Number::Float => Kind::Float,
        }
    }
}

/// The type in which a tensor of `dtype` and a Python number meet: the tensor's own, unless the number's kind is higher;
/// `int32` with `1.5` is `float32`, `bool` with `1` is `int32`. What is not 32 bits wide meets a float as Python
/// computes it, in `float64`.
pub fn join_weak(dtype: DType, number: Number) -> DType {
    if number.kind() <= dtype.kind() {
        dtype
    } else if number == Number::Float && dtype != DType::I32 {
        number.own_dtype()
    } else {
        number.default_dtype()
    }
}

/// The type of `a / b` on tensors of `dtype`: floats keep theirs; integers and bools divide in `float64`, which is what
/// Python's `/` computes in.
pub fn true_division(dtype: DType) -> DType {
    if dtype.is_float() { dtype } else { DType::F64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_tensors_width() {
        assert_eq!(join_weak(DType::F64, Number::Float), DType::F64);
        assert_eq!(join_weak(DType::F32, Number::Int), DType::F32);
        assert_eq!(join_weak(DType::I64, Number::Int), DType::I64);
        assert_eq!(join_weak(DType::I32, Number::Float), DType::F32);
        assert_eq!(join_weak(DType::I64, Number::Float), DType::F64);
        assert_eq!(join_weak(DType::Bool, Number::Int), DType::I32);
        assert_eq!(join_weak(DType::Bool, Number::Float), DType::F64);
    }
}

//! Values of variables while a Rust function is staged.

use gw_trace::Staged;
use gw_types::{DType, Scalar};

/// The value of a variable. It is owned: to copy it is to copy what it holds, and two variables never share a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number that is written in the program.
    Number(Scalar),
    /// A value of the graph: a number, a bool, or a vector, whose elements are the rows of a tensor.
    Staged(Staged),
    /// A vector without elements, of which the program has not said the element type.
    Empty,
    /// A variable without a value. Rust's compiler has proved that it is not read.
    Unbound,
}

/// The type of a parameter or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// One number or bool.
    One(DType),
    /// A vector of them.
    Many(DType),
}

impl Type {
    /// The element type.
    pub fn dtype(self) -> DType {
        match self {
            Self::One(dtype) | Self::Many(dtype) => dtype,
        }
    }
}

/// An integer of the program's text.
pub fn int(number: i64) -> Value {
    Value::Number(Scalar::Int(number))
}

/// A float of the program's text.
pub fn float(number: f64) -> Value {
    Value::Number(Scalar::Float(number))
}

/// A bool of the program's text.
pub fn truth(truth: bool) -> Value {
    Value::Number(Scalar::Bool(truth))
}

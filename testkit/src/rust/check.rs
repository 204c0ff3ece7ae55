//! Runs of graphs on Rust's values, to be compared with what the plain function gives.

use gw_eval::{Array, EvalError, Failure, run};
use gw_ir::Graph;
use gw_types::{DType, Scalar};

/// A type of plain Rust that the graph has too.
pub trait Plain: Sized {
    /// As the graph takes it.
    fn array(&self) -> Array;
    /// As the graph gives it.
    fn of(array: &Array) -> Self;
}

macro_rules! plain {
    ($($ty:ty, $dtype:ident, $scalar:ident, $from:ident;)*) => {$(
        impl Plain for $ty {
            fn array(&self) -> Array {
                Array::scalar(DType::$dtype, Scalar::$scalar(*self))
            }
            fn of(array: &Array) -> Self {
                array.first().$from()
            }
        }
        impl Plain for Vec<$ty> {
            fn array(&self) -> Array {
                let elements = self.iter().map(|&element| Scalar::$scalar(element));
                Array::new(DType::$dtype, vec![self.len()], elements)
            }
            fn of(array: &Array) -> Self {
                array.elements.iter().map(|element| element.$from()).collect()
            }
        }
    )*};
}

plain! {
    i64, I64, Int, to_i64;
    f64, F64, Float, to_f64;
    bool, Bool, Bool, to_bool;
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Ran<T> {
    /// With this result.
    Gave(T),
    /// With an `Err` of this text, raised on this line.
    Failed(String, Option<u32>),
    /// With what is a panic in plain Rust.
    Panicked(Failure),
}

/// Runs a graph of one result.
pub fn ran<T: Plain>(graph: &Graph, inputs: &[Array]) -> Ran<T> {
    match run(graph, inputs) {
        Ok(outcome) => {
            outcome.results.first().map_or(Ran::Panicked(Failure::Runtime), |r| Ran::Gave(T::of(r)))
        }
        Err(EvalError { kind: Failure::Value, message, place }) => {
            Ran::Failed(message, place.map(|place| place.line))
        }
        Err(EvalError { kind, .. }) => Ran::Panicked(kind),
    }
}

//! The type of a tensor: element type, dimensions, shape; how shapes broadcast and types promote.

mod dtype;
mod overflow;
mod promote;
mod shape;
mod text;

pub use dtype::{DType, Kind, Scalar};
pub use overflow::Arithmetic;
pub use promote::{Number, Promotion, join_weak, true_division};
pub use shape::{Dim, DimVar, Shape, TensorType, Unbroadcastable, broadcast, count};
pub use text::{Text, Texts};

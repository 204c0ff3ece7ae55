//! The language of federated computations, without a host: types, building blocks, intrinsics, packing and tracing.
//!
//! A host chooses what containers and literals are (`Host`); the rules of the language are all here.

pub mod blocks;
mod dtype;
mod host;
pub mod intrinsics;
pub mod literal;
pub mod packing;
mod page;
mod placement;
mod refusal;
pub mod serialize;
pub mod tracing;
pub mod types;
pub mod values;

pub use dtype::{Class, DType};
pub use host::{Host, Payload};
pub use placement::Placement;
pub use refusal::{Allowed, Raises, Refusal};

//! Types of federated computations: interned, immutable, with their texts and the rules that compare them.

pub mod analysis;
mod assign;
mod concrete;
mod intern;
mod make;
mod node;
mod parse;
mod text;

pub use assign::not_assignable;
pub use concrete::check_concrete_instance_of;
pub use intern::{Interner, Interns};
pub(crate) use make::not_too_deep;
pub use make::{DEEPEST, check_names, quoted};
pub use node::{Dimensions, Federated, Field, Fields, Kind, Name, Parts, Type};

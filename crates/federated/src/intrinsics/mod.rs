//! Intrinsics: the operations of the language, their calls, and what users may ask of them.

pub mod calls;
pub mod make;
mod table;

pub use table::{Exposure, Intrinsic, check_type};

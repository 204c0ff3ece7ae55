//! Building blocks: the syntax of computations, with constructors that check, texts, and walks that replace parts.

mod drawing;
mod make;
pub mod names;
mod node;
mod same;
mod text;
pub mod transform;

pub use node::{Block, BlockKind, Element, Key, Local};

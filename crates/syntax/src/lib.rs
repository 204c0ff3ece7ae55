//! Python text to our own tree and back.
//!
//! Parsing never fails: a tree always comes out, with what is wrong beside it. The tree is a value: nodes lie in
//! tables, are named by typed ids, and each knows the span it came from. Only `from_ruff` knows the foreign parser.

mod copy;
mod depth;
mod from_ruff;
mod node;
mod precedence;
mod template;
mod to_source;
mod tree;
mod walk;
mod write_expr;

pub use depth::depth;
pub use from_ruff::{KINDS, NOT_PARSED, kinds_in, parse};
pub use node::*;
pub use template::{Fill, Template};
pub use to_source::{expr_to_source, function_to_source, to_source};
pub use tree::{Body, ExprId, Name, StmtId, Tree};

//! Ground floor: typed ids and their tables, places in the user's text, and the three kinds of failing.
//!
//! `Diagnosed` is about the user's program, `Result` about the world, `Broken` about us.

mod broken;
mod diagnostic;
mod id;
mod place;
mod render;

pub use broken::Broken;
pub use diagnostic::{Code, Diagnosed, Diagnostic, Label, Nature, Raises};
pub use id::{Id, Table};
pub use place::{Loc, Source, Span, Within};
pub use render::{quote, render};

/// Calls of the host for a graph with numbers from here on are no functions of the host's: the graph has another thread begin
/// the work of number `k` (`FIRST_OVERLAP + 2 * k`), and waits for what it gives (`FIRST_OVERLAP + 2 * k + 1`).
pub const FIRST_OVERLAP: usize = usize::MAX / 2;

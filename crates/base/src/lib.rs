//! Ground floor: typed ids and their tables, places in the user's text, and the three kinds of failing.
//!
//! `Diagnosed` is about the user's program, `Result` about the world, `Broken` about us.

mod broken;
mod diagnostic;
mod id;
mod place;
mod render;

pub use broken::Broken;
pub use diagnostic::{Code, Diagnosed, Diagnostic, Label, Raises};
pub use id::{Id, Table};
pub use place::{Loc, Source, Span, Within};
pub use render::{quote, render};

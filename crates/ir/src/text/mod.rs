//! The graph's text form: `parse(print(g))` is `g`, without dead things, places and the numbers of values.
//!
//! ```text
//! func @collatz(%n: i64[]) -> (i64[]) {
//!   %1 = const 0 : i64[]
//!   %2, %3 = while (%4 = %n, %5 = %1) : (i64[], i64[]) {
//!     %6 = const 1 : i64[]
//!     %7 = ne %4, %6 : bool[]
//!     yield %7
//!   } do {
//!     …
//!     yield %8, %9
//!   }
//!   return %3
//! }
//! ```
//! A value that has the user's name shows it, `%steps`, and `%steps.2` where that is taken. Attributes follow the
//! operands: `axis=0`, `axes=[0,1] keep`, `dims=[3,@1,-1]` (`@1` is the length given by operand 1), `at=[1:-1:2,:]`,
//! `to=f32`. `#` begins a comment.

mod attrs;
mod error;
mod lexer;
mod literal;
mod names;
mod parse;
mod print;
mod reads;
#[cfg(test)]
mod tests;

pub use error::ParseError;
pub use literal::write as print_literal;
pub use parse::{parse, parse_call};
pub use print::{print, print_lines, print_with_places};

/// Literals of more elements are written as their bytes.
const LONGEST_LIST: usize = 1024;

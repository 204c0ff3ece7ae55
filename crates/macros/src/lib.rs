//! The toy of `#[graphwright::function]`: a Rust function stays as it is, and a module of its name beside it stages it.
//!
//! Control flow and operators become calls of a host (`gw_testkit::rust`), which asks the rules of staging that Python's
//! functions are staged by. The types are judged by Rust's compiler, in the function that stays.
//!
//! ```
//! #[gw_macros::function]
//! fn halvings(n: i64) -> i64 {
//!     let mut n = n;
//!     let mut count = 0;
//!     while n > 1 {
//!         n = n / 2;
//!         count += 1;
//!     }
//!     count
//! }
//!
//! assert_eq!(halvings(40), 5);
//! assert!(halvings::graph().is_ok());
//! ```
//!
//! Constructs that the toy does not take are errors of the compiler, on the token that is not taken:
//!
//! ```compile_fail
//! #[gw_macros::function]
//! fn sum(n: i64) -> i64 {
//!     let mut sum = 0;
//!     for i in 0..n {
//!         sum += i;
//!     }
//!     sum
//! }
//! ```
//!
//! Nor may a `Result` be dropped, which the graph would fail for and Rust would not:
//!
//! ```compile_fail
//! use gw_testkit::rust::ensure;
//!
//! #[gw_macros::function]
//! fn half(n: i64) -> Result<i64, &'static str> {
//!     ensure(n % 2 == 0, "an odd number")?;
//!     Ok(n / 2)
//! }
//!
//! #[gw_macros::function]
//! fn careless(n: i64) -> i64 {
//!     let _unused = half(n);
//!     n
//! }
//! ```

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the parser's enums are not ours and not exhaustive: their rest is refused"
)]

mod expressions;
mod function;
mod macros;
mod names;
mod refused;
mod scope;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use proc_macro::TokenStream;

/// Stages a function: `name::graph()` is its graph, `name(…)` the function as it is written.
#[proc_macro_attribute]
pub fn function(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expanded(options.into(), item.into()).into()
}

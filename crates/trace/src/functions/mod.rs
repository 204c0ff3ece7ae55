//! Functions of the graph: which calls become one, what one takes and gives, and how often it is traced until that is known.
//!
//! While a branch or loop is traced, a function that runs already is called through [`call_function`], which takes the call
//! down. If it comes again for arguments of the same kinds, tracing would not end: it goes back to the first of these
//! calls ([`Interrupt::Recurses`](crate::Interrupt)), and there the function is made one of the graph, see [`Callee`]. Arguments that
//! the host knows and that end the recursion stay what they are, and the calls are traced one in the other as any others.

mod alike;
mod call;
mod callee;
mod calls;
mod enter;
mod host;
pub mod limits;
mod made;
mod memo;
mod node;
mod open;
mod outline;
mod records;

pub use call::{FunctionCall, FunctionKey, Growing, Leaves};
pub use callee::{Argument, Body, Callee};
pub use calls::Calls;
pub use enter::call_function;
pub use host::{CallOf, CalledFunction, CalleeOf, CallsOf, Endless, Functions, Told};
pub use open::{count_up, widen};

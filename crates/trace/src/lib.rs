//! Staging rules: what `if`, `while` and `for` mean when what they are conditioned on is a value of the graph, and what
//! each public operation adds to the graph.
//!
//! Terms. A *host value* is whatever the host language calls a variable's content. The *state* is the host values that
//! flow through a statement. A *leaf* is one host value without structure. A *carry* is a leaf that a loop threads.

mod call;
pub mod calls;
mod carried;
mod changes;
mod counting;
mod custom_gradient;
pub mod fixpoint;
mod for_;
mod holds;
mod host;
mod if_;
mod implied;
mod join;
mod kinds;
mod lengths;
mod merge;
pub mod objects;
mod observer;
mod optional;
mod optional_carry;
mod peel;
mod poison;
mod region;
mod roles;
mod segments;
mod slot;
mod trace;
mod try_;
mod while_;

pub use call::{Argument, Body, Callee};
pub use custom_gradient::{Apart, Flows};
pub use for_::{Items, counted, for_, items_of, progression};
pub use holds::Fails;
pub use host::{Host, Lack, Part, Parts, Seen, Shown, State};
pub use if_::{if_, if_exp};
pub use join::{LeafType, describe};
pub use lengths::Length;
pub use merge::Choice;
pub use objects::{Misfit, Piece, meet, rows, taken};
pub use observer::Observer;
pub use slot::Slot;
pub use trace::{Staged, Trace};
pub use try_::{Attempt, Choosing, try_};
pub use while_::{go_on, while_};

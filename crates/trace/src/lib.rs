//! Staging rules: what `if`, `while` and `for` mean when what they are conditioned on is a value of the graph, and what
//! each public operation adds to the graph.
//!
//! Terms. A *host value* is whatever the host language calls a variable's content. The *state* is the host values that
//! flow through a statement. A *leaf* is one host value without structure. A *carry* is a leaf that a loop threads.

pub mod calls;
mod carried;
mod changes;
mod counting;
mod custom_gradient;
mod exceptions;
pub mod fixpoint;
mod for_;
mod functions;
mod host;
mod if_;
mod implied;
mod join;
mod kinds;
mod lengths;
mod merge;
mod notifications;
pub mod objects;
mod observer;
mod optional;
mod optional_carry;
mod origins;
mod peel;
mod poison;
mod region;
mod retracing;
mod roles;
mod segments;
mod slot;
mod trace;
mod while_;

pub use custom_gradient::{Apart, Flows};
pub use exceptions::{
    Attempt, Choosing, Destination, ExitScope, Fails, ScopeKind, Scopes, destination, fails_by_itself,
    failures_by, failures_of, first_failure, host_call, is_said, misfit, never_fails, not_caught, outside,
    shown, suspects, try_,
};
pub use for_::{Items, counted, for_, items_of, progression};
pub use functions::{
    Argument, Body, CallOf, CalledFunction, Callee, CalleeOf, Calls, CallsOf, Endless, FunctionCall,
    FunctionKey, Functions, Growing, Leaves, Told, call_function, count_up, limits, widen,
};
pub use host::{Host, Interrupt, Lack, Part, Parts, Seen, Shown, State};
pub use if_::{if_, if_exp};
pub use join::{LeafType, describe};
pub use lengths::Length;
pub use merge::Choice;
pub use objects::{Misfit, Piece, meet, rows, taken};
pub use observer::Observer;
pub use slot::Slot;
pub use trace::{Staged, Trace};
pub use while_::{go_on, while_};

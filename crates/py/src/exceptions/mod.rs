//! Exceptions: ours, those of the program, and those that a graph raises.

pub mod errors;
pub mod outward;
pub mod raised;
pub mod run_errors;
pub mod traceback;
pub mod tries;

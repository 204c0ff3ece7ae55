//! Iteration in the graph.

pub mod any_all;
pub mod collected;
pub mod comprehension;
pub mod consumers;
pub mod endless;
pub mod fetch;
pub mod generators;
pub mod iterable;
pub mod loop_rolling;
pub mod loop_settings;
pub mod plain_generators;
pub mod progress;
pub mod python_for;
pub mod staged_for;
mod targets;
pub mod unfilled;
pub mod withs;

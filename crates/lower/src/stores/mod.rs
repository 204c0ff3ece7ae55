//! Stores into objects and arrays, of which the graph has to know.

pub mod filled;
pub mod stored;

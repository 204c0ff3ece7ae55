//! Observers of a graph that is being built.

use std::fmt::Debug;
use std::ops::Range;

/// An observer, which is told of each node right after it is added to a graph.
pub trait Observer: Debug + Send + Sync {
    /// The nodes of these numbers were added.
    fn added(&self, nodes: Range<usize>);
}

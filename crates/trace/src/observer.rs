//! Observers of a graph that is being built.

use std::fmt::Debug;
use std::ops::Range;

/// Who is told of each node that is added to a graph, right after that.
pub trait Observer: Debug + Send + Sync {
    /// The nodes of these numbers were added.
    fn added(&self, nodes: Range<usize>);
}

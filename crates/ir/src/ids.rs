//! The names of the parts of a graph.

use gw_base::ids;

ids! {
    /// One operation of a graph.
    NodeId;
    /// One value of a graph.
    ValueId;
    /// One region of a graph.
    RegionId;
    /// One function that a graph calls.
    FunctionId;
}

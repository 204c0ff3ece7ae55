//! Functions of a host that run as graphs: the trace types of their calls, the graphs that are kept for these, and the reason
//! why a call needs one more.

pub mod explain;
pub mod graph_cache;
pub mod trace_type;

//! The lists of Python's that flow through statements in the graph.

use gw_trace::objects;

use crate::host::PyHost;

/// The lists that flow through one statement.
pub type Lists<'a, 'py> = objects::Lists<'a, PyHost<'py>>;

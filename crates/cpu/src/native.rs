//! The native code of a graph before it is in its place in memory.

use gw_runtime::Program;

use crate::jit::Object;

/// The native code of a graph with all that belongs to it, before it is in its place in memory.
#[derive(Debug)]
pub struct Native {
    pub(crate) object: Object,
    pub(crate) program: Program,
}

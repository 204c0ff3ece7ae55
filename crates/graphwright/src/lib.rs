//! The lobby: the only place where the order of the journey is written.
//!
//! A staged function goes graph → `opt` → `cpu` → executable. Eager code goes the same way, one call at a time, through a
//! cache of graphs.

pub mod config;
mod eager;

use gw_base::Broken;
use gw_ir::Graph;
use gw_runtime::Executable;

pub use eager::{Eager, EagerArg, EagerError};

/// A graph and the native code that it became.
#[derive(Debug)]
pub struct Compiled {
    /// The graph after `opt`.
    pub graph: Graph,
    /// What runs it.
    pub executable: Executable,
}

/// Makes native code of a graph.
///
/// # Errors
/// Only if one of our own passes is broken.
pub fn compile(graph: Graph) -> Result<Compiled, Broken> {
    let graph = gw_opt::optimize(graph).map_err(|(_, broken)| broken)?;
    let executable = gw_cpu::compile(&graph)?;
    Ok(Compiled { graph, executable })
}

//! The graph that code was made of, optimized once somebody wants to see it: code that comes from the disk was made of one
//! that this process has not had.

use std::fmt;
use std::sync::{Arc, LazyLock};

use gw_ir::Graph;

type Make = Box<dyn FnOnce() -> Graph + Send>;

/// A graph after `opt`. A clone shares it.
#[derive(Clone)]
pub struct Optimized {
    graph: Arc<LazyLock<Graph, Make>>,
    nodes: usize,
}

impl Optimized {
    /// Of one that is.
    pub fn of(graph: Graph) -> Self {
        let nodes = graph.nodes.len();
        let made: LazyLock<Graph, Make> = LazyLock::new(Box::new(|| graph));
        // A copy of the process that is made while another thread looks could wait for ever.
        LazyLock::force(&made);
        Self { nodes, graph: Arc::new(made) }
    }

    /// Of one that is not yet, but can be.
    pub(crate) fn later(traced: Arc<Graph>) -> Self {
        let nodes = traced.nodes.len();
        // The graph as it was traced means the same.
        let make = move || gw_opt::optimize(Graph::clone(&traced)).unwrap_or_else(|_| Graph::clone(&traced));
        Self { nodes, graph: Arc::new(LazyLock::new(Box::new(make))) }
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Number of nodes of the graph that is held here: this one, or the one before.
    pub fn node_count(&self) -> usize {
        self.nodes
    }
}

impl fmt::Debug for Optimized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Optimized").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

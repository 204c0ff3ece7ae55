//! The values that the graph needs: those that it computes with, and those that decide its branches and loops. The function's results
//! are the host's in the end.

use gw_base::Id;
use gw_ir::{Graph, Node, NodeId, Op, ValueDef, ValueId};

use crate::dce::owners;

/// The values that the graph needs.
pub struct Needed {
    needed: Vec<bool>,
}

impl Needed {
    /// All that some node of the graph needs.
    pub fn of(graph: &Graph) -> Self {
        let mut search = Search {
            graph,
            owners: owners(graph),
            needed: vec![false; graph.values.len()],
            todo: Vec::new(),
        };
        graph.roots().into_iter().for_each(|root| search.region(root));
        graph
            .called()
            .into_iter()
            .for_each(|function| search.all(&graph.regions[graph.functions[function].body].results));
        while let Some(value) = search.todo.pop() {
            search.follow(value);
        }
        Self { needed: search.needed }
    }

    /// True if the graph needs a value.
    pub fn has(&self, value: ValueId) -> bool {
        self.needed[value.index()]
    }
}

struct Search<'a> {
    graph: &'a Graph,
    owners: Vec<Option<NodeId>>,
    needed: Vec<bool>,
    todo: Vec<ValueId>,
}

impl Search<'_> {
    fn need(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.needed[value.index()], true) {
            self.todo.push(value);
        }
    }

    fn all(&mut self, values: &[ValueId]) {
        values.iter().for_each(|&value| self.need(value));
    }

    /// Needs what the nodes of a region need for themselves.
    fn region(&mut self, region: gw_ir::RegionId) {
        let graph = self.graph;
        for &id in &graph.regions[region].nodes {
            let node = &graph.nodes[id];
            self.node(node);
            node.regions.iter().for_each(|&inner| self.region(inner));
        }
    }

    fn node(&mut self, node: &Node) {
        let graph = self.graph;
        if node.op == Op::Cond {
            self.need(node.args[0]);
        } else if node.op == Op::While || node.op == Op::Try {
            self.all(&graph.regions[node.regions[0]].results);
        } else if node.op != Op::Host {
            self.all(&node.args);
        }
    }

    /// Needs the origin of a value that a branch or loop hands on.
    fn follow(&mut self, value: ValueId) {
        let graph = self.graph;
        match graph.values[value].def {
            ValueDef::Param(region, at) => {
                if let Some(owner) = self.owners[region.index()] {
                    self.carry(owner, at);
                }
            }
            ValueDef::Result(id, at) => {
                let node = &graph.nodes[id];
                if node.op == Op::Cond {
                    node.regions.iter().for_each(|&region| self.need(graph.regions[region].results[at]));
                } else if node.op == Op::While {
                    self.carry(id, at);
                }
            }
        }
    }

    /// A carry of a loop: where it begins, and how it goes on.
    fn carry(&mut self, node: NodeId, at: usize) {
        let (graph, node) = (self.graph, &self.graph.nodes[node]);
        self.need(node.args[at]);
        node.regions.iter().for_each(|&region| self.need(graph.regions[region].params[at]));
        self.need(graph.regions[node.regions[1]].results[at]);
    }
}

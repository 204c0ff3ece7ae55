//! The `try` that each `leave` of a graph ends.

use rustc_hash::FxHashMap;

use gw_ir::{Graph, NodeId, Op, RegionId};

/// The `leave`s of each `try`.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    of: FxHashMap<NodeId, Vec<NodeId>>,
}

impl Leaves {
    /// Those of a whole graph.
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut leaves = Self::default();
        if graph.nodes.iter().any(|(_, node)| node.op == Op::Try) {
            graph.roots().into_iter().for_each(|root| leaves.region(graph, root, None));
        }
        leaves
    }

    /// Those of one `try`.
    pub(crate) fn of(&self, id: NodeId) -> &[NodeId] {
        self.of.get(&id).map_or(&[], Vec::as_slice)
    }

    fn region(&mut self, graph: &Graph, region: RegionId, around: Option<NodeId>) {
        for &id in &graph.regions[region].nodes {
            let node = &graph.nodes[id];
            if let (Op::Leave, Some(around)) = (node.op, around) {
                self.of.entry(around).or_default().push(id);
            }
            let around = if node.op == Op::Try { Some(id) } else { around };
            node.regions.iter().for_each(|&inner| self.region(graph, inner, around));
        }
    }
}

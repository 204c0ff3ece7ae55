//! When the values of a graph are read, by nodes that compute with them at once and by those that are computed where they are read
//! themselves; see [`reuse`](super::reuse).

use rustc_hash::FxHashMap;

use gw_base::Id;
use gw_ir::{Class, Graph, NodeId, Op, RegionId, ValueId};

/// Use of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    Node(NodeId),
    End(RegionId, usize),
}

/// Reads of a value in a region.
pub(super) struct Reads {
    pub(super) times: Vec<usize>,
    /// The values that read it late.
    pub(super) readers: Vec<ValueId>,
}

/// The uses of the values of a graph, and when they are.
pub(super) struct Survey<'g> {
    pub(super) graph: &'g Graph,
    uses: Vec<Vec<Use>>,
    /// The region that lists each node, and where.
    homes: Vec<Option<(RegionId, usize)>>,
    owners: Vec<Option<NodeId>>,
    /// The `try` that each `leave` ends.
    left: FxHashMap<NodeId, NodeId>,
    /// The `leave`s that end each `try`.
    pub(super) leaves: FxHashMap<NodeId, Vec<NodeId>>,
}

impl<'g> Survey<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let mut survey = Self {
            graph,
            uses: vec![Vec::new(); graph.values.len()],
            homes: vec![None; graph.nodes.len()],
            owners: vec![None; graph.regions.len()],
            left: FxHashMap::default(),
            leaves: FxHashMap::default(),
        };
        graph.roots().into_iter().for_each(|root| survey.region(root, None));
        survey
    }

    fn region(&mut self, id: RegionId, around: Option<NodeId>) {
        let region = &self.graph.regions[id];
        for (at, &node) in region.nodes.iter().enumerate() {
            self.homes[node.index()] = Some((id, at));
            for arg in &self.graph.nodes[node].args {
                self.uses[arg.index()].push(Use::Node(node));
            }
            let op = self.graph.nodes[node].op;
            if let Some(around) = around.filter(|_| op == Op::Leave) {
                self.left.insert(node, around);
                self.leaves.entry(around).or_default().push(node);
            }
            let around = if op == Op::Try { Some(node) } else { around };
            for &inner in &self.graph.nodes[node].regions {
                self.owners[inner.index()] = Some(node);
                self.region(inner, around);
            }
        }
        for (at, result) in region.results.iter().enumerate() {
            self.uses[result.index()].push(Use::End(id, at));
        }
    }

    /// Time of a use inside a region: the position of the node there that it belongs to, or the region's end.
    fn time(&self, used: Use, region: RegionId) -> Option<usize> {
        let (mut at, mut time) = match used {
            Use::End(r, _) => (r, self.graph.regions[r].nodes.len()),
            Use::Node(node) => self.homes[node.index()]?,
        };
        while at != region {
            (at, time) = self.homes[self.owners[at.index()]?.index()]?;
        }
        Some(time)
    }

    pub(super) fn uses_in(&self, value: ValueId, region: RegionId) -> impl Iterator<Item = (Use, usize)> {
        self.uses[value.index()].iter().filter_map(move |&used| Some((used, self.time(used, region)?)))
    }

    /// Rows that are taken from the value in this region before `limit`, and used from there on.
    pub(super) fn rows(&self, value: ValueId, region: RegionId, limit: usize) -> Vec<NodeId> {
        let is_row = |node: &NodeId| {
            let taken = &self.graph.nodes[*node];
            let here = self.homes[node.index()].is_some_and(|(home, at)| home == region && at < limit);
            let is_index = taken.op == Op::Index && taken.args[0] == value;
            is_index && here && self.uses_in(taken.results[0], region).any(|(_, at)| at >= limit)
        };
        let nodes = self.uses[value.index()].iter().filter_map(|used| match used {
            Use::Node(node) => Some(*node),
            Use::End(..) => None,
        });
        nodes.filter(is_row).collect()
    }

    /// True if a region of a node uses the value.
    pub(super) fn is_used_inside(&self, value: ValueId, node: NodeId) -> bool {
        let regions = &self.graph.nodes[node].regions;
        self.uses[value.index()].iter().any(|&used| regions.iter().any(|&r| self.time(used, r).is_some()))
    }

    /// Reads of a value in a region, by itself and by values from around the region, late reads included, but for those of `copied`
    /// rows: not as the region's result, nor as an operand that `link` takes over. Late reads inside a branch that is the link are left to
    /// it.
    pub(super) fn reads(
        &self,
        (value, around): (ValueId, &[ValueId]),
        region: RegionId,
        link: Option<NodeId>,
        copied: &[NodeId],
    ) -> Reads {
        let branch = link.filter(|&link| self.graph.nodes[link].op == Op::Cond);
        let (mut times, mut todo, mut done) = (Vec::new(), [&[value], around].concat(), Vec::new());
        while let Some(next) = todo.pop() {
            if done.contains(&next) {
                continue;
            }
            done.push(next);
            for (used, time) in self.uses_in(next, region) {
                let node = match used {
                    Use::Node(node) => Some(self.left.get(&node).copied().unwrap_or(node)),
                    Use::End(inner, _) => self.owners[inner.index()].filter(|_| inner != region),
                };
                let is_link = next == value && link.is_some_and(|link| self.is_within(used, link));
                let is_end = next == value && matches!(used, Use::End(inner, _) if inner == region);
                if !is_link && !is_end {
                    if !branch.is_some_and(|branch| self.is_within(used, branch)) {
                        times.push(time);
                    }
                    let node = node.filter(|node| !copied.contains(node));
                    todo.extend(node.into_iter().flat_map(|node| self.late(node)));
                }
            }
        }
        done.retain(|&reader| reader != value);
        Reads { times, readers: done }
    }

    /// True if a use is one by this node or inside it.
    fn is_within(&self, used: Use, link: NodeId) -> bool {
        let inside = || self.graph.nodes[link].regions.iter().any(|&r| self.time(used, r).is_some());
        matches!(used, Use::Node(node) if node == link) || inside()
    }

    /// The results of a node that read its operands, or are its operands, only when they are read themselves.
    fn late(&self, node: NodeId) -> Vec<ValueId> {
        let node = &self.graph.nodes[node];
        let late = match node.op.class() {
            Class::Elementwise | Class::Control => true,
            Class::Move => node.op.is_view(),
            Class::Reduce | Class::Contract | Class::Matrices | Class::Source | Class::Effect => false,
        };
        let arrays = node.results.iter().copied().filter(|&v| late && !self.graph.ty(v).is_scalar());
        arrays.collect()
    }
}

//! Windows: the calls of a region beside which each of its nodes may run, from its operands to its first reader.
//!
//! In `a = host(x); b = host(a); w = y @ y; return b, w` the product may run beside both calls.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use gw_ir::{Graph, NodeId, Op, RegionId, StringOp, ValueId, can_fail};

use super::work::reads;
use super::worth;

/// The first and the last call beside which nodes run, by their numbers in the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Window {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// The nodes of one region with what they read, by their positions.
pub(super) struct Order<'g> {
    graph: &'g Graph,
    pub(super) nodes: Vec<NodeId>,
    /// The positions of the nodes that call the host, themselves or inside.
    pub(super) calls: Vec<usize>,
    /// The positions of the nodes whose results each node reads, without literals, which are written anew.
    operands: Vec<Vec<usize>>,
    readers: Vec<Vec<usize>>,
}

impl<'g> Order<'g> {
    pub(super) fn of(graph: &'g Graph, region: RegionId) -> Self {
        let nodes = graph.regions[region].nodes.clone();
        let is_call = |&at: &usize| calls_host(graph, nodes[at]);
        let calls: Vec<usize> = (0..nodes.len()).filter(is_call).collect();
        let mut order = Self { graph, nodes, calls, operands: Vec::new(), readers: Vec::new() };
        if !order.calls.is_empty() {
            order.link();
        }
        order
    }

    fn link(&mut self) {
        let mut definers: FxHashMap<ValueId, usize> = FxHashMap::default();
        self.readers = vec![Vec::new(); self.nodes.len()];
        for (at, &id) in self.nodes.iter().enumerate() {
            let read: FxHashSet<usize> =
                reads(self.graph, id).iter().filter_map(|value| definers.get(value)).copied().collect();
            read.iter().for_each(|&operand| self.readers[operand].push(at));
            self.operands.push(read.into_iter().collect());
            if self.graph.nodes[id].op != Op::Const {
                definers.extend(self.graph.nodes[id].results.iter().map(|&result| (result, at)));
            }
        }
    }

    /// The nodes that may run beside calls, but for those that stay, together where they have the same window. A node that
    /// reads another one has the same window, or one that begins behind the other's.
    pub(super) fn windows(&self, stay: &FxHashSet<NodeId>) -> BTreeMap<Window, Vec<NodeId>> {
        let mut windows = self.widest(stay);
        self.join_readers(&mut windows);
        self.end_in_time(&mut windows);
        let mut together: BTreeMap<Window, Vec<NodeId>> = BTreeMap::new();
        for (window, &id) in windows.into_iter().zip(&self.nodes) {
            if let Some(window) = window {
                together.entry(window).or_default().push(id);
            }
        }
        together
    }

    /// The number of calls before a position.
    fn calls_before(&self, at: usize) -> usize {
        self.calls.partition_point(|&call| call < at)
    }

    /// The window of each node: it begins behind the calls that its operands need, and ends before its first reader.
    fn widest(&self, stay: &FxHashSet<NodeId>) -> Vec<Option<Window>> {
        let moves: Vec<bool> =
            self.nodes.iter().map(|&id| !stay.contains(&id) && may_move(self.graph, id)).collect();
        let mut first: Vec<usize> = Vec::new();
        for (at, operands) in self.operands.iter().enumerate() {
            let behind = operands.iter().map(|&operand| first[operand]).max().unwrap_or(0);
            first.push(if moves[at] { behind } else { self.calls_before(at + 1) });
        }
        // The number of calls before the first reader.
        let mut end = vec![self.calls.len(); self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let before = self.readers[at].iter().map(|&reader| end[reader]).min();
            end[at] = if moves[at] { before.unwrap_or(end[at]) } else { self.calls_before(at) };
        }
        let window = |at: usize| {
            (moves[at] && first[at] < end[at]).then(|| Window { first: first[at], last: end[at] - 1 })
        };
        (0..self.nodes.len()).map(window).collect()
    }

    /// Has nodes that take no time begin with their readers, so that no work consists of them.
    fn join_readers(&self, windows: &mut [Option<Window>]) {
        for at in (0..windows.len()).rev() {
            let readers: Option<Vec<Window>> =
                self.readers[at].iter().map(|&reader| windows[reader]).collect();
            let begin = readers.and_then(|readers| readers.iter().map(|window| window.first).min());
            if let (Some(window), Some(begin)) = (&mut windows[at], begin)
                && worth::is_brief(self.graph, self.nodes[at])
            {
                window.first = begin;
            }
        }
    }

    /// Has windows end before those begin that read from them, and at once where they begin at once.
    fn end_in_time(&self, windows: &mut [Option<Window>]) {
        let mut sets = Sets((0..windows.len()).collect());
        let mut ends: Vec<usize> =
            windows.iter().map(|window| window.map_or(0, |window| window.last)).collect();
        for (reader, operand) in
            self.operands.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |&one| (at, one)))
        {
            let (Some(reading), Some(read)) = (windows[reader], windows[operand]) else { continue };
            if reading.first == read.first {
                sets.join(reader, operand);
            } else {
                ends[operand] = ends[operand].min(reading.first - 1);
            }
        }
        let mut least: FxHashMap<usize, usize> = FxHashMap::default();
        for (at, &end) in ends.iter().enumerate().filter(|&(at, _)| windows[at].is_some()) {
            let least = least.entry(sets.root(at)).or_insert(end);
            *least = end.min(*least);
        }
        for (at, window) in windows.iter_mut().enumerate() {
            if let Some(window) = window {
                window.last = least[&sets.root(at)];
            }
        }
    }

    /// The position before which what these nodes give must be there: that of the first reader among the nodes that stay, or of
    /// the call beside which a reader begins.
    pub(super) fn due(&self, nodes: &[NodeId], begins: &FxHashMap<NodeId, usize>) -> usize {
        let own: FxHashSet<NodeId> = nodes.iter().copied().collect();
        let readers = (0..self.nodes.len()).filter(|&at| own.contains(&self.nodes[at]));
        let readers = readers.flat_map(|at| &self.readers[at]).filter(|&&at| !own.contains(&self.nodes[at]));
        readers
            .map(|&at| begins.get(&self.nodes[at]).copied().unwrap_or(at))
            .min()
            .unwrap_or(self.nodes.len())
    }
}

/// Disjoint sets of numbers: each number's parent, itself for a root.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one] = other;
    }
}

/// True if a function of the host's is called by the node or inside it.
fn calls_host(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let inside = || node.regions.iter().flat_map(|&region| &graph.regions[region].nodes);
    node.op == Op::Host || inside().any(|&inner| calls_host(graph, inner))
}

/// True if another thread may do it, at another time: it has no effects and does not fail. What grows or changes an array in
/// its place stays where the array is, and a literal is written anew where it is read.
fn may_move(graph: &Graph, id: NodeId) -> bool {
    let op = graph.nodes[id].op;
    let stays = op == StringOp::Append.into() || op == Op::Put || op == Op::Const || op == Op::Try;
    !stays && !can_fail(graph, id)
}

//! Activity analysis: the values that depend on the sources, so that their cotangents are worth computing.

use std::collections::{HashMap, HashSet};

use gw_ir::{Attr, Graph, NodeId, Op, RegionId, ValueId};

use crate::ask::Ask;

/// The active values, and how they became so.
pub(crate) struct Activity<'a> {
    active: HashSet<ValueId>,
    /// From which node on a source counts.
    since: HashMap<ValueId, NodeId>,
    recorded: &'a dyn Fn(NodeId) -> bool,
    /// Tells the ops by which a change of an operand changes the result.
    passes: fn(Op) -> bool,
    /// The nodes of functions that calls which count run: these count whenever they were made.
    called: HashSet<NodeId>,
}

impl<'a> Activity<'a> {
    pub(crate) fn new(ask: &Ask<'a>, passes: fn(Op) -> bool) -> Self {
        let active = ask.sources.iter().map(|source| source.value).collect();
        let since = ask.sources.iter().map(|source| (source.value, source.since)).collect();
        Self { active, since, recorded: ask.recorded, passes, called: HashSet::new() }
    }

    pub(crate) fn holds(&self, value: ValueId) -> bool {
        self.active.contains(&value)
    }

    /// True if a node's use of a value counts.
    pub(crate) fn reaches(&self, value: ValueId, node: NodeId) -> bool {
        self.holds(value) && self.since.get(&value).is_none_or(|&since| since <= node)
    }

    /// True if something flows back through a node: it counts, and so does its use of an operand, or it has regions.
    pub(crate) fn goes_through(&self, graph: &Graph, id: NodeId) -> bool {
        let node = &graph.nodes[id];
        let uses = !node.regions.is_empty() || node.args.iter().any(|&arg| self.reaches(arg, id));
        self.counts(id) && uses
    }

    fn counts(&self, node: NodeId) -> bool {
        (self.recorded)(node) || self.called.contains(&node)
    }

    /// Marks what active values lead to in these nodes, which stand in the order in which they run.
    pub(crate) fn mark(&mut self, graph: &Graph, nodes: &[NodeId]) {
        for &node in nodes {
            if self.counts(node) {
                self.mark_node(graph, node);
            }
        }
    }

    /// Marks a function's parameters, all of which may be active, and what they lead to.
    pub(crate) fn mark_function(&mut self, graph: &Graph, body: RegionId) {
        let region = &graph.regions[body];
        self.call(graph, body);
        let floats = region.params.iter().filter(|&&param| is_float(graph, param));
        self.active.extend(floats);
        self.mark(graph, &region.nodes);
    }

    fn call(&mut self, graph: &Graph, region: RegionId) {
        for &node in &graph.regions[region].nodes {
            self.called.insert(node);
            graph.nodes[node].regions.iter().for_each(|&inner| self.call(graph, inner));
        }
    }

    fn mark_node(&mut self, graph: &Graph, id: NodeId) {
        let node = &graph.nodes[id];
        if !(self.passes)(node.op) {
            return;
        }
        match &node.regions[..] {
            [_, body] if node.op == Op::While => self.mark_while(graph, id, *body),
            [body] => self.mark_try(graph, id, *body),
            [] if node.args.iter().any(|&arg| self.reaches(arg, id)) => {
                self.mark_values(graph, &node.results);
            }
            [] => {}
            [..] => self.mark_cond(graph, id),
        }
    }

    fn mark_values(&mut self, graph: &Graph, values: &[ValueId]) {
        self.active.extend(values.iter().filter(|&&value| is_float(graph, value)));
    }

    fn mark_cond(&mut self, graph: &Graph, id: NodeId) {
        let node = &graph.nodes[id];
        for &region in &node.regions {
            let region = &graph.regions[region];
            self.mark(graph, &region.nodes);
            for (&given, &result) in region.results.iter().zip(&node.results) {
                if self.reaches(given, id) {
                    self.active.insert(result);
                }
            }
        }
    }

    /// A carry is active once an iteration makes it so.
    fn mark_while(&mut self, graph: &Graph, id: NodeId, body: RegionId) {
        let (node, body) = (&graph.nodes[id], &graph.regions[body]);
        loop {
            let before = self.active.len();
            for (at, &param) in body.params.iter().enumerate() {
                let given = [node.args[at], body.results[at]];
                if is_float(graph, param) && given.iter().any(|&value| self.reaches(value, id)) {
                    self.active.extend([param, node.results[at]]);
                }
            }
            self.mark(graph, &body.nodes);
            if self.active.len() == before {
                return;
            }
        }
    }

    fn mark_try(&mut self, graph: &Graph, id: NodeId, body: RegionId) {
        let (node, body) = (&graph.nodes[id], &graph.regions[body]);
        let before = self.active.len();
        self.mark(graph, &body.nodes);
        let returned = body.results.iter().any(|&value| self.reaches(value, id));
        if returned || self.active.len() > before {
            self.mark_values(graph, &node.results);
        }
    }
}

/// True if a value can have a cotangent.
pub(crate) fn is_float(graph: &Graph, value: ValueId) -> bool {
    graph.ty(value).dtype.is_fractional()
}

/// The values from outside that the nodes of a region use, or that it gives, the regions inside it included.
pub(crate) fn free_values(graph: &Graph, region: RegionId) -> Vec<ValueId> {
    let (mut own, mut free) = (HashSet::new(), Vec::new());
    let mut used = Vec::new();
    gather(graph, region, &mut own, &mut used);
    let mut met = HashSet::new();
    free.extend(used.into_iter().filter(|value| !own.contains(value) && met.insert(*value)));
    free
}

fn gather(graph: &Graph, region: RegionId, own: &mut HashSet<ValueId>, used: &mut Vec<ValueId>) {
    let region = &graph.regions[region];
    own.extend(&region.params);
    for node in region.nodes.iter().map(|&id| &graph.nodes[id]) {
        used.extend(&node.args);
        node.regions.iter().for_each(|&inner| gather(graph, inner, own, used));
        own.extend(&node.results);
    }
    used.extend(&region.results);
}

/// The function that a node calls.
pub(crate) fn callee(graph: &Graph, node: NodeId) -> Option<RegionId> {
    let Attr::Function(function) = graph.nodes[node].attr else { return None };
    Some(graph.functions[function].body)
}

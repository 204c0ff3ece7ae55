//! Some nodes of a region as a graph of their own.

use rustc_hash::{FxHashMap, FxHashSet};

use gw_base::Table;
use gw_ir::{Graph, NodeId, Op, Region, RegionId, Value, ValueDef, ValueId};
use gw_types::DType;

/// Nodes of one region, in their order.
pub(super) struct Work {
    pub(super) nodes: Vec<NodeId>,
    /// The literals that they read, which are written anew.
    literals: Vec<NodeId>,
    /// The values that they read and others define.
    pub(super) takes: Vec<ValueId>,
    /// The values that they define and others read.
    pub(super) gives: Vec<ValueId>,
}

impl Work {
    /// None if there are no nodes, or if strings go in or out: a string may be a number of one run.
    pub(super) fn of(graph: &Graph, nodes: Vec<NodeId>) -> Option<Self> {
        let made: FxHashSet<ValueId> =
            nodes.iter().flat_map(|&id| &graph.nodes[id].results).copied().collect();
        let mut work = Self { nodes, literals: Vec::new(), takes: Vec::new(), gives: Vec::new() };
        let mut inside: FxHashMap<ValueId, usize> = FxHashMap::default();
        for value in work.nodes.iter().flat_map(|&id| reads(graph, id)).collect::<Vec<_>>() {
            *inside.entry(value).or_default() += 1;
            let literal = graph.definer(value).filter(|&id| graph.nodes[id].op == Op::Const);
            match literal {
                _ if made.contains(&value) || inside[&value] > 1 => {}
                Some(literal) => work.literals.push(literal),
                None => work.takes.push(value),
            }
        }
        let all = uses(graph);
        let defined = work.nodes.iter().flat_map(|&id| &graph.nodes[id].results).copied();
        let is_read = |value: &ValueId| all.get(value) > inside.get(value);
        work.gives = defined.filter(is_read).collect();
        let crossing = work.takes.iter().chain(&work.gives);
        let has_strings = crossing.clone().any(|&value| graph.ty(value).dtype == DType::Str);
        (!work.gives.is_empty() && !has_strings).then_some(work)
    }

    /// The nodes as a graph from what they take to what they give.
    pub(super) fn graph(&self, graph: &Graph) -> Graph {
        let mut own = graph.clone();
        let body = own.regions.push(Region::default());
        let mut names = FxHashMap::default();
        for (at, &value) in self.takes.iter().enumerate() {
            let (ty, def) = (graph.ty(value).clone(), ValueDef::Param(body, at));
            names.insert(value, own.values.push(Value { ty, def, name: None }));
        }
        self.nodes.iter().for_each(|&id| rename(&mut own, id, &names));
        let params = self.takes.iter().map(|value| names[value]).collect();
        let nodes = self.literals.iter().chain(&self.nodes).copied().collect();
        own.regions[body] = Region { params, nodes, results: self.gives.clone() };
        own.body = body;
        own.functions = Table::new();
        own.compact()
    }
}

/// The values that a node reads, in its regions too, without those that are defined there.
pub(super) fn reads(graph: &Graph, id: NodeId) -> Vec<ValueId> {
    let mut reading = Reading { graph, read: graph.nodes[id].args.clone(), defined: FxHashSet::default() };
    graph.nodes[id].regions.iter().for_each(|&region| reading.region(region));
    let Reading { mut read, defined, .. } = reading;
    read.retain(|value| !defined.contains(value));
    read
}

struct Reading<'g> {
    graph: &'g Graph,
    read: Vec<ValueId>,
    defined: FxHashSet<ValueId>,
}

impl Reading<'_> {
    fn region(&mut self, region: RegionId) {
        let region = &self.graph.regions[region];
        self.defined.extend(&region.params);
        self.read.extend(&region.results);
        for node in region.nodes.iter().map(|&id| &self.graph.nodes[id]) {
            self.read.extend(&node.args);
            self.defined.extend(&node.results);
            node.regions.iter().for_each(|&inner| self.region(inner));
        }
    }
}

/// The number of reads of each value.
fn uses(graph: &Graph) -> FxHashMap<ValueId, usize> {
    let mut uses = FxHashMap::default();
    let live = graph.regions.ids().flat_map(|region| &graph.regions[region].nodes);
    let args = live.flat_map(|&id| &graph.nodes[id].args);
    let results = graph.regions.ids().flat_map(|region| &graph.regions[region].results);
    args.chain(results).for_each(|&value| *uses.entry(value).or_default() += 1);
    uses
}

/// Has a node, and those in its regions, read other values.
fn rename(graph: &mut Graph, id: NodeId, names: &FxHashMap<ValueId, ValueId>) {
    rename_all(&mut graph.nodes[id].args, names);
    for region in graph.nodes[id].regions.clone() {
        rename_all(&mut graph.regions[region].results, names);
        for inner in graph.regions[region].nodes.clone() {
            rename(graph, inner, names);
        }
    }
}

fn rename_all(values: &mut [ValueId], names: &FxHashMap<ValueId, ValueId>) {
    for value in values {
        *value = names.get(value).copied().unwrap_or(*value);
    }
}

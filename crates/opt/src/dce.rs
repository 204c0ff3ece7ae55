//! Dead code goes: ops, branch results, carries, and what a `leave` gives. What may fail or acts on the world stays, and
//! so does a loop that is not known to end: Python would not come back from it.

use gw_base::Id;
use gw_ir::{Graph, NodeId, Op, RegionId, ValueDef, ValueId};

use crate::facts::is_removable;
use crate::leaves::Leaves;

pub(crate) fn run(graph: &mut Graph) {
    let mut needs = Needs {
        graph,
        value: vec![false; graph.values.len()],
        entered: vec![false; graph.nodes.len()],
        owner: owners(graph),
        leaves: Leaves::new(graph),
        todo: Vec::new(),
    };
    for root in graph.roots() {
        needs.keep_of(root);
        graph.regions[root].results.iter().for_each(|&result| needs.need(result));
    }
    needs.settle();
    let Needs { value, entered, leaves, .. } = needs;
    let known = Known { value, entered, leaves };
    graph.roots().into_iter().for_each(|root| sweep(graph, root, &known));
}

/// The node that each region belongs to.
pub(crate) fn owners(graph: &Graph) -> Vec<Option<NodeId>> {
    let mut owner = vec![None; graph.regions.len()];
    for (id, node) in graph.nodes.iter() {
        node.regions.iter().for_each(|region| owner[region.index()] = Some(id));
    }
    owner
}

struct Needs<'a> {
    graph: &'a Graph,
    value: Vec<bool>,
    /// Nodes that stay.
    entered: Vec<bool>,
    owner: Vec<Option<NodeId>>,
    leaves: Leaves,
    todo: Vec<ValueId>,
}

/// Nodes and values that stay.
struct Known {
    value: Vec<bool>,
    entered: Vec<bool>,
    leaves: Leaves,
}

impl Needs<'_> {
    fn need(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.value[value.index()], true) {
            self.todo.push(value);
        }
    }

    fn settle(&mut self) {
        while let Some(value) = self.todo.pop() {
            match self.graph.values[value].def {
                ValueDef::Param(region, at) => {
                    if let Some(loop_) = self.owner[region.index()] {
                        self.carry(loop_, at);
                    }
                }
                ValueDef::Result(id, at) => self.result(id, at),
            }
        }
    }

    fn result(&mut self, id: NodeId, at: usize) {
        let node = &self.graph.nodes[id];
        self.keep(id);
        if node.op == Op::Cond {
            node.regions.iter().for_each(|&region| self.need(self.graph.regions[region].results[at]));
        } else if node.op == Op::While {
            self.carry(id, at);
        } else if node.op == Op::Try {
            self.need(self.graph.regions[node.regions[0]].results[at]);
            for leave in self.leaves.of(id).to_vec() {
                self.need(self.graph.nodes[leave].args[1 + at]);
            }
        }
    }

    /// The carry at this position stays: where it begins, and what it becomes.
    fn carry(&mut self, id: NodeId, at: usize) {
        let node = &self.graph.nodes[id];
        self.need(node.args[at]);
        self.need(self.graph.regions[node.regions[1]].results[at]);
        let params = node.regions.iter().map(|&region| self.graph.regions[region].params[at]);
        params.chain([node.results[at]]).for_each(|value| self.need(value));
    }

    /// The node stays, with what it cannot do without.
    fn keep(&mut self, id: NodeId) {
        if std::mem::replace(&mut self.entered[id.index()], true) {
            return;
        }
        let node = &self.graph.nodes[id];
        if node.op == Op::While {
            self.need(self.graph.regions[node.regions[0]].results[0]);
        } else if node.op == Op::Leave {
            self.need(node.args[0]);
        } else {
            node.args.iter().for_each(|&arg| self.need(arg));
        }
        node.regions.iter().for_each(|&region| self.keep_of(region));
    }

    /// Marks the nodes that stay in a region that runs, even if its results are not used.
    fn keep_of(&mut self, region: RegionId) {
        for &id in &self.graph.regions[region].nodes {
            if !is_removable(self.graph, id) {
                self.keep(id);
            }
        }
    }
}

fn sweep(graph: &mut Graph, region: RegionId, known: &Known) {
    let mut nodes = std::mem::take(&mut graph.regions[region].nodes);
    nodes.retain(|id| known.entered[id.index()]);
    for &id in &nodes {
        prune(graph, id, known);
        for inner in graph.nodes[id].regions.clone() {
            sweep(graph, inner, known);
        }
    }
    graph.regions[region].nodes = nodes;
}

/// Takes the results of a branch or a `try`, or the carries of a loop, that nobody needs.
fn prune(graph: &mut Graph, id: NodeId, known: &Known) {
    let node = graph.nodes[id].clone();
    if node.regions.is_empty() {
        return;
    }
    let stays: Vec<bool> = node.results.iter().map(|result| known.value[result.index()]).collect();
    if stays.iter().all(|&stays| stays) {
        return;
    }
    let kept = |values: &[ValueId]| -> Vec<ValueId> {
        values.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(&value, _)| value).collect()
    };
    graph.nodes[id].results = kept(&node.results);
    if node.op == Op::While {
        graph.nodes[id].args = kept(&node.args);
    }
    for &leave in known.leaves.of(id) {
        let (ok, given) = (graph.nodes[leave].args[0], kept(&graph.nodes[leave].args[1..]));
        graph.nodes[leave].args = [vec![ok], given].concat();
    }
    for (which, &region) in node.regions.iter().enumerate() {
        if node.op != Op::While || which == 1 {
            graph.regions[region].results = kept(&graph.regions[region].results);
        }
        graph.regions[region].params =
            if node.op == Op::While { kept(&graph.regions[region].params) } else { Vec::new() };
        renumber_params(graph, region);
    }
    renumber_results(graph, id);
}

fn renumber_params(graph: &mut Graph, region: RegionId) {
    for (at, param) in graph.regions[region].params.clone().into_iter().enumerate() {
        graph.values[param].def = ValueDef::Param(region, at);
    }
}

fn renumber_results(graph: &mut Graph, id: NodeId) {
    for (at, result) in graph.nodes[id].results.clone().into_iter().enumerate() {
        graph.values[result].def = ValueDef::Result(id, at);
    }
}

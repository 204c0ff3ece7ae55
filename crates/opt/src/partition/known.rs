//! The values of a graph that the host knows: parameters, constants, results of its functions, and what loops and branches make of
//! these where it can follow them. A loop that a counter ends is run by both sides.

use gw_base::Id;
use gw_ir::{Class, Graph, NodeId, Op, RegionId, ValueDef, ValueId};

use crate::dce::owners;

/// The values that the host knows.
pub struct Known<'a> {
    graph: &'a Graph,
    owners: Vec<Option<NodeId>>,
    known: Vec<bool>,
}

impl<'a> Known<'a> {
    /// The greatest choice of values each of which follows from others of it.
    pub fn of(graph: &'a Graph) -> Self {
        let mut found = Self { graph, owners: owners(graph), known: vec![true; graph.values.len()] };
        loop {
            let lost: Vec<_> = graph.values.ids().filter(|&v| found.has(v) && !found.follows(v)).collect();
            if lost.is_empty() {
                return found;
            }
            lost.into_iter().for_each(|value| found.known[value.index()] = false);
        }
    }

    /// True if the host knows a value.
    pub fn has(&self, value: ValueId) -> bool {
        self.known[value.index()]
    }

    fn follows(&self, value: ValueId) -> bool {
        match self.graph.values[value].def {
            ValueDef::Param(region, at) => self.is_param_known(region, at),
            ValueDef::Result(node, at) => self.is_result_known(node, at),
        }
    }

    /// A parameter of the function; a carry that begins with what the host knows and goes on with what it can compute.
    fn is_param_known(&self, region: RegionId, at: usize) -> bool {
        let Some(owner) = self.owners[region.index()] else { return region == self.graph.body };
        let owner = &self.graph.nodes[owner];
        let [_, body] = owner.regions[..] else { return false };
        self.has(owner.args[at]) && self.computes(self.graph.regions[body].results[at])
    }

    fn is_result_known(&self, id: NodeId, at: usize) -> bool {
        let node = &self.graph.nodes[id];
        let gives = |region: &RegionId| self.graph.regions[*region].results[at];
        if node.op == Op::Const || node.op == Op::Host {
            true
        } else if node.op == Op::Dim {
            node.args.iter().all(|&arg| self.has(arg))
        } else if node.op == Op::Cond {
            self.computes(node.args[0]) && node.regions.iter().all(|region| self.has(gives(region)))
        } else if node.op == Op::While {
            let (test, body) =
                (self.graph.regions[node.regions[0]].results[0], &self.graph.regions[node.regions[1]]);
            self.computes(test) && self.has(body.params[at])
        } else {
            false
        }
    }

    /// True if the host has a value: it knows it, or finds it by counting the turns of a loop as the graph does.
    pub fn has_or_counts(&self, value: ValueId) -> bool {
        self.has(value) || (self.computes(value) && self.counts_turns(value))
    }

    /// True of a value that is computed of a carry of a loop.
    fn counts_turns(&self, value: ValueId) -> bool {
        match self.graph.values[value].def {
            ValueDef::Param(region, _) => region != self.graph.body,
            ValueDef::Result(node, _) => {
                self.graph.nodes[node].args.iter().any(|&arg| self.counts_turns(arg))
            }
        }
    }

    /// True if the host knows a value, or counts and compares itself to find it.
    fn computes(&self, value: ValueId) -> bool {
        let counts = |node: NodeId| {
            let node = &self.graph.nodes[node];
            let ty = self.graph.ty(value);
            let is_plain = ty.is_scalar() && !ty.dtype.is_float();
            is_plain
                && node.op.class() == Class::Elementwise
                && node.args.iter().all(|&arg| self.computes(arg))
        };
        self.has(value) || self.graph.definer(value).is_some_and(counts)
    }
}

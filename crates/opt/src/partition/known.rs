//! The values of a graph that the host knows: parameters, constants, results of its functions, and what loops and branches make of
//! these where it can follow them. A loop that a counter ends is run by both sides.

use gw_base::Id;
use gw_ir::{BinaryOp, Class, Graph, NodeId, Op, RegionId, UnaryOp, ValueDef, ValueId};

use crate::dce::owners;

/// The values that the host knows.
pub struct Known<'a> {
    graph: &'a Graph,
    owners: Vec<Option<NodeId>>,
    known: Vec<bool>,
    /// The values that the host knows, or finds by counting and comparing itself.
    computed: Vec<bool>,
    /// The values that differ from one iteration to the next of a loop.
    turning: Vec<bool>,
}

impl<'a> Known<'a> {
    /// The greatest choice of values each of which follows from others of it.
    pub fn of(graph: &'a Graph) -> Self {
        let none = vec![false; graph.values.len()];
        let known = vec![true; graph.values.len()];
        let mut found = Self { graph, owners: owners(graph), known, computed: none.clone(), turning: none };
        loop {
            graph.roots().into_iter().for_each(|root| found.walk(root));
            let mut is_stable = true;
            for value in graph.values.ids() {
                if found.has(value) && !found.follows(value) {
                    found.known[value.index()] = false;
                    is_stable = false;
                }
            }
            if is_stable {
                return found;
            }
        }
    }

    /// Fills the tables in the order of the program.
    fn walk(&mut self, region: RegionId) {
        let graph = self.graph;
        for &param in &graph.regions[region].params {
            self.computed[param.index()] = self.has(param);
            self.turning[param.index()] = self.owners[region.index()].is_some();
        }
        for &id in &graph.regions[region].nodes {
            let node = &graph.nodes[id];
            node.regions.iter().for_each(|&inner| self.walk(inner));
            let counts =
                node.op.class() == Class::Elementwise && node.args.iter().all(|&arg| self.computes(arg));
            let turns = node.args.iter().any(|&arg| self.turns(arg));
            for &result in &node.results {
                self.computed[result.index()] = self.has(result) || (counts && self.is_whole(result));
                self.turning[result.index()] = turns;
            }
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
        let (body, param) = (&self.graph.regions[body], self.graph.regions[region].params[at]);
        let next = body.results[at];
        self.has(owner.args[at]) && (self.has(next) || self.is_step(next, &[param, body.params[at]]))
    }

    /// True of the next value of a counter: the counter and a step that stays the same.
    fn is_step(&self, next: ValueId, counter: &[ValueId]) -> bool {
        let Some(node) = self.graph.definer(next).filter(|_| self.is_whole(next)) else { return false };
        let node = &self.graph.nodes[node];
        let (own, others): (Vec<ValueId>, Vec<ValueId>) =
            node.args.iter().partition(|arg| counter.contains(arg));
        let is_sum = node.op == BinaryOp::Add.into() || node.op == BinaryOp::Sub.into();
        is_sum && own.len() == 1 && others.iter().all(|&other| self.has(other) && !self.turns(other))
    }

    fn is_whole(&self, value: ValueId) -> bool {
        let ty = self.graph.ty(value);
        ty.is_scalar() && !ty.dtype.is_fractional()
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

    /// True if the host has a value: it knows it, or finds it by counting the iterations of a loop as the graph does.
    pub fn has_or_counts(&self, value: ValueId) -> bool {
        self.has(value) || self.is_counted(value)
    }

    /// True of a start and a step times a counter.
    fn is_counted(&self, value: ValueId) -> bool {
        let Some(node) = self.graph.definer(value).filter(|_| self.is_whole(value)) else { return false };
        let node = &self.graph.nodes[node];
        let (turning, fixed): (Vec<ValueId>, Vec<ValueId>) =
            node.args.iter().partition(|&&arg| self.turns(arg));
        [
            Op::Binary(BinaryOp::Add),
            Op::Binary(BinaryOp::Sub),
            Op::Binary(BinaryOp::Mul),
            Op::Unary(UnaryOp::Neg),
            Op::Cast,
        ]
        .contains(&node.op)
            && turning.len() == 1
            && self.has_or_counts(turning[0])
            && fixed.iter().all(|&arg| self.computes(arg))
    }

    fn turns(&self, value: ValueId) -> bool {
        self.turning[value.index()]
    }

    fn computes(&self, value: ValueId) -> bool {
        self.computed[value.index()]
    }
}

//! Loops that are known to end: `while i < n: …; i += 1` for an `n` that stays.
//!
//! A loop that may never end is never left out: Python would not come back from it. What counts up to a bound ends, since
//! Python's counters grow past any bound.

use rustc_hash::FxHashSet;

use gw_ir::{BinaryOp, CompareOp, Graph, Node, NodeId, Op, RegionId, ValueDef, ValueId, every, literal};

/// True if running the node comes to an end, if it does not fail: each loop in it does.
pub(crate) fn ends(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let inside = || node.regions.iter().flat_map(|&region| &graph.regions[region].nodes);
    (node.op != Op::While || Loop::new(graph, node).is_counted()) && inside().all(|&inner| ends(graph, inner))
}

/// A loop whose test is looked at.
struct Loop<'a> {
    graph: &'a Graph,
    test: RegionId,
    body: RegionId,
    /// The values computed in it.
    inside: FxHashSet<NodeId>,
}

/// Direction of a counter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl<'a> Loop<'a> {
    fn new(graph: &'a Graph, node: &Node) -> Self {
        let mut inside = FxHashSet::default();
        node.regions.iter().for_each(|&region| collect(graph, region, &mut inside));
        Self { graph, test: node.regions[0], body: node.regions[1], inside }
    }

    /// The test is computed where it is asked, or at the end of the iteration before.
    fn is_counted(&self) -> bool {
        let test = self.graph.regions[self.test].results[0];
        match self.graph.values[test].def {
            ValueDef::Param(region, at) if region == self.test => {
                self.becomes_false(self.graph.regions[self.body].results[at])
            }
            ValueDef::Param(..) | ValueDef::Result(..) => self.becomes_false(test),
        }
    }

    /// True if a test is false after some iterations.
    fn becomes_false(&self, value: ValueId) -> bool {
        let Some(node) = self.graph.definer(value).map(|id| &self.graph.nodes[id]) else { return false };
        let bounded = |way, other| {
            (self.counts(node.args[0], way) && self.stays(node.args[1]))
                || (self.counts(node.args[1], other) && self.stays(node.args[0]))
        };
        if let Op::Compare(op) = node.op {
            match op {
                CompareOp::Lt | CompareOp::Le => bounded(Way::Up, Way::Down),
                CompareOp::Gt | CompareOp::Ge => bounded(Way::Down, Way::Up),
                CompareOp::Eq | CompareOp::Ne => self.is_false(value),
            }
        } else if node.op == BinaryOp::And.into() {
            node.args.iter().any(|&arg| self.becomes_false(arg))
        } else if let (Op::Cond, &ValueDef::Result(_, at)) = (node.op, &self.graph.values[value].def) {
            // `a and b`: b where a holds, else false.
            let [then, orelse] = [0, 1].map(|which| self.graph.regions[node.regions[which]].results[at]);
            self.is_false(orelse) && (self.becomes_false(node.args[0]) || self.becomes_false(then))
        } else {
            self.is_false(value)
        }
    }

    fn is_false(&self, value: ValueId) -> bool {
        every(self.graph, value, |scalar| scalar.to_i64() == 0)
    }

    /// True if a value is an integer that each iteration makes greater, or smaller.
    fn counts(&self, value: ValueId, way: Way) -> bool {
        if !self.graph.ty(value).dtype.is_int() {
            return false;
        }
        let body = &self.graph.regions[self.body];
        if let Some(at) = body.results.iter().position(|&next| next == value)
            && self.steps(value, body.params[at], way)
        {
            return true;
        }
        match self.graph.values[value].def {
            ValueDef::Param(region, at) => {
                (region == self.test || region == self.body)
                    && self.steps(body.results[at], body.params[at], way)
            }
            ValueDef::Result(id, _) => {
                let node = &self.graph.nodes[id];
                node.op == Op::Cast && self.counts(node.args[0], way)
            }
        }
    }

    /// True if a value is a counter one or more steps further.
    fn steps(&self, value: ValueId, counter: ValueId, way: Way) -> bool {
        let (Some(id), ValueDef::Result(_, at)) = (self.graph.definer(value), &self.graph.values[value].def)
        else {
            return false;
        };
        let node = &self.graph.nodes[id];
        let goes = |value, way| self.step(value) == Some(way);
        if node.op == BinaryOp::Add.into() {
            let pairs = [(node.args[0], node.args[1]), (node.args[1], node.args[0])];
            pairs.into_iter().any(|(of, by)| of == counter && goes(by, way))
        } else if node.op == BinaryOp::Sub.into() {
            let back = if way == Way::Up { Way::Down } else { Way::Up };
            node.args[0] == counter && goes(node.args[1], back)
        } else if node.op == Op::Select {
            node.args[1..].iter().all(|&arg| self.steps(arg, counter, way))
        } else if node.op == Op::Cond {
            let mut results = node.regions.iter().map(|&region| self.graph.regions[region].results[*at]);
            results.all(|result| self.steps(result, counter, way))
        } else {
            false
        }
    }

    /// The way of a step that is known.
    fn step(&self, value: ValueId) -> Option<Way> {
        let node = &self.graph.nodes[self.graph.definer(value)?];
        if node.op == Op::Select {
            let way = self.step(node.args[1])?;
            return (self.step(node.args[2]) == Some(way)).then_some(way);
        }
        match literal(self.graph, value)?.scalars().next()?.to_i64().signum() {
            1 => Some(Way::Up),
            -1 => Some(Way::Down),
            _ => None,
        }
    }

    /// True if a value is the same in each iteration.
    fn stays(&self, value: ValueId) -> bool {
        match self.graph.values[value].def {
            ValueDef::Param(region, at) if region == self.test || region == self.body => {
                let body = &self.graph.regions[self.body];
                body.results[at] == body.params[at]
            }
            ValueDef::Param(..) => true,
            ValueDef::Result(id, _) => {
                let node = &self.graph.nodes[id];
                !self.inside.contains(&id)
                    || (node.regions.is_empty() && node.args.iter().all(|&arg| self.stays(arg)))
            }
        }
    }
}

fn collect(graph: &Graph, region: RegionId, into: &mut FxHashSet<NodeId>) {
    for &id in &graph.regions[region].nodes {
        into.insert(id);
        graph.nodes[id].regions.iter().for_each(|&inner| collect(graph, inner, into));
    }
}

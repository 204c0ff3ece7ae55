//! Overlap of work with calls of the host: `a = host(x); b = y @ y` ⇒ `begin(y); a = host(x); b = finish()`.
//!
//! It is what a call of the host does not wait for, and what does not wait for it: nodes around it up to the next effects, which
//! cannot fail, and are worth it. They become a graph of their own. To begin it and to wait for what it gives are calls
//! of the host for the graph, with numbers that no function has (`gw_base::FIRST_OVERLAP`).

#[cfg(test)]
mod tests;
mod work;
mod worth;

use std::collections::HashSet;

use gw_base::FIRST_OVERLAP;
use gw_ir::{Attr, Class, Graph, HostCall, HostType, Node, NodeId, Op, RegionId, ValueDef, ValueId};

use crate::facts::can_fail;
use work::{Work, reads};

/// More than so many graphs are not made of one.
const MOST: usize = 64;

/// The graph without its work beside calls of the host, and that work, a graph each; none if there is none.
pub fn overlap(graph: &Graph) -> Option<(Graph, Vec<Graph>)> {
    if !graph.nodes.iter().any(|(_, node)| node.op == Op::Host) {
        return None;
    }
    let mut taking = Overlap { graph: graph.clone(), overlapped: Vec::new() };
    for region in graph.regions.ids() {
        let nodes = graph.regions[region].nodes.iter().copied();
        nodes.filter(|&id| graph.nodes[id].op == Op::Host).for_each(|call| taking.call(region, call));
    }
    (!taking.overlapped.is_empty()).then_some((taking.graph, taking.overlapped))
}

struct Overlap {
    graph: Graph,
    overlapped: Vec<Graph>,
}

impl Overlap {
    /// Takes out what can be done beside a call of the host.
    fn call(&mut self, region: RegionId, call: NodeId) {
        let nodes = &self.graph.regions[region].nodes;
        let at = nodes.iter().position(|&id| id == call).filter(|_| self.overlapped.len() < MOST);
        let work = at.and_then(|at| {
            let chosen = [self.before(&nodes[..=at]), self.after(&nodes[at..])].concat();
            Work::of(&self.graph, chosen).filter(|work| worth::it(&self.graph, work))
        });
        if let Some(work) = work {
            self.take(region, call, &work);
        }
    }

    /// The nodes before the call, which is the last one, whose results nothing up to the call reads; back to the previous effect.
    fn before(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let (call, nodes) = nodes.split_last().map_or((None, nodes), |(call, rest)| (Some(*call), rest));
        let mut wanted: HashSet<ValueId> =
            call.into_iter().flat_map(|call| reads(&self.graph, call)).collect();
        let mut chosen = Vec::new();
        for &id in nodes.iter().rev().take_while(|&&id| !self.is_effect(id)) {
            let is_wanted = self.graph.nodes[id].results.iter().any(|result| wanted.contains(result));
            if self.may_move(id) && !is_wanted {
                chosen.push(id);
            } else {
                wanted.extend(reads(&self.graph, id));
            }
        }
        chosen.reverse();
        chosen
    }

    /// The nodes behind the call, which is the first one, that read nothing that stays; up to the next effect.
    fn after(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut late: HashSet<ValueId> = HashSet::new();
        let mut chosen = Vec::new();
        for (at, &id) in nodes.iter().enumerate() {
            if at > 0 && self.is_effect(id) {
                break;
            }
            if at > 0 && self.may_move(id) && reads(&self.graph, id).iter().all(|value| !late.contains(value))
            {
                chosen.push(id);
            } else if self.graph.nodes[id].op != Op::Const {
                late.extend(&self.graph.nodes[id].results);
            }
        }
        chosen
    }

    fn is_effect(&self, id: NodeId) -> bool {
        self.graph.nodes[id].op.class() == Class::Effect
    }

    /// True if another thread may do it, at another time: it has no effects and does not fail. What grows or changes an array in
    /// its place stays where the array is, and a literal is written anew where it is read.
    fn may_move(&self, id: NodeId) -> bool {
        let op = self.graph.nodes[id].op;
        !matches!(op, Op::Append | Op::Put | Op::Const | Op::Try) && !can_fail(&self.graph, id)
    }

    /// Puts the beginning of the work before the call, and its end behind it.
    fn take(&mut self, region: RegionId, call: NodeId, work: &Work) {
        let number = FIRST_OVERLAP + 2 * self.overlapped.len();
        self.overlapped.push(work.graph(&self.graph));
        let begin = self.node(call, number, work.takes.clone(), &[]);
        let finish = self.node(call, number + 1, Vec::new(), &work.gives);
        let taken: HashSet<NodeId> = work.nodes.iter().copied().collect();
        let nodes = &mut self.graph.regions[region].nodes;
        nodes.retain(|id| !taken.contains(id));
        if let Some(at) = nodes.iter().position(|&id| id == call) {
            nodes.splice(at..=at, [begin, call, finish]);
        }
    }

    /// A call of the host for the graph, at the place of another one.
    fn node(&mut self, call: NodeId, number: usize, args: Vec<ValueId>, results: &[ValueId]) -> NodeId {
        let named = if let Attr::Host(call) = &self.graph.nodes[call].attr { Some(&call.name) } else { None };
        let name = named.cloned().unwrap_or_default();
        let gives = results.iter().map(|&result| {
            let ty = self.graph.ty(result);
            HostType { dtype: ty.dtype, lengths: ty.shape.0.iter().map(|dim| dim.fixed()).collect() }
        });
        let attr = Attr::Host(HostCall { number, name, gives: gives.collect() });
        let node = Node { op: Op::Host, attr, args, regions: Vec::new(), results: results.to_vec() };
        let id = self.graph.nodes.push(node);
        self.graph.places.push(self.graph.places[call].clone());
        for (at, &result) in results.iter().enumerate() {
            self.graph.values[result].def = ValueDef::Result(id, at);
        }
        id
    }
}

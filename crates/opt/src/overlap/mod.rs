//! Overlap of work with calls of the host: `a = host(x); b = y @ y` ⇒ `begin(y); a = host(x); b = finish()`.
//!
//! It is what a call of the host does not wait for, and what does not wait for it: nodes around it up to the next effects, which
//! cannot fail, and are worth it. They become a graph of their own. To begin it and to wait for what it gives are calls
//! of the host for the graph, with numbers that no function has (`gw_base::FIRST_OVERLAP`).

#[cfg(test)]
mod tests;
mod windows;
mod work;
mod worth;

use rustc_hash::{FxHashMap, FxHashSet};

use gw_base::FIRST_OVERLAP;
use gw_ir::{Attr, Graph, HostCall, HostType, Node, NodeId, Op, RegionId, ValueDef, ValueId};

use windows::{Order, Window};
use work::Work;

/// More than so many graphs are not made of one.
const MOST: usize = 64;

/// The calls that begin and finish work before a position of a region.
#[derive(Debug, Clone, Default)]
struct Edit {
    finishes: Vec<NodeId>,
    begins: Vec<NodeId>,
}

/// The graph without its work beside calls of the host, and that work, a graph each; none if there is none.
pub fn overlap(graph: &Graph) -> Option<(Graph, Vec<Graph>)> {
    if !graph.nodes.iter().any(|(_, node)| node.op == Op::Host) {
        return None;
    }
    let mut taking = Overlap { graph: graph.clone(), overlapped: Vec::new() };
    graph.regions.ids().for_each(|region| taking.region(region));
    (!taking.overlapped.is_empty()).then_some((taking.graph, taking.overlapped))
}

struct Overlap {
    graph: Graph,
    overlapped: Vec<Graph>,
}

impl Overlap {
    /// Takes out what can be done beside the calls of a region.
    fn region(&mut self, region: RegionId) {
        let order = Order::of(&self.graph, region);
        if order.calls.is_empty() {
            return;
        }
        let chosen = self.chosen(&order);
        let begins: FxHashMap<NodeId, usize> = chosen
            .iter()
            .flat_map(|(window, work)| work.nodes.iter().map(|&id| (id, order.calls[window.first])))
            .collect();
        let mut edits = vec![Edit::default(); order.nodes.len() + 1];
        let dues: Vec<usize> = chosen.iter().map(|(_, work)| order.due(&work.nodes, &begins)).collect();
        let (nodes, calls) = (order.nodes, order.calls);
        for ((window, work), due) in chosen.iter().zip(dues) {
            let call = calls[window.first];
            let (begin, finish) = self.take(nodes[call], work);
            edits[call].begins.push(begin);
            edits[due].finishes.push(finish);
        }
        let mut after = Vec::new();
        for (at, edit) in edits.into_iter().enumerate() {
            after.extend(edit.finishes);
            after.extend(edit.begins);
            after.extend(nodes.get(at).filter(|id| !begins.contains_key(id)));
        }
        self.graph.regions[region].nodes = after;
    }

    /// The work of each window that is worth it.
    fn chosen(&self, order: &Order) -> Vec<(Window, Work)> {
        let mut stay = FxHashSet::default();
        loop {
            let windows = order.windows(&stay);
            let before = stay.len();
            let mut chosen = Vec::new();
            for (window, nodes) in windows {
                match Work::of(&self.graph, nodes.clone()).filter(|work| worth::it(&self.graph, work)) {
                    Some(work) => chosen.push((window, work)),
                    None => stay.extend(nodes),
                }
            }
            // A node that stays is where it was, so its readers may begin later.
            if stay.len() == before {
                chosen.truncate(MOST.saturating_sub(self.overlapped.len()));
                return chosen;
            }
        }
    }

    /// The call that begins the work, and the one that waits for it, at the place of a call of the host.
    fn take(&mut self, call: NodeId, work: &Work) -> (NodeId, NodeId) {
        let number = FIRST_OVERLAP + 2 * self.overlapped.len();
        self.overlapped.push(work.graph(&self.graph));
        let begin = self.node(call, number, work.takes.clone(), &[]);
        (begin, self.node(call, number + 1, Vec::new(), &work.gives))
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

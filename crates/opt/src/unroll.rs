//! Loops of a few known turns over arrays are written out: `k = 0; while k < 3: y = y * x + k; k += 1` ⇒ three times `y * x + k`,
//! of which code makes one loop over the elements that keeps nothing but the last `y`.
//!
//! Only steps element by element: nothing else becomes one loop by it. Loops of numbers alone stay, which are in registers
//! as they are. Behind `fold`, which says where a counter begins; what each turn's counter is, the next `fold` says.

use rustc_hash::FxHashMap;

use gw_eval::Array;
use gw_ir::{Class, Graph, Node, NodeId, Op, Region, Value, ValueDef, ValueId, literal};

use crate::facts::{is_exact, is_removable};
use crate::walk::{Visit, Walk};

/// Loops of more turns stay.
const TURNS: usize = 64;

/// So many nodes at most are written out.
const MOST: usize = 256;

/// Arrays of at most so many elements are not worth it.
const SMALL: usize = 16;

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Unroll);
}

struct Unroll;

impl Visit for Unroll {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        let loop_ = Loop::new(walk.graph, id);
        match loop_.as_ref().and_then(|loop_| loop_.turns(walk.graph)).zip(loop_.as_ref()) {
            Some((turns, loop_)) => loop_.write_out(turns, walk, out),
            None => out.push(id),
        }
    }
}

/// A loop over arrays, element by element.
struct Loop {
    node: Node,
    test: Region,
    body: Region,
}

impl Loop {
    /// The loop of a node, if it is one.
    fn new(graph: &Graph, id: NodeId) -> Option<Self> {
        let node = graph.nodes[id].clone();
        if node.op != Op::While {
            return None;
        }
        let [test, body] = [0, 1].map(|which| graph.regions[node.regions[which]].clone());
        let steps = body.nodes.iter().all(|&id| is_step(graph, id));
        let tested = test.nodes.iter().all(|&id| is_step(graph, id) && is_removable(graph, id));
        let large = |&carry: &ValueId| graph.ty(carry).shape.size().is_none_or(|size| size > SMALL);
        let kept = (0..node.args.len()).all(|at| {
            let all = [node.args[at], test.params[at], body.params[at], body.results[at], node.results[at]];
            all.iter().all(|&value| graph.ty(value) == graph.ty(all[0]))
        });
        (steps && tested && kept && node.args.iter().any(large)).then_some(Self { node, test, body })
    }

    /// The number of turns, where all that decides it is known.
    fn turns(&self, graph: &Graph) -> Option<usize> {
        let mut carries: Vec<Option<Array>> =
            self.node.args.iter().map(|&arg| constant(graph, arg)).collect();
        for turn in 0..=TURNS {
            let again = known(graph, &self.test, &carries).pop()??;
            if again.first().to_i64() == 0 {
                return (turn * self.body.nodes.len() <= MOST).then_some(turn);
            }
            carries = known(graph, &self.body, &carries);
        }
        None
    }

    /// Writes the turns where `out` ends.
    fn write_out(&self, turns: usize, walk: &mut Walk, out: &mut Vec<NodeId>) {
        let mut carries = self.node.args.clone();
        for _ in 0..turns {
            let mut now: FxHashMap<ValueId, ValueId> =
                self.body.params.iter().copied().zip(carries).collect();
            for &step in &self.body.nodes {
                copy(walk, step, &mut now, out);
            }
            carries = self.body.results.iter().map(|next| now.get(next).copied().unwrap_or(*next)).collect();
        }
        self.node.results.iter().zip(carries).for_each(|(&result, last)| walk.replace(result, last));
    }
}

/// True of what is done element by element, or to numbers.
fn is_step(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let numbers = || node.results.iter().all(|&result| graph.ty(result).is_scalar());
    match node.op.class() {
        Class::Elementwise => true,
        Class::Source | Class::Move => numbers(),
        Class::Effect => node.op == Op::Check,
        Class::Reduce | Class::Matrices | Class::Contract | Class::Control => false,
    }
}

/// Results of a region whose parameters are these, as far as they are known.
fn known(graph: &Graph, region: &Region, params: &[Option<Array>]) -> Vec<Option<Array>> {
    let given = region.params.iter().copied().zip(params.iter().cloned());
    let mut now: FxHashMap<ValueId, Array> =
        given.filter_map(|(param, array)| Some((param, array?))).collect();
    let value =
        |now: &FxHashMap<ValueId, Array>, value| now.get(&value).cloned().or_else(|| constant(graph, value));
    for &id in &region.nodes {
        let node = &graph.nodes[id];
        let &[result] = &node.results[..] else { continue };
        if !graph.ty(result).is_scalar() || !is_exact(graph, node) {
            continue;
        }
        let operands: Option<Vec<Array>> = node.args.iter().map(|&arg| value(&now, arg)).collect();
        let found = operands.and_then(|operands| {
            gw_eval::apply(node.op, &node.attr, &operands.iter().collect::<Vec<_>>()).ok()
        });
        now.extend(found.map(|found| (result, found)));
    }
    region.results.iter().map(|&result| value(&now, result)).collect()
}

fn constant(graph: &Graph, value: ValueId) -> Option<Array> {
    graph.ty(value).is_scalar().then(|| literal(graph, value).map(Array::from))?
}

/// A copy of a node with the values that stand for its operands now.
fn copy(walk: &mut Walk, id: NodeId, now: &mut FxHashMap<ValueId, ValueId>, out: &mut Vec<NodeId>) {
    let mut node = walk.graph.nodes[id].clone();
    node.args.iter_mut().for_each(|arg| *arg = now.get(arg).copied().unwrap_or(*arg));
    let made = walk.graph.nodes.next_id();
    for (at, result) in node.results.iter_mut().enumerate() {
        let Value { ty, name, .. } = walk.graph.values[*result].clone();
        let value = walk.graph.values.push(Value { ty, def: ValueDef::Result(made, at), name });
        now.insert(*result, value);
        *result = value;
    }
    walk.graph.nodes.push(node);
    let place = walk.graph.places[id].clone();
    walk.graph.places.push(place);
    out.push(made);
}

#[cfg(test)]
mod tests;

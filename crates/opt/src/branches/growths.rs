//! Totals that grow in a branch: `cond c { s + 1 } else { s }` ⇒ `s + select c 1 0`, which lanes count. The sum of nothing fails never,
//! so that its check may run for both.
//!
//! A total is a number that a loop carries and that a turn reads for nothing but the next one. Another number stays in its branch: the machine
//! guesses which way that goes, while a choice waits for its test, and the turns for each other.

use gw_ir::{BinaryOp, Graph, Literal, Node, NodeId, Op, Region, RegionId, ValueDef, ValueId};
use gw_types::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::walk::Walk;

/// Results of branches on the way from a total to the next one.
pub(super) struct Totals(FxHashSet<ValueId>);

impl Totals {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut loops = Vec::new();
        let mut reads: FxHashMap<ValueId, usize> = FxHashMap::default();
        let mut open = graph.roots();
        while let Some(region) = open.pop() {
            let region = &graph.regions[region];
            let nodes = || region.nodes.iter().map(|&id| &graph.nodes[id]);
            let read = nodes().flat_map(|node| &node.args).chain(&region.results);
            read.for_each(|&value| *reads.entry(value).or_default() += 1);
            loops.extend(nodes().filter(|node| node.op == Op::While));
            open.extend(nodes().flat_map(|node| &node.regions));
        }
        let found = loops.iter().flat_map(|node| (0..node.args.len()).map(move |at| (node, at)));
        Self(found.flat_map(|(node, at)| ways(graph, &reads, node, at)).collect())
    }

    /// The growths among the results of a branch.
    pub(super) fn growths(
        &self,
        graph: &Graph,
        regions: &[Region; 2],
        results: &[ValueId],
    ) -> Vec<Option<Growth>> {
        let of = |at: usize| [0, 1].into_iter().find_map(|arm| growth(graph, regions, arm, at));
        let is_total = |&at: &usize| self.0.contains(&results[at]);
        (0..results.len()).map(|at| Some(at).filter(is_total).and_then(of)).collect()
    }
}

/// Results of branches on the way from the carry at a position to the next one; nothing if something else reads it.
fn ways(graph: &Graph, reads: &FxHashMap<ValueId, usize>, node: &Node, at: usize) -> Vec<ValueId> {
    let [test, body] = [0, 1].map(|region| &graph.regions[node.regions[region]]);
    let (total, mut found, mut arrived) = (body.params[at], Vec::new(), 0);
    let mut open = vec![body.results[at]];
    while let Some(value) = open.pop() {
        if value == total {
            arrived += 1;
        }
        let ValueDef::Result(id, at) = graph.values[value].def else { continue };
        let node = &graph.nodes[id];
        if reads.get(&value) != Some(&1) {
            continue;
        }
        if node.op == Op::Cond {
            found.push(value);
            open.extend(node.regions.iter().map(|&arm: &RegionId| graph.regions[arm].results[at]));
        } else if node.op == BinaryOp::Add.into() || node.op == BinaryOp::Sub.into() {
            open.extend(&node.args);
        }
    }
    let is_total = reads.get(&total) == Some(&arrived) && !reads.contains_key(&test.params[at]);
    if is_total { found } else { Vec::new() }
}

/// An integer that one region adds to, or takes from, and the other leaves.
pub(super) struct Growth {
    /// The sum or difference, which runs behind the choice.
    pub(super) sum: NodeId,
    /// The operand that is chosen, and the region that gives it.
    by: usize,
    arm: usize,
}

fn growth(graph: &Graph, regions: &[Region; 2], arm: usize, at: usize) -> Option<Growth> {
    let [grown, left] = [arm, 1 - arm].map(|arm| regions[arm].results[at]);
    let sum = graph.definer(grown).filter(|sum| regions[arm].nodes.contains(sum))?;
    let node = &graph.nodes[sum];
    let by = if node.op == Op::Binary(BinaryOp::Add) {
        node.args.iter().position(|&arg| arg != left)?
    } else if node.op == Op::Binary(BinaryOp::Sub) {
        1
    } else {
        return None;
    };
    let is_it =
        node.args[1 - by] == left && graph.ty(grown).dtype.is_int() && graph.ty(node.args[by]).is_scalar();
    let reads = |id: &NodeId| graph.nodes[*id].args.contains(&grown);
    let others = regions[arm].results.iter().filter(|&&result| result == grown).count();
    (is_it && others == 1 && !regions[arm].nodes.iter().any(reads)).then_some(Growth { sum, by, arm })
}

/// The sum behind the choice of what is added.
pub(super) fn grown(walk: &mut Walk, growth: &Growth, test: ValueId, out: &mut Vec<NodeId>) -> ValueId {
    let node = walk.graph.nodes[growth.sum].clone();
    let by = node.args[growth.by];
    let none = walk.constant(Literal::scalar(walk.graph.ty(by).dtype, Scalar::Int(0)), growth.sum, out);
    let chosen = if growth.arm == 0 { [test, by, none] } else { [test, none, by] };
    let chosen = walk.select(chosen, growth.sum, out);
    let args = (0..2).map(|at| if at == growth.by { chosen } else { node.args[at] }).collect();
    let ty = walk.graph.ty(node.results[0]).clone();
    walk.make(node.op, node.attr, args, ty, growth.sum, out)
}

//! Branches that are known, or cheaper than a jump: `cond true` ⇒ its first region; both regions give the same ⇒ that;
//! two short regions on scalars ⇒ both, and `select`, where an integer that grows in one of them grows by that or nothing. A loop whose test is known to be false ⇒ its test, once. A `leave` that
//! never does ⇒ nothing, and a `try` that nothing leaves ⇒ its region.

use gw_ir::{Attr, BinaryOp, Graph, Literal, NodeId, Op, Region, RegionId, ValueId, literal};
use gw_types::Scalar;

use crate::facts::{is_cheap, stands_for};
use crate::walk::{Visit, Walk};

/// Two regions of so many ops together, constants apart, run for nothing sooner than they are jumped over.
const LONGEST: usize = 6;

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Branches);
}

struct Branches;

impl Visit for Branches {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        let op = walk.graph.nodes[id].op;
        if op == Op::Cond {
            cond(walk, id, out);
        } else if op == Op::While {
            while_(walk, id, out);
        } else if op == Op::Try {
            try_(walk, id, out);
        } else if op != Op::Leave || known(walk.graph, walk.graph.nodes[id].args[0]) != Some(true) {
            out.push(id);
        }
    }
}

fn try_(walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
    let node = walk.graph.nodes[id].clone();
    let body = walk.graph.regions[node.regions[0]].clone();
    let stands = |(&given, &wanted): (&ValueId, &ValueId)| can_stand_for(walk.graph, given, wanted);
    if is_left(walk.graph, node.regions[0]) || !body.results.iter().zip(&node.results).all(stands) {
        return out.push(id);
    }
    out.extend(&body.nodes);
    node.results.iter().zip(&body.results).for_each(|(&old, &new)| walk.replace(old, new));
}

/// True if a `leave` in a region ends the `try` that the region belongs to.
fn is_left(graph: &Graph, region: RegionId) -> bool {
    graph.regions[region].nodes.iter().any(|&id| {
        let node = &graph.nodes[id];
        node.op == Op::Leave
            || (node.op != Op::Try && node.regions.iter().any(|&inner| is_left(graph, inner)))
    })
}

fn cond(walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
    let node = walk.graph.nodes[id].clone();
    let test = node.args[0];
    let regions = [node.regions[0], node.regions[1]].map(|region| walk.graph.regions[region].clone());
    if let Some(taken) = known(walk.graph, test) {
        let taken = &regions[usize::from(!taken)];
        let exact = |(&given, &wanted): (&ValueId, &ValueId)| can_stand_for(walk.graph, given, wanted);
        if taken.results.iter().zip(&node.results).all(exact) {
            out.extend(&taken.nodes);
            node.results.iter().zip(&taken.results).for_each(|(&old, &new)| walk.replace(old, new));
            return;
        }
    }
    let growths = growths(walk.graph, &regions);
    if is_short(walk.graph, &regions, &node.results, &growths) {
        let stays = |id: &&NodeId| !growths.iter().flatten().any(|growth| growth.sum == **id);
        regions.iter().for_each(|region| out.extend(region.nodes.iter().filter(stays)));
        // A sum that fails does so before the next one in its region.
        let mut order: Vec<usize> = (0..node.results.len()).collect();
        order.sort_by_key(|&at| growths[at].as_ref().map(|growth| growth.sum));
        for at in order {
            let [then, other] = [regions[0].results[at], regions[1].results[at]];
            let chosen = match &growths[at] {
                Some(growth) => grown(walk, growth, test, out),
                None if then == other => then,
                None => select(walk, id, [test, then, other], out),
            };
            walk.replace(node.results[at], chosen);
        }
        return;
    }
    for (at, &result) in node.results.iter().enumerate() {
        let [then, other] = [regions[0].results[at], regions[1].results[at]];
        if then == other && can_stand_for(walk.graph, then, result) {
            walk.replace(result, then);
        }
    }
    out.push(id);
}

/// An integer that one region adds to, or takes from, and the other leaves: `cond c { s + 1 } else { s }` ⇒ `s + select c 1 0`. The sum of
/// nothing fails never, so that its check may run for both.
struct Growth {
    /// The sum or difference, which runs behind the choice.
    sum: NodeId,
    /// The operand that is chosen, and the region that gives it.
    by: usize,
    arm: usize,
}

fn growths(graph: &Graph, regions: &[Region; 2]) -> Vec<Option<Growth>> {
    (0..regions[0].results.len())
        .map(|at| [0, 1].into_iter().find_map(|arm| growth(graph, regions, arm, at)))
        .collect()
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
fn grown(walk: &mut Walk, growth: &Growth, test: ValueId, out: &mut Vec<NodeId>) -> ValueId {
    let node = walk.graph.nodes[growth.sum].clone();
    let by = node.args[growth.by];
    let none = walk.constant(Literal::scalar(walk.graph.ty(by).dtype, Scalar::Int(0)), growth.sum, out);
    let chosen = if growth.arm == 0 { [test, by, none] } else { [test, none, by] };
    let chosen = select(walk, growth.sum, chosen, out);
    let args = (0..2).map(|at| if at == growth.by { chosen } else { node.args[at] }).collect();
    let ty = walk.graph.ty(node.results[0]).clone();
    walk.make(node.op, node.attr, args, ty, growth.sum, out)
}

fn select(walk: &mut Walk, id: NodeId, args: [ValueId; 3], out: &mut Vec<NodeId>) -> ValueId {
    let ty = walk.graph.ty(args[1]).clone();
    walk.make(Op::Select, Attr::None, args.to_vec(), ty, id, out)
}

fn while_(walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
    let node = walk.graph.nodes[id].clone();
    let test = walk.graph.regions[node.regions[0]].clone();
    let never = known(walk.graph, test.results[0]) == Some(false);
    let stands = |(&given, &wanted): (&ValueId, &ValueId)| can_stand_for(walk.graph, given, wanted);
    if !never || !node.args.iter().zip(&node.results).all(stands) || uses_params(walk.graph, &test) {
        out.push(id);
        return;
    }
    out.extend(&test.nodes);
    node.results.iter().zip(&node.args).for_each(|(&result, &init)| walk.replace(result, init));
}

/// True if a region that runs once more, without its loop, would miss the loop's carries.
fn uses_params(graph: &Graph, region: &Region) -> bool {
    region.nodes.iter().any(|&id| {
        let node = &graph.nodes[id];
        node.args.iter().any(|arg| region.params.contains(arg)) || !node.regions.is_empty()
    })
}

fn known(graph: &Graph, test: ValueId) -> Option<bool> {
    Some(literal(graph, test)?.as_scalar()?.to_bool())
}

fn can_stand_for(graph: &Graph, given: ValueId, wanted: ValueId) -> bool {
    stands_for(&graph.ty(given).shape, &graph.ty(wanted).shape)
}

fn is_short(graph: &Graph, regions: &[Region; 2], results: &[ValueId], growths: &[Option<Growth>]) -> bool {
    let is_growth = |id: NodeId| growths.iter().flatten().any(|growth| growth.sum == id);
    let mut nodes = regions.iter().flat_map(|region| &region.nodes);
    let ops = nodes.clone().filter(|&&id| graph.nodes[id].op != Op::Const).count();
    ops <= LONGEST
        && results.iter().all(|&result| graph.ty(result).is_scalar())
        && nodes.all(|&id| is_cheap(graph, id) || is_growth(id))
}

#[cfg(test)]
mod tests;

//! Branches that are known, or cheaper than a jump: `cond true` ⇒ its first region; both regions give the same ⇒ that;
//! two short regions on scalars ⇒ both, and `select`, where a total that grows in one of them grows by that or nothing. A loop whose
//! test is known to be false ⇒ its test, once. A `leave` that never does ⇒ nothing, and a `try` that nothing leaves ⇒ its region.

mod growths;

use gw_ir::{Graph, NodeId, Op, Region, RegionId, ValueId, literal};

use growths::{Growth, Totals, grown};

use crate::facts::{is_cheap, stands_for};
use crate::walk::{Visit, Walk};

/// Two regions of so many ops together, constants apart, run for nothing sooner than they are jumped over.
const LONGEST: usize = 6;

pub(crate) fn run(graph: &mut Graph) {
    let totals = Totals::of(graph);
    Walk::run(graph, &mut Branches { totals });
}

struct Branches {
    totals: Totals,
}

impl Visit for Branches {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        let op = walk.graph.nodes[id].op;
        if op == Op::Cond {
            cond(walk, &self.totals, id, out);
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

fn cond(walk: &mut Walk, totals: &Totals, id: NodeId, out: &mut Vec<NodeId>) {
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
    let growths = totals.growths(walk.graph, &regions, &node.results);
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
                None => walk.select([test, then, other], id, out),
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

//! Loop-invariant code moves in front of its loop: `while t: y = x * x` ⇒ `y = x * x; while t: …`.
//!
//! Only what cannot fail and has no effects: the loop may run no iteration at all. Inner loops first, so that what
//! leaves them can leave the outer ones too. Branches keep their own.

use gw_base::Id;
use gw_ir::{Class, Graph, NodeId, Op, RegionId, ValueId, can_fail};

use crate::walk::{Visit, Walk};

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Hoist);
}

struct Hoist;

impl Visit for Hoist {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        if walk.graph.nodes[id].op == Op::While {
            let regions = walk.graph.nodes[id].regions.clone();
            let mut inside = vec![false; walk.graph.values.len()];
            regions.iter().for_each(|&region| mark(walk.graph, region, &mut inside));
            regions.into_iter().for_each(|region| hoist(walk.graph, region, &mut inside, out));
        }
        out.push(id);
    }
}

/// Marks the values that are defined in a region.
fn mark(graph: &Graph, region: RegionId, inside: &mut [bool]) {
    let region = &graph.regions[region];
    region.params.iter().for_each(|param| inside[param.index()] = true);
    for &node in &region.nodes {
        graph.nodes[node].results.iter().for_each(|result| inside[result.index()] = true);
        graph.nodes[node].regions.iter().for_each(|&inner| mark(graph, inner, inside));
    }
}

fn hoist(graph: &mut Graph, region: RegionId, inside: &mut [bool], out: &mut Vec<NodeId>) {
    let nodes = std::mem::take(&mut graph.regions[region].nodes);
    let (leaves, stays): (Vec<NodeId>, Vec<NodeId>) = nodes.into_iter().partition(|&id| {
        let node = &graph.nodes[id];
        let steady = |&arg: &ValueId| !inside[arg.index()];
        let leaves =
            node.op.class() != Class::Control && node.args.iter().all(steady) && !can_fail(graph, id);
        if leaves {
            node.results.iter().for_each(|result| inside[result.index()] = false);
        }
        leaves
    });
    graph.regions[region].nodes = stays;
    out.extend(leaves);
}

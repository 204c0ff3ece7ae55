//! Copies of nodes of the forward pass in the backward pass. Copies have no effects.

use std::collections::HashMap;

use gw_ir::{NodeId, Op, RegionId, ValueId};

use crate::activity::{callee, free_values};
use crate::adjoint::Adjoint;

impl Adjoint<'_, '_> {
    /// The values from around that a node needs: its operands, and what its regions use.
    pub fn needs(&self, id: NodeId) -> Vec<ValueId> {
        let node = &self.graph().nodes[id];
        let inner = node.regions.iter().flat_map(|&region| free_values(self.graph(), region));
        node.args.iter().copied().chain(inner).collect()
    }

    /// True if a node is one of these ops, or one of them is in what it runs, which it would do again.
    pub fn acts(&self, id: NodeId, ops: &[Op], met: &mut Vec<RegionId>) -> bool {
        let graph = self.graph();
        let inner = graph.nodes[id].regions.iter().copied().chain(callee(graph, id));
        ops.contains(&graph.nodes[id].op)
            || inner.into_iter().any(|region| {
                let is_new = !met.contains(&region);
                met.push(region);
                is_new && graph.regions[region].nodes.iter().any(|&node| self.acts(node, ops, met))
            })
    }

    /// Adds the node again, where all that it needs is here; its results are here from then on.
    pub fn copy(&mut self, id: NodeId) -> NodeId {
        let node = self.graph().nodes[id].clone();
        let mut inside = HashMap::new();
        let args: Vec<_> = node.args.iter().map(|&arg| self.here(arg, &inside)).collect();
        let regions = node.regions.iter().map(|&region| self.copy_region(region, &mut inside)).collect();
        let results = self.b.again(id, &args, regions);
        let copy = self.graph().definer(results[0]).expect("a node was added");
        for (&value, &here) in node.results.iter().zip(&results) {
            self.scope().set_local(value, here);
        }
        if node.op == Op::While {
            self.inside.insert(copy, inside);
        }
        copy
    }

    fn here(&self, value: ValueId, inside: &HashMap<ValueId, ValueId>) -> ValueId {
        let outside = || self.known(value).expect("all that the node needs is here");
        inside.get(&value).copied().unwrap_or_else(outside)
    }

    fn copy_region(&mut self, region: RegionId, inside: &mut HashMap<ValueId, ValueId>) -> RegionId {
        let source = self.graph().regions[region].clone();
        self.b.open();
        for param in source.params {
            let ty = self.ty(param);
            inside.insert(param, self.b.param(ty));
        }
        for id in source.nodes {
            let node = self.graph().nodes[id].clone();
            if node.op == Op::Print || node.op == Op::Check {
                continue;
            }
            let args: Vec<_> = node.args.iter().map(|&arg| self.here(arg, inside)).collect();
            let regions = node.regions.iter().map(|&inner| self.copy_region(inner, inside)).collect();
            let results = self.b.again(id, &args, regions);
            inside.extend(node.results.into_iter().zip(results));
        }
        let results = source.results.iter().map(|&value| self.here(value, inside)).collect();
        self.b.close(results)
    }
}

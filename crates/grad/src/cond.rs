//! The backward pass of a branch is a branch, whose results are the cotangents of values from around it.

use gw_ir::{NodeId, RegionId, ValueId};

use crate::activity::free_values;
use crate::reverse::Reverse;
use crate::scope::Scope;
use crate::stop::Made;

impl Reverse<'_, '_> {
    pub fn cond(&mut self, id: NodeId, flowing: &[Option<ValueId>]) -> Made<()> {
        let node = self.graph().nodes[id].clone();
        let test = self.primal(node.args[0])?;
        let mut around: Vec<ValueId> =
            node.regions.iter().flat_map(|&region| self.active_around(region)).collect();
        around.sort_unstable();
        around.dedup();
        let mut ways = Vec::with_capacity(2);
        for &region in &node.regions {
            ways.push(self.branch(id, region, flowing)?);
        }
        around.retain(|&value| ways.iter().any(|(_, scope)| scope.cotangent(value).is_some()));
        let mut regions = Vec::with_capacity(2);
        for (region, scope) in ways {
            regions.push(self.close_branch(region, scope, &around)?);
        }
        let types = self.graph().types(&around);
        let regions = regions.try_into().expect("two branches");
        let results = self.b.cond(test, regions, types);
        around.into_iter().zip(results).try_for_each(|(value, cotangent)| self.add(value, cotangent))
    }

    /// The active values from around a region that it uses.
    pub fn active_around(&self, region: RegionId) -> Vec<ValueId> {
        let free = free_values(self.graph(), region);
        free.into_iter().filter(|&value| self.activity.holds(value)).collect()
    }

    fn branch(
        &mut self,
        id: NodeId,
        region: RegionId,
        flowing: &[Option<ValueId>],
    ) -> Made<(RegionId, Scope)> {
        let given = self.graph().regions[region].results.clone();
        let seeds = given.into_iter().zip(flowing).filter_map(|(value, &g)| Some((value, g?)));
        let seeds: Vec<_> = seeds.filter(|&(value, _)| self.activity.reaches(value, id)).collect();
        let scope = Scope::of(self.graph(), region);
        let back = self.b.open();
        let scope = self.region(region, scope, &seeds)?;
        self.b.reclose();
        Ok((back, scope))
    }

    /// Ends a branch, which gives what flows back to these values.
    fn close_branch(&mut self, region: RegionId, scope: Scope, around: &[ValueId]) -> Made<RegionId> {
        self.b.reopen(region);
        self.scopes.push(scope);
        let mut results = Vec::with_capacity(around.len());
        for &value in around {
            results.push(match self.cotangent(value) {
                Some(cotangent) => cotangent,
                None => self.zeros(value)?,
            });
        }
        self.scopes.pop();
        Ok(self.b.close(results))
    }
}

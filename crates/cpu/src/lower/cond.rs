//! Branches of the graph become those of the loop IR; arrays pass as addresses.

use gw_ir::{Node, NodeId, RegionId, ValueId};

use super::context::{Lower, Lowers, broken};
use super::counters::{all_of, compared, compared_not};
use super::place::Held;
use crate::loops::{Arm, Range, Ty, Var};

impl Lower<'_> {
    pub(super) fn cond(&mut self, node: &Node) -> Lowers<()> {
        let (id, test) = (self.node, self.scalar(node.args[0])?);
        if let Some(known) = self.b.known(test) {
            let region = node.regions[usize::from(known == 0)];
            self.region(region)?;
            self.node = id;
            for (&result, &given) in node.results.iter().zip(&self.graph.regions[region].results) {
                let held = self.settled(given)?;
                self.define(result, held)?;
                self.grows_on(given, result);
            }
            return Ok(());
        }
        let (mut then, given) = self.branch(node, node.regions[0], id)?;
        let (mut otherwise, other) = self.branch(node, node.regions[1], id)?;
        let mut outs = Vec::new();
        let mut held = Vec::new();
        for (given, other) in given.iter().zip(&other) {
            let mut one = |lower: &mut Self, x: Var, y: Var| match lower.b.known(x) {
                Some(value) if lower.b.same(x, y) => lower.b.int(lower.b.ty(x), value),
                Some(_) | None if x == y => x,
                Some(_) | None => {
                    then.results.push(x);
                    otherwise.results.push(y);
                    let out = lower.b.fresh(lower.b.ty(x));
                    lower.b.bound(out, lower.b.range(x).or(lower.b.range(y)));
                    outs.push(out);
                    out
                }
            };
            held.push(match (given, other) {
                (Held::View(x), Held::View(y)) => {
                    let ptr = one(self, x.ptr, y.ptr);
                    let dims: Vec<Var> = x.dims.iter().zip(&y.dims).map(|(&x, &y)| one(self, x, y)).collect();
                    (Some(x.ty), ptr, dims)
                }
                (Held::Scalar(x), Held::Scalar(y)) => (None, one(self, *x, *y), Vec::new()),
                _ => return Err(broken("the arms of a cond give different things")),
            });
        }
        self.choose(test, then, otherwise, outs);
        let given = node.regions.iter().map(|&region| &self.graph.regions[region].results);
        for (at, &result) in node.results.iter().enumerate() {
            let slots: Vec<_> = given.clone().map(|given| self.growing.get(&given[at]).copied()).collect();
            if let [Some(slot), Some(_)] = slots[..] {
                self.growing.insert(result, slot);
            }
        }
        for (&result, (ty, var, dims)) in node.results.iter().zip(held) {
            let held = match ty {
                Some(ty) => Held::View(self.dense(var, ty, dims)),
                None => Held::Scalar(var),
            };
            self.define(result, held)?;
        }
        Ok(())
    }

    /// Notes what integers are in an arm that runs only if a test holds, or only if it does not; gives what was noted before.
    fn assume(&mut self, test: ValueId, holds: bool) -> Vec<(Var, Range)> {
        let graph = self.graph;
        let parts: Vec<ValueId> = if holds { all_of(graph, test).collect() } else { vec![test] };
        let mut before = Vec::new();
        for part in parts {
            let Some(id) = graph.definer(part) else { continue };
            for &of in &graph.nodes[id].args {
                let Ok(Held::Scalar(var)) = self.held(of) else { continue };
                let range = if holds { compared(graph, part, of) } else { compared_not(graph, part, of) };
                if range != Range::of(Ty::I64) && self.b.ty(var).is_integer() {
                    before.push((var, self.b.range(var)));
                    self.b.bound(var, range);
                }
            }
        }
        before
    }

    /// Lowers one branch: its block, and what it gives, in memory or in variables.
    fn branch(&mut self, node: &Node, region: RegionId, id: Option<NodeId>) -> Lowers<(Arm, Vec<Held>)> {
        self.b.open();
        let before = self.assume(node.args[0], region == node.regions[0]);
        let ran = self.region(region);
        before.into_iter().rev().for_each(|(var, range)| self.b.set_range(var, range));
        ran?;
        self.node = id;
        let mut given = Vec::new();
        for (&result, &value) in node.results.iter().zip(&self.graph.regions[region].results) {
            let held = self.settled(value)?;
            given.push(self.fitted(result, held));
        }
        self.memo.clear();
        Ok((self.b.close(Vec::new()), given))
    }
}

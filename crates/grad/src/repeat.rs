//! The backward pass of a loop is a loop, from its last iteration to its first. It carries the cotangents of the
//! carries, and adds up those of values from around.

use gw_ir::{BinaryOp, Node, NodeId, Op, RegionId, ValueId};
use gw_types::{DType, Dim, TensorType};

use crate::activity::is_float;
use crate::product_blocks::Waiting;
use crate::residuals::Carry;
use crate::reverse::Reverse;
use crate::scope::{Scope, Turn};
use crate::stop::Made;

/// The loop of the forward pass, and what flows back through it.
struct Loop<'a> {
    id: NodeId,
    node: &'a Node,
    body: RegionId,
    /// The carries to which something flows back, by position.
    carries: Vec<usize>,
    /// Those that stay what they are.
    same: Vec<usize>,
    /// The values from around to which something flows back.
    around: Vec<ValueId>,
}

impl Reverse<'_, '_> {
    pub fn repeat(&mut self, id: NodeId, flowing: &[Option<ValueId>]) -> Made<()> {
        let node = self.graph().nodes[id].clone();
        let body = node.regions[1];
        let params = self.graph().regions[body].params.clone();
        let is_active = |&at: &usize| self.activity.holds(params[at]) && is_float(self.graph(), params[at]);
        let active: Vec<usize> = (0..params.len()).filter(is_active).collect();
        let is_same = |&at: &usize| matches!(self.carry(id, at), Carry::Same);
        let (same, carries): (Vec<usize>, Vec<usize>) = active.into_iter().partition(is_same);
        let mut around = self.active_around(body);
        for &at in &same {
            if let Some(cotangent) = flowing[at] {
                self.add_for(id, node.args[at], cotangent)?;
            }
            let is_new = self.activity.holds(node.args[at]) && !around.contains(&node.args[at]);
            around.extend(is_new.then_some(node.args[at]));
        }
        let this = Loop { id, node: &node, body, carries, same, around };
        let (keeper, home) = self.keeper(&this)?;
        let turns = self.turns(keeper, home)?;
        let init = self.first(&this, turns, flowing)?;
        let mut types = vec![TensorType::scalar(DType::I64)];
        types.extend(this.carries.iter().map(|&at| self.flow_type(body, at)).collect::<Vec<_>>());
        types.extend(this.around.iter().map(|&value| self.ty(value)));
        let (body, waiting) = self.turn(&this, keeper, home, &types)?;
        let mut behind = types.clone();
        for (ty, &at) in behind[1..].iter_mut().zip(&this.carries) {
            *ty = self.ty(node.args[at]);
        }
        let results = self.go_back(body, &init, [&types, &behind], &waiting)?;
        let (to_carries, others) = results[1..].split_at(this.carries.len());
        let (to_around, sums) = others.split_at(this.around.len());
        // Two of these values may be one in the region around the loop, so that what flows to them is added up.
        for (&value, &cotangent) in this.around.iter().zip(to_around) {
            self.add(value, cotangent)?;
        }
        self.add_deferred(waiting, sums)?;
        let given = this.carries.iter().map(|&at| node.args[at]);
        given.zip(to_carries).try_for_each(|(value, &cotangent)| self.add_for(id, value, cotangent))
    }

    /// The type of what flows back to a carry, which is as long as what an iteration hands on, before, and as what
    /// it began with, behind.
    fn flow_type(&mut self, body: RegionId, at: usize) -> TensorType {
        let body = &self.graph().regions[body];
        let [mut ty, next] = [self.ty(body.params[at]), self.ty(body.results[at])];
        for (dim, next) in ty.shape.0.iter_mut().zip(&next.shape.0) {
            if dim != next {
                *dim = Dim::Var(self.b.fresh_dim());
            }
        }
        ty
    }

    /// The loop that keeps what the backward pass needs, and the region in which it stands: this one where it is
    /// still seen, else a copy of it.
    fn keeper(&mut self, this: &Loop<'_>) -> Made<(NodeId, RegionId)> {
        if self.scopes.len() == 1 {
            let listed = |region: &&RegionId| self.graph().regions[**region].nodes.contains(&this.id);
            let home = self.b.open_regions().iter().rev().find(listed).copied();
            return Ok((this.id, home.expect("what is open lists the loop")));
        }
        let home = self.b.region();
        let copied = this.node.results.first().and_then(|&value| self.scope().local(value));
        if let Some(copy) = copied.and_then(|value| self.graph().definer(value))
            && self.inside.contains_key(&copy)
        {
            return Ok((copy, home));
        }
        if self.acts(this.id, &[Op::Host], &mut Vec::new()) {
            return self.refuse_host("a loop in a branch or loop, in which the host is called", this.id);
        }
        for need in self.needs(this.id) {
            self.primal(need)?;
        }
        Ok((self.copy(this.id), home))
    }

    /// The first carries of the loop of the backward pass: the number of iterations, and the cotangents so far.
    fn first(&mut self, this: &Loop<'_>, turns: ValueId, flowing: &[Option<ValueId>]) -> Made<Vec<ValueId>> {
        let mut init = vec![turns];
        for &at in &this.carries {
            init.push(match flowing[at] {
                Some(cotangent) => cotangent,
                None => self.zeros(this.node.results[at])?,
            });
        }
        for &value in &this.around {
            init.push(match self.scope().take_cotangent(value) {
                Some(cotangent) => cotangent,
                None => self.zeros(value)?,
            });
        }
        Ok(init)
    }

    /// One iteration, backwards.
    fn turn(
        &mut self,
        this: &Loop<'_>,
        keeper: NodeId,
        home: RegionId,
        types: &[TensorType],
    ) -> Made<(RegionId, Waiting)> {
        self.b.open();
        let given: Vec<_> = types.iter().map(|ty| self.b.param(ty.clone())).collect();
        let one = self.integer(1);
        let number = self.op(BinaryOp::Sub, [given[0], one])?;
        let (to_carries, to_around) = given[1..].split_at(this.carries.len());
        let mut scope = Scope::of(self.graph(), this.body);
        scope.turn = Some(Turn::new(this.id, keeper, home, number));
        for (&value, &cotangent) in this.around.iter().zip(to_around) {
            scope.set_cotangent(value, cotangent);
        }
        let body = self.graph().regions[this.body].clone();
        scope.same = this.same.iter().map(|&at| (body.params[at], this.node.args[at])).collect();
        let seeds: Vec<_> = this
            .carries
            .iter()
            .zip(to_carries)
            .map(|(&at, &cotangent)| (body.results[at], cotangent))
            .collect();
        let mut scope = self.region(this.body, scope, &seeds)?;
        let deferred = scope.turn.take().map(|turn| turn.deferred).unwrap_or_default();
        let mut results = vec![number];
        for (&at, &cotangent) in this.carries.iter().zip(to_carries) {
            results.push(match scope.cotangent(body.params[at]) {
                Some(cotangent) => cotangent,
                None => self.cleared(cotangent)?,
            });
        }
        let summed = this.around.iter().map(|&value| scope.cotangent(value).expect("it was there before"));
        results.extend(summed);
        let waiting = self.keep_deferred(deferred, number, &mut results)?;
        Ok((self.b.close(results), waiting))
    }
}

//! The walk of the backward pass: from the last node to the first, each passes the cotangents of its results to its operands.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use gw_ir::{Builder, Class, FunctionId, NodeId, Op, RegionId, ValueId};

use crate::activity::Activity;
use crate::adjoint::Adjoint;
use crate::rules;
use crate::scope::Scope;
use crate::stop::Made;

/// The walk, which goes through regions and functions. All that it adds to the graph it adds by the adjoint builder, as the
/// rules do, which cannot walk themselves.
pub(crate) struct Reverse<'a, 'b> {
    adjoint: Adjoint<'a, 'b>,
    /// The backward passes of functions, by the functions.
    pub pullbacks: HashMap<FunctionId, Pullback>,
}

/// The backward pass of a function.
#[derive(Debug, Clone)]
pub(crate) struct Pullback {
    pub id: FunctionId,
    /// To which arguments something flows back, by position.
    pub to: Vec<usize>,
    /// From which results.
    pub from: Vec<usize>,
}

impl<'a, 'b> Deref for Reverse<'a, 'b> {
    type Target = Adjoint<'a, 'b>;

    fn deref(&self) -> &Self::Target {
        &self.adjoint
    }
}

impl DerefMut for Reverse<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.adjoint
    }
}

impl<'a, 'b> Reverse<'a, 'b> {
    pub fn new(b: &'b mut Builder, activity: Activity<'a>) -> Self {
        Self { adjoint: Adjoint::new(b, activity), pullbacks: HashMap::new() }
    }

    /// Goes through nodes of one region, which stand in the order in which they run, backwards.
    pub fn nodes(&mut self, nodes: &[NodeId]) -> Made<()> {
        nodes.iter().rev().try_for_each(|&node| self.node(node))
    }

    fn node(&mut self, id: NodeId) -> Made<()> {
        let results = self.graph().nodes[id].results.clone();
        let flows = |&value: &ValueId| self.activity.holds(value) && self.cotangent(value).is_some();
        if !results.iter().any(flows) || !self.activity.goes_through(self.graph(), id) {
            return Ok(());
        }
        let place = self.graph().places[id].clone();
        self.b.set_place(place);
        match self.graph().nodes[id].op.class() {
            Class::Control => self.control(id, &results),
            Class::Elementwise | Class::Reduce | Class::Move | Class::Contract | Class::Matrices => {
                rules::node(self, id, results[0])
            }
            Class::Source => Ok(()),
            Class::Effect => results.iter().try_for_each(|&result| rules::node(self, id, result)),
        }
    }

    fn control(&mut self, id: NodeId, results: &[ValueId]) -> Made<()> {
        let flowing: Vec<Option<ValueId>> = results.iter().map(|&value| self.cotangent(value)).collect();
        let op = self.graph().nodes[id].op;
        match self.graph().nodes[id].regions.len() {
            2 if op == Op::While => self.repeat(id, &flowing),
            2 => self.cond(id, &flowing),
            1 => self.refuse("a `try` in which the graph decides what is raised", id),
            _ => self.call(id, &flowing),
        }
    }

    /// Goes through a region backwards, in a scope of its own; gives that.
    pub fn region(&mut self, region: RegionId, scope: Scope, seeds: &[(ValueId, ValueId)]) -> Made<Scope> {
        self.scopes.push(scope);
        let nodes = self.graph().regions[region].nodes.clone();
        let done = seeds.iter().try_for_each(|&(value, cotangent)| self.add(value, cotangent));
        let done = done.and_then(|()| self.nodes(&nodes));
        let scope = self.scopes.pop().expect("the scope that was pushed");
        done.map(|()| scope)
    }
}

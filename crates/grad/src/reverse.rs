//! The walk back: from the last node to the first, each hands the cotangent of what it gives on to what it takes.

use std::collections::HashMap;

use gw_base::{Code, Loc};
use gw_ir::{Attr, Builder, Class, FunctionId, Graph, NodeId, Op, RegionId, ValueId};

use crate::activity::Activity;
use crate::function::Back;
use crate::scope::Scope;
use crate::{Made, Refused, Stop, rules};

/// The graph that grows, and where in it the walk is.
pub(crate) struct Reverse<'a, 'b> {
    pub b: &'b mut Builder,
    pub activity: Activity<'a>,
    /// The regions that are being gone through, the innermost last; the first is what is open.
    pub scopes: Vec<Scope>,
    /// The functions that go the other way, by those that they belong to.
    pub backs: HashMap<FunctionId, Back>,
    /// What the values inside a copied loop are in its copy.
    pub inside: HashMap<NodeId, HashMap<ValueId, ValueId>>,
}

impl<'a, 'b> Reverse<'a, 'b> {
    pub fn new(b: &'b mut Builder, activity: Activity<'a>) -> Self {
        Self { b, activity, scopes: vec![Scope::default()], backs: HashMap::new(), inside: HashMap::new() }
    }

    pub fn graph(&self) -> &Graph {
        self.b.graph()
    }

    pub fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("what is open is a scope")
    }

    /// What has flowed back to a value in the innermost scope.
    pub fn cotangent(&self, value: ValueId) -> Option<ValueId> {
        self.scopes.last().and_then(|scope| scope.cotangent(value))
    }

    /// Adds to what flows back to a value, if that is worth anything.
    pub fn add(&mut self, value: ValueId, cotangent: ValueId) -> Made<()> {
        if !self.activity.holds(value) {
            return Ok(());
        }
        let meant = self.scope().meant(value);
        let ty = self.b.ty(meant).clone();
        let sum = match self.cotangent(value) {
            Some(known) => self.b.op_as(Op::Add, Attr::None, &[known, cotangent], &ty)?,
            None => cotangent,
        };
        self.scope().set_cotangent(value, sum);
        Ok(())
    }

    /// The same for what a node uses, if that use counts.
    pub fn add_for(&mut self, node: NodeId, value: ValueId, cotangent: ValueId) -> Made<()> {
        if self.activity.reaches(value, node) { self.add(value, cotangent) } else { Ok(()) }
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
        self.b.set_place(self.graph().places[id].clone());
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

    /// There is no derivative through this node.
    pub fn refuse<T>(&self, what: &'static str, node: NodeId) -> Made<T> {
        self.refused(Code::NoGradient, what, node)
    }

    /// The same, because of a call of the host in it.
    pub fn refuse_host<T>(&self, what: &'static str, node: NodeId) -> Made<T> {
        self.refused(Code::HostGradient, what, node)
    }

    fn refused<T>(&self, code: Code, what: &'static str, node: NodeId) -> Made<T> {
        let at: Option<Loc> = self.graph().places[node].clone();
        Err(Stop::Refused(Refused { code, what, at }))
    }
}

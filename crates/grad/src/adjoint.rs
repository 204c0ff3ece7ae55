//! The adjoint builder: the graph that grows, the cotangents so far, and the values that are known in the backward
//! pass. Rules are written with it; the walk that applies them is `reverse`.

use std::collections::HashMap;

use gw_base::{Code, Loc};
use gw_ir::{Attr, BinaryOp, Builder, Graph, NodeId, ValueId};

use crate::activity::Activity;
use crate::scope::Scope;
use crate::stop::{Made, Refused, Stop};

/// The graph that grows, and where in it the walk is.
pub(crate) struct Adjoint<'a, 'b> {
    pub b: &'b mut Builder,
    pub activity: Activity<'a>,
    /// The regions that are being gone through, the innermost last; the first is what is open.
    pub scopes: Vec<Scope>,
    /// The values inside copied loops, by those of the originals.
    pub inside: HashMap<NodeId, HashMap<ValueId, ValueId>>,
}

impl<'a, 'b> Adjoint<'a, 'b> {
    pub fn new(b: &'b mut Builder, activity: Activity<'a>) -> Self {
        Self { b, activity, scopes: vec![Scope::default()], inside: HashMap::new() }
    }

    pub fn graph(&self) -> &Graph {
        self.b.graph()
    }

    pub fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("what is open is a scope")
    }

    /// The cotangent of a value so far, in the innermost scope.
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
            Some(known) => self.b.op_as(BinaryOp::Add, Attr::None, &[known, cotangent], &ty)?,
            None => cotangent,
        };
        self.scope().set_cotangent(value, sum);
        Ok(())
    }

    /// The same for what a node uses, if that use counts.
    pub fn add_for(&mut self, node: NodeId, value: ValueId, cotangent: ValueId) -> Made<()> {
        if self.activity.reaches(value, node) { self.add(value, cotangent) } else { Ok(()) }
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

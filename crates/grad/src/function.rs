//! The backward pass of a function of the graph is a function: of its arguments and the cotangents of its results.

use gw_ir::{FunctionId, NodeId, Op, RegionId, ValueId};

use crate::activity::is_float;
use crate::adjoint::Adjoint;
use crate::invariants::leave_loops;
use crate::reverse::{Pullback, Reverse};
use crate::scope::Scope;
use crate::stop::Made;

impl Reverse<'_, '_> {
    pub fn call(&mut self, id: NodeId, flowing: &[Option<ValueId>]) -> Made<()> {
        let node = self.graph().nodes[id].clone();
        let gw_ir::Attr::Function(function) = node.attr else { unreachable!("a call names its function") };
        if let Some(own) = self.graph().functions[function].back {
            return self.own_call(id, own, flowing);
        }
        if self.acts(id, &[Op::Print], &mut Vec::new()) {
            return self.refuse("a function of the graph that prints", id);
        }
        if self.acts(id, &[Op::Host], &mut Vec::new()) {
            return self.refuse_host("a function of the graph in which the host is called", id);
        }
        let back = self.back(function)?;
        let mut args = Vec::with_capacity(node.args.len() + back.from.len());
        for &arg in &node.args {
            args.push(self.primal(arg)?);
        }
        for &at in &back.from {
            args.push(match flowing[at] {
                Some(cotangent) => cotangent,
                None => self.zeros(node.results[at])?,
            });
        }
        let given: Vec<ValueId> = back.to.iter().map(|&at| node.args[at]).collect();
        let types = self.graph().types(&given);
        let results = self.b.call(back.id, &args, types);
        given.into_iter().zip(results).try_for_each(|(value, flow)| self.add_for(id, value, flow))
    }

    /// Goes back through a call by the function's own backward pass, which takes the cotangents and what the
    /// forward pass found.
    fn own_call(&mut self, id: NodeId, own: FunctionId, flowing: &[Option<ValueId>]) -> Made<()> {
        let node = self.graph().nodes[id].clone();
        let to = self.graph().regions[self.graph().functions[own].body].results.len();
        let (sources, others) = node.args.split_at(to);
        let mut args = Vec::with_capacity(others.len());
        for (&result, &cotangent) in node.results.iter().zip(flowing) {
            args.push(match cotangent {
                Some(cotangent) => cotangent,
                None => self.zeros(result)?,
            });
        }
        for &needed in &others[..others.len() - node.results.len()] {
            args.push(self.primal(needed)?);
        }
        let types = self.graph().types(sources);
        let flows = self.b.call(own, &args, types);
        sources.iter().zip(flows).try_for_each(|(&source, flow)| self.add_for(id, source, flow))
    }

    fn back(&mut self, function: FunctionId) -> Made<Pullback> {
        if let Some(known) = self.pullbacks.get(&function) {
            return Ok(known.clone());
        }
        let source = self.graph().functions[function].clone();
        leave_loops(self.b, source.body);
        let body = self.graph().regions[source.body].clone();
        let floats = |values: &[ValueId]| -> Vec<usize> {
            (0..values.len()).filter(|&at| is_float(self.graph(), values[at])).collect()
        };
        let (to, from) = (floats(&body.params), floats(&body.results));
        let id = self.b.declare(&source.name);
        let back = Pullback { id, to, from };
        self.pullbacks.insert(function, back.clone());
        let Adjoint { activity, b, .. } = &mut **self;
        activity.mark_function(b.graph(), source.body);
        self.b.begin(id);
        let results = self.back_body(source.body, &back);
        self.b.end(results?);
        Ok(back)
    }

    fn back_body(&mut self, body: RegionId, back: &Pullback) -> Made<Vec<ValueId>> {
        let source = self.graph().regions[body].clone();
        let mut scope = Scope::of(self.graph(), body);
        for &param in &source.params {
            let ty = self.ty(param);
            let here = self.b.param(ty);
            scope.set_local(param, here);
        }
        let mut seeds = Vec::with_capacity(back.from.len());
        for &at in &back.from {
            let ty = self.ty(source.results[at]);
            seeds.push((source.results[at], self.b.param(ty)));
        }
        let scope = self.region(body, scope, &seeds)?;
        let mut results = Vec::with_capacity(back.to.len());
        for &at in &back.to {
            let param = source.params[at];
            results.push(match scope.cotangent(param) {
                Some(cotangent) => cotangent,
                None => self.cleared(scope.local(param).expect("parameters are here"))?,
            });
        }
        Ok(results)
    }
}

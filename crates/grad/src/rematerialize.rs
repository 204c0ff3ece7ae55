//! Rematerialisation: the backward pass uses visible values of the forward pass as they are, and recomputes others or reads
//! their residuals.

use gw_ir::{Attr, BinaryOp, Class, Cost, NodeId, Op, ValueDef, ValueId};

use crate::adjoint::Adjoint;
use crate::residuals::Carry;
use crate::scope::Turn;
use crate::stop::Made;

/// The way in which a value of the forward pass is recovered.
enum Recovery {
    /// Its node runs again.
    Copy(NodeId),
    /// It is what another value is here.
    Same(ValueId),
    /// So many iterations of a loop have added this step to that value.
    Counted(ValueId, ValueId),
    /// Its loop keeps it.
    Keep,
}

impl Adjoint<'_, '_> {
    /// The local copy of a value of the forward pass, if there is one already.
    pub fn known(&self, value: ValueId) -> Option<ValueId> {
        for scope in self.scopes.iter().rev() {
            if let Some(here) = scope.local(value) {
                return Some(here);
            }
            if scope.owns(value) {
                return None;
            }
        }
        Some(value)
    }

    /// The local copy of a value of the forward pass.
    pub fn primal(&mut self, value: ValueId) -> Made<ValueId> {
        let mut wanted = vec![value];
        while let Some(&next) = wanted.last() {
            if self.known(next).is_some() {
                wanted.pop();
                continue;
            }
            let missing = self.bring(next)?;
            wanted.extend(missing);
        }
        Ok(self.known(value).expect("it was brought here"))
    }

    /// Brings a value here, or tells what has to be here first.
    fn bring(&mut self, value: ValueId) -> Made<Vec<ValueId>> {
        let recovery = self.recovery(value)?;
        let first: Vec<ValueId> = match &recovery {
            Recovery::Copy(node) => self.needs(*node),
            Recovery::Same(other) => vec![*other],
            Recovery::Counted(start, step) => vec![*start, *step],
            Recovery::Keep => Vec::new(),
        };
        let missing: Vec<ValueId> = first.into_iter().filter(|&need| self.known(need).is_none()).collect();
        if !missing.is_empty() {
            return Ok(missing);
        }
        match recovery {
            Recovery::Copy(node) => {
                self.copy(node);
            }
            Recovery::Same(other) => {
                let here = self.primal(other)?;
                self.scope().set_local(value, here);
            }
            Recovery::Counted(start, step) => self.count(value, start, step)?,
            Recovery::Keep => self.kept(value)?,
        }
        Ok(Vec::new())
    }

    /// The iteration of a loop that defines a value, if one does.
    pub fn turn_of(&self, value: ValueId) -> Option<&Turn> {
        self.scopes.iter().rev().find(|scope| scope.owns(value)).and_then(|scope| scope.turn.as_ref())
    }

    fn recovery(&self, value: ValueId) -> Made<Recovery> {
        let Some(turn) = self.turn_of(value) else {
            let node = self.graph().definer(value).expect("parameters of functions are known");
            return self.copied(node);
        };
        match self.graph().values[value].def {
            ValueDef::Param(_, at) => match self.carry(turn.node, at) {
                Carry::Same => Ok(Recovery::Same(self.graph().nodes[turn.node].args[at])),
                Carry::Counts(step) => Ok(Recovery::Counted(self.graph().nodes[turn.node].args[at], step)),
                Carry::Changes => Ok(Recovery::Keep),
            },
            ValueDef::Result(node, _) => {
                let keep = self.can_keep(value) && (self.is_dear(node) || self.leaves(node, value) > 1);
                if keep { Ok(Recovery::Keep) } else { self.copied(node) }
            }
        }
    }

    /// A node that runs again; the host is not called again.
    fn copied(&self, node: NodeId) -> Made<Recovery> {
        if self.acts(node, &[Op::Host], &mut Vec::new()) {
            return self
                .refuse_host("a branch or loop that needs again what a function of the host gave", node);
        }
        Ok(Recovery::Copy(node))
    }

    /// A counter as it is in this iteration.
    fn count(&mut self, value: ValueId, start: ValueId, step: ValueId) -> Made<()> {
        let number = self.turn_of(value).expect("a counter is a carry").number;
        let dtype = self.ty(value).dtype;
        let number = self.with(Op::Cast, Attr::To(dtype), &[number])?;
        let [start, step] = [self.primal(start)?, self.primal(step)?];
        let way = self.op(BinaryOp::Mul, [number, step])?;
        let now = self.op(BinaryOp::Add, [start, way])?;
        self.scope().set_local(value, now);
        Ok(())
    }

    /// The number of values that a loop would have to keep for this one to be recomputed; 2 stands for more.
    fn leaves(&self, node: NodeId, value: ValueId) -> usize {
        let mut open = vec![node];
        let (mut met, mut leaves) = (Vec::new(), Vec::new());
        while let Some(node) = open.pop() {
            for need in self.needs(node) {
                if met.contains(&need) || self.known(need).is_some() {
                    continue;
                }
                met.push(need);
                let is_inner = self.turn_of(need).is_some_and(|turn| {
                    self.turn_of(value).is_some_and(|own| own.node == turn.node && !turn.keeps(need))
                });
                if !is_inner {
                    continue;
                }
                match self.graph().values[need].def {
                    ValueDef::Result(inner, _) if !self.is_dear(inner) => open.push(inner),
                    ValueDef::Param(_, at) => {
                        let turn = self.turn_of(need).expect("it is of a loop");
                        if matches!(self.carry(turn.node, at), Carry::Changes) {
                            leaves.push(need);
                        }
                    }
                    ValueDef::Result(..) => leaves.push(need),
                }
            }
            if leaves.len() > 1 || met.len() > MOST || leaves.iter().any(|&leaf| !self.can_keep(leaf)) {
                return 2;
            }
        }
        leaves.len()
    }

    /// True if a node takes longer to run again than what it gives takes to be kept and read.
    fn is_dear(&self, node: NodeId) -> bool {
        let op = self.graph().nodes[node].op;
        match op.class() {
            Class::Elementwise => op.cost() == Cost::Dear,
            Class::Reduce | Class::Contract | Class::Matrices | Class::Control => true,
            Class::Move => op == Op::Put || op == Op::Sort,
            Class::Effect => op == Op::Host,
            Class::Source => false,
        }
    }
}

/// So many values are looked at to find out what a value is made of.
const MOST: usize = 32;

//! `try` in the toy language: its exits are what the program raises in it.

#![allow(clippy::arc_with_non_send_sync, reason = "the toy has one thread, and scopes are shared by `Arc`")]

use std::cell::RefCell;
use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_ir::NodeId;
use gw_trace::{Attempt, Choosing, Fails, Slot, State};
use gw_types::Scalar;

use crate::host::{Body, Exit, Failure, Toy, Value};
use crate::syntax::Try;

/// A `try` that is being staged.
pub struct Attempted<'t, 'a> {
    pub toy: &'t Toy<'a>,
    pub parts: &'t Try,
    pub exits: RefCell<Vec<Exit>>,
}

impl<'a> Attempt<Toy<'a>> for Attempted<'_, 'a> {
    fn body(&self) -> Result<bool, Failure> {
        let toy = self.toy;
        let body = Arc::new(Body {
            frames: toy.frames.borrow().len(),
            functions: toy.trace.build(|b| b.waiting().len()),
            heard: self.parts.handlers.iter().map(|(class, _)| class.clone()).collect(),
            always: !self.parts.always.is_empty(),
            exits: RefCell::default(),
        });
        let ends = toy.attempts.within(&body, || match toy.block(&self.parts.body) {
            Ok(()) => Ok(true),
            // The body ends here, unless neither this exception nor one before it can leave the body otherwise.
            Err(Failure::Raised(class)) if toy.is_seen(&class) || !body.exits.borrow().is_empty() => {
                Ok(!toy.raise(&class))
            }
            Err(error @ Failure::Raised(_)) => Err(error),
            Err(error @ (Failure::Diagnosed(_) | Failure::Interrupt(_))) => Err(error),
        });
        self.exits.replace(body.exits.take());
        ends
    }
    fn exits(&self) -> Vec<(NodeId, Fails)> {
        self.exits.borrow().iter().map(|exit| (exit.node, Fails::Value)).collect()
    }
    fn replay(&self, exit: usize) -> Result<(), Failure> {
        self.toy.set(&self.exits.borrow()[exit].state)
    }
    fn shown(&self, _: usize) -> Result<Value, Failure> {
        Ok(Value::Number(Scalar::Int(0)))
    }
    fn same(&self, exit: usize, other: usize) -> bool {
        let exits = self.exits.borrow();
        exits[exit].class == exits[other].class
    }
    fn uncaught(&self, exit: usize) -> Failure {
        let class = self.exits.borrow()[exit].class.clone();
        Diagnostic::new(Code::NotCaught, format!("`{class}` cannot be caught")).into()
    }
    fn objects(&self) -> Result<Value, Failure> {
        Ok(Value::Number(Scalar::Int(0)))
    }
    fn give(&self, _: &Value) -> Result<(), Failure> {
        Ok(())
    }
    fn choosing(
        &self,
        state: &dyn State<Toy<'a>>,
        slots: &[Slot],
        choose: Choosing<'_, Toy<'a>>,
    ) -> Result<(), Failure> {
        choose(state, slots)
    }
    fn go_on(&self, raised: Option<(usize, &Value)>) -> Result<(), Failure> {
        let class = raised.map(|(exit, _)| self.exits.borrow()[exit].class.clone());
        let left = match self.parts.next(class.as_deref()) {
            Some(block) => self.toy.block(block),
            None => class.map_or(Ok(()), |class| Err(Failure::Raised(class))),
        };
        if let Err(Failure::Diagnosed(_) | Failure::Interrupt(_)) = left {
            return left;
        }
        self.toy.block(&self.parts.always)?;
        left
    }
}

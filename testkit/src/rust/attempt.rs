//! `f(x).unwrap_or(y)`: the failures of a call end in another value.

use std::cell::{Cell, RefCell};

use gw_base::Diagnostic;
use gw_ir::NodeId;
use gw_trace::{Attempt, Choosing, Fails, Slot, State, try_};

use super::frame::{Late, Places};
use super::host::{Rust, refusal};
use super::{Fallible, Frame, Value};

/// A call of a function that may fail.
pub type Trial<'a> = &'a dyn Fn() -> Result<Fallible, Diagnostic>;

struct Handled<'a> {
    frame: &'a Frame<'a>,
    /// The variable that gets the value.
    place: usize,
    trial: Trial<'a>,
    /// The other value, which is evaluated behind the call whether it is asked for or not.
    otherwise: Late<'a>,
    evaluated: Cell<Value>,
    exits: RefCell<Vec<NodeId>>,
}

impl Attempt<Rust> for Handled<'_> {
    fn body(&self) -> Result<bool, Diagnostic> {
        self.frame.host.attempts.borrow_mut().push(Vec::new());
        let given = (self.trial)();
        self.exits.replace(self.frame.host.attempts.borrow_mut().pop().unwrap_or_default());
        self.frame.set(self.place, given?.passed());
        Ok(true)
    }
    fn exits(&self) -> Vec<(NodeId, Fails)> {
        self.exits.borrow().iter().map(|&node| (node, Fails::Value)).collect()
    }
    fn replay(&self, _exit: usize) -> Result<(), Diagnostic> {
        self.frame.set(self.place, Value::Unbound);
        Ok(())
    }
    fn shown(&self, _exit: usize) -> Result<Value, Diagnostic> {
        Ok(Value::Unbound)
    }
    fn same(&self, _exit: usize, _other: usize) -> bool {
        // Whichever check fails, `unwrap_or` drops its text.
        true
    }
    fn uncaught(&self, _exit: usize) -> Diagnostic {
        refusal("`unwrap_or` cannot take the failure of this check")
    }
    fn objects(&self) -> Result<Value, Diagnostic> {
        Ok(Value::Unbound)
    }
    fn give(&self, _objects: &Value) -> Result<(), Diagnostic> {
        Ok(())
    }
    fn choosing(
        &self,
        state: &dyn State<Rust>,
        slots: &[Slot],
        choose: Choosing<'_, Rust>,
    ) -> Result<(), Diagnostic> {
        self.evaluated.set((self.otherwise)()?);
        choose(state, slots)
    }
    fn go_on(&self, raised: Option<(usize, &Value)>) -> Result<(), Diagnostic> {
        if raised.is_some() {
            self.frame.set(self.place, self.evaluated.get());
        }
        Ok(())
    }
}

impl Frame<'_> {
    /// `trial.unwrap_or(otherwise)`, by way of a variable.
    ///
    /// # Errors
    /// Refusals of the toy.
    pub fn unwrap_or(
        &self,
        place: usize,
        trial: Trial<'_>,
        otherwise: Late<'_>,
    ) -> Result<Value, Diagnostic> {
        let exits = RefCell::default();
        let evaluated = Cell::new(Value::Unbound);
        let handled = Handled { frame: self, place, trial, otherwise, evaluated, exits };
        try_(self.host, &self.slots(&[place]), &Places(self, &[place]), &handled)?;
        Ok(self.get(place))
    }
}

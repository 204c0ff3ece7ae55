//! The variables of one call, and the statements over them.

use std::cell::RefCell;

use gw_base::{Diagnostic, Loc};
use gw_trace::{Host, Slot, State, go_on, if_, while_};
use gw_types::Scalar;

use super::host::{Rust, refusal};
use super::{Type, Value, truth};

/// A part of a statement.
pub type Act<'a> = &'a dyn Fn() -> Result<(), Diagnostic>;

/// An expression that is evaluated where and as often as it stands.
pub type Late<'a> = &'a dyn Fn() -> Result<Value, Diagnostic>;

/// The variables of one call of a function.
pub struct Frame<'h> {
    /// Host that the frame belongs to.
    pub host: &'h Rust,
    values: RefCell<Vec<Value>>,
    names: &'static [&'static str],
}

/// Some variables of a frame: those that a statement assigns.
pub(super) struct Places<'a>(pub &'a Frame<'a>, pub &'a [usize]);

impl State<Rust> for Places<'_> {
    fn get(&self) -> Result<Vec<Value>, Diagnostic> {
        Ok(self.1.iter().map(|&place| self.0.get(place)).collect())
    }
    fn set(&self, values: &[Value]) -> Result<(), Diagnostic> {
        self.1.iter().zip(values).for_each(|(&place, &value)| self.0.set(place, value));
        Ok(())
    }
}

impl<'h> Frame<'h> {
    /// Begins a call of a function with these variables, the first of which are its parameters.
    ///
    /// # Errors
    /// If calls nest too deep.
    pub fn enter(
        host: &'h Rust,
        names: &'static [&'static str],
        given: Vec<Value>,
    ) -> Result<Self, Diagnostic> {
        host.enter()?;
        let mut values = given;
        values.resize(names.len(), Value::Unbound);
        Ok(Self { host, values: RefCell::new(values), names })
    }

    /// The value of a variable.
    pub fn get(&self, place: usize) -> Value {
        self.values.borrow().get(place).copied().unwrap_or(Value::Unbound)
    }

    /// Gives a variable a value.
    pub fn set(&self, place: usize, value: Value) {
        if let Some(held) = self.values.borrow_mut().get_mut(place) {
            *held = value;
        }
    }

    /// Gives a variable the value of the type that is written beside it.
    pub fn set_typed(&self, place: usize, value: Value, ty: Type) {
        let is_empty = matches!((value, ty), (Value::Empty, Type::Many(_)));
        self.set(place, if is_empty { Value::Staged(self.host.no_elements(ty.dtype())) } else { value });
    }

    /// Says which line of the program runs.
    pub fn at(&self, file: &str, line: u32, column: u32) {
        let column = column.saturating_sub(1);
        self.host.go_to(Some(Loc { column, end_column: column, ..Loc::of_line(file, line) }));
    }

    pub(super) fn slots(&self, places: &[usize]) -> Vec<Slot> {
        let name = |&place: &usize| self.names.get(place).copied().unwrap_or("");
        places.iter().map(name).map(|n| if n.is_empty() { Slot::Result } else { Slot::of(n) }).collect()
    }

    /// `if test { … } else { … }`, which assigns these variables.
    ///
    /// # Errors
    /// Exceptions of the branches; where they disagree.
    pub fn if_(&self, test: Value, places: &[usize], branches: [Act<'_>; 2]) -> Result<(), Diagnostic> {
        if let Value::Number(known) = test {
            return branches[usize::from(!known.to_bool())]();
        }
        let test = self.host.staged(test)?.value;
        if_(self.host, test, &self.slots(places), &Places(self, places), branches)
    }

    /// `while test { … }`, which assigns these variables.
    ///
    /// # Errors
    /// Exceptions of test and body; where an iteration leaves what the next one cannot take.
    pub fn while_(&self, places: &[usize], test: Late<'_>, body: Act<'_>) -> Result<(), Diagnostic> {
        let answer = || {
            let seen = self.host.see(&test()?)?;
            go_on(self.host.trace(), seen).ok_or_else(|| refusal("the test of a `while` is no bool"))
        };
        let go = answer()?;
        while_(self.host, go, &self.slots(places), &Places(self, places), &answer, body)
    }

    /// `x && y`
    ///
    /// # Errors
    /// The exceptions of `y`.
    pub fn and(&self, x: Value, y: Late<'_>) -> Result<Value, Diagnostic> {
        self.choose(x, [y, &|| Ok(truth(false))])
    }

    /// `x || y`
    ///
    /// # Errors
    /// The exceptions of `y`.
    pub fn or(&self, x: Value, y: Late<'_>) -> Result<Value, Diagnostic> {
        self.choose(x, [&|| Ok(truth(true)), y])
    }

    fn choose(&self, test: Value, branches: [Late<'_>; 2]) -> Result<Value, Diagnostic> {
        match test {
            Value::Number(known @ Scalar::Bool(_)) => branches[usize::from(!known.to_bool())](),
            Value::Number(_) | Value::Staged(_) | Value::Empty | Value::Unbound => {
                let test = self.host.staged(test)?.value;
                gw_trace::if_exp(self.host, test, branches)
            }
        }
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        self.host.leave();
    }
}

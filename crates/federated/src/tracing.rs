//! A computation that is being traced: its name, and the blocks that have been bound to symbols.

use crate::blocks::{Block, Local, transform};
use crate::refusal::Allowed;
use crate::types::{Interns, Name, Type};

/// The name of a computation whose function has none.
pub const UNNAMED: &str = "FEDERATED";

/// The bindings of a computation that is being traced.
pub struct Tracing<H: Interns> {
    name: Name,
    symbols: Vec<Local<H>>,
}

impl<H: Interns> Tracing<H> {
    /// Begins a computation; where an ancestor has its name, it gets a number.
    pub fn new(suggested: Option<&str>, ancestors: &[Name]) -> Tracing<H> {
        let suggested = suggested.filter(|name| !name.is_empty()).unwrap_or(UNNAMED);
        let numbered = (1..).map(|number| format!("{suggested}_{number}"));
        let mut names = std::iter::once(suggested.to_owned()).chain(numbered);
        let free = names.find(|name| ancestors.iter().all(|ancestor| **ancestor != **name));
        Tracing { name: free.unwrap_or_default().into(), symbols: Vec::new() }
    }

    /// Returns the name of the computation.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Returns the bindings so far.
    pub fn symbols(&self) -> &[Local<H>] {
        &self.symbols
    }

    /// Binds a block to a new symbol and returns a reference to that.
    pub fn bind(&mut self, value: Block<H>) -> Block<H> {
        let name: Name = format!("fc_{}_symbol_{}", self.name, self.symbols.len()).into();
        let reference = Block::reference(name.clone(), value.ty().clone(), None);
        self.symbols.push(Local { name, value });
        reference
    }

    /// Returns the name of the parameter.
    pub fn parameter_name(&self) -> Name {
        format!("{}_arg", self.name).into()
    }

    /// Takes the bindings out, and leaves the name.
    #[must_use]
    pub fn take(&mut self) -> Tracing<H> {
        Tracing { name: self.name.clone(), symbols: std::mem::take(&mut self.symbols) }
    }

    /// Makes the function of the bindings and a result; selections by name become selections by position.
    pub fn finish(self, parameter: Option<Type<H>>, result: Block<H>) -> Allowed<Block<H>> {
        let parameter = parameter.map(|ty| (self.parameter_name(), ty));
        let symbols = self.symbols;
        let body = if symbols.is_empty() { result } else { Block::with_locals(symbols, result)? };
        transform::selections_by_index(&Block::lambda(parameter, body)?)
    }
}

//! The variables of a function: which of them a name means, and which of them a statement assigns.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::Ident;

use crate::refused::{Result, refused};

/// The variables met so far. A `let` makes a new one, also where it takes a name that there is.
#[derive(Default)]
pub struct Scope {
    /// Their names by place; a hidden one has none.
    names: Vec<String>,
    /// The names that can be seen, the innermost last.
    visible: Vec<(String, usize)>,
    /// The variables that each open statement assigns, the innermost last.
    assigned: Vec<BTreeSet<usize>>,
    /// The name of the function.
    pub function: String,
}

impl Scope {
    /// That of a function of this name, without variables.
    pub fn of(function: String) -> Self {
        Self { function, ..Self::default() }
    }

    /// The names of all variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A new variable; it is seen from now on.
    pub fn declare(&mut self, name: &Ident) -> usize {
        self.visible.push((name.to_string(), self.names.len()));
        self.names.push(name.to_string());
        self.assign(self.names.len() - 1)
    }

    /// A new variable without a name.
    pub fn hidden(&mut self) -> usize {
        self.names.push(String::new());
        self.names.len() - 1
    }

    /// The variable that a name means here.
    pub fn find(&self, name: &Ident) -> Result<usize> {
        let known = self.visible.iter().rev().find(|(known, _)| name == known);
        known.map(|&(_, place)| place).ok_or_else(|| {
            refused(
                name,
                format!("the toy knows no variable `{name}`: it takes parameters and what `let` binds"),
            )
        })
    }

    /// Notes that the statement assigns a variable.
    pub fn assign(&mut self, place: usize) -> usize {
        if let Some(assigned) = self.assigned.last_mut() {
            assigned.insert(place);
        }
        place
    }

    /// Reads a block, of which the names are not seen behind it.
    pub fn block<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let seen = self.visible.len();
        let done = read(self);
        self.visible.truncate(seen);
        done
    }

    /// Reads a statement; gives the variables from around it that it assigns.
    pub fn statement<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Vec<usize>)> {
        let own = self.names.len();
        self.assigned.push(BTreeSet::new());
        let done = read(self);
        let assigned = self.assigned.pop().unwrap_or_default();
        let places: Vec<_> = assigned.into_iter().filter(|&place| place < own).collect();
        for &place in &places {
            self.assign(place);
        }
        Ok((done?, places))
    }

    /// Reads what runs on some paths only and may assign nothing.
    pub fn pure<T>(&mut self, tokens: impl ToTokens, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (done, places) = self.statement(read)?;
        match places.is_empty() {
            true => Ok(done),
            false => Err(refused(tokens, "the toy takes no assignment to a variable from around this")),
        }
    }
}

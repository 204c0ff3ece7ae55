//! The side of the caller of an intrinsic: who has the arguments, and where the result is bound.

use crate::blocks::Block;
use crate::refusal::{Allowed, Refusal};
use crate::types::{Interns, Type};

/// The caller of an intrinsic.
pub trait Caller<H: Interns> {
    /// Exceptions of the host.
    type Error: From<Refusal>;

    /// Turns the argument at a position into a block; the hint is the type of the parameter of a function.
    ///
    /// # Errors
    ///
    /// The argument is no value of the language.
    fn argument(&mut self, position: usize, hint: Option<&Type<H>>) -> Result<Block<H>, Self::Error>;

    /// Binds a block to a symbol of the computation that is being traced.
    ///
    /// # Errors
    ///
    /// No computation is being traced.
    fn bind(&mut self, block: Block<H>) -> Result<Block<H>, Self::Error>;
}

/// Returns the parameter and the result of an argument; refuses what is no function.
pub(super) fn function<'b, H: Interns>(
    name: &str,
    value: &'b Block<H>,
) -> Allowed<(Option<&'b Type<H>>, &'b Type<H>)> {
    value.ty().function().ok_or_else(|| {
        let found = value.ty();
        Refusal::wrong_value(format!("Expected `{name}` to be a function, found a value of type {found}."))
    })
}

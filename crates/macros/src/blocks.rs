//! Blocks: statements, and the value at the end.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Block, Expr, Stmt};

use crate::refused::{Result, refused};
use crate::scope::Scope;
use crate::{expressions, statements};

/// A block that has a value.
pub fn value(block: &Block, scope: &mut Scope) -> Result<TokenStream> {
    ended(block, scope, expressions::value)
}

/// The block of a function that returns a `Result`.
pub fn fallible(block: &Block, scope: &mut Scope) -> Result<TokenStream> {
    ended(block, scope, expressions::fallible)
}

/// A block that has no value.
pub fn unit(block: &Block, scope: &mut Scope) -> Result<TokenStream> {
    scope.block(|scope| {
        let statements = block.stmts.iter().map(|statement| statements::statement(statement, scope));
        let statements = statements.collect::<Result<Vec<_>>>()?;
        Ok(quote!({ #(#statements)* }))
    })
}

/// Lowers the expression at the end of a block.
type End = fn(&Expr, &mut Scope) -> Result<TokenStream>;

fn ended(block: &Block, scope: &mut Scope, end: End) -> Result<TokenStream> {
    let Some((Stmt::Expr(last, None), before)) = block.stmts.split_last() else {
        return Err(refused(block, "this block has no value at its end"));
    };
    scope.block(|scope| {
        let statements = before.iter().map(|statement| statements::statement(statement, scope));
        let statements = statements.collect::<Result<Vec<_>>>()?;
        let (place, last) = (statements::place(last), end(last, scope)?);
        Ok(quote!({ #(#statements)* #place #last }))
    })
}

//! Tokens that are one word: the names of variables, and those of the host's operators.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Pat};

use crate::refused::{Result, refused};

/// The variable that a pattern binds.
pub fn variable(pat: &Pat) -> Result<&Ident> {
    match pat {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => Ok(&ident.ident),
        other => Err(refused(other, "the toy takes no patterns: bind one name")),
    }
}

/// The one name that an expression is.
pub fn name(expr: &Expr) -> Result<&Ident> {
    match expr {
        Expr::Paren(e) => name(&e.expr),
        Expr::Group(e) => name(&e.expr),
        Expr::Path(path) => {
            path.path.get_ident().ok_or_else(|| refused(path, "the toy takes names without `::`"))
        }
        other => Err(refused(other, "the toy takes a name here")),
    }
}

/// The host's function for `x + y` and the like.
pub fn operator(op: &BinOp) -> Result<Ident> {
    let name = match op {
        BinOp::Add(_) => "add",
        BinOp::Sub(_) => "sub",
        BinOp::Mul(_) => "mul",
        BinOp::Div(_) => "div",
        BinOp::Rem(_) => "rem",
        BinOp::Eq(_) => "eq",
        BinOp::Ne(_) => "ne",
        BinOp::Lt(_) => "lt",
        BinOp::Le(_) => "le",
        BinOp::Gt(_) => "gt",
        BinOp::Ge(_) => "ge",
        other => return Err(refused(other, "the toy does not take this operator")),
    };
    Ok(of_host(name))
}

/// The host's function for the operator of `x += y` and the like.
pub fn assigning(op: &BinOp) -> Option<Ident> {
    let name = match op {
        BinOp::AddAssign(_) => "add",
        BinOp::SubAssign(_) => "sub",
        BinOp::MulAssign(_) => "mul",
        BinOp::DivAssign(_) => "div",
        BinOp::RemAssign(_) => "rem",
        _ => return None,
    };
    Some(of_host(name))
}

/// A name of the host's, which is none of the user's.
pub fn of_host(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The user's place for code of ours, in which names mean what they mean to us.
pub fn located(tokens: &impl ToTokens) -> Span {
    Span::call_site().located_at(tokens.span())
}

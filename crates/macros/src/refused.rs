//! Refusals: a plain sentence on the user's tokens.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Error, Expr};

/// A part of the function that is read, or a refusal.
pub type Result<T> = std::result::Result<T, Error>;

/// The refusal of these tokens.
pub fn refused(tokens: impl ToTokens, sentence: impl std::fmt::Display) -> Error {
    Error::new_spanned(tokens, sentence)
}

/// The refusal of an expression that the toy never takes.
pub fn expression(expr: &Expr) -> Error {
    let (tokens, sentence): (TokenStream, &str) = match expr {
        Expr::ForLoop(e) => {
            (e.for_token.to_token_stream(), "the toy takes no `for`: write a `while` that counts")
        }
        Expr::Loop(e) => {
            (e.loop_token.to_token_stream(), "the toy takes no `loop`: write a `while` with a test")
        }
        Expr::Match(e) => {
            (e.match_token.to_token_stream(), "the toy takes no `match`: write `if` and `else`")
        }
        Expr::Let(e) => (e.let_token.to_token_stream(), "the toy takes no `if let` or `while let`"),
        Expr::Break(e) => {
            (e.break_token.to_token_stream(), "the toy takes no `break`: put it into the test of the `while`")
        }
        Expr::Continue(e) => {
            (e.continue_token.to_token_stream(), "the toy takes no `continue`: write an `if`")
        }
        Expr::Return(e) => (
            e.return_token.to_token_stream(),
            "the toy takes no `return`: end the function with its value, or leave it with `ensure(…)?`",
        ),
        Expr::Closure(e) => {
            (e.to_token_stream(), "the toy takes no closures: write a function with the attribute")
        }
        Expr::Async(e) => (e.async_token.to_token_stream(), "a graph does not wait, so it takes no `async`"),
        Expr::Await(e) => (e.await_token.to_token_stream(), "a graph does not wait, so it takes no `.await`"),
        Expr::Unsafe(e) => {
            (e.unsafe_token.to_token_stream(), "a graph has no addresses, so it takes no `unsafe`")
        }
        Expr::Macro(e) => (e.mac.path.to_token_stream(), "the toy takes no macro but `vec!`"),
        Expr::Tuple(e) => (e.to_token_stream(), "the toy takes no tuples"),
        Expr::Array(e) => (e.to_token_stream(), "the toy takes no arrays: write `vec![…]`"),
        Expr::Struct(e) => (e.path.to_token_stream(), "the toy takes no structs"),
        Expr::Field(e) => (e.member.to_token_stream(), "the toy takes no fields"),
        Expr::Range(e) => (e.to_token_stream(), "the toy takes no ranges"),
        Expr::Assign(e) => (e.eq_token.to_token_stream(), "the toy takes an assignment as a statement only"),
        other => (other.to_token_stream(), "the toy does not take this expression"),
    };
    refused(tokens, sentence)
}

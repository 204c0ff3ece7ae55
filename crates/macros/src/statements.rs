//! Blocks and their statements.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprBinary, ExprIf, ExprIndex, ExprMethodCall, ExprWhile, Ident, Local, Pat, Stmt};

use crate::expressions::{self, value};
use crate::names::{assigning, name, variable};
use crate::refused::{Result, refused};
use crate::scope::Scope;
use crate::types;

/// A block that has a value.
pub fn value_block(block: &Block, scope: &mut Scope) -> Result<TokenStream> {
    ended(block, scope, expressions::value)
}

/// The block of a function that returns a `Result`.
pub fn fallible_block(block: &Block, scope: &mut Scope) -> Result<TokenStream> {
    ended(block, scope, expressions::fallible)
}

/// A block that has no value.
fn unit_block(block: &Block, scope: &mut Scope) -> Result<TokenStream> {
    scope.block(|scope| {
        let statements = block.stmts.iter().map(|line| statement(line, scope));
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
        let statements = before.iter().map(|line| statement(line, scope));
        let statements = statements.collect::<Result<Vec<_>>>()?;
        let (place, last) = (place(last), end(last, scope)?);
        Ok(quote!({ #(#statements)* #place #last }))
    })
}

/// A statement, with the place in the user's text.
fn statement(statement: &Stmt, scope: &mut Scope) -> Result<TokenStream> {
    let place = place(statement);
    let lowered = match statement {
        Stmt::Local(local) => binding(local, scope)?,
        Stmt::Expr(expr, _) => effect(expr, scope)?,
        Stmt::Item(item) => return Err(refused(item, "the toy takes no items inside functions")),
        Stmt::Macro(mac) => return Err(refused(&mac.mac.path, "the toy takes no macro but `vec!`")),
    };
    Ok(quote!(#place #lowered))
}

/// Says where the program is.
fn place(tokens: &impl ToTokens) -> TokenStream {
    // `line!` gives the line of the user's text where its own tokens stand there.
    let here = quote_spanned!(tokens.span()=> file!(), line!(), column!());
    quote!(frame.at(#here);)
}

fn binding(local: &Local, scope: &mut Scope) -> Result<TokenStream> {
    let (pat, ty) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some(types::of(&typed.ty)?)),
        pat => (pat, None),
    };
    let name = variable(pat)?;
    let Some(init) = &local.init else {
        let place = scope.declare(name);
        return Ok(quote!(frame.set(#place, ::gw_testkit::rust::Value::Unbound);));
    };
    if let Some((token, _)) = &init.diverge {
        return Err(refused(token, "the toy takes no `let … else`"));
    }
    let init = value(&init.expr, scope)?;
    let place = scope.declare(name);
    Ok(match ty {
        Some(ty) => quote!(let it = #init; frame.set_typed(#place, it, #ty);),
        None => quote!(let it = #init; frame.set(#place, it);),
    })
}

/// An expression as a statement.
fn effect(expr: &Expr, scope: &mut Scope) -> Result<TokenStream> {
    match expr {
        Expr::Assign(assign) => {
            let it = value(&assign.right, scope)?;
            store(&assign.left, quote!(#it), scope)
        }
        Expr::Binary(binary) => match assigning(&binary.op) {
            Some(operator) => update(binary, &operator, scope),
            None => Err(refused(binary, "the value of this expression is dropped")),
        },
        Expr::If(branch) => choice(branch, scope),
        Expr::While(repeat) => repetition(repeat, scope),
        Expr::Block(block) if block.label.is_none() => unit_block(&block.block, scope),
        Expr::MethodCall(call) if call.method == "push" => push(call, scope),
        other => {
            let lowered = value(other, scope)?;
            Ok(quote!(let _: Value = #lowered;))
        }
    }
}

/// Gives a variable or an element a value, which is evaluated first as in Rust.
fn store(target: &Expr, it: TokenStream, scope: &mut Scope) -> Result<TokenStream> {
    match target {
        Expr::Index(ExprIndex { expr, index, .. }) => {
            let at = value(index, scope)?;
            let place = scope.find(name(expr)?)?;
            scope.assign(place);
            Ok(quote!(let it = #it; let at = #at; frame.store(#place, at, it)?;))
        }
        other => {
            let place = scope.find(name(other)?)?;
            scope.assign(place);
            Ok(quote!(let it = #it; frame.set(#place, it);))
        }
    }
}

/// `x += y` and the like.
fn update(binary: &ExprBinary, operator: &Ident, scope: &mut Scope) -> Result<TokenStream> {
    let (old, other) = (value(&binary.left, scope)?, value(&binary.right, scope)?);
    store(&binary.left, quote!({ let other = #other; let old = #old; frame.#operator(old, other)? }), scope)
}

fn push(call: &ExprMethodCall, scope: &mut Scope) -> Result<TokenStream> {
    let Some(item) = call.args.first() else { return Err(refused(&call.method, "`push` takes an element")) };
    let item = value(item, scope)?;
    let place = scope.find(name(&call.receiver)?)?;
    scope.assign(place);
    Ok(quote!(let it = #item; frame.push(#place, it)?;))
}

/// `if` without a value.
fn choice(branch: &ExprIf, scope: &mut Scope) -> Result<TokenStream> {
    let test = value(&branch.cond, scope)?;
    let (branches, places) = scope.statement(|scope| {
        let then = unit_block(&branch.then_branch, scope)?;
        let orelse = branch.else_branch.as_ref().map(|(_, orelse)| effect(orelse, scope)).transpose()?;
        Ok([then, orelse.unwrap_or_default()])
    })?;
    let [then, orelse] = branches;
    Ok(quote! {
        let test = #test;
        frame.if_(test, &[#(#places),*], [&|| { #then Ok(()) }, &|| { #orelse Ok(()) }])?;
    })
}

fn repetition(repeat: &ExprWhile, scope: &mut Scope) -> Result<TokenStream> {
    if let Some(label) = &repeat.label {
        return Err(refused(label, "the toy takes no labels"));
    }
    let ((test, body), places) =
        scope.statement(|scope| Ok((value(&repeat.cond, scope)?, unit_block(&repeat.body, scope)?)))?;
    Ok(quote!(frame.while_(&[#(#places),*], &|| Ok(#test), &|| { #body Ok(()) })?;))
}

//! Expressions: each becomes an expression of the host's `Value`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprIf, ExprLit, ExprMethodCall, Lit, Macro, UnOp};

use crate::macros::Items;
use crate::names::{located, name, of_host, operator};
use crate::refused::{self, Result, refused};
use crate::scope::Scope;
use crate::statements::value_block;
use crate::types;

/// An expression with a value.
pub fn value(expr: &Expr, scope: &mut Scope) -> Result<TokenStream> {
    match expr {
        Expr::Lit(lit) => literal(lit),
        Expr::Path(_) => {
            let place = scope.find(name(expr)?)?;
            Ok(quote!(frame.get(#place)))
        }
        Expr::Paren(e) => value(&e.expr, scope),
        Expr::Group(e) => value(&e.expr, scope),
        Expr::Reference(e) => match &e.mutability {
            Some(token) => Err(refused(token, "the toy takes no `&mut`: return the new value")),
            None => value(&e.expr, scope),
        },
        Expr::Unary(e) => {
            let x = value(&e.expr, scope)?;
            match &e.op {
                UnOp::Neg(_) => Ok(quote!(frame.neg(#x)?)),
                UnOp::Not(_) => Ok(quote!(frame.not(#x)?)),
                other => Err(refused(other, "the toy takes no dereferences")),
            }
        }
        Expr::Binary(e) => binary(e, scope),
        Expr::Cast(e) => {
            let (x, cast) = (value(&e.expr, scope)?, types::cast(&e.ty)?);
            Ok(quote!(frame.#cast(#x)?))
        }
        Expr::Index(e) => {
            let (of, at) = (value(&e.expr, scope)?, value(&e.index, scope)?);
            Ok(quote!({ let of = #of; let at = #at; frame.index(of, at)? }))
        }
        Expr::MethodCall(e) => method(e, scope),
        Expr::Call(e) => call(e, scope),
        Expr::Try(e) => {
            let tried = fallible(&e.expr, scope)?;
            Ok(quote!(#tried.passed()))
        }
        Expr::Macro(e) if e.mac.path.is_ident("vec") => vector(&e.mac, scope),
        Expr::If(e) => branches(e, scope),
        Expr::Block(e) if e.label.is_none() => value_block(&e.block, scope),
        other => Err(refused::expression(other)),
    }
}

/// An expression that is a `Result`.
pub fn fallible(expr: &Expr, scope: &mut Scope) -> Result<TokenStream> {
    let Expr::Call(ExprCall { func, args, .. }) = expr else {
        return Err(refused(expr, "the toy takes a `Result` that `Ok`, `ensure` or a staged function gives"));
    };
    match (name(func)?, args.len()) {
        (ok, 1) if ok == "Ok" => {
            let given = value(&args[0], scope)?;
            Ok(quote!(::gw_testkit::rust::Fallible(#given)))
        }
        (ensure, 2) if ensure == "ensure" => {
            let (test, text) = (value(&args[0], scope)?, &args[1]);
            if !matches!(text, Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) {
                return Err(refused(text, "the text of a failure is written as it is, `\"…\"`"));
            }
            Ok(quote!({ let test = #test; frame.ensure(test, #text)? }))
        }
        (err, 1) if err == "Err" => {
            Err(refused(expr, "the toy takes no `Err(…)`: write `ensure(test, \"…\")?`"))
        }
        _ => staged(func, args.iter(), scope),
    }
}

fn literal(lit: &ExprLit) -> Result<TokenStream> {
    match &lit.lit {
        Lit::Int(n) if ["", "i64"].contains(&n.suffix()) => Ok(quote!(::gw_testkit::rust::int(#n))),
        Lit::Float(n) if ["", "f64"].contains(&n.suffix()) => Ok(quote!(::gw_testkit::rust::float(#n))),
        Lit::Bool(b) => Ok(quote!(::gw_testkit::rust::truth(#b))),
        other => Err(refused(other, "the toy takes numbers that are `i64` or `f64`, and bools")),
    }
}

fn binary(e: &ExprBinary, scope: &mut Scope) -> Result<TokenStream> {
    let x = value(&e.left, scope)?;
    let is_late = matches!(e.op, BinOp::And(_) | BinOp::Or(_));
    let read = |scope: &mut Scope| value(&e.right, scope);
    let y = if is_late { scope.pure(&e.right, read)? } else { read(scope)? };
    let operator = match &e.op {
        BinOp::And(_) => return Ok(quote!({ let x = #x; frame.and(x, &|| Ok(#y))? })),
        BinOp::Or(_) => return Ok(quote!({ let x = #x; frame.or(x, &|| Ok(#y))? })),
        op => operator(op)?,
    };
    Ok(quote!({ let x = #x; let y = #y; frame.#operator(x, y)? }))
}

fn method(e: &ExprMethodCall, scope: &mut Scope) -> Result<TokenStream> {
    let text = e.method.to_string();
    match (text.as_str(), e.args.len()) {
        ("clone", 0) => value(&e.receiver, scope),
        ("len" | "is_empty" | "abs" | "sqrt", 0) => {
            let (x, method) = (value(&e.receiver, scope)?, of_host(&text));
            Ok(quote!(frame.#method(#x)?))
        }
        ("unwrap_or", 1) => {
            let place = scope.hidden();
            let trial = scope.pure(&e.receiver, |scope| fallible(&e.receiver, scope))?;
            let otherwise = scope.pure(&e.args, |scope| value(&e.args[0], scope))?;
            Ok(quote!(frame.unwrap_or(#place, &|| Ok(#trial), &|| Ok(#otherwise))?))
        }
        ("push", _) => Err(refused(&e.method, "the toy takes `push` as a statement only")),
        _ => Err(refused(
            &e.method,
            "the toy takes the methods `len`, `is_empty`, `push`, `clone`, `abs`, `sqrt` and `unwrap_or`",
        )),
    }
}

fn call(e: &ExprCall, scope: &mut Scope) -> Result<TokenStream> {
    if quote!(#e).to_string() == quote!(Vec::new()).to_string() {
        return Ok(quote!(::gw_testkit::rust::Value::Empty));
    }
    match name(&e.func)? {
        ensure if ensure == "ensure" => Err(refused(e, "write `?` behind `ensure(…)`")),
        function => {
            let given = staged(&e.func, e.args.iter(), scope)?;
            Ok(quote_spanned!(located(function)=> ::gw_testkit::rust::whole(#given)))
        }
    }
}

/// A call of another function with the attribute, which is staged where it stands.
fn staged<'a>(
    function: &Expr,
    args: impl Iterator<Item = &'a Expr>,
    scope: &mut Scope,
) -> Result<TokenStream> {
    let function = name(function)?;
    if *function == scope.function {
        return Err(refused(function, "the toy takes no recursion: write a `while`"));
    }
    let args = args.map(|arg| value(arg, scope)).collect::<Result<Vec<_>>>()?;
    Ok(quote_spanned!(located(function)=> super::#function::stage(frame.host, vec![#(#args),*])?))
}

/// `if` with a value, by way of a variable of its own.
fn branches(e: &ExprIf, scope: &mut Scope) -> Result<TokenStream> {
    let Some((_, orelse)) = &e.else_branch else {
        return Err(refused(e, "an `if` with a value has an `else`"));
    };
    let (test, place) = (value(&e.cond, scope)?, scope.hidden());
    let ([then, orelse], places) = scope.statement(|scope| {
        scope.assign(place);
        Ok([value_block(&e.then_branch, scope)?, value(orelse, scope)?])
    })?;
    Ok(quote!({
        let test = #test;
        frame.if_(test, &[#(#places),*], [
            &|| { let it = #then; frame.set(#place, it); Ok(()) },
            &|| { let it = #orelse; frame.set(#place, it); Ok(()) },
        ])?;
        frame.get(#place)
    }))
}

/// `vec![a, b]` and `vec![item; count]`.
fn vector(mac: &Macro, scope: &mut Scope) -> Result<TokenStream> {
    match mac.parse_body::<Items>()? {
        Items::List(items) => {
            let items = items.iter().map(|item| value(item, scope)).collect::<Result<Vec<_>>>()?;
            Ok(quote!(frame.vector(&[#(#items),*])?))
        }
        Items::Repeated(parts) => {
            let (item, count) = (value(&parts[0], scope)?, value(&parts[1], scope)?);
            Ok(quote!({ let item = #item; let count = #count; frame.repeated(item, count)? }))
        }
    }
}

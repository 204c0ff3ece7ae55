//! The function: it stays, and beside it stands the module that stages it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{FnArg, ItemFn, PatType, Signature};

use crate::names::variable;
use crate::refused::{Result, refused};
use crate::scope::Scope;
use crate::{statements, types};

/// The function and its module; where it is refused, the function and an error of the compiler.
pub fn expanded(options: TokenStream, item: TokenStream) -> TokenStream {
    match module(options, item.clone()) {
        Ok(module) => quote!(#item #module),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#item #error)
        }
    }
}

/// The module that stages a function.
pub fn module(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !options.is_empty() {
        return Err(refused(options, "the toy takes no options"));
    }
    let function: ItemFn = syn::parse2(item)?;
    judge(&function.sig)?;
    let name = &function.sig.ident;
    let mut scope = Scope::of(name.to_string());
    let parameters = parameters(&function.sig, &mut scope)?;
    let (gives, is_fallible) = types::returned(&function.sig.output)?;
    let body = match is_fallible {
        true => statements::fallible_block(&function.block, &mut scope)?,
        false => statements::value_block(&function.block, &mut scope)?,
    };
    let (result, passed) = match is_fallible {
        true => (quote!(Fallible), quote!(.map(Fallible::passed))),
        false => (quote!(Value), quote!()),
    };
    let (vis, names, text) = (visibility(&function), scope.names(), name.to_string());
    Ok(quote! {
        #[allow(clippy::all, unused, non_snake_case, reason = "code of a macro")]
        #vis mod #name {
            use ::gw_testkit::rust::{Diagnostic, Fallible, Frame, Graph, Rust, Value};
            /// Stages a call.
            pub fn stage(host: &Rust, given: Vec<Value>) -> Result<#result, Diagnostic> {
                let frame = &Frame::enter(host, &[#(#names),*], given)?;
                let given = #body;
                Ok(given)
            }
            /// The graph of the function.
            pub fn graph() -> Result<Graph, Diagnostic> {
                ::gw_testkit::rust::traced(#text, &[#(#parameters),*], #gives, |host, given| stage(host, given)#passed)
            }
        }
    })
}

/// The module is seen where the function is.
fn visibility(function: &ItemFn) -> TokenStream {
    function.vis.to_token_stream()
}

fn judge(sig: &Signature) -> Result<()> {
    if let Some(token) = &sig.asyncness {
        return Err(refused(token, "a graph does not wait, so it takes no `async`"));
    }
    if let Some(token) = &sig.constness {
        return Err(refused(token, "a graph is made when the program runs, so that it takes no `const fn`"));
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        return Err(refused(token, "a graph has no addresses, so it takes no `unsafe`"));
    }
    if let Some(abi) = &sig.abi {
        return Err(refused(abi, "a function of the graph has no address, so that it takes no `extern`"));
    }
    if !sig.generics.params.is_empty() {
        return Err(refused(&sig.generics, "the toy takes no generic functions"));
    }
    Ok(())
}

/// The parameters as the host writes them.
fn parameters(sig: &Signature, scope: &mut Scope) -> Result<Vec<TokenStream>> {
    let mut parameters = Vec::new();
    for input in &sig.inputs {
        let FnArg::Typed(PatType { pat, ty, .. }) = input else {
            return Err(refused(input, "the toy takes functions, no methods"));
        };
        let name = variable(pat)?;
        scope.declare(name);
        let (text, ty) = (name.to_string(), types::of(ty)?);
        parameters.push(quote!((#text, #ty)));
    }
    Ok(parameters)
}

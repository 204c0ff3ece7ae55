//! `vec![…]`, the one macro that the toy reads.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Token};

use crate::expressions::value;
use crate::refused::Result;
use crate::scope::Scope;

enum Items {
    List(Vec<Expr>),
    Repeated(Box<[Expr; 2]>),
}

impl Parse for Items {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.is_empty() {
            return Ok(Self::List(Vec::new()));
        }
        let first: Expr = input.parse()?;
        if input.parse::<Option<Token![;]>>()?.is_some() {
            return Ok(Self::Repeated(Box::new([first, input.parse()?])));
        }
        let mut items = vec![first];
        if input.parse::<Option<Token![,]>>()?.is_some() {
            items.extend(Punctuated::<Expr, Token![,]>::parse_terminated(input)?);
        }
        Ok(Self::List(items))
    }
}

/// `vec![a, b]` and `vec![item; count]`.
pub fn vector(mac: &Macro, scope: &mut Scope) -> Result<TokenStream> {
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

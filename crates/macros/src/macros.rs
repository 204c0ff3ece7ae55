//! `vec![…]`, the one macro that the toy reads.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

use crate::refused::Result;

/// The items of a vector.
pub enum Items {
    /// `vec![a, b]`
    List(Vec<Expr>),
    /// `vec![item; count]`
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

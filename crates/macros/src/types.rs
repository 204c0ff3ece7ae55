//! Types of parameters, results and variables.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{GenericArgument, PathArguments, PathSegment, ReturnType, Type};

use crate::names::of_host;
use crate::refused::{Result, refused};

const TAKEN: &str = "the toy takes `i64`, `f64`, `bool` and `Vec`s of them";

/// The type as the host writes it.
pub fn of(ty: &Type) -> Result<TokenStream> {
    if let Some(one) = number(ty) {
        return Ok(quote!(::gw_testkit::rust::Type::One(#one)));
    }
    let item = vector(ty).and_then(number);
    let item = item.ok_or_else(|| refused(ty, TAKEN))?;
    Ok(quote!(::gw_testkit::rust::Type::Many(#item)))
}

/// The type that a function returns, and whether it returns it in a `Result`.
pub fn returned(output: &ReturnType) -> Result<(TokenStream, bool)> {
    let ReturnType::Type(_, ty) = output else {
        return Err(refused(output, "a function of the graph returns a value"));
    };
    match segment(ty).filter(|segment| segment.ident == "Result") {
        Some(result) => Ok((of(first_argument(result).ok_or_else(|| refused(ty, TAKEN))?)?, true)),
        None => Ok((of(ty)?, false)),
    }
}

/// The host's function for a cast.
pub fn cast(ty: &Type) -> Result<Ident> {
    let casts = [("usize", "as_usize"), ("i64", "as_i64"), ("f64", "as_f64")];
    let found = segment(ty).and_then(|segment| casts.into_iter().find(|(name, _)| segment.ident == name));
    let (_, cast) = found.ok_or_else(|| refused(ty, "the toy casts to `i64`, `f64` and `usize`"))?;
    Ok(of_host(cast))
}

fn number(ty: &Type) -> Option<TokenStream> {
    let ident = &segment(ty)?.ident;
    let name = [("i64", quote!(I64)), ("f64", quote!(F64)), ("bool", quote!(Bool))];
    let (_, dtype) = name.into_iter().find(|(name, _)| ident == name)?;
    Some(quote!(::gw_testkit::rust::DType::#dtype))
}

/// The element type of `Vec<T>`, `&Vec<T>` and `&[T]`.
fn vector(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() => vector(&reference.elem),
        Type::Slice(slice) => Some(&slice.elem),
        Type::Path(_) => first_argument(segment(ty).filter(|segment| segment.ident == "Vec")?),
        _ => None,
    }
}

fn segment(ty: &Type) -> Option<&PathSegment> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.first().filter(|_| path.path.segments.len() == 1)
}

fn first_argument(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

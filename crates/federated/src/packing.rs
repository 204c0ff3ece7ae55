//! Packing: from the parameters of a function and the types given to the type of one argument, from the arguments of a
//! call to that argument, and back.

use crate::host::Host;
use crate::refusal::{Allowed, Refusal};
use crate::types::{Field, Fields, Interns, Name, Type, quoted};

/// The way in which a parameter of a function is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// By position or by name.
    Either,
    /// By position alone.
    PositionalOnly,
    /// By name alone.
    KeywordOnly,
    /// As any number of arguments.
    Variadic,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name.
    pub name: Name,
    /// The way in which it is given.
    pub passing: Passing,
    /// The text of the default value, if there is one.
    pub default: Option<String>,
}

impl Parameter {
    fn takes_keyword(&self, keyword: &Name) -> bool {
        self.passing != Passing::PositionalOnly && self.name == *keyword
    }
}

/// The parameters of a function.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name of the function.
    pub function: Name,
    /// The parameters in their order.
    pub parameters: Vec<Parameter>,
}

/// The parameter of a computation, as far as the declared types say.
#[derive(Debug)]
pub enum Declared<H: Host> {
    /// There is none.
    Nothing,
    /// There is one of this type.
    Typed(Type<H>),
    /// Each call says the type.
    Polymorphic,
}

impl Signature {
    /// Refuses parameters that computations do not have, by their names.
    pub fn check(&self) -> Allowed<()> {
        self.parameters.iter().try_for_each(check_parameter)
    }

    fn names(&self) -> Vec<&Name> {
        self.parameters.iter().map(|parameter| &parameter.name).collect()
    }

    /// Tells if the function can be called with so many positional arguments and these keywords.
    fn accepts(&self, positional: usize, keywords: &[&Name]) -> bool {
        let of = |passings: &[Passing]| {
            let parameters = self.parameters.iter();
            parameters.filter(|parameter| passings.contains(&parameter.passing)).collect::<Vec<&Parameter>>()
        };
        let by_position = of(&[Passing::PositionalOnly, Passing::Either]);
        let Some(unfilled) = by_position.get(positional..) else { return false };
        let by_name = of(&[Passing::KeywordOnly]);
        let open = || unfilled.iter().chain(&by_name);
        let known = |keyword: &&Name| open().any(|parameter| parameter.takes_keyword(keyword));
        let filled =
            |parameter: &&Parameter| parameter.default.is_some() || keywords.contains(&&parameter.name);
        keywords.iter().all(known) && open().all(filled)
    }

    /// Returns the type of the argument of a computation of this function, given the types of its decorator.
    pub fn declared<H: Interns>(&self, types: &[Type<H>]) -> Allowed<Declared<H>> {
        match (types, self.parameters.as_slice()) {
            ([], []) => Ok(Declared::Nothing),
            ([], _) => Ok(Declared::Polymorphic),
            ([ty], [_]) => Ok(Declared::Typed(ty.clone())),
            ([ty], _) => self.spread(ty).map(Declared::Typed),
            (types, [_]) => Ok(Declared::Typed(Type::tuple(types.iter().cloned()))),
            (types, parameters) if types.len() == parameters.len() => {
                self.named(types.iter()).map(Declared::Typed)
            }
            (types, parameters) => {
                let listed: Vec<String> = types.iter().map(Type::compact).collect();
                Err(Refusal::wrong_type(format!(
                    "Function with {} parameters is incompatible with provided argument types ({}).",
                    parameters.len(),
                    listed.join(", ")
                )))
            }
        }
    }

    /// Returns the type of one argument that has an element for each parameter.
    fn spread<H: Interns>(&self, ty: &Type<H>) -> Allowed<Type<H>> {
        let count = self.parameters.len();
        let Some(fields) = ty.fields().filter(|fields| fields.len() == count) else {
            return Err(Refusal::wrong_type(format!(
                "Function with {count} parameters must have a parameter type with the same number of parameters. Found \
                 parameter type {ty}."
            )));
        };
        let named: Vec<&Name> = fields.names().collect();
        if named.is_empty() {
            return self.named(fields.types());
        }
        if named.len() != fields.len() {
            return Err(Refusal::wrong_type(format!(
                "Types with both named and unnamed fields cannot be unpacked into argument lists. Found parameter type \
                 {ty}."
            )));
        }
        let mine = self.names();
        if named.iter().all(|name| mine.contains(name)) {
            return Ok(ty.clone());
        }
        Err(Refusal::wrong_type(format!(
            "Function argument names must match field names of parameter type. Found argument names {}, which do not \
             match {}, the top-level fields of the parameter type {ty}.",
            quoted(&mine),
            quoted(&named)
        )))
    }

    /// Returns the struct type with the names of the parameters.
    fn named<'t, H: Interns>(&self, types: impl Iterator<Item = &'t Type<H>>) -> Allowed<Type<H>> {
        let pairs = self.parameters.iter().zip(types);
        let fields = pairs.map(|(parameter, ty)| Field::named(parameter.name.clone(), ty.clone()));
        Type::structure(fields.collect(), Some(H::ordered_mapping()))
    }
}

fn check_parameter(parameter: &Parameter) -> Allowed<()> {
    let name = &parameter.name;
    if let Some(default) = &parameter.default {
        return Err(Refusal::wrong_type(format!(
            "Default parameters are not supported. Found parameter `{name}` with default value {default}"
        )));
    }
    let message = match parameter.passing {
        Passing::Either => return Ok(()),
        Passing::PositionalOnly => format!(
            "Positional-only parameters are not supported. Found parameter `{name}` which appears before a `/` entry."
        ),
        Passing::KeywordOnly => format!(
            "Keyword-only arguments are not supported. Found parameter `{name}` which appears after a `*` or `*args` \
             entry."
        ),
        Passing::Variadic => {
            format!("Parameter varargs are not supported. Found varargs parameter `{name}`.")
        }
    };
    Err(Refusal::wrong_type(message))
}

/// Source of an element of a packed argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The positional argument of this index.
    Positional(usize),
    /// The keyword argument of this index.
    Keyword(usize),
}

/// The way in which the arguments of a call become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packed {
    /// There is no argument.
    Nothing,
    /// The only positional argument is the argument.
    Whole,
    /// A struct.
    Struct(Vec<(Option<Name>, Source)>),
}

/// Tells if the unnamed elements of a struct precede the named ones.
pub fn is_argument_struct<H: Host>(fields: &Fields<H>) -> bool {
    let first_named = fields.elements.iter().position(|field| field.name.is_some()).unwrap_or(fields.len());
    fields.elements[first_named..].iter().all(|field| field.name.is_some())
}

/// Packs the arguments of a call for a parameter.
pub fn pack<H: Host>(parameter: Option<&Type<H>>, positional: usize, keywords: &[Name]) -> Allowed<Packed> {
    let given = (positional, keywords.len());
    let Some(ty) = parameter else {
        return match given {
            (0, 0) => Ok(Packed::Nothing),
            _ => Err(Refusal::wrong_type(format!(
                "Was not expecting any arguments, found {}.",
                counted(given)
            ))),
        };
    };
    match given {
        (0, 0) => {
            Err(Refusal::wrong_type(format!("Declared a parameter of type {ty}, but got no arguments.")))
        }
        (1, 0) => Ok(Packed::Whole),
        _ => match ty.fields() {
            Some(_) => pack_struct(ty, positional, keywords).map(Packed::Struct),
            None => Err(Refusal::wrong_type(format!(
                "Parameter type {ty} is compatible only with a single positional argument, but found {}.",
                counted(given)
            ))),
        },
    }
}

fn counted((positional, keywords): (usize, usize)) -> String {
    format!("{positional} positional and {keywords} keyword arguments")
}

/// Fills the elements of a struct as a call in Python fills parameters.
pub fn pack_struct<H: Host>(
    ty: &Type<H>,
    positional: usize,
    keywords: &[Name],
) -> Allowed<Vec<(Option<Name>, Source)>> {
    let Some(fields) = ty.fields().filter(|fields| is_argument_struct(fields)) else {
        return Err(Refusal::wrong_type(format!(
            "Parameter type {ty} does not have a structure of an argument struct, and cannot be populated from multiple \
             positional and keyword arguments; please construct a struct before the call."
        )));
    };
    let mut packed = Vec::with_capacity(fields.len());
    for (index, field) in fields.elements.iter().enumerate() {
        let source = source_of(index, field, positional, keywords)?;
        packed.push((field.name.clone(), source));
    }
    check_all_used(fields, positional, keywords)?;
    Ok(packed)
}

fn source_of<H: Host>(
    index: usize,
    field: &Field<H>,
    positional: usize,
    keywords: &[Name],
) -> Allowed<Source> {
    let keyword = field.name.as_ref().and_then(|name| keywords.iter().position(|keyword| keyword == name));
    let ty = &field.ty;
    match (index < positional, keyword, &field.name) {
        (true, None, _) => Ok(Source::Positional(index)),
        (false, Some(keyword), _) => Ok(Source::Keyword(keyword)),
        (true, Some(keyword), _) => {
            Err(Refusal::wrong_type(format!("Argument `{}` specified twice.", keywords[keyword])))
        }
        (false, None, Some(name)) => {
            Err(Refusal::wrong_type(format!("Missing argument `{name}` of type {ty}.")))
        }
        (false, None, None) => {
            Err(Refusal::wrong_type(format!("Missing argument of type {ty} at position {index}.")))
        }
    }
}

fn check_all_used<H: Host>(fields: &Fields<H>, positional: usize, keywords: &[Name]) -> Allowed<()> {
    if positional > fields.len() {
        let unused: Vec<String> = (fields.len()..positional).map(|index| index.to_string()).collect();
        let message = format!("Positional arguments at {{{}}} not used.", unused.join(", "));
        return Err(Refusal::wrong_type(message));
    }
    let unused: Vec<&Name> = keywords.iter().filter(|keyword| fields.position(keyword).is_none()).collect();
    if unused.is_empty() {
        return Ok(());
    }
    Err(Refusal::wrong_type(format!("Keyword arguments at {} not used.", quoted(&unused))))
}

/// The way in which one argument becomes the arguments of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpacked {
    /// The function is called without arguments.
    Nothing,
    /// The argument is the only one.
    Whole,
    /// The unnamed elements are positional arguments, the named ones keywords.
    Elements,
}

/// Returns how the argument is given to the function; `unpack` forces it to be unpacked or not.
///
/// If both are possible, the function gets the whole argument.
pub fn unpack<H: Host>(
    signature: &Signature,
    parameter: Option<&Type<H>>,
    unpack: Option<bool>,
) -> Allowed<Unpacked> {
    let name = &signature.function;
    let Some(ty) = parameter else {
        return match (signature.accepts(0, &[]), unpack) {
            (true, Some(true)) => Err(Refusal::wrong_value("Requested unpacking of a no-arg function.")),
            (true, _) => Ok(Unpacked::Nothing),
            (false, _) => Err(Refusal::wrong_type(format!(
                "The function `{name}` with parameters {} cannot be interpreted as a body of a no-parameter computation.",
                quoted(&signature.names())
            ))),
        };
    };
    let whole = signature.accepts(1, &[]);
    let elements = ty.fields().is_some_and(|fields| spreads(signature, fields));
    match (unpack, whole, elements) {
        (Some(true), _, true) | (None, false, true) => Ok(Unpacked::Elements),
        (Some(false) | None, true, _) => Ok(Unpacked::Whole),
        (Some(true), _, false) => {
            Err(not_callable(signature, ty, "multiple positional and/or keyword arguments"))
        }
        (Some(false), false, _) => Err(not_callable(signature, ty, "a single argument")),
        (None, false, false) => {
            let ways = "either a single argument or multiple positional and/or keyword arguments";
            Err(not_callable(signature, ty, ways))
        }
    }
}

fn spreads<H: Host>(signature: &Signature, fields: &Fields<H>) -> bool {
    let names: Vec<&Name> = fields.names().collect();
    is_argument_struct(fields) && signature.accepts(fields.len() - names.len(), &names)
}

fn not_callable<H: Host>(signature: &Signature, ty: &Type<H>, ways: &str) -> Refusal {
    let (name, parameters) = (&signature.function, quoted(&signature.names()));
    Refusal::wrong_type(format!(
        "The function `{name}` with parameters {parameters} cannot accept a value of type {ty} as {ways}."
    ))
}

/// Refuses elements that the container of a struct type cannot hold; `takes_names` is `None` where there is no container.
///
/// # Errors
///
/// A `ValueError` that says what the container lacks.
pub fn check_container<'n, H: Host>(
    fields: &Fields<H>,
    names: impl ExactSizeIterator<Item = Option<&'n str>>,
    takes_names: Option<bool>,
) -> Allowed<()> {
    if names.len() != fields.len() {
        let (found, wanted) = (names.len(), fields.len());
        return Err(Refusal::wrong_value(format!(
            "Expected a struct of {wanted} elements, found one of {found}."
        )));
    }
    for (found, field) in names.zip(&fields.elements) {
        if let Some(found) = found.filter(|found| field.name.as_deref() != Some(found)) {
            let wanted = field.name.as_deref().unwrap_or("None");
            return Err(Refusal::wrong_value(format!(
                "Cannot convert value with field name `{found}` into a type with field name `{wanted}`."
            )));
        }
    }
    let named = fields.names().count();
    match (named, takes_names) {
        (0, Some(true)) if !fields.is_empty() => Err(Refusal::wrong_value(
            "When packaging as a Python value which requires names, the type spec must have all names specified.",
        )),
        (0, _) => Ok(()),
        (named, _) if named < fields.len() => Err(Refusal::wrong_value(
            "Cannot represent a value with a Python container because it contains a mix of named and unnamed elements.",
        )),
        (_, Some(false)) => Err(Refusal::wrong_value(
            "Cannot represent a value with named elements using a container type which does not support names.",
        )),
        (_, _) => Ok(()),
    }
}

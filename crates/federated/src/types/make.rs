//! Constructors of types, and what each of them refuses.

use super::intern::Interns;
use super::node::{Dimensions, Federated, Field, Fields, Kind, Name, Parts, Type};
use crate::dtype::DType;
use crate::placement::Placement;
use crate::refusal::{Allowed, Raises, Refusal};

/// Types and blocks are nested at most this deeply; the walks over them are recursive.
pub const DEEPEST: u32 = 1000;

/// The attributes of struct types, which cannot be names of elements.
const RESERVED: &[&str] = &[
    "_asdict",
    "_element_array",
    "_elements",
    "_elements_cache",
    "_hash",
    "_name_array",
    "_name_to_index",
    "check_assignable_from",
    "check_equivalent_to",
    "children",
    "compact_representation",
    "fields",
    "formatted_representation",
    "from_proto",
    "is_assignable_from",
    "is_equivalent_to",
    "is_identical_to",
    "items",
    "named",
    "python_container",
    "to_proto",
    "unnamed",
];

impl<H: Interns> Type<H> {
    /// Makes the type of a tensor.
    pub fn tensor(dtype: DType, dimensions: Option<Dimensions>) -> Type<H> {
        H::interner().intern(Kind::Tensor(dtype, dimensions))
    }

    /// Makes the type of a scalar.
    pub fn scalar(dtype: DType) -> Type<H> {
        Type::tensor(dtype, Some([].into()))
    }

    /// Makes a struct type; refuses names that are reserved or occur twice.
    pub fn structure(elements: Vec<Field<H>>, container: Option<H::Container>) -> Allowed<Type<H>> {
        check_names(elements.iter().map(|field| field.name.as_deref()))?;
        not_too_deep(elements.iter().map(|field| field.ty.depth()))?;
        Ok(Type::trusted_structure(elements, container))
    }

    /// Makes a struct type of elements whose names are known to be allowed.
    pub(super) fn trusted_structure(elements: Vec<Field<H>>, container: Option<H::Container>) -> Type<H> {
        H::interner().intern(Kind::Struct(Fields { elements: elements.into(), container }))
    }

    /// Makes a struct type of unnamed elements.
    pub fn tuple(elements: impl IntoIterator<Item = Type<H>>) -> Type<H> {
        Type::trusted_structure(elements.into_iter().map(Field::unnamed).collect(), None)
    }

    /// Makes a sequence type; refuses elements that are placed, functions or sequences.
    pub fn sequence_of(element: Type<H>) -> Allowed<Type<H>> {
        let refused = Parts::FEDERATED.with(Parts::FUNCTION).with(Parts::SEQUENCE);
        if element.parts().meets(refused) {
            return Err(Refusal::wrong_value(format!(
                "Expected a `SequenceType` to not contain `FederatedType`s, `FunctionType`s, or `SequenceType`s, \
                 found {element}*."
            )));
        }
        not_too_deep([element.depth()])?;
        Ok(H::interner().intern(Kind::Sequence(lists_as_tuples(&element))))
    }

    /// Makes the type of a function.
    pub fn function_of(parameter: Option<Type<H>>, result: Type<H>) -> Allowed<Type<H>> {
        not_too_deep(parameter.iter().chain([&result]).map(Type::depth))?;
        Ok(H::interner().intern(Kind::Function(parameter, result)))
    }

    /// Makes a type variable.
    pub fn variable(label: impl Into<Name>) -> Type<H> {
        H::interner().intern(Kind::Abstract(label.into()))
    }

    /// Makes the type of placements.
    pub fn placement() -> Type<H> {
        H::interner().intern(Kind::Placement)
    }

    /// Makes a federated type; refuses members that are placed or functions.
    pub fn federated_of(member: Type<H>, placement: Placement, all_equal: Option<bool>) -> Allowed<Type<H>> {
        let all_equal = all_equal.unwrap_or(placement.default_all_equal());
        not_too_deep([member.depth()])?;
        let made = H::interner().intern(Kind::Federated(Federated { member, placement, all_equal }));
        if made.inner().meets(Parts::FEDERATED.with(Parts::FUNCTION)) {
            return Err(Refusal::wrong_value(format!(
                "Expected a `FederatedType` to not contain `FederatedType`s or `FunctionType`s, found {made}."
            )));
        }
        Ok(made)
    }

    /// Makes the type of values at the server.
    pub fn at_server(member: Type<H>) -> Allowed<Type<H>> {
        Type::federated_of(member, Placement::Server, None)
    }

    /// Makes the type of values at clients that may differ.
    pub fn at_clients(member: Type<H>) -> Allowed<Type<H>> {
        Type::federated_of(member, Placement::Clients, None)
    }
}

/// Refuses names of elements that are reserved or occur twice.
pub fn check_names<'n>(names: impl Iterator<Item = Option<&'n str>>) -> Allowed<()> {
    let names: Vec<&str> = names.flatten().collect();
    let reserved = |name: &&str| RESERVED.contains(name) || (name.starts_with("__") && name.ends_with("__"));
    let found: Vec<&str> = names.iter().copied().filter(reserved).collect();
    if !found.is_empty() {
        return Err(Refusal::wrong_value(format!(
            "Expected named elements to not match any reserved names, found {}.",
            quoted(&found)
        )));
    }
    distinct(&names)
}

fn distinct(names: &[&str]) -> Allowed<()> {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        let listed = quoted(names);
        return Err(Refusal::wrong_value(format!(
            "A struct does not support duplicated names, found {listed}."
        )));
    }
    Ok(())
}

/// Lists names as they are written in a program.
pub fn quoted<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{}'", name.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

/// Refuses what is nested more deeply than the walks over it may recurse.
pub(crate) fn not_too_deep(depths: impl IntoIterator<Item = u32>) -> Allowed<()> {
    if depths.into_iter().all(|depth| depth < DEEPEST) {
        return Ok(());
    }
    let message = format!("types and blocks are nested at most {DEEPEST} levels deep");
    Err(Refusal::new(Raises::RecursionError, message))
}

/// Replaces lists by tuples in the elements of a sequence.
fn lists_as_tuples<H: Interns>(ty: &Type<H>) -> Type<H> {
    let Some(fields) = ty.fields() else { return ty.clone() };
    let convert = |field: &Field<H>| Field { name: field.name.clone(), ty: lists_as_tuples(&field.ty) };
    let elements = fields.elements.iter().map(convert).collect();
    Type::trusted_structure(elements, fields.container.as_ref().map(H::container_in_sequence))
}

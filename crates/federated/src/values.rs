//! Values in a computation: elements of structs and of federated structs, implied zips, and addition.

use crate::blocks::{Block, Element, Local, names};
use crate::host::Host;
use crate::intrinsics::{Intrinsic, check_type, make};
use crate::placement::Placement;
use crate::refusal::{Allowed, Raises, Refusal};
use crate::types::analysis::strip_placement;
use crate::types::{Fields, Interns, Name, Type, not_assignable};

/// Returns the elements of a struct or of a federated struct.
pub fn fields_of<H: Host>(ty: &Type<H>) -> Option<&Fields<H>> {
    ty.unplaced().fields()
}

/// Selects an element by name.
pub fn attribute<H: Interns>(value: &Block<H>, name: &str) -> Allowed<Block<H>> {
    let ty = value.ty();
    let Some(fields) = fields_of(ty) else {
        let message = format!("`Value` of non-structural type {ty} has no attribute {name}");
        return Err(Refusal::new(Raises::AttributeError, message));
    };
    let Some(index) = fields.position(name) else { return Err(no_such_attribute(ty, fields, name)) };
    if ty.federated().is_some() {
        return select_in_federated(value, |source| Block::select_name(source, name));
    }
    match value.elements() {
        Some(elements) => Ok(elements[index].value.clone()),
        None => Block::select_name(value.clone(), name),
    }
}

fn no_such_attribute<H: Host>(ty: &Type<H>, fields: &Fields<H>, name: &str) -> Refusal {
    let names: Vec<&str> = fields.names().map(|name| &**name).collect();
    let kind = if ty.federated().is_some() { "federated tuple" } else { "tuple" };
    let valid = names.join(", ");
    let message = format!("There is no such attribute '{name}' in this {kind}. Valid attributes: ({valid})");
    Refusal::new(Raises::AttributeError, message)
}

/// Selects an element by position.
pub fn item<H: Interns>(value: &Block<H>, index: i64) -> Allowed<Block<H>> {
    let fields = indexable(value, "getitem()")?;
    let found = usize::try_from(index).ok().filter(|index| *index < fields.len());
    let Some(position) = found else {
        let message = format!("The index of the selected element {index} is out of range.");
        return Err(Refusal::new(Raises::IndexError, message));
    };
    if value.ty().federated().is_some() {
        return select_in_federated(value, |source| Block::select_index(source, index));
    }
    match value.elements() {
        Some(elements) => Ok(elements[position].value.clone()),
        None => Block::select_index(value.clone(), index),
    }
}

/// Returns the elements of a value that operator `name` is defined for.
pub fn indexable<'v, H: Host>(value: &'v Block<H>, name: &str) -> Allowed<&'v Fields<H>> {
    fields_of(value.ty()).ok_or_else(|| {
        Refusal::wrong_type(format!(
            "Operator {name} is only supported for (possibly federated) structure types, but the object on which it \
             has been invoked is of type {}.",
            value.ty()
        ))
    })
}

/// Selects several elements: a list of them, or a federated struct that keeps their names.
pub fn slice<H: Interns>(value: &Block<H>, positions: &[i64]) -> Allowed<Block<H>> {
    let fields = indexable(value, "getitem()")?;
    if value.ty().federated().is_none() {
        if positions.is_empty() {
            let message = "Attempted to slice 0 elements, which is not currently supported.";
            return Err(Refusal::new(Raises::IndexError, message));
        }
        let items = positions.iter().map(|index| item(value, *index).map(Element::unnamed));
        return Block::structure(items.collect::<Allowed<_>>()?, Some(H::plain_list()));
    }
    let name = |index: i64| usize::try_from(index).ok().and_then(|at| fields.elements.get(at)?.name.clone());
    select_in_federated(value, |source| {
        let select = |index: &i64| {
            Ok(Element { name: name(*index), value: Block::select_index(source.clone(), *index)? })
        };
        Block::structure(positions.iter().map(select).collect::<Allowed<_>>()?, None)
    })
}

/// Maps a selection over a federated struct.
fn select_in_federated<H: Interns>(
    value: &Block<H>,
    select: impl FnOnce(Block<H>) -> Allowed<Block<H>>,
) -> Allowed<Block<H>> {
    let member = value.ty().unplaced().clone();
    let selected = select(Block::reference("x", member.clone(), None))?;
    make::map_or_apply(Block::lambda(Some(("x".into(), member)), selected)?, value.clone())
}

/// Makes a value federated by the implied zip; refuses one that is not, or is at another placement.
pub fn ensure_federated<H: Interns>(
    value: Block<H>,
    placement: Option<Placement>,
    label: &str,
) -> Allowed<Block<H>> {
    let value = if value.ty().federated().is_some() { value } else { implied_zip(value, label)? };
    let found = value.ty().federated().map(|federated| federated.placement);
    match (placement, found) {
        (Some(wanted), Some(found)) if wanted != found => Err(Refusal::wrong_type(format!(
            "The {label} should be placed at {}, but it is placed at {}.",
            wanted.name(),
            found.name()
        ))),
        _ => Ok(value),
    }
}

fn implied_zip<H: Interns>(value: Block<H>, label: &str) -> Allowed<Block<H>> {
    let ty = value.ty().clone();
    make::zip(value).map_err(|refusal| {
        let reason = if ty.fields().is_some() { format!(": {}", refusal.message) } else { String::new() };
        Refusal::wrong_type(format!(
            "The {label} must be a FederatedType or implicitly convertible to a FederatedType (got a {ty}){reason}"
        ))
    })
}

/// Fits a value to a type; where `zip` is true, structs of federated values become federated structs.
pub fn fit<H: Interns>(value: Block<H>, target: Option<&Type<H>>, zip: bool) -> Allowed<Block<H>> {
    let Some(target) = target else { return Ok(value) };
    if target.is_assignable_from(value.ty())? {
        return Ok(value);
    }
    if zip && can_be_zipped(value.ty(), target)? {
        return zip_to(value, target);
    }
    Err(not_assignable(value.ty(), target))
}

fn can_be_zipped<H: Interns>(source: &Type<H>, target: &Type<H>) -> Allowed<bool> {
    let Some(fields) = source.fields() else { return target.is_assignable_from(source) };
    if let Some(federated) = target.federated() {
        let equal_clients = federated.placement == Placement::Clients && federated.all_equal;
        return Ok(!equal_clients
            && fields.types().all(|ty| is_at(ty, federated.placement))
            && federated.member.is_assignable_from(&strip_placement(source)?)?);
    }
    let Some(targets) = target.fields().filter(|targets| targets.len() == fields.len()) else {
        return Ok(false);
    };
    for (field, target) in fields.elements.iter().zip(&targets.elements) {
        let names_fit = field.name.is_none() || field.name == target.name;
        if !names_fit || !can_be_zipped(&field.ty, &target.ty)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Tells if all federated parts of a struct are at one placement.
fn is_at<H: Host>(ty: &Type<H>, placement: Placement) -> bool {
    match (ty.federated(), ty.fields()) {
        (Some(federated), _) => federated.placement == placement,
        (None, Some(fields)) => fields.types().all(|ty| is_at(ty, placement)),
        (None, None) => true,
    }
}

fn zip_to<H: Interns>(source: Block<H>, target: &Type<H>) -> Allowed<Block<H>> {
    let (Some(fields), false) = (source.ty().fields(), target.is_assignable_from(source.ty())?) else {
        return Ok(source);
    };
    let Some(targets) = target.fields() else { return make::zip(source) };
    let name: Name = format!("{}1", names::unused_prefix(Some(&source), "_var")).into();
    let mut elements = Vec::with_capacity(fields.len());
    for (index, (field, target)) in fields.elements.iter().zip(&targets.elements).enumerate() {
        let reference = Block::reference(name.clone(), source.ty().clone(), None);
        let selected = Block::select_index(reference, i64::try_from(index).unwrap_or(i64::MAX))?;
        elements.push(Element { name: field.name.clone(), value: zip_to(selected, &target.ty)? });
    }
    let result = Block::structure(elements, None)?;
    Block::with_locals(vec![Local { name, value: source }], result)
}

/// Adds two values of one type; federated ones are added at each participant.
pub fn add<H: Interns>(left: Block<H>, right: Block<H>) -> Allowed<Block<H>> {
    check_addable(left.ty(), right.ty())?;
    let plus = |ty: &Type<H>| {
        let function = Type::function_of(Some(Type::tuple([ty.clone(), ty.clone()])), ty.clone())?;
        check_type(Intrinsic::Plus.uri(), &function)?;
        Ok(Block::intrinsic(Intrinsic::Plus.uri(), function))
    };
    let function = plus(left.ty().unplaced())?;
    if left.ty().federated().is_none() {
        return Block::call(function, Some(Block::tuple([left, right])?));
    }
    make::map_or_apply(function, make::zip(Block::tuple([left, right])?)?)
}

fn check_addable<H: Host>(left: &Type<H>, right: &Type<H>) -> Allowed<()> {
    let comparable = !left.parts().meets(crate::types::Parts::ABSTRACT);
    let placements_agree = left.federated().map(|federated| federated.placement)
        == right.federated().map(|federated| federated.placement);
    if !comparable || !placements_agree || !left.unplaced().is_equivalent_to(right.unplaced())? {
        return Err(Refusal::wrong_type(format!(
            "`+` adds two values of one type and placement, found {left} and {right}; move other arithmetic into a \
             `graph_computation`."
        )));
    }
    left.check_sum_compatible()
}

/// Refuses the call of a value that is no function.
pub fn check_callable<H: Host>(value: &Block<H>) -> Allowed<()> {
    if value.ty().function().is_some() {
        return Ok(());
    }
    let message = format!(
        "Function-like invocation is only supported for values of functional types, but the value being invoked is \
         of type {} that does not support invocation.",
        value.ty()
    );
    Err(Refusal::new(Raises::SyntaxError, message))
}

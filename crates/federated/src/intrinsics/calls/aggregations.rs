//! Aggregations: from values at the clients to one at the server.

use super::caller::{Caller, function};
use crate::blocks::{Block, Element};
use crate::dtype::Class;
use crate::intrinsics::make::{self, Aggregation};
use crate::intrinsics::table::Intrinsic;
use crate::placement::Placement;
use crate::refusal::{Allowed, Refusal};
use crate::types::{Interns, Kind, Type};
use crate::values::ensure_federated;

/// Aggregates with a zero, an accumulator, a merge and a report.
///
/// # Errors
///
/// A `TypeError` that names the parameter that does not fit.
pub fn federated_aggregate<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let value = at_clients(caller, "value to be aggregated")?;
    let zero = caller.argument(1, None)?;
    let member = value.ty().unplaced().clone();
    let accumulate = caller.argument(2, Some(&Type::tuple([zero.ty().clone(), member.clone()])))?;
    let accumulator = function("accumulate", &accumulate)?.1.clone();
    let pair = Type::tuple([accumulator.clone(), accumulator.clone()]);
    let merge = caller.argument(3, Some(&pair))?;
    let merged = function("merge", &merge)?.1.clone();
    let report = caller.argument(4, Some(&merged))?;
    let reported = function("report", &report)?.1.clone();
    let first = make::first_parameter(&accumulate)?;
    if !first.is_assignable_from(zero.ty())? {
        Err(Refusal::wrong_type(format!(
            "Expected `zero` to be assignable to type {first}, but was of incompatible type {}.",
            zero.ty()
        )))?;
    }
    let reduction = |second: &Type<H>| {
        Type::function_of(Some(Type::tuple([accumulator.clone(), second.clone()])), accumulator.clone())
    };
    check_parameter("accumulate", &reduction(&member)?, &accumulate)?;
    check_parameter("merge", &reduction(&accumulator)?, &merge)?;
    check_parameter("report", &Type::function_of(Some(merged), reported)?, &report)?;
    caller.bind(make::aggregate(Aggregation { value, zero, accumulate, merge, report })?)
}

fn check_parameter<H: Interns>(name: &str, expected: &Type<H>, given: &Block<H>) -> Allowed<()> {
    if expected.is_assignable_from(given.ty())? {
        return Ok(());
    }
    let given = given.ty();
    Err(Refusal::wrong_type(format!(
        "Expected parameter `{name}` to be of type {expected}, but received {given} instead."
    )))
}

/// Returns the first argument as a value at the clients.
fn at_clients<H: Interns, C: Caller<H>>(caller: &mut C, label: &str) -> Result<Block<H>, C::Error> {
    let value = caller.argument(0, None)?;
    Ok(ensure_federated(value, Some(Placement::Clients), label)?)
}

/// Adds up the clients' values.
///
/// # Errors
///
/// A `TypeError`: the value is not at the clients, or cannot be added up.
pub fn federated_sum<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let value = at_clients(caller, "value to be summed")?;
    value.ty().check_sum_compatible()?;
    caller.bind(make::reduce(Intrinsic::Sum, value)?)
}

/// Takes the least of the clients' values.
///
/// # Errors
///
/// A `TypeError`: the value is not at the clients. A `ValueError`: its type has no order.
pub fn federated_min<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    extreme(caller, Intrinsic::Min, "min")
}

/// Takes the greatest of the clients' values.
///
/// # Errors
///
/// A `TypeError`: the value is not at the clients. A `ValueError`: its type has no order.
pub fn federated_max<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    extreme(caller, Intrinsic::Max, "max")
}

fn extreme<H: Interns, C: Caller<H>>(
    caller: &mut C,
    intrinsic: Intrinsic,
    name: &str,
) -> Result<Block<H>, C::Error> {
    let value = at_clients(caller, &format!("value to take {name} of"))?;
    if !value.ty().is_min_max_compatible() {
        let found = value.ty();
        let message = format!("The value type {found} is not compatible with the {name} operator.");
        Err(Refusal::wrong_value(message))?;
    }
    caller.bind(make::reduce(intrinsic, value)?)
}

/// Takes the mean of the clients' values, weighted if there is a second argument.
///
/// # Errors
///
/// A `TypeError`: the value is not at the clients or has no mean, or the weight is no number at the clients.
pub fn federated_mean<H: Interns, C: Caller<H>>(
    caller: &mut C,
    weighted: bool,
) -> Result<Block<H>, C::Error> {
    let value = at_clients(caller, "value to be averaged")?;
    if !value.ty().is_average_compatible() {
        let found = value.ty();
        Err(Refusal::wrong_type(format!(
            "The value type {found} is not compatible with the average operator."
        )))?;
    }
    if !weighted {
        return caller.bind(make::reduce(Intrinsic::Mean, value)?);
    }
    let weight = caller.argument(1, None)?;
    let weight = ensure_federated(weight, Some(Placement::Clients), "weight to use in averaging")?;
    check_weight(weight.ty())?;
    caller.bind(make::reduce_with(Intrinsic::WeightedMean, value, weight)?)
}

fn check_weight<H: Interns>(ty: &Type<H>) -> Allowed<()> {
    let Kind::Tensor(dtype, _) = ty.unplaced().kind() else { return Err(no_scalar(ty)) };
    if !ty.unplaced().is_scalar() {
        return Err(no_scalar(ty));
    }
    if matches!(dtype.class(), Class::Integer | Class::Floating) {
        return Ok(());
    }
    let message = format!("The weight type {ty} is not a federated integer or floating-point tensor.");
    Err(Refusal::wrong_type(message))
}

fn no_scalar<H: Interns>(ty: &Type<H>) -> Refusal {
    Refusal::wrong_type(format!("The weight type {ty} is not a federated scalar."))
}

/// Adds up integers that the aggregator does not see, each at most `max_input`.
///
/// # Errors
///
/// A `TypeError`: the value is no structure of integers at the clients, or the bound does not fit it.
pub fn federated_secure_sum<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    secure_sum(caller, Intrinsic::SecureSum, "max_input", "max")
}

/// Adds up integers that the aggregator does not see, each of at most `bitwidth` bits.
///
/// # Errors
///
/// A `TypeError`: the value is no structure of integers at the clients, or the bound does not fit it.
pub fn federated_secure_sum_bitwidth<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    secure_sum(caller, Intrinsic::SecureSumBitwidth, "bitwidth", "bitwidth")
}

fn secure_sum<H: Interns, C: Caller<H>>(
    caller: &mut C,
    intrinsic: Intrinsic,
    name: &str,
    word: &str,
) -> Result<Block<H>, C::Error> {
    let value = at_clients(caller, "value to be summed")?;
    value.ty().check_structure_of_integers()?;
    let bound = caller.argument(1, None)?;
    let member = value.ty().unplaced();
    if !bound.ty().is_integer_or_matches(member) {
        Err(Refusal::wrong_type(format!(
            "Expected `{}` parameter `{name}` to match the structure of `value`, with one integer {word} per tensor \
             in `value`. Found `value` of `{member}` and `{name}` of `{}`.",
            intrinsic.uri(),
            bound.ty()
        )))?;
    }
    let bound = if bound.ty().fields().is_some() { bound } else { spread(member, &bound)? };
    caller.bind(make::reduce_with(intrinsic, value, bound)?)
}

/// Repeats a bound for each tensor of a structure.
fn spread<H: Interns>(ty: &Type<H>, bound: &Block<H>) -> Allowed<Block<H>> {
    let Some(fields) = ty.fields() else { return Ok(bound.clone()) };
    let mut elements = Vec::with_capacity(fields.len());
    for field in &fields.elements {
        elements.push(Element { name: field.name.clone(), value: spread(&field.ty, bound)? });
    }
    Block::structure(elements, None)
}

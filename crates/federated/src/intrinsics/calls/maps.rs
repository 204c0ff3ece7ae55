//! Values that move or are computed where they are.

use super::caller::{Caller, function};
use crate::blocks::Block;
use crate::intrinsics::make;
use crate::placement::Placement;
use crate::refusal::{Allowed, Refusal};
use crate::types::Interns;
use crate::values::ensure_federated;

/// Sends a value of the server to all clients.
///
/// # Errors
///
/// A `TypeError`: the value is not at the server, or not equal everywhere.
pub fn federated_broadcast<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let value = caller.argument(0, None)?;
    let value = ensure_federated(value, Some(Placement::Server), "value to be broadcasted")?;
    if value.ty().federated().is_some_and(|federated| !federated.all_equal) {
        Err(Refusal::wrong_type("The broadcasted value should be equal at all locations."))?;
    }
    caller.bind(make::broadcast(value)?)
}

/// Evaluates a function without a parameter at each participant.
///
/// # Errors
///
/// A `ValueError`: the argument is no function, or has a parameter.
pub fn federated_eval<H: Interns, C: Caller<H>>(
    caller: &mut C,
    placement: Placement,
) -> Result<Block<H>, C::Error> {
    let evaluated = caller.argument(0, None)?;
    if let Some(parameter) = function("fn", &evaluated)?.0 {
        Err(Refusal::wrong_value(format!("Expected `fn` to have no parameters, found {parameter}.")))?;
    }
    caller.bind(make::eval(evaluated, placement)?)
}

/// Applies a function to the value of each participant.
///
/// # Errors
///
/// A `TypeError`: the value is not federated, or does not fit the function. A `ValueError`: `fn` is no function of one
/// parameter.
pub fn federated_map<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let value = ensure_federated(caller.argument(1, None)?, None, "value to be mapped")?;
    let mapped = caller.argument(0, Some(value.ty().unplaced()))?;
    caller.bind(map_over(mapped, value)?)
}

/// Applies a function to a value that all clients share, which gives another one.
///
/// # Errors
///
/// Those of `federated_map`.
pub fn federated_map_all_equal<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let value = ensure_federated(caller.argument(1, None)?, Some(Placement::Clients), "value to be mapped")?;
    let mapped = caller.argument(0, Some(value.ty().unplaced()))?;
    check_mapping(&mapped, &value)?;
    caller.bind(make::map_all_equal(mapped, value)?)
}

/// Makes the map of a function over a federated value.
pub(super) fn map_over<H: Interns>(mapped: Block<H>, value: Block<H>) -> Allowed<Block<H>> {
    check_mapping(&mapped, &value)?;
    let federated = value.ty().federated().map(|federated| (federated.placement, federated.all_equal));
    match federated {
        Some((Placement::Server, false)) => {
            Err(Refusal::wrong_type("Arguments placed at SERVER should be equal at all locations."))
        }
        Some((Placement::Server, true)) => make::apply(mapped, value),
        Some((Placement::Clients, _)) | None => make::map(mapped, value),
    }
}

fn check_mapping<H: Interns>(mapped: &Block<H>, value: &Block<H>) -> Allowed<()> {
    let Some(parameter) = function("fn", mapped)?.0 else {
        return Err(Refusal::wrong_value("Expected `fn` to have a parameter, found none."));
    };
    let member = value.ty().unplaced();
    if parameter.is_assignable_from(member)? {
        return Ok(());
    }
    Err(Refusal::wrong_type(format!(
        "The mapping function expects a parameter of type {parameter}, but member constituents of the mapped value \
         are of incompatible type {member}."
    )))
}

/// Places a constant.
///
/// # Errors
///
/// A `TypeError`: the constant has federated parts.
pub fn federated_value<H: Interns, C: Caller<H>>(
    caller: &mut C,
    placement: Placement,
) -> Result<Block<H>, C::Error> {
    let value = caller.argument(0, None)?;
    if make::is_placed(value.ty()) {
        Err(Refusal::wrong_type(format!(
            "Cannot place value {value} containing federated types at another placement; requested to be placed at {}.",
            placement.name()
        )))?;
    }
    caller.bind(make::value(value, placement)?)
}

/// Makes one federated value of a struct of federated values.
///
/// # Errors
///
/// A `ValueError`: the argument is no struct. A `TypeError`: it has parts that are not federated, or two placements.
pub fn federated_zip<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let value = caller.argument(0, None)?;
    caller.bind(make::zip(value)?)
}

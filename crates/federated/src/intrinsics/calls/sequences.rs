//! Sequences: of one place, or pointwise where federated sequences are.

use super::caller::{Caller, function};
use super::maps::map_over;
use crate::blocks::Block;
use crate::intrinsics::make;
use crate::intrinsics::table::{Intrinsic, check_type};
use crate::refusal::{Allowed, Refusal};
use crate::types::{Interns, Type};
use crate::values::ensure_federated;

/// Applies a function to each element of a sequence.
///
/// # Errors
///
/// A `ValueError`: `fn` is no function. A `TypeError`: the argument is no sequence, or does not fit.
pub fn sequence_map<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let sequence = caller.argument(1, None)?;
    let element = sequence.ty().unplaced().sequence().cloned();
    let mapped = caller.argument(0, element.as_ref())?;
    let (parameter, _) = function("fn", &mapped)?;
    let Some(parameter) = parameter else {
        return Err(Refusal::wrong_type("Expected `fn` to have a parameter, found none.").into());
    };
    if element.is_none() {
        Err(Refusal::wrong_type(format!(
            "Cannot apply `sequence_map()` to a value of type {}.",
            sequence.ty()
        )))?;
    }
    if sequence.ty().sequence().is_some() {
        return caller.bind(make::sequence_map(mapped, sequence)?);
    }
    let argument = Type::sequence_of(parameter.clone())?;
    let local = Block::reference("arg", argument.clone(), None);
    let body = make::sequence_map(mapped, local)?;
    let pointwise = Block::lambda(Some(("arg".into(), argument)), body)?;
    caller.bind(map_over(pointwise, sequence)?)
}

/// Folds a sequence.
///
/// # Errors
///
/// A `TypeError` or `ValueError`: the value is no sequence, or `zero` or `op` do not fit it.
pub fn sequence_reduce<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let sequence = caller.argument(0, None)?;
    let zero = caller.argument(1, None)?;
    let element = element_of("sequence_reduce", sequence.ty())?;
    let hint = Type::tuple([zero.ty().unplaced().clone(), element]);
    let op = caller.argument(2, Some(&hint))?;
    function("op", &op)?;
    if sequence.ty().sequence().is_some() {
        return caller.bind(make::sequence_reduce(sequence, zero, op)?);
    }
    let zipped = ensure_federated(Block::tuple([sequence, zero])?, None, "value to be reduced and its zero")?;
    let parameter = zipped.ty().unplaced().clone();
    let argument = Block::reference("arg", parameter.clone(), None);
    let select = |index| Block::select_index(argument.clone(), index);
    let body = make::sequence_reduce(select(0)?, select(1)?, op)?;
    caller.bind(map_over(Block::lambda(Some(("arg".into(), parameter)), body)?, zipped)?)
}

/// Adds up the elements of a sequence.
///
/// # Errors
///
/// A `ValueError`: the value is no sequence. A `TypeError`: its elements cannot be added up.
pub fn sequence_sum<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    let sequence = caller.argument(0, None)?;
    let element = element_of("sequence_sum", sequence.ty())?;
    element.check_sum_compatible()?;
    if sequence.ty().sequence().is_some() {
        return caller.bind(make::sequence_sum(sequence, element)?);
    }
    let ty = Type::function_of(Some(sequence.ty().unplaced().clone()), element)?;
    check_type(Intrinsic::SequenceSum.uri(), &ty)?;
    caller.bind(map_over(Block::intrinsic(Intrinsic::SequenceSum.uri(), ty), sequence)?)
}

/// Returns the type of the elements of a sequence or of a federated sequence.
fn element_of<H: Interns>(name: &str, ty: &Type<H>) -> Allowed<Type<H>> {
    ty.unplaced().sequence().cloned().ok_or_else(|| {
        Refusal::wrong_value(format!(
            "Expected the value of `{name}` to be a sequence or a federated sequence, found {ty}."
        ))
    })
}

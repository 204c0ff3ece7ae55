//! Assignability: which values fit where a type is expected.

use super::node::{Dimensions, Fields, Kind, Type};
use crate::host::Host;
use crate::refusal::{Allowed, Raises, Refusal};

impl<H: Host> Type<H> {
    /// Tells if a value of the type `source` fits where this type is expected.
    pub fn is_assignable_from(&self, source: &Type<H>) -> Allowed<bool> {
        if let Kind::Abstract(_) = self.kind() {
            return Err(Refusal::wrong_type("Abstract types are not comparable."));
        }
        if self == source {
            return Ok(true);
        }
        match (self.kind(), source.kind()) {
            (Kind::Tensor(dtype, target), Kind::Tensor(other, source)) => {
                Ok(dtype == other && dimensions_fit(target.as_ref(), source.as_ref()))
            }
            (Kind::Struct(target), Kind::Struct(source)) => fields_fit(target, source),
            (Kind::Sequence(target), Kind::Sequence(source)) => target.is_assignable_from(source),
            (Kind::Function(parameter, result), Kind::Function(other, source)) => {
                Ok(parameters_fit(parameter.as_ref(), other.as_ref())?
                    && result.is_assignable_from(source)?)
            }
            (Kind::Federated(target), Kind::Federated(source)) => {
                Ok(target.member.is_assignable_from(&source.member)?
                    && (!target.all_equal || source.all_equal)
                    && target.placement == source.placement)
            }
            (
                Kind::Tensor(..)
                | Kind::Struct(_)
                | Kind::Sequence(_)
                | Kind::Function(..)
                | Kind::Abstract(_)
                | Kind::Placement
                | Kind::Federated(_),
                _,
            ) => Ok(false),
        }
    }

    /// Tells if values of the two types can be exchanged.
    pub fn is_equivalent_to(&self, other: &Type<H>) -> Allowed<bool> {
        Ok(self.is_assignable_from(other)? && other.is_assignable_from(self)?)
    }

    /// Refuses a type whose values do not fit where this type is expected.
    pub fn check_assignable_from(&self, source: &Type<H>) -> Allowed<()> {
        if self.is_assignable_from(source)? { Ok(()) } else { Err(not_assignable(source, self)) }
    }

    /// Refuses a type whose values cannot be exchanged with those of this type.
    pub fn check_equivalent_to(&self, other: &Type<H>) -> Allowed<()> {
        if self.is_equivalent_to(other)? {
            return Ok(());
        }
        let message = format!("Expected {self} to be equivalent to {other}.");
        Err(Refusal::new(Raises::TypesNotEquivalentError, message))
    }
}

/// The refusal of a value of the type `source` where `target` is expected.
pub fn not_assignable<H: Host>(source: &Type<H>, target: &Type<H>) -> Refusal {
    let message = format!("Expected {source} to be assignable to {target}.");
    Refusal::new(Raises::TypeNotAssignableError, message)
}

fn dimensions_fit(target: Option<&Dimensions>, source: Option<&Dimensions>) -> bool {
    let Some(target) = target else { return true };
    let Some(source) = source else { return false };
    let fits = |(target, source): (&Option<i64>, &Option<i64>)| target.is_none() || target == source;
    target.len() == source.len() && target.iter().zip(source.iter()).all(fits)
}

fn fields_fit<H: Host>(target: &Fields<H>, source: &Fields<H>) -> Allowed<bool> {
    if target.len() != source.len() {
        return Ok(false);
    }
    for (target, source) in target.elements.iter().zip(&source.elements) {
        let names_fit = source.name.is_none() || source.name == target.name;
        if !names_fit || !target.ty.is_assignable_from(&source.ty)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The parameter of a function that stands for another takes at least what the other's takes.
fn parameters_fit<H: Host>(target: Option<&Type<H>>, source: Option<&Type<H>>) -> Allowed<bool> {
    match (target, source) {
        (None, None) => Ok(true),
        (Some(target), Some(source)) => source.is_assignable_from(target),
        (None, Some(_)) | (Some(_), None) => Ok(false),
    }
}

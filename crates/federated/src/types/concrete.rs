//! Templates: a type with variables, and the types that it stands for.

use super::node::{Kind, Name, Parts, Type};
use crate::host::Host;
use crate::refusal::{Allowed, Refusal};

/// Refuses a type that no substitution of the variables of `template` gives.
///
/// A use of a variable in the parameter of a function defines it; the types at its other uses must be assignable from that.
pub fn check_concrete_instance_of<H: Host>(concrete: &Type<H>, template: &Type<H>) -> Allowed<()> {
    if concrete.parts().meets(Parts::ABSTRACT) {
        return Err(Refusal::wrong_type(format!(
            "Expected concrete type containing no abstract types, but found an abstract type in {concrete}."
        )));
    }
    let mut check = Check { concrete, template, bound: Vec::new(), uses: Vec::new() };
    check.compare(template, concrete, false)?;
    check.check_uses()
}

struct Check<'t, H: Host> {
    concrete: &'t Type<H>,
    template: &'t Type<H>,
    bound: Vec<(&'t Name, &'t Type<H>)>,
    uses: Vec<(&'t Name, &'t Type<H>)>,
}

impl<'t, H: Host> Check<'t, H> {
    fn compare(&mut self, template: &'t Type<H>, concrete: &'t Type<H>, defining: bool) -> Allowed<()> {
        match (template.kind(), concrete.kind()) {
            (Kind::Abstract(label), _) => self.substitute(label, concrete, defining),
            (Kind::Tensor(..), Kind::Tensor(..)) => {
                self.require(template == concrete, "tensor types", template, concrete)
            }
            (Kind::Placement, Kind::Placement) => Ok(()),
            (Kind::Struct(fields), Kind::Struct(others)) => {
                self.require(fields.len() == others.len(), "length", template, concrete)?;
                for (field, other) in fields.elements.iter().zip(&others.elements) {
                    self.require(field.name == other.name, "element names", template, concrete)?;
                    self.compare(&field.ty, &other.ty, defining)?;
                }
                Ok(())
            }
            (Kind::Sequence(element), Kind::Sequence(other)) => self.compare(element, other, defining),
            (Kind::Function(parameter, result), Kind::Function(other, other_result)) => {
                self.require(parameter.is_some() == other.is_some(), "parameter", template, concrete)?;
                if let (Some(parameter), Some(other)) = (parameter, other) {
                    self.compare(parameter, other, !defining)?;
                }
                self.compare(result, other_result, defining)
            }
            (Kind::Federated(one), Kind::Federated(other)) => {
                self.require(one.placement == other.placement, "placement", template, concrete)?;
                self.require(one.all_equal == other.all_equal, "all equal", template, concrete)?;
                self.compare(&one.member, &other.member, defining)
            }
            (
                Kind::Tensor(..)
                | Kind::Struct(_)
                | Kind::Sequence(_)
                | Kind::Function(..)
                | Kind::Placement
                | Kind::Federated(_),
                _,
            ) => self.require(false, "kind", template, concrete),
        }
    }

    fn substitute(&mut self, label: &'t Name, concrete: &'t Type<H>, defining: bool) -> Allowed<()> {
        if !defining {
            self.uses.push((label, concrete));
            return Ok(());
        }
        let Some(bound) = self.definition(label) else {
            self.bound.push((label, concrete));
            return Ok(());
        };
        if concrete.is_equivalent_to(bound)? {
            return Ok(());
        }
        let reason = format!(
            "abstract type {label} had substitutions {bound} and {concrete}, which are not equivalent."
        );
        Err(self.no_substitution(&reason))
    }

    fn definition(&self, label: &Name) -> Option<&'t Type<H>> {
        self.bound.iter().find(|(bound, _)| *bound == label).map(|(_, ty)| *ty)
    }

    fn check_uses(&self) -> Allowed<()> {
        for (label, used) in &self.uses {
            let Some(bound) = self.definition(label) else {
                self.check_single_use(label)?;
                continue;
            };
            if !used.is_assignable_from(bound)? {
                let reason = format!(
                    "abstract type {label} was defined as {bound}, and later used as {used} which cannot be assigned \
                     from the former."
                );
                return Err(self.no_substitution(&reason));
            }
        }
        Ok(())
    }

    fn check_single_use(&self, label: &Name) -> Allowed<()> {
        if self.uses.iter().filter(|(used, _)| *used == label).count() == 1 {
            return Ok(());
        }
        let template = self.template;
        Err(Refusal::wrong_type(format!("Missing defining use of abstract type {label} in type {template}.")))
    }

    fn require(&self, holds: bool, mismatch: &str, template: &Type<H>, concrete: &Type<H>) -> Allowed<()> {
        if holds {
            return Ok(());
        }
        let reason =
            format!("their structures do not match: {concrete} differs in {mismatch} from {template}.");
        Err(self.no_substitution(&reason))
    }

    fn no_substitution(&self, reason: &str) -> Refusal {
        let (concrete, template) = (self.concrete, self.template);
        Refusal::wrong_type(format!(
            "Expected concrete type {concrete} to be a valid substitution for generic type {template}, but {reason}"
        ))
    }
}

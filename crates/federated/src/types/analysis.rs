//! Questions about whole types: can their values be added, averaged, compared; do they stand for integers.

use super::intern::Interns;
use super::node::{Field, Kind, Parts, Type};
use crate::dtype::{Class, DType};
use crate::host::Host;
use crate::refusal::{Allowed, Refusal};

impl<H: Host> Type<H> {
    /// Tells if the type is a tensor, or a struct or federated value of tensors, each of which `holds`.
    fn every_tensor(&self, holds: &dyn Fn(DType) -> bool) -> bool {
        match self.kind() {
            Kind::Tensor(dtype, _) => holds(*dtype),
            Kind::Struct(fields) => fields.types().all(|ty| ty.every_tensor(holds)),
            Kind::Federated(federated) => federated.member.every_tensor(holds),
            Kind::Sequence(_) | Kind::Function(..) | Kind::Abstract(_) | Kind::Placement => false,
        }
    }

    /// Tells if all tensors are integers.
    pub fn is_structure_of_integers(&self) -> bool {
        self.every_tensor(&|dtype| dtype.class() == Class::Integer)
    }

    /// Tells if all tensors are floating point.
    pub fn is_structure_of_floats(&self) -> bool {
        self.every_tensor(&|dtype| dtype.class() == Class::Floating)
    }

    /// Tells if the type consists of tensors and structs alone.
    pub fn is_structure_of_tensors(&self) -> bool {
        let others = Parts::SEQUENCE.with(Parts::FUNCTION).with(Parts::ABSTRACT);
        !self.parts().meets(others.with(Parts::PLACEMENT).with(Parts::FEDERATED))
    }

    /// Tells if values of the type have a mean.
    pub fn is_average_compatible(&self) -> bool {
        self.every_tensor(&|dtype| matches!(dtype.class(), Class::Floating | Class::Complex))
    }

    /// Tells if values of the type have a least and a greatest one.
    pub fn is_min_max_compatible(&self) -> bool {
        self.every_tensor(&|dtype| matches!(dtype.class(), Class::Integer | Class::Floating))
    }

    /// Refuses a type whose values cannot be added up.
    pub fn check_sum_compatible(&self) -> Allowed<()> {
        check_summable(self, self)
    }

    /// Refuses a type that has other parts than integers.
    pub fn check_structure_of_integers(&self) -> Allowed<()> {
        if self.is_structure_of_integers() {
            return Ok(());
        }
        Err(Refusal::wrong_type(format!("Expected a type which is structure of integers, found {self}.")))
    }

    /// Tells if the type is a scalar.
    pub fn is_scalar(&self) -> bool {
        matches!(self.kind(), Kind::Tensor(_, Some(dimensions)) if dimensions.is_empty())
    }

    /// Tells if the type is one integer, or a struct of single integers of the structure of `values`.
    pub fn is_integer_or_matches(&self, values: &Type<H>) -> bool {
        match (self.kind(), values.kind()) {
            (Kind::Tensor(dtype, Some(dimensions)), _) => {
                dtype.class() == Class::Integer && dimensions.iter().all(|size| *size == Some(1))
            }
            (Kind::Struct(bounds), Kind::Struct(fields)) => {
                let pairs = bounds.elements.iter().zip(&fields.elements);
                let matches = |(bound, field): (&Field<H>, &Field<H>)| {
                    bound.name == field.name && bound.ty.is_integer_or_matches(&field.ty)
                };
                bounds.len() == fields.len() && pairs.into_iter().all(matches)
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
            ) => false,
        }
    }
}

fn check_summable<H: Host>(ty: &Type<H>, whole: &Type<H>) -> Allowed<()> {
    match ty.kind() {
        Kind::Tensor(dtype, _) if !dtype.is_numeric() => {
            Err(not_summable(ty, whole, &format!("{} is not numeric", dtype.name())))
        }
        Kind::Tensor(_, Some(dimensions)) if dimensions.iter().all(Option::is_some) => Ok(()),
        Kind::Tensor(_, dimensions) => {
            let text =
                dimensions.as_ref().map_or("None".to_owned(), |known| super::text::dimensions_text(known));
            Err(not_summable(ty, whole, &format!("{text} is not fully defined")))
        }
        Kind::Struct(fields) => fields.types().try_for_each(|ty| check_summable(ty, whole)),
        Kind::Federated(federated) => check_summable(&federated.member, whole),
        Kind::Sequence(_) | Kind::Function(..) | Kind::Abstract(_) | Kind::Placement => {
            Err(not_summable(ty, whole, "only structures of tensors (possibly federated) may be summed"))
        }
    }
}

fn not_summable<H: Host>(ty: &Type<H>, whole: &Type<H>, reason: &str) -> Refusal {
    Refusal::wrong_type(format!(
        "Expected a type which is compatible with the sum operator, found\n{whole}\nwhich contains\n{ty}\nwhich is \
         not sum-compatible because {reason}."
    ))
}

/// Replaces the parts of a type from the inside out; `replace` returns `None` for what stays.
///
/// # Errors
///
/// A constructor refuses the replaced parts.
pub fn transform<H: Interns>(
    ty: &Type<H>,
    replace: &mut dyn FnMut(&Type<H>) -> Option<Type<H>>,
) -> Allowed<Type<H>> {
    let rebuilt = match ty.kind() {
        Kind::Tensor(..) | Kind::Abstract(_) | Kind::Placement => ty.clone(),
        Kind::Struct(fields) => {
            let mut elements = Vec::with_capacity(fields.len());
            for field in &fields.elements {
                elements.push(Field { name: field.name.clone(), ty: transform(&field.ty, replace)? });
            }
            Type::trusted_structure(elements, fields.container.clone())
        }
        Kind::Sequence(element) => Type::sequence_of(transform(element, replace)?)?,
        Kind::Function(parameter, result) => {
            let parameter = parameter.as_ref().map(|parameter| transform(parameter, replace)).transpose()?;
            Type::function_of(parameter, transform(result, replace)?)?
        }
        Kind::Federated(federated) => {
            let member = transform(&federated.member, replace)?;
            Type::federated_of(member, federated.placement, Some(federated.all_equal))?
        }
    };
    Ok(replace(&rebuilt).unwrap_or(rebuilt))
}

/// Returns the type with each federated part replaced by its member.
///
/// # Errors
///
/// A constructor refuses the result.
pub fn strip_placement<H: Interns>(ty: &Type<H>) -> Allowed<Type<H>> {
    transform(ty, &mut |part| part.federated().map(|federated| federated.member.clone()))
}

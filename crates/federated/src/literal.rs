//! Constants: the type of a Python number or text, and which constants fit a type.

use crate::dtype::{Class, DType};
use crate::host::Host;
use crate::refusal::{Allowed, Refusal};
use crate::types::{Kind, Type};

/// A constant, as far as its type goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A truth value of the host.
    Bool,
    /// An integer of the host; `None` if it has more than 128 bits.
    Integer(Option<i128>),
    /// A floating-point number of the host.
    Floating(f64),
    /// A complex number of the host.
    Complex(f64, f64),
    /// A text or bytes of the host.
    Text,
    /// An array of an element type, or a scalar that has one.
    Array(DType, Vec<i64>),
}

impl DType {
    /// Returns the number of bits of a value, or of the larger part of it.
    fn bits(self) -> u32 {
        match self {
            DType::Bool => 1,
            DType::Int8 | DType::UInt8 => 8,
            DType::Int16 | DType::UInt16 | DType::Float16 | DType::BFloat16 => 16,
            DType::Int32 | DType::UInt32 | DType::Float32 | DType::Complex64 => 32,
            DType::Int64 | DType::UInt64 | DType::Float64 | DType::Complex128 => 64,
            DType::Str => 0,
        }
    }

    fn is_unsigned(self) -> bool {
        match self {
            DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => true,
            DType::Bool
            | DType::Int8
            | DType::Int16
            | DType::Int32
            | DType::Int64
            | DType::Float16
            | DType::Float32
            | DType::Float64
            | DType::BFloat16
            | DType::Complex64
            | DType::Complex128
            | DType::Str => false,
        }
    }

    /// Returns the least and the greatest integer of an integer type.
    fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_unsigned() { (0, (1 << bits) - 1) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) }
    }

    /// Tells if each value of `other`, which is of the same class, is a value of this type.
    fn holds(self, other: DType) -> bool {
        match (self.is_unsigned(), other.is_unsigned()) {
            (true, true) | (false, false) => self.bits() >= other.bits(),
            (false, true) => self.bits() > other.bits(),
            (true, false) => false,
        }
    }

    /// Returns the greatest finite value of a floating type, and of the parts of a complex one.
    fn greatest(self) -> f64 {
        match self.bits() {
            16 => 65504.0,
            32 => f64::from(f32::MAX),
            _ => f64::MAX,
        }
    }
}

/// Returns the type of a constant.
///
/// # Errors
///
/// A `ValueError`: an integer has more than 64 bits.
pub fn infer(constant: &Constant, text: impl FnOnce() -> String) -> Allowed<DType> {
    let fits = |value: i128, dtype: DType| (dtype.range().0..=dtype.range().1).contains(&value);
    match constant {
        Constant::Bool => Ok(DType::Bool),
        Constant::Integer(Some(value)) if fits(*value, DType::Int32) => Ok(DType::Int32),
        Constant::Integer(Some(value)) if fits(*value, DType::Int64) => Ok(DType::Int64),
        Constant::Integer(_) => Err(Refusal::wrong_value(format!(
            "Expected `obj` to be an `int` in the range [{}, {}], found: {}.",
            i64::MIN,
            i64::MAX,
            text()
        ))),
        Constant::Floating(_) => Ok(DType::Float32),
        Constant::Complex(..) => Ok(DType::Complex128),
        Constant::Text => Ok(DType::Str),
        Constant::Array(dtype, _) => Ok(*dtype),
    }
}

/// Refuses a constant that is no value of a type.
///
/// # Errors
///
/// A `ValueError` that names the constant and what it does not fit.
pub fn check<H: Host>(constant: &Constant, text: impl FnOnce() -> String, ty: &Type<H>) -> Allowed<()> {
    let Kind::Tensor(dtype, dimensions) = ty.kind() else {
        return Err(Refusal::wrong_value(format!("Expected a `TensorType`, found {ty}.")));
    };
    if !fits_dtype(constant, *dtype) {
        let message = format!("Expected '{}' to be compatible with '{}'.", text(), dtype.name());
        return Err(Refusal::wrong_value(message));
    }
    let fits = dimensions.as_ref().is_none_or(|dimensions| fits_shape(constant, dimensions));
    let is_scalar = matches!(constant, Constant::Array(_, sizes) if !sizes.is_empty());
    if fits && (dimensions.is_some() || is_scalar) {
        return Ok(());
    }
    Err(Refusal::wrong_value(format!("Expected '{}' to be compatible with the shape of '{ty}'.", text())))
}

fn fits_dtype(constant: &Constant, dtype: DType) -> bool {
    let small = |part: f64| !part.is_finite() || part.abs() <= dtype.greatest();
    match constant {
        Constant::Bool => dtype == DType::Bool,
        Constant::Integer(value) => {
            let within = |value: &i128| (dtype.range().0..=dtype.range().1).contains(value);
            dtype.class() == Class::Integer && value.as_ref().is_some_and(within)
        }
        Constant::Floating(value) => dtype.class() == Class::Floating && small(*value),
        Constant::Complex(real, imaginary) => {
            dtype.class() == Class::Complex && small(*real) && small(*imaginary)
        }
        Constant::Text => dtype == DType::Str,
        Constant::Array(other, _) => {
            *other == dtype
                || (other.class() == dtype.class() && dtype.class() != Class::Brain && dtype.holds(*other))
        }
    }
}

fn fits_shape(constant: &Constant, dimensions: &[Option<i64>]) -> bool {
    let Constant::Array(_, sizes) = constant else { return dimensions.is_empty() };
    let fits = |(size, dimension): (&i64, &Option<i64>)| dimension.is_none_or(|dimension| dimension == *size);
    sizes.len() == dimensions.len() && sizes.iter().zip(dimensions).all(fits)
}

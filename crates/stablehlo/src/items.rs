//! Values of the text, with their types.

use std::fmt;

use gw_types::{DType, Dim, TensorType};

use crate::refused::{Made, Refused};

/// Element type and lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ty {
    pub dtype: DType,
    pub lengths: Vec<usize>,
}

impl Ty {
    pub fn new(dtype: DType, lengths: Vec<usize>) -> Self {
        Self { dtype, lengths }
    }

    pub fn scalar(dtype: DType) -> Self {
        Self::new(dtype, Vec::new())
    }

    /// The type of a parameter that has these lengths.
    pub fn of_param(ty: &TensorType, lengths: &[usize]) -> Made<Self> {
        let fits = |(dim, n): (&Dim, &usize)| dim.fixed().is_none_or(|fixed| fixed == *n);
        if ty.rank() != lengths.len() || !ty.shape.0.iter().zip(lengths).all(fits) {
            return Err(Refused::new(format!(
                "lengths {lengths:?} do not fit a parameter of shape {}",
                ty.shape
            )));
        }
        if ty.dtype == DType::Str {
            return Err(Refused::new("StableHLO has no strings"));
        }
        Ok(Self::new(ty.dtype, lengths.to_vec()))
    }

    pub fn with(&self, dtype: DType) -> Self {
        Self::new(dtype, self.lengths.clone())
    }

    pub fn rank(&self) -> usize {
        self.lengths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lengths.contains(&0)
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        self.lengths.iter().try_for_each(|n| write!(f, "{n}x"))?;
        f.write_str(match self.dtype {
            DType::Bool => "i1",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::U8 => "ui8",
            DType::U16 => "ui16",
            DType::U32 => "ui32",
            DType::U64 => "ui64",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::C64 => "complex<f32>",
            DType::C128 => "complex<f64>",
            DType::Str => "!none",
        })?;
        f.write_str(">")
    }
}

/// A value of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub name: String,
    pub ty: Ty,
    /// An integer, or a truth value as 0 or 1, that follows from the lengths alone.
    pub known: Option<i64>,
}

impl Item {
    pub fn new(name: String, ty: Ty) -> Self {
        Self { name, ty, known: None }
    }

    pub fn dtype(&self) -> DType {
        self.ty.dtype
    }

    pub fn lengths(&self) -> &[usize] {
        &self.ty.lengths
    }
}

/// The types of items, as an op's type lists them.
pub(crate) fn types<'a>(items: impl IntoIterator<Item = &'a Item>) -> String {
    let types: Vec<String> = items.into_iter().map(|item| item.ty.to_string()).collect();
    format!("({})", types.join(", "))
}

/// The names of items.
pub(crate) fn names<'a>(items: impl IntoIterator<Item = &'a Item>) -> String {
    let names: Vec<&str> = items.into_iter().map(|item| item.name.as_str()).collect();
    names.join(", ")
}

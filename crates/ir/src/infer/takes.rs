//! The dtypes that an op takes, and their names in messages.

use gw_types::{DType, Kind};

use crate::Takes;

impl Takes {
    pub(crate) fn holds(self, dtype: DType) -> bool {
        match self {
            Takes::Bools => dtype.kind() == Kind::Bool,
            Takes::Ints => dtype.is_int(),
            Takes::WideInts => dtype == DType::I64,
            Takes::Floats | Takes::Reals => dtype.is_float(),
            Takes::Parts => dtype == DType::F32 || dtype == DType::F64,
            Takes::Complex => dtype.is_complex(),
            Takes::Fields | Takes::Analytic => dtype.is_fractional(),
            Takes::Numbers => dtype.is_int() || dtype.is_float(),
            Takes::AnyNumbers => dtype.is_int() || dtype.is_fractional(),
            Takes::Ordered => !dtype.is_complex(),
            Takes::BoolsAndInts => dtype.kind() == Kind::Bool || dtype.is_int(),
            Takes::Strings => dtype == DType::Str,
            Takes::Own => true,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Takes::Bools => "bool",
            Takes::Ints => "an integer type",
            Takes::WideInts => "int64",
            Takes::Floats | Takes::Reals => "a floating type",
            Takes::Parts => "float32 or float64",
            Takes::Complex => "a complex type",
            Takes::Fields | Takes::Analytic => "a floating or complex type",
            Takes::Numbers => "an integer or floating type",
            Takes::AnyNumbers => "an integer, floating or complex type",
            Takes::Ordered => "a type whose elements have an order",
            Takes::BoolsAndInts => "bool or an integer type",
            Takes::Strings => "string",
            Takes::Own => "what its page says",
        }
    }
}

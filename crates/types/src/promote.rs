//! The element type in which tensors meet, which one a Python number takes beside a tensor (weak promotion), and that of a
//! true division.

use crate::{DType, Kind, Scalar};

/// Rule by which tensors of different element types meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Promotion {
    /// In the least type of the greater kind that holds both; see [`DType::join`].
    #[default]
    Standard,
    /// Not at all: the program converts one of them.
    Strict,
}

impl Promotion {
    /// Every mode, in the table's order.
    pub const ALL: [Promotion; 2] = [Promotion::Standard, Promotion::Strict];

    /// The name in Python.
    pub fn text(self) -> &'static str {
        match self {
            Promotion::Standard => "standard",
            Promotion::Strict => "strict",
        }
    }

    /// The element type in which two tensors meet; none if they do not. A string meets strings alone.
    pub fn join(self, a: DType, b: DType) -> Option<DType> {
        match self {
            _ if a == b => Some(a),
            Promotion::Standard => a.join(b),
            Promotion::Strict => None,
        }
    }

    /// The element type in which one name holds a tensor of `dtype` on one path and a Python number on another: the
    /// tensor's, or one that holds every number; none if the number may not change the tensor's type.
    pub fn join_number(self, dtype: DType, number: Number) -> Option<DType> {
        match self {
            _ if number.kind().is_in(dtype.kind()) => Some(dtype),
            Promotion::Standard if dtype.is_number() => Some(number.own_dtype()),
            Promotion::Standard | Promotion::Strict => None,
        }
    }
}

impl DType {
    /// The element type in which two meet: that of the greater kind; of two integers the least that holds both, of two
    /// floats the wider; `float16` and `bfloat16` meet in `float32`; a float and a complex type in one whose parts hold both. None holds all of `uint64` and of a type with a sign. A
    /// string meets strings alone.
    pub fn join(self, other: DType) -> Option<DType> {
        let (low, high) = if self.kind() <= other.kind() { (self, other) } else { (other, self) };
        match (low.kind(), high.kind()) {
            (Kind::Text, Kind::Text) => Some(high),
            (Kind::Text, _) => None,
            (Kind::Int, Kind::Int) => low.join_integers(high),
            (Kind::Float, Kind::Float) if low != high && low.size() == high.size() => Some(DType::F32),
            (Kind::Float, Kind::Float) => Some(low.max(high)),
            (Kind::Float, Kind::Complex) => Some(low.complex().max(high)),
            (Kind::Complex, Kind::Complex) => Some(low.max(high)),
            (Kind::Bool | Kind::Int | Kind::Float | Kind::Complex, _) => Some(high),
        }
    }

    /// The element type in which NumPy's arrays of two types meet: an integer and a float in a float that holds both, `uint64` and
    /// an integer with a sign in `float64`. NumPy has no `bfloat16`, which meets as [`DType::join`] says.
    pub fn join_arrays(self, other: DType) -> Option<DType> {
        let (low, high) = if self.kind() <= other.kind() { (self, other) } else { (other, self) };
        match (low.kind(), high.kind()) {
            (Kind::Int, Kind::Int) => low.join(high).or(Some(DType::F64)),
            (Kind::Int, Kind::Float | Kind::Complex) => low.fraction().join(high),
            (Kind::Bool | Kind::Int | Kind::Float | Kind::Complex | Kind::Text, _) => low.join(high),
        }
    }

    /// The least float that NumPy takes for the numbers of an integer type.
    fn fraction(self) -> DType {
        match self.size() {
            1 => DType::F16,
            2 => DType::F32,
            _ => DType::F64,
        }
    }

    /// The least integer type that holds the numbers of two.
    fn join_integers(self, other: DType) -> Option<DType> {
        let (least, most) = (self.ends()?.0.min(other.ends()?.0), self.ends()?.1.max(other.ends()?.1));
        let holds = |of: &DType| of.ends().is_some_and(|ends| ends.0 <= least && most <= ends.1);
        DType::ALL.iter().copied().filter(holds).min_by_key(|of| (of.size(), !of.is_unsigned()))
    }
}

/// A Python number as a type: it has a kind, and takes its width from the tensor that it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    /// `True`
    Bool,
    /// `True` on one path and `1` on another: which it is, is decided when the graph runs.
    BoolOrInt,
    /// `1`
    Int,
    /// `1` (or `True`) on one path and `1.0` on another.
    IntOrFloat,
    /// `1.0`
    Float,
    /// `1.0` (or `1`, `True`) on one path and `1j` on another.
    FloatOrComplex,
    /// `1j`
    Complex,
}

impl Number {
    /// Python number that a scalar is; a string is none.
    pub fn of(scalar: Scalar) -> Option<Number> {
        match scalar {
            Scalar::Bool(_) => Some(Number::Bool),
            Scalar::Int(_) | Scalar::Nat(_) => Some(Number::Int),
            Scalar::Float(_) => Some(Number::Float),
            Scalar::Complex(..) => Some(Number::Complex),
            Scalar::Text(_) => None,
        }
    }

    /// The name of its class in Python.
    pub fn python_name(self) -> &'static str {
        match self {
            Number::Bool => "bool",
            Number::BoolOrInt | Number::Int => "int",
            Number::IntOrFloat | Number::Float => "float",
            Number::FloatOrComplex | Number::Complex => "complex",
        }
    }

    /// The element type of a tensor made from such a number alone: `bool`, `int32`, `float32`, `complex64`.
    pub fn default_dtype(self) -> DType {
        match self {
            Number::Bool => DType::Bool,
            Number::BoolOrInt | Number::Int => DType::I32,
            Number::IntOrFloat | Number::Float => DType::F32,
            Number::FloatOrComplex | Number::Complex => DType::C64,
        }
    }

    /// The element type in which the graph computes with such numbers alone: as wide as the host's own.
    pub fn own_dtype(self) -> DType {
        match self {
            Number::Bool => DType::Bool,
            Number::BoolOrInt | Number::Int => DType::I64,
            Number::IntOrFloat | Number::Float => DType::F64,
            Number::FloatOrComplex | Number::Complex => DType::C128,
        }
    }

    /// The kind of number.
    pub fn kind(self) -> Kind {
        match self {
            Number::Bool => Kind::Bool,
            Number::BoolOrInt | Number::Int => Kind::Int,
            Number::IntOrFloat | Number::Float => Kind::Float,
            Number::FloatOrComplex | Number::Complex => Kind::Complex,
        }
    }

    /// True if which of several types it has is decided when the graph runs.
    pub fn is_open(self) -> bool {
        matches!(self, Number::BoolOrInt | Number::IntOrFloat | Number::FloatOrComplex)
    }

    /// A number that is of one of two types, on different paths. Arithmetic of both gives the greater instead.
    pub fn or(self, other: Number) -> Number {
        match self.max(other) {
            _ if self == other => self,
            Number::Bool | Number::BoolOrInt | Number::Int => Number::BoolOrInt,
            Number::IntOrFloat | Number::Float => Number::IntOrFloat,
            Number::FloatOrComplex | Number::Complex => Number::FloatOrComplex,
        }
    }

    /// The type in the host's words.
    pub fn text(self) -> &'static str {
        match self {
            Number::Bool => "a Python `bool`",
            Number::BoolOrInt => "a Python `bool` or `int`",
            Number::Int => "a Python `int`",
            Number::IntOrFloat => "a Python `int` or `float`",
            Number::Float => "a Python `float`",
            Number::FloatOrComplex => "a Python `float` or `complex`",
            Number::Complex => "a Python `complex`",
        }
    }
}

/// The type in which a tensor of `dtype` and a Python number meet: the tensor's own, unless the number's kind is higher;
/// `int32` and narrower with `1.5` is `float32`, `float32` with `1j` is `complex64`. Bools and what is 64 bits wide meet a number as Python computes it, in
/// `int64` or `float64`.
pub fn join_weak(dtype: DType, number: Number) -> DType {
    if number.kind() <= dtype.kind() {
        dtype
    } else if dtype.is_float() {
        dtype.complex()
    } else if dtype.is_int() && dtype.size() <= 4 {
        number.default_dtype()
    } else {
        number.own_dtype()
    }
}

/// The type of `a / b` on tensors of `dtype`: floats and complex types keep theirs; integers and bools divide in `float64`, which is what
/// Python's `/` computes in.
pub fn true_division(dtype: DType) -> DType {
    if dtype.is_fractional() { dtype } else { DType::F64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_meet_in_the_greater_type() {
        let numbers = [DType::Bool, DType::I32, DType::I64, DType::F32, DType::F64];
        for (at, &a) in numbers.iter().enumerate() {
            for (other, &b) in numbers.iter().enumerate() {
                assert_eq!(Promotion::Standard.join(a, b), Some(numbers[at.max(other)]));
                assert_eq!(Promotion::Strict.join(a, b), (a == b).then_some(a));
            }
            assert_eq!(Promotion::Standard.join(a, DType::Str), None);
        }
        assert_eq!(Promotion::Strict.join(DType::Str, DType::Str), Some(DType::Str));
    }

    #[test]
    fn arrays_of_integers_and_floats_meet_in_a_float_that_holds_both() {
        assert_eq!(DType::I8.join_arrays(DType::F16), Some(DType::F16));
        assert_eq!(DType::F16.join_arrays(DType::U16), Some(DType::F32));
        assert_eq!(DType::I32.join_arrays(DType::F32), Some(DType::F64));
        assert_eq!(DType::I8.join_arrays(DType::BF16), Some(DType::F32));
        assert_eq!(DType::U64.join_arrays(DType::I8), Some(DType::F64));
        assert_eq!(DType::I64.join_arrays(DType::C64), Some(DType::C128));
        assert_eq!(DType::I16.join_arrays(DType::C64), Some(DType::C64));
        assert_eq!(DType::Bool.join_arrays(DType::F16), Some(DType::F16));
        assert_eq!(DType::I8.join_arrays(DType::Str), None);
    }

    #[test]
    fn a_complex_type_holds_the_parts_of_both() {
        let join = |a, b| Promotion::Standard.join(a, b);
        assert_eq!(join(DType::F32, DType::C64), Some(DType::C64));
        assert_eq!(join(DType::F64, DType::C64), Some(DType::C128));
        assert_eq!(join(DType::C64, DType::F64), Some(DType::C128));
        assert_eq!(join(DType::BF16, DType::C64), Some(DType::C64));
        assert_eq!(join(DType::C64, DType::C128), Some(DType::C128));
        assert_eq!(join(DType::I64, DType::C64), Some(DType::C64));
        assert_eq!(join(DType::Bool, DType::C128), Some(DType::C128));
        assert_eq!(join(DType::Str, DType::C64), None);
    }

    #[test]
    fn numbers_of_two_types_stay_in_doubt_until_arithmetic_decides() {
        assert_eq!(Number::Int.or(Number::Float), Number::IntOrFloat);
        assert_eq!(Number::Bool.or(Number::Int), Number::BoolOrInt);
        assert_eq!(Number::Bool.or(Number::Float), Number::IntOrFloat);
        assert_eq!(Number::IntOrFloat.or(Number::Float), Number::IntOrFloat);
        assert_eq!(Number::Int.or(Number::Int), Number::Int);
        assert_eq!(Number::IntOrFloat.max(Number::Float), Number::Float);
        assert_eq!(Number::IntOrFloat.max(Number::Int), Number::IntOrFloat);
        assert_eq!(Number::BoolOrInt.max(Number::Int), Number::Int);
    }

    #[test]
    fn a_name_holds_a_tensor_or_a_number() {
        assert_eq!(Promotion::Standard.join_number(DType::I64, Number::Float), Some(DType::F64));
        assert_eq!(Promotion::Strict.join_number(DType::I64, Number::Float), None);
        assert_eq!(Promotion::Strict.join_number(DType::F32, Number::Int), Some(DType::F32));
        assert_eq!(Promotion::Standard.join_number(DType::Str, Number::Int), None);
    }

    #[test]
    fn numbers_take_the_tensors_width() {
        assert_eq!(join_weak(DType::F64, Number::Float), DType::F64);
        assert_eq!(join_weak(DType::F32, Number::Int), DType::F32);
        assert_eq!(join_weak(DType::I64, Number::Int), DType::I64);
        assert_eq!(join_weak(DType::I32, Number::Float), DType::F32);
        assert_eq!(join_weak(DType::I64, Number::Float), DType::F64);
        assert_eq!(join_weak(DType::Bool, Number::Int), DType::I64);
        assert_eq!(join_weak(DType::Bool, Number::Float), DType::F64);
        assert_eq!(join_weak(DType::F16, Number::Complex), DType::C64);
        assert_eq!(join_weak(DType::F64, Number::Complex), DType::C128);
        assert_eq!(join_weak(DType::I32, Number::Complex), DType::C64);
        assert_eq!(join_weak(DType::I64, Number::Complex), DType::C128);
        assert_eq!(join_weak(DType::C64, Number::Complex), DType::C64);
        assert_eq!(join_weak(DType::C64, Number::Float), DType::C64);
    }
}

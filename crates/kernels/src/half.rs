//! Numbers of half precision, which stand in the lowest 16 bits of a word.

use ::half::{bf16, f16};

use crate::{Function, Word};

/// A floating type of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// 5 bits of exponent, 10 of fraction.
    F16,
    /// 8 bits of exponent, 7 of fraction.
    BF16,
}

macro_rules! conversions {
    ($($ty:ident $single:ident $from_single:ident $from_double:ident;)*) => {$(
        extern "C" fn $single(bits: i32) -> f32 {
            $ty::from_bits(bits as u16).to_f32()
        }
        extern "C" fn $from_single(number: f32) -> i32 {
            $ty::from_f32(number).to_bits().into()
        }
        extern "C" fn $from_double(number: f64) -> i32 {
            $ty::from_f64(number).to_bits().into()
        }
    )*};
}

conversions! {
    f16 single_of_f16 f16_of_single f16_of_double;
    bf16 single_of_bf16 bf16_of_single bf16_of_double;
}

fn function(name: &'static str, params: &'static [Word], result: Word, address: *const u8) -> Function {
    Function { name, params, result: Some(result), address, formula: None }
}

impl Half {
    /// Both.
    pub const ALL: [Half; 2] = [Half::F16, Half::BF16];

    /// The number in single precision.
    pub fn to_single(self) -> Function {
        match self {
            Half::F16 => function("single_of_f16", &[Word::I32], Word::F32, single_of_f16 as *const u8),
            Half::BF16 => function("single_of_bf16", &[Word::I32], Word::F32, single_of_bf16 as *const u8),
        }
    }

    /// The nearest one, ties to even.
    pub fn from_single(self) -> Function {
        match self {
            Half::F16 => function("f16_of_single", &[Word::F32], Word::I32, f16_of_single as *const u8),
            Half::BF16 => function("bf16_of_single", &[Word::F32], Word::I32, bf16_of_single as *const u8),
        }
    }

    /// The nearest one of a double, ties to even.
    pub fn from_double(self) -> Function {
        match self {
            Half::F16 => function("f16_of_double", &[Word::F64], Word::I32, f16_of_double as *const u8),
            Half::BF16 => function("bf16_of_double", &[Word::F64], Word::I32, bf16_of_double as *const u8),
        }
    }
}

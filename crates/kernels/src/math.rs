//! Functions of one or two numbers, in both precisions.
//!
//! They are those of [`Single`] and [`Double`] where these have the function. Else double precision is the C library's, and
//! single is computed in double and rounded once, so it is within 0.52 ulp wherever the double is good.

use crate::division::floor_div_mod;
use crate::{Angle, Double, DoublePair, Formula, Function, Single, SinglePair, Word, one};

/// The functions that have no machine instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Math {
    /// `e^x`
    Exp,
    /// `e^x - 1`
    Expm1,
    /// `ln x`
    Log,
    /// `log₂ x`
    Log2,
    /// `ln (1 + x)`
    Log1p,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse tangent.
    Atan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Hyperbolic sine.
    Sinh,
    /// Inverse hyperbolic sine.
    Asinh,
    /// Hyperbolic tangent.
    Tanh,
    /// Error function.
    Erf,
    /// `x ^ y`
    Pow,
    /// `x ^ 3`
    Cube,
    /// The angle of `(y, x)`.
    Atan2,
    /// Python's `x // y` of floats.
    FloorDiv,
    /// Python's `x % y` of floats.
    Mod,
}

/// The two precisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MathFloat {
    /// Single.
    F32,
    /// Double.
    F64,
}

macro_rules! functions {
    ($($op:ident $name32:ident $name64:ident ($($arg:ident),*) $body:expr, [$($own:ident)*];)*) => {
        $(
            functions!(@define $name32 $name64 ($($arg),*) $body, [$($own)*]);
        )*
        impl Math {
            /// Every function.
            pub const ALL: &[Math] = &[$(Math::$op),*];

            /// The function of this precision.
            pub fn function(self, float: MathFloat) -> Function {
                match (self, float) {
                    $(
                        (Math::$op, MathFloat::F32) => {
                            let (address, formula) = functions!(@single $op $name32 [$($own)*]);
                            let params = &[$(functions!(@word F32 $arg)),*];
                            Function { name: stringify!($name32), params, result: Some(Word::F32), address, formula }
                        }
                        (Math::$op, MathFloat::F64) => {
                            let (address, formula) = functions!(@double $op $name64 [$($own)*]);
                            let params = &[$(functions!(@word F64 $arg)),*];
                            Function { name: stringify!($name64), params, result: Some(Word::F64), address, formula }
                        }
                    )*
                }
            }
        }
    };
    (@word $word:ident $arg:ident) => { Word::$word };
    (@define $name32:ident $name64:ident ($($arg:ident),*) $body:expr, []) => {
        extern "C" fn $name32($($arg: f32),*) -> f32 {
            $(let $arg = f64::from($arg);)*
            $body as f32
        }
        extern "C" fn $name64($($arg: f64),*) -> f64 { $body }
    };
    (@define $name32:ident $name64:ident ($($arg:ident),*) $body:expr, [Single]) => {
        extern "C" fn $name64($($arg: f64),*) -> f64 { $body }
    };
    (@define $name32:ident $name64:ident ($($arg:ident),*) $body:expr, [SinglePair]) => {
        extern "C" fn $name64($($arg: f64),*) -> f64 { $body }
    };
    (@define $name32:ident $name64:ident ($($arg:ident),*) $body:expr, [SinglePair DoublePair]) => {};
    (@define $name32:ident $name64:ident ($($arg:ident),*) $body:expr, [Double]) => {
        extern "C" fn $name32($($arg: f32),*) -> f32 {
            $(let $arg = f64::from($arg);)*
            $body as f32
        }
    };
    (@define $name32:ident $name64:ident ($($arg:ident),*) $body:expr, [Single Double]) => {};
    (@single $op:ident $name:ident [$(Double)?]) => { ($name as *const u8, None) };
    (@single $op:ident $name:ident [Single $($double:ident)?]) => {
        (one::single(Single::$op), Some(Formula::Single(Single::$op)))
    };
    (@single $op:ident $name:ident [SinglePair $($double:ident)?]) => {
        (one::single_pair(SinglePair::$op), Some(Formula::SinglePair(SinglePair::$op)))
    };
    (@double $op:ident $name:ident [$(Single)?]) => { ($name as *const u8, None) };
    (@double $op:ident $name:ident [SinglePair]) => { ($name as *const u8, None) };
    (@double $op:ident $name:ident [SinglePair DoublePair]) => {
        (one::double_pair(DoublePair::$op), Some(Formula::DoublePair(DoublePair::$op)))
    };
    (@double $op:ident $name:ident [$(Single)? Double]) => {
        (one::double(Double::$op), Some(Formula::Double(Double::$op)))
    };
}

functions! {
    Exp exp_f32 exp_f64 (x) x.exp(), [Single Double];
    Expm1 expm1_f32 expm1_f64 (x) x.exp_m1(), [Single Double];
    Log log_f32 log_f64 (x) x.ln(), [Single Double];
    Log2 log2_f32 log2_f64 (x) x.log2(), [Single Double];
    Log1p log1p_f32 log1p_f64 (x) x.ln_1p(), [Single Double];
    Sin sin_f32 sin_f64 (x) x.sin(), [Single Double];
    Cos cos_f32 cos_f64 (x) x.cos(), [Single Double];
    Tan tan_f32 tan_f64 (x) x.tan(), [Single Double];
    Atan atan_f32 atan_f64 (x) x.atan(), [Single Double];
    Asin asin_f32 asin_f64 (x) x.asin(), [Single Double];
    Acos acos_f32 acos_f64 (x) x.acos(), [Single Double];
    Sinh sinh_f32 sinh_f64 (x) x.sinh(), [Single Double];
    Asinh asinh_f32 asinh_f64 (x) libm::asinh(x), [Single Double];
    Tanh tanh_f32 tanh_f64 (x) x.tanh(), [Single Double];
    Erf erf_f32 erf_f64 (x) libm::erf(x), [Single Double];
    Pow pow_f32 pow_f64 (x, y) x.powf(y), [SinglePair DoublePair];
    Cube cube_f32 cube_f64 (x) x * x * x, [Double];
    Atan2 atan2_f32 atan2_f64 (y, x) y.atan2(x), [SinglePair DoublePair];
    FloorDiv floor_div_f32 floor_div_f64 (x, y) floor_div_mod(x, y).0, [];
    Mod mod_f32 mod_f64 (x, y) floor_div_mod(x, y).1, [SinglePair DoublePair];
}

impl Angle {
    /// The function of one number.
    pub fn function(self, float: MathFloat) -> Function {
        match self {
            Angle::Sin => Math::Sin.function(float),
            Angle::Cos => Math::Cos.function(float),
            Angle::Tan => Math::Tan.function(float),
        }
    }
}

macro_rules! integer_power {
    ($name:ident $extern:ident $ty:ident $word:ident) => {
        extern "C" fn $extern(mut base: $ty, mut exponent: $ty) -> $ty {
            let mut power: $ty = 1;
            while exponent > 0 {
                if exponent & 1 == 1 {
                    power = power.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                exponent >>= 1;
            }
            power
        }
        /// `x ^ y`, wrapping; 1 for a negative `y`.
        pub fn $name() -> Function {
            Function {
                name: stringify!($name),
                params: &[Word::$word, Word::$word],
                result: Some(Word::$word),
                address: $extern as *const u8,
                formula: None,
            }
        }
    };
}

integer_power!(pow_i32 power_i32 i32 I32);
integer_power!(pow_i64 power_i64 i64 I64);

extern "C" fn power_fits(base: i64, exponent: i64, bits: i64) -> i64 {
    let exponent =
        u32::try_from(exponent.max(0)).unwrap_or(if exponent % 2 == 0 { u32::MAX - 1 } else { u32::MAX });
    let fits = |power: i64| bits == 64 || i32::try_from(power).is_ok();
    i64::from(base.checked_pow(exponent).is_some_and(fits))
}

/// 1 if `x ^ y` is an integer of so many bits, 32 or 64, else 0; `y` is not negative.
pub fn pow_fits() -> Function {
    Function {
        name: "pow_fits",
        params: &[Word::I64, Word::I64, Word::I64],
        result: Some(Word::I64),
        address: power_fits as *const u8,
        formula: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;

    #[test]
    fn floats_divide_as_python_does() {
        for (x, y, expected) in [
            (7.0, 2.0, (3.0, 1.0)),
            (-7.0, 2.0, (-4.0, 1.0)),
            (7.0, -2.0, (-4.0, -1.0)),
            (-7.0, -2.0, (3.0, -1.0)),
            (0.3, 0.1, (2.0, 0.3 % 0.1)),
            (6.0, 3.0, (2.0, 0.0)),
        ] {
            assert_eq!(floor_div_mod(x, y), expected, "{x} by {y}");
        }
        assert_eq!(floor_div_mod(1.0, 0.0).0, f64::INFINITY);
        assert!(floor_div_mod(1.0, 0.0).1.is_nan());
        assert!(floor_div_mod(-0.0, 3.0).0.is_sign_negative());
    }

    #[test]
    fn single_precision_is_correctly_rounded_where_double_is() {
        for x in [-3.7f32, -0.1, 1e-6, 0.5, 2.0, 80.0] {
            assert_eq!(x.rest(0.7), f64::from(x).rem_euclid(f64::from(0.7f32)) as f32);
        }
    }

    #[test]
    fn integer_powers_wrap() {
        assert_eq!(power_i32(3, 4), 81);
        assert_eq!(power_i32(2, 32), 0);
        assert_eq!(power_i64(-2, 63), i64::MIN);
        assert_eq!(power_i64(0, 0), 1);
    }

    #[test]
    fn powers_fit_up_to_the_ends() {
        for (base, exponent, bits, fits) in
            [(-2, 63, 64, 1), (2, 63, 64, 0), (-2, 31, 32, 1), (2, 31, 32, 0), (-1, i64::MAX, 64, 1)]
        {
            assert_eq!(power_fits(base, exponent, bits), fits, "{base} ** {exponent}");
        }
    }

    /// Numbers of all sizes, small whole ones and ends, with both signs.
    fn numbers() -> Vec<f64> {
        let ends = [0.0, f64::INFINITY, f64::NAN, f64::MAX, 5e-324, 1.1e15, 1.2e15, 2.2e6, 1.9e6, 1e-40];
        let all = (0..=u64::MAX >> 1).step_by(31_000_000_000_000_007).map(f64::from_bits);
        let single = (0..=u32::MAX >> 1).step_by(9_000_011).map(|bits| f64::from(f32::from_bits(bits)));
        let small = (1..60).map(|i| f64::from(i) * 0.25);
        let near = (1..60).map(|i| f64::from(i) * 0.1);
        let sizes: Vec<f64> = ends.into_iter().chain(all).chain(single).chain(small).chain(near).collect();
        sizes.iter().copied().chain(sizes.iter().map(|x| -x)).collect()
    }

    #[test]
    fn rests_have_the_bits_that_python_gives() {
        assert_eq!(Math::Mod.function(MathFloat::F32).params, [Word::F32, Word::F32]);
        let address = |float| Math::Mod.function(float).address;
        // SAFETY: the addresses are those of such functions.
        let (single, double) = unsafe {
            (
                std::mem::transmute::<*const u8, extern "C" fn(f32, f32) -> f32>(address(MathFloat::F32)),
                std::mem::transmute::<*const u8, extern "C" fn(f64, f64) -> f64>(address(MathFloat::F64)),
            )
        };
        let numbers = numbers();
        for &x in &numbers {
            for &y in &numbers {
                let (found, wanted) = (double(x, y), x.rest(y));
                assert!(
                    found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
                    "{x} % {y}"
                );
                let (x, y) = (x as f32, y as f32);
                let (found, wanted) = (single(x, y), x.rest(y));
                assert!(
                    found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
                    "{x} % {y}"
                );
            }
        }
    }
}

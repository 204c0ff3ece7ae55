//! The functions of both precisions for one number, by the instructions of the machine that runs this.

use crate::angle::{self, Angle, NEAR, QUARTER};
use crate::double::Double;
use crate::formula::{DoublePair, SinglePair};
use crate::single::Single;
use crate::steps::{Precision, Steps};

macro_rules! addressed {
    ($params:tt $ty:ident $kind:ident $address:ident: $($name:ident $plain:ident $fused:ident $apply:expr;)*) => {
        /// The function's address: where the machine fuses multiplication and addition, the code that does so.
        pub(crate) fn $address(function: $kind) -> *const u8 {
            match function {
                $($kind::$name => if fuses() { $fused as *const u8 } else { $plain as *const u8 },)*
            }
        }
        $(
            extern "C" fn $plain $params -> $ty {
                $apply
            }
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = "fma"))]
            extern "C" fn $fused $params -> $ty {
                $apply
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
fn fuses() -> bool {
    std::arch::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn fuses() -> bool {
    false
}

addressed! {
    (x: f32) f32 Single single:
    Exp exp exp_fused Single::Exp.apply(&mut One, x);
    Expm1 expm1 expm1_fused Single::Expm1.apply(&mut One, x);
    Log log log_fused Single::Log.apply(&mut One, x);
    Log2 log2 log2_fused Single::Log2.apply(&mut One, x);
    Log1p log1p log1p_fused Single::Log1p.apply(&mut One, x);
    Asinh asinh asinh_fused Single::Asinh.apply(&mut One, x);
    Tanh tanh tanh_fused Single::Tanh.apply(&mut One, x);
    Erf erf erf_fused Single::Erf.apply(&mut One, x);
    Sin sin sin_fused Single::Sin.apply(&mut One, x);
    Cos cos cos_fused Single::Cos.apply(&mut One, x);
    Tan tan tan_fused Single::Tan.apply(&mut One, x);
    Atan atan atan_fused Single::Atan.apply(&mut One, x);
    Asin asin asin_fused Single::Asin.apply(&mut One, x);
    Acos acos acos_fused Single::Acos.apply(&mut One, x);
    Sinh sinh sinh_fused Single::Sinh.apply(&mut One, x);
}

addressed! {
    (x: f64) f64 Double double:
    Exp exp_double exp_double_fused Double::Exp.apply(&mut One, x);
    Expm1 expm1_double expm1_double_fused Double::Expm1.apply(&mut One, x);
    Log log_double log_double_fused Double::Log.apply(&mut One, x);
    Log2 log2_double log2_double_fused Double::Log2.apply(&mut One, x);
    Log1p log1p_double log1p_double_fused Double::Log1p.apply(&mut One, x);
    Asinh asinh_double asinh_double_fused Double::Asinh.apply(&mut One, x);
    Tanh tanh_double tanh_double_fused Double::Tanh.apply(&mut One, x);
    Erf erf_double erf_double_fused Double::Erf.apply(&mut One, x);
    Sin sin_double sin_double_fused of_angle(Angle::Sin, x);
    Cos cos_double cos_double_fused of_angle(Angle::Cos, x);
    Tan tan_double tan_double_fused of_angle(Angle::Tan, x);
    Atan atan_double atan_double_fused Double::Atan.apply(&mut One, x);
    Asin asin_double asin_double_fused Double::Asin.apply(&mut One, x);
    Acos acos_double acos_double_fused Double::Acos.apply(&mut One, x);
    Sinh sinh_double sinh_double_fused Double::Sinh.apply(&mut One, x);
    Cube cube_double cube_double_fused Double::Cube.apply(&mut One, x);
}

addressed! {
    (x: f32, y: f32) f32 SinglePair single_pair:
    Pow pow pow_fused SinglePair::Pow.apply(&mut One, x, y);
    Atan2 atan2 atan2_fused SinglePair::Atan2.apply(&mut One, x, y);
    Mod rest rest_fused SinglePair::Mod.apply(&mut One, x, y);
}

addressed! {
    (y: f64, x: f64) f64 DoublePair double_pair:
    Pow pow_double pow_double_fused DoublePair::Pow.apply(&mut One, y, x);
    Atan2 atan2_double atan2_double_fused DoublePair::Atan2.apply(&mut One, y, x);
    Mod rest_double rest_double_fused DoublePair::Mod.apply(&mut One, y, x);
}

/// Small angles need less, and who waits for one number waits for each step.
#[inline(always)]
fn of_angle(angle: Angle, x: f64) -> f64 {
    if x.abs() < NEAR {
        angle.near(&mut One, x)
    } else if (x.abs() - QUARTER).abs() < NEAR {
        angle.one_off(&mut One, x)
    } else {
        angle::double(&mut One, angle, x)
    }
}

/// One number.
struct One;

macro_rules! of_one {
    ($float:ident $bits:ident) => {
        impl Steps<$float> for One {
            type Float = $float;
            type Bits = $bits;
            type Test = bool;

            #[inline(always)]
            fn real(&mut self, value: $float) -> $float {
                value
            }
            #[inline(always)]
            fn int(&mut self, value: i64) -> $bits {
                value as $bits
            }
            #[inline(always)]
            fn add(&mut self, x: $float, y: $float) -> $float {
                x + y
            }
            #[inline(always)]
            fn sub(&mut self, x: $float, y: $float) -> $float {
                x - y
            }
            #[inline(always)]
            fn mul(&mut self, x: $float, y: $float) -> $float {
                x * y
            }
            #[inline(always)]
            fn div(&mut self, x: $float, y: $float) -> $float {
                x / y
            }
            #[inline(always)]
            fn root(&mut self, x: $float) -> $float {
                x.sqrt()
            }
            #[inline(always)]
            fn fma(&mut self, x: $float, y: $float, z: $float) -> $float {
                x.mul_add(y, z)
            }
            #[inline(always)]
            fn below(&mut self, x: $float, y: $float) -> bool {
                x < y
            }
            #[inline(always)]
            fn same(&mut self, x: $float, y: $float) -> bool {
                x == y
            }
            #[inline(always)]
            fn nearest(&mut self, x: $float) -> $float {
                x.round_ties_even()
            }
            #[inline(always)]
            fn entry<const N: usize>(&mut self, table: &'static [$float; N], at: $bits) -> $float {
                table[at as usize & (N - 1)]
            }
            #[inline(always)]
            fn select(&mut self, test: bool, x: $float, y: $float) -> $float {
                if test { x } else { y }
            }
            #[inline(always)]
            fn bits(&mut self, x: $float) -> $bits {
                x.to_bits() as $bits
            }
            #[inline(always)]
            fn float(&mut self, x: $bits) -> $float {
                $float::from_bits(x as _)
            }
            #[inline(always)]
            fn plus(&mut self, x: $bits, y: $bits) -> $bits {
                x.wrapping_add(y)
            }
            #[inline(always)]
            fn minus(&mut self, x: $bits, y: $bits) -> $bits {
                x.wrapping_sub(y)
            }
            #[inline(always)]
            fn both(&mut self, x: $bits, y: $bits) -> $bits {
                x & y
            }
            #[inline(always)]
            fn either(&mut self, x: $bits, y: $bits) -> $bits {
                x | y
            }
            #[inline(always)]
            fn differ(&mut self, x: $bits, y: $bits) -> $bits {
                x ^ y
            }
            #[inline(always)]
            fn left(&mut self, x: $bits, by: u8) -> $bits {
                x << by
            }
            #[inline(always)]
            fn right(&mut self, x: $bits, by: u8) -> $bits {
                x >> by
            }
            #[inline(always)]
            fn beyond(&mut self, far: bool, angle: Angle, x: $float, found: $float) -> $float {
                if far { x.exact(angle) } else { found }
            }
            #[inline(always)]
            fn beyond_rest(&mut self, far: bool, x: $float, y: $float, found: $float) -> $float {
                if far { x.rest(y) } else { found }
            }
        }
    };
}

of_one!(f32 i32);
of_one!(f64 i64);

#[cfg(test)]
mod tests {
    use super::*;

    fn function(function: Single) -> impl Fn(f32) -> f32 + Copy {
        // SAFETY: the address is that of such a function.
        let found = unsafe { std::mem::transmute::<*const u8, extern "C" fn(f32) -> f32>(single(function)) };
        move |x| found(x)
    }

    /// The distance of a result from the exact one, in units of the last place.
    fn ulps(found: f32, exact: f64) -> f64 {
        if exact.is_nan() || exact.abs() > f64::from(f32::MAX) {
            let same = found == exact as f32 || found.is_nan() && exact.is_nan();
            return if same { 0.0 } else { f64::INFINITY };
        }
        let exponent = (exact.abs().log2().floor() as i32).max(f32::MIN_EXP - 1);
        (f64::from(found) - exact).abs() / 2f64.powi(exponent - 23)
    }

    /// Over all exponents, and over fractions that a prime step chooses.
    #[track_caller]
    fn check(single: Single, exact: fn(f64) -> f64, bound: f64) {
        let numbers = (0..=u32::MAX).step_by(40_009).map(f32::from_bits);
        let near = (-60_000..60_000).map(|i| i as f32 * 1e-4);
        let error = |x: f32| (ulps(function(single)(x), exact(f64::from(x))), x);
        let worst = numbers.chain(near).map(error).fold((0.0, 0.0), |a, b| if a.0 < b.0 { b } else { a });
        assert!(worst.0 <= bound, "{single:?}: {} ulp at {}", worst.0, worst.1);
    }

    #[test]
    fn errors_are_within_their_bounds() {
        check(Single::Exp, f64::exp, 1.1);
        check(Single::Expm1, f64::exp_m1, 2.0);
        check(Single::Log, f64::ln, 1.0);
        check(Single::Log2, f64::log2, 1.6);
        check(Single::Log1p, f64::ln_1p, 1.6);
        check(Single::Asinh, libm::asinh, 3.0);
        check(Single::Tanh, f64::tanh, 2.5);
        check(Single::Erf, libm::erf, 1.5);
        check(Single::Sin, f64::sin, 1.6);
        check(Single::Cos, f64::cos, 1.6);
        check(Single::Tan, f64::tan, 3.5);
        check(Single::Atan, f64::atan, 2.0);
        check(Single::Asin, f64::asin, 1.5);
        check(Single::Acos, f64::acos, 1.5);
        check(Single::Sinh, f64::sinh, 2.0);
    }

    /// Numbers of all sizes, some near whole numbers of quarter turns.
    fn doubles() -> impl Iterator<Item = f64> {
        let all = (0..=u64::MAX).step_by(720_002_803_000_003).map(f64::from_bits);
        let quarters = (-10_000..10_000).map(|i| f64::from(37 * i) * std::f64::consts::FRAC_PI_2);
        let near = (-20_000..20_000).map(|i| f64::from(i) * 2.987_654_321e-4);
        all.chain(quarters).chain(near)
    }

    /// The C library's functions are within 0.6 ulp of the exact ones.
    #[track_caller]
    fn check_double(function: Double, library: fn(f64) -> f64, bound: u64) {
        // SAFETY: the address is that of such a function.
        let found = unsafe { std::mem::transmute::<*const u8, extern "C" fn(f64) -> f64>(double(function)) };
        let place =
            |x: f64| if x < 0.0 { -((x.to_bits() & i64::MAX as u64) as i64) } else { x.to_bits() as i64 };
        for x in doubles() {
            let [found, wanted] = [found(x), library(x)];
            let apart =
                if wanted.is_nan() && found.is_nan() { 0 } else { place(found).abs_diff(place(wanted)) };
            assert!(apart <= bound, "{function:?} of {x}: {found} and not {wanted}");
        }
    }

    #[test]
    fn doubles_are_near_those_of_the_library() {
        check_double(Double::Exp, f64::exp, 1);
        check_double(Double::Expm1, f64::exp_m1, 2);
        check_double(Double::Cube, |x| x.powf(3.0), 1);
        check_double(Double::Log, f64::ln, 1);
        check_double(Double::Log2, f64::log2, 2);
        check_double(Double::Log1p, f64::ln_1p, 2);
        check_double(Double::Asinh, libm::asinh, 3);
        check_double(Double::Tanh, f64::tanh, 3);
        check_double(Double::Erf, libm::erf, 2);
        check_double(Double::Sin, f64::sin, 1);
        check_double(Double::Cos, f64::cos, 1);
        check_double(Double::Tan, f64::tan, 2);
        check_double(Double::Atan, f64::atan, 1);
        check_double(Double::Asin, f64::asin, 2);
        check_double(Double::Acos, f64::acos, 2);
        check_double(Double::Sinh, f64::sinh, 2);
    }

    /// Numbers of all sizes with ends and zeros of both signs, each with each.
    fn pairs() -> impl Iterator<Item = (f32, f32)> {
        let ends = [
            0.0,
            1.0,
            0.5,
            2.0,
            3.0,
            1e-45,
            1e-38,
            f32::MAX,
            8_388_607.0,
            8_388_609.0,
            1.7e7,
            f32::INFINITY,
            f32::NAN,
        ];
        let all = (0..=u32::MAX).step_by(9_000_011).map(f32::from_bits);
        let near = (1..400).map(|i| 0.013 * i as f32);
        let all: Vec<f32> = all.chain(near).chain(ends).chain(ends.map(|end| -end)).collect();
        let others = all.clone();
        all.into_iter().flat_map(move |x| others.clone().into_iter().map(move |y| (x, y)))
    }

    #[track_caller]
    fn check_pair(found: extern "C" fn(f32, f32) -> f32, exact: fn(f64, f64) -> f64, bound: f64) {
        let mut worst = (0.0, (0.0, 0.0));
        for (x, y) in pairs() {
            let (found, exact) = (found(x, y), exact(f64::from(x), f64::from(y)));
            let error = ulps(found, exact);
            assert!(
                exact != 0.0 || found.to_bits() == (exact as f32).to_bits(),
                "of {x} and {y}: {found}, not {exact}"
            );
            worst = if error > worst.0 { (error, (x, y)) } else { worst };
        }
        assert!(worst.0 <= bound, "{} ulp at {:?}", worst.0, worst.1);
    }

    #[test]
    fn functions_of_two_numbers_are_within_their_bounds() {
        check_pair(pow, f64::powf, 0.8);
        check_pair(atan2, f64::atan2, 1.5);
    }

    #[test]
    fn powers_of_singles_that_are_numbers_are_exact() {
        for base in 2..2000u32 {
            let powers = (1..24).map_while(|power| Some((power, base.checked_pow(power)?)));
            for (power, exact) in powers.filter(|(_, exact)| exact >> 24 == 0) {
                assert_eq!(pow(base as f32, power as f32), exact as f32, "{base} ** {power}");
                assert_eq!(pow(exact as f32, 0.5).fract() == 0.0, (exact as f32).sqrt().fract() == 0.0);
                if exact.is_power_of_two() {
                    assert_eq!(pow(base as f32, -(power as f32)), 1.0 / exact as f32);
                }
            }
        }
    }

    #[test]
    fn powers_of_singles_have_the_ends_of_the_library() {
        let ends = pairs().filter(|(x, y)| [*x, *y].iter().all(|of| !of.is_normal() || of.fract() == 0.0));
        for (x, y) in ends {
            let (found, wanted) = (pow(x, y), x.powf(y));
            let near = f64::from(found) / f64::from(wanted) - 1.0;
            let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(
                same || near.abs() < 2e-7 || !wanted.is_normal() && wanted != 0.0,
                "{x} ** {y}: {found}, not {wanted}"
            );
        }
    }

    #[test]
    fn angles_of_vectors_are_near_those_of_the_library() {
        let sizes: Vec<f64> = doubles().step_by(31).chain([0.0, f64::INFINITY, f64::MAX, 1e-310]).collect();
        for &size in &sizes {
            for &other in sizes.iter().step_by(7) {
                for (y, x) in [(size, other), (-size, other), (size, -other), (-size, -other), (other, size)]
                {
                    let [found, wanted] = [atan2_double(y, x), y.atan2(x)];
                    let same =
                        found.is_nan() && wanted.is_nan() || found.to_bits().abs_diff(wanted.to_bits()) <= 2;
                    assert!(same, "of {y} and {x}: {found}, not {wanted}");
                }
            }
        }
    }

    #[test]
    fn small_angles_have_the_same_bits_as_all() {
        for angle in [Angle::Sin, Angle::Cos, Angle::Tan] {
            for x in doubles() {
                let [small, all] = [of_angle(angle, x), angle::double(&mut One, angle, x)];
                assert!(small.to_bits() == all.to_bits() || all.is_nan(), "{angle:?} of {x}");
            }
        }
    }

    #[test]
    fn ends_and_zeros() {
        let [exp, log, tanh, erf] = [Single::Exp, Single::Log, Single::Tanh, Single::Erf].map(function);
        assert_eq!([f32::NEG_INFINITY, -104.0, 0.0, f32::INFINITY].map(exp), [0.0, 0.0, 1.0, f32::INFINITY]);
        assert_eq!([exp(-103.0), exp(88.722_83), exp(88.722_84)].map(f32::is_normal), [false, true, false]);
        assert_eq!(
            [0.0, -0.0, 1.0, f32::INFINITY].map(log),
            [f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0, f32::INFINITY]
        );
        assert!([-1.0, -1e-45, f32::NEG_INFINITY, f32::NAN].map(log).iter().all(|x| x.is_nan()));
        let log1p = function(Single::Log1p);
        assert_eq!([-1.0, 1e-45, f32::INFINITY].map(log1p), [f32::NEG_INFINITY, 1e-45, f32::INFINITY]);
        assert!(log1p(-0.0).is_sign_negative() && log1p(-1.1).is_nan() && log1p(f32::NAN).is_nan());
        let expm1 = function(Single::Expm1);
        assert_eq!([f32::NEG_INFINITY, -30.0, 1e-45, 89.0].map(expm1), [-1.0, -1.0, 1e-45, f32::INFINITY]);
        assert!(expm1(88.722_83).is_normal());
        for odd in [tanh, erf, expm1] {
            assert!(odd(-0.0).is_sign_negative() && odd(f32::NAN).is_nan());
        }
        for odd in [tanh, erf] {
            assert_eq!([f32::NEG_INFINITY, 0.0, 1e-45, f32::INFINITY].map(odd), [-1.0, 0.0, 1e-45, 1.0]);
            assert!(odd(-0.0).is_sign_negative() && odd(f32::NAN).is_nan());
        }
    }

    #[test]
    fn angles_have_their_ends() {
        let [sin, cos] = [Single::Sin, Single::Cos].map(function);
        assert!(sin(-0.0).is_sign_negative() && sin_double(-0.0).is_sign_negative());
        assert_eq!(
            [sin(0.0), cos(0.0), sin(1e-45), sin(3e38)],
            [0.0, 1.0, 1e-45, f64::from(3e38f32).sin() as f32]
        );
        assert!([sin, cos].iter().all(|f| f(f32::INFINITY).is_nan() && f(f32::NAN).is_nan()));
        assert_eq!([sin_double(1e300), cos_double(1e-300)], [1e300f64.sin(), 1.0]);
    }

    #[test]
    fn the_plain_code_gives_the_same() {
        for x in [-3.7f32, -0.5, 1e-6, 0.3, 0.7, 2.0, 80.0, 1e-40] {
            let both = |plain: extern "C" fn(f32) -> f32, single: Single| {
                assert_eq!(plain(x).to_bits(), function(single)(x).to_bits(), "{single:?} of {x}");
            };
            both(exp, Single::Exp);
            if x > -1.0 {
                both(log1p, Single::Log1p);
            }
            both(tanh, Single::Tanh);
            both(erf, Single::Erf);
            both(sin, Single::Sin);
            both(cos, Single::Cos);
            both(tan, Single::Tan);
            both(atan, Single::Atan);
            both(sinh, Single::Sinh);
            if x.abs() <= 1.0 {
                both(asin, Single::Asin);
                both(acos, Single::Acos);
            }
            if x > 0.0 {
                both(log, Single::Log);
            }
        }
    }
}

//! The functions of single precision for one number, by the instructions of the machine that runs this.

use crate::single::{Single, Steps};

/// The function's address: where the machine fuses multiplication and addition, the code that does so.
pub(crate) fn address(function: Single) -> *const u8 {
    match function {
        Single::Exp => pick(exp, exp_fused),
        Single::Log => pick(log, log_fused),
        Single::Log1p => pick(log1p, log1p_fused),
        Single::Tanh => pick(tanh, tanh_fused),
        Single::Erf => pick(erf, erf_fused),
    }
}

#[cfg(target_arch = "x86_64")]
fn pick(plain: extern "C" fn(f32) -> f32, fused: unsafe extern "C" fn(f32) -> f32) -> *const u8 {
    if std::arch::is_x86_feature_detected!("fma") { fused as *const u8 } else { plain as *const u8 }
}

#[cfg(not(target_arch = "x86_64"))]
fn pick(plain: extern "C" fn(f32) -> f32, _: extern "C" fn(f32) -> f32) -> *const u8 {
    plain as *const u8
}

macro_rules! addressed {
    ($($single:ident $plain:ident $fused:ident;)*) => {$(
        extern "C" fn $plain(x: f32) -> f32 {
            Single::$single.apply(&mut One, x)
        }
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "fma"))]
        extern "C" fn $fused(x: f32) -> f32 {
            Single::$single.apply(&mut One, x)
        }
    )*};
}

addressed! {
    Exp exp exp_fused;
    Log log log_fused;
    Log1p log1p log1p_fused;
    Tanh tanh tanh_fused;
    Erf erf erf_fused;
}

/// One number.
struct One;

impl Steps for One {
    type Float = f32;
    type Bits = i32;
    type Test = bool;

    #[inline(always)]
    fn real(&mut self, value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn int(&mut self, value: i32) -> i32 {
        value
    }
    #[inline(always)]
    fn add(&mut self, x: f32, y: f32) -> f32 {
        x + y
    }
    #[inline(always)]
    fn sub(&mut self, x: f32, y: f32) -> f32 {
        x - y
    }
    #[inline(always)]
    fn mul(&mut self, x: f32, y: f32) -> f32 {
        x * y
    }
    #[inline(always)]
    fn div(&mut self, x: f32, y: f32) -> f32 {
        x / y
    }
    #[inline(always)]
    fn fma(&mut self, x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
    #[inline(always)]
    fn below(&mut self, x: f32, y: f32) -> bool {
        x < y
    }
    #[inline(always)]
    fn select(&mut self, test: bool, x: f32, y: f32) -> f32 {
        if test { x } else { y }
    }
    #[inline(always)]
    fn bits(&mut self, x: f32) -> i32 {
        x.to_bits() as i32
    }
    #[inline(always)]
    fn float(&mut self, x: i32) -> f32 {
        f32::from_bits(x as u32)
    }
    #[inline(always)]
    fn number(&mut self, x: i32) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn plus(&mut self, x: i32, y: i32) -> i32 {
        x.wrapping_add(y)
    }
    #[inline(always)]
    fn minus(&mut self, x: i32, y: i32) -> i32 {
        x.wrapping_sub(y)
    }
    #[inline(always)]
    fn both(&mut self, x: i32, y: i32) -> i32 {
        x & y
    }
    #[inline(always)]
    fn either(&mut self, x: i32, y: i32) -> i32 {
        x | y
    }
    #[inline(always)]
    fn left(&mut self, x: i32, by: u8) -> i32 {
        x << by
    }
    #[inline(always)]
    fn right(&mut self, x: i32, by: u8) -> i32 {
        x >> by
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(function: Single) -> impl Fn(f32) -> f32 + Copy {
        // SAFETY: the address is that of such a function.
        let found = unsafe { std::mem::transmute::<*const u8, extern "C" fn(f32) -> f32>(address(function)) };
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
        check(Single::Log, f64::ln, 1.0);
        check(Single::Log1p, f64::ln_1p, 1.6);
        check(Single::Tanh, f64::tanh, 1.4);
        check(Single::Erf, libm::erf, 1.5);
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
        for odd in [tanh, erf] {
            assert_eq!([f32::NEG_INFINITY, 0.0, 1e-45, f32::INFINITY].map(odd), [-1.0, 0.0, 1e-45, 1.0]);
            assert!(odd(-0.0).is_sign_negative() && odd(f32::NAN).is_nan());
        }
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
            if x > 0.0 {
                both(log, Single::Log);
            }
        }
    }
}

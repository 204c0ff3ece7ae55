//! A register of numbers, and one that every machine has.

use crate::rows::Real;

/// A register of numbers.
pub(crate) trait Lanes<T>: Copy {
    /// How many.
    const COUNT: usize;
    /// # Safety
    /// The machine has the registers.
    unsafe fn spread(number: T) -> Self;
    /// # Safety
    /// The machine has the registers, and the numbers lie in memory.
    unsafe fn load(from: *const T) -> Self;
    /// # Safety
    /// The machine has the registers, and there is room for the numbers.
    unsafe fn store(self, to: *mut T);
    /// `x * y + z`, rounded once.
    ///
    /// # Safety
    /// The machine has the registers.
    unsafe fn fused(x: Self, y: Self, z: Self) -> Self;
    /// `x + y`
    ///
    /// # Safety
    /// The machine has the registers.
    unsafe fn plus(x: Self, y: Self) -> Self;
}

/// What the compiler of this library makes registers of by itself.
impl<T: Real, const COUNT: usize> Lanes<T> for [T; COUNT] {
    const COUNT: usize = COUNT;
    #[inline(always)]
    // SAFETY: every machine has it.
    unsafe fn spread(number: T) -> Self {
        [number; COUNT]
    }
    #[inline(always)]
    // SAFETY: what the trait demands of the caller.
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: likewise.
        unsafe { from.cast::<Self>().read_unaligned() }
    }
    #[inline(always)]
    // SAFETY: what the trait demands of the caller.
    unsafe fn store(self, to: *mut T) {
        // SAFETY: likewise.
        unsafe { to.cast::<Self>().write_unaligned(self) }
    }
    #[inline(always)]
    // SAFETY: every machine has it.
    unsafe fn fused(x: Self, y: Self, z: Self) -> Self {
        let own = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
        let product = if own { T::fused } else { T::separate };
        std::array::from_fn(|at| product(x[at], y[at], z[at]))
    }
    #[inline(always)]
    // SAFETY: every machine has it.
    unsafe fn plus(x: Self, y: Self) -> Self {
        std::array::from_fn(|at| T::plus(x[at], y[at]))
    }
}

//! A register of numbers, one that every machine has, and sums of products in registers.

use super::rows::{Pairs, Real};

/// A register of numbers.
pub(crate) trait Lanes<T>: Copy {
    /// Number of lanes.
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

/// Registers that the compiler of this library makes by itself.
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

/// `REGISTERS` of neighbouring elements; gives how many these are. Pair `l` goes to the sums number `l % CHAINS`, which are
/// added in the end: fewer sums would wait for each other.
///
/// # Safety
/// As `rows::rows`, on a machine with the registers; there are so many columns.
#[inline(always)]
pub(crate) unsafe fn sums<T: Real, V: Lanes<T>, const REGISTERS: usize, const CHAINS: usize>(
    out: *mut T,
    pairs: Pairs<T>,
) -> usize {
    // SAFETY: the caller's promise; `l` stays below the number of pairs.
    unsafe {
        let mut chains = [[V::spread(T::ZERO); REGISTERS]; CHAINS];
        let whole = pairs.count - pairs.count % CHAINS;
        let mut first = 0;
        while first < whole {
            for (chain, sums) in chains.iter_mut().enumerate() {
                add(sums, pairs.pair(first + chain));
            }
            first += CHAINS;
        }
        for l in whole..pairs.count {
            add(&mut chains[0], pairs.pair(l));
        }
        let (mut sums, others) = (chains[0], &chains[1..]);
        for other in others {
            for (sum, &other) in sums.iter_mut().zip(other) {
                *sum = V::plus(*sum, other);
            }
        }
        for (at, sum) in sums.iter().enumerate() {
            sum.store(out.add(at * V::COUNT));
        }
    }
    REGISTERS * V::COUNT
}

/// Adds the products of a factor and a row to sums. No closure: what is not part of its caller has not the caller's registers.
///
/// # Safety
/// The row is as long as the registers, and the machine has them.
#[inline(always)]
unsafe fn add<T: Real, V: Lanes<T>, const REGISTERS: usize>(
    sums: &mut [V; REGISTERS],
    (factor, row): (T, *const T),
) {
    // SAFETY: the caller's promise.
    unsafe {
        let factor = V::spread(factor);
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum = V::fused(factor, V::load(row.add(at * V::COUNT)), *sum);
        }
    }
}

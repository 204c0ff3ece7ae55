//! A row times a matrix in registers of 512 and of 256 bits, for machines that have them: what compilers do not do by
//! themselves is to keep the sums in registers.

use std::arch::x86_64::*;

use crate::conv::{self, Taps};
use crate::register::Lanes;
use crate::rows::{Pairs, Real, rows};

pub(crate) use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};

macro_rules! lanes {
    ($register:ident $ty:ident $count:literal $spread:ident $load:ident $store:ident $fused:ident $plus:ident) => {
        impl Lanes<$ty> for $register {
            const COUNT: usize = $count;
            #[inline(always)]
            // SAFETY: what the trait demands of the caller.
            unsafe fn spread(number: $ty) -> Self {
                // SAFETY: likewise.
                unsafe { $spread(number) }
            }
            #[inline(always)]
            // SAFETY: what the trait demands of the caller.
            unsafe fn load(from: *const $ty) -> Self {
                // SAFETY: likewise.
                unsafe { $load(from) }
            }
            #[inline(always)]
            // SAFETY: what the trait demands of the caller.
            unsafe fn store(self, to: *mut $ty) {
                // SAFETY: likewise.
                unsafe { $store(to, self) }
            }
            #[inline(always)]
            // SAFETY: what the trait demands of the caller.
            unsafe fn fused(x: Self, y: Self, z: Self) -> Self {
                // SAFETY: likewise.
                unsafe { $fused(x, y, z) }
            }
            #[inline(always)]
            // SAFETY: what the trait demands of the caller.
            unsafe fn plus(x: Self, y: Self) -> Self {
                // SAFETY: likewise.
                unsafe { $plus(x, y) }
            }
        }
    };
}

lanes!(__m512 f32 16 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_fmadd_ps _mm512_add_ps);
lanes!(__m512d f64 8 _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_fmadd_pd _mm512_add_pd);
lanes!(__m256 f32 8 _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_fmadd_ps _mm256_add_ps);
lanes!(__m256d f64 4 _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_fmadd_pd _mm256_add_pd);

/// # Safety
/// As `rows::by_rows`, on a machine with AVX-512.
#[target_feature(enable = "avx512f,fma")]
pub(crate) unsafe fn avx512<T: Real>(n: usize, out: *mut T, pairs: Pairs<T>) {
    // SAFETY: the caller's promise.
    unsafe { in_lanes::<T, T::Wide>(n, out, pairs) }
}

/// # Safety
/// As `rows::by_rows`, on a machine with AVX2 and fused products.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn avx2<T: Real>(n: usize, out: *mut T, pairs: Pairs<T>) {
    // SAFETY: the caller's promise.
    unsafe { in_lanes::<T, T::Half>(n, out, pairs) }
}

/// # Safety
/// As `conv::row`, on a machine with AVX-512.
#[target_feature(enable = "avx512f,fma")]
pub(crate) unsafe fn conv_avx512<T: Real>(taps: Taps<T>, out: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { conv::row::<T, T::Wide, T::Half, 14>(taps, out) }
}

/// # Safety
/// As `conv::row`, on a machine with AVX2 and fused products.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn conv_avx2<T: Real>(taps: Taps<T>, out: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { conv::row::<T, T::Half, [T; 2], 6>(taps, out) }
}

/// # Safety
/// As `rows::rows`, on a machine with the registers.
#[inline(always)]
unsafe fn in_lanes<T: Real, V: Lanes<T>>(n: usize, out: *mut T, pairs: Pairs<T>) {
    let mut j = 0;
    while j + V::COUNT <= n {
        // SAFETY: each block has at most the columns that are left.
        unsafe {
            let (out, pairs) = (out.add(j), pairs.past(j));
            j += match (n - j) / V::COUNT {
                8.. => block::<T, V, 8, 1>(out, pairs),
                4.. => block::<T, V, 4, 2>(out, pairs),
                2.. => block::<T, V, 2, 4>(out, pairs),
                _ => block::<T, V, 1, 4>(out, pairs),
            };
        }
    }
    // SAFETY: the columns that are left.
    unsafe { rows::<T, true>(n - j, out.add(j), pairs.past(j)) }
}

/// `REGISTERS` of neighbouring elements; gives how many these are. Pair `l` goes to the sums number `l % CHAINS`, which are
/// added in the end: fewer sums would wait for each other.
///
/// # Safety
/// As `rows::rows`, on a machine with the registers; there are so many columns.
#[inline(always)]
unsafe fn block<T: Real, V: Lanes<T>, const REGISTERS: usize, const CHAINS: usize>(
    out: *mut T,
    pairs: Pairs<T>,
) -> usize {
    // SAFETY: the caller's promise; `l` stays below the number of pairs.
    unsafe {
        let mut chains = [[V::spread(T::ZERO); REGISTERS]; CHAINS];
        let add = |sums: &mut [V; REGISTERS], l: usize| {
            let (factor, row) = pairs.pair(l);
            let factor = V::spread(factor);
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum = V::fused(factor, V::load(row.add(at * V::COUNT)), *sum);
            }
        };
        let whole = pairs.count - pairs.count % CHAINS;
        let mut first = 0;
        while first < whole {
            for (chain, sums) in chains.iter_mut().enumerate() {
                add(sums, first + chain);
            }
            first += CHAINS;
        }
        for l in whole..pairs.count {
            add(&mut chains[0], l);
        }
        let (mut sums, others) = (chains[0], &chains[1..]);
        for other in others {
            sums.iter_mut().zip(other).for_each(|(sum, &other)| *sum = V::plus(*sum, other));
        }
        for (at, sum) in sums.iter().enumerate() {
            sum.store(out.add(at * V::COUNT));
        }
    }
    REGISTERS * V::COUNT
}

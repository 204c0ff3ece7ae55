//! Products in registers of 512, 256 and 128 bits, for machines that have them: what compilers do not do by themselves is to
//! keep the sums in registers.

use std::arch::x86_64::*;

use super::conv::{self, Taps};
use super::matrix::Matrix;
use super::register::{Lanes, sums};
use super::rows::{Pairs, Real, rows};
use super::{small, tiles};

pub(crate) use std::arch::x86_64::{__m128, __m128d, __m256, __m256d, __m512, __m512d};

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
lanes!(__m128 f32 4 _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_fmadd_ps _mm_add_ps);
lanes!(__m128d f64 2 _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_fmadd_pd _mm_add_pd);

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
/// As `small::product`, on a machine with AVX-512.
#[target_feature(enable = "avx512f,fma")]
pub(crate) unsafe fn small_avx512<T: Real>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    // SAFETY: the caller's promise.
    unsafe { small::product::<T, T::Wide, T::Half, T::Quarter>(lengths, out, x, y) }
}

/// # Safety
/// As `small::product`, on a machine with AVX2 and fused products.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn small_avx2<T: Real>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    // SAFETY: the caller's promise.
    unsafe { small::product::<T, [T; small::MOST], T::Half, T::Quarter>(lengths, out, x, y) }
}

/// # Safety
/// As `tiles::product`, on a machine with AVX-512.
#[target_feature(enable = "avx512f,fma")]
pub(crate) unsafe fn tiles_avx512<T: Real>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    // SAFETY: the caller's promise.
    unsafe { tiles::product::<T, T::Wide, T::Half, T::Quarter, 4>(lengths, out, x, y) }
}

/// # Safety
/// As `tiles::product`, on a machine with AVX2 and fused products.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn tiles_avx2<T: Real>(lengths: [usize; 3], out: *mut T, x: Matrix, y: Matrix) {
    // SAFETY: the caller's promise.
    unsafe { tiles::product::<T, T::Half, T::Half, T::Quarter, 2>(lengths, out, x, y) }
}

/// # Safety
/// As `conv::row`, on a machine with AVX-512.
#[target_feature(enable = "avx512f,avx512vl,fma")]
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
                8.. => sums::<T, V, 8, 1>(out, pairs),
                4.. => sums::<T, V, 4, 2>(out, pairs),
                2.. => sums::<T, V, 2, 4>(out, pairs),
                _ => sums::<T, V, 1, 4>(out, pairs),
            };
        }
    }
    // SAFETY: the columns that are left.
    unsafe { rows::<T, true>(n - j, out.add(j), pairs.past(j)) }
}

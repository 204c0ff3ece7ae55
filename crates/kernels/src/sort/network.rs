//! Few keys in order: a network of comparisons in registers.
//!
//! The keys fill the rows of a matrix, a register each. Its columns are sorted, and neighbouring columns merged until one is
//! left; a sequence that rises and falls is merged by halves.

use std::arch::x86_64::__m512i;

use super::registers::Lanes;

/// So many registers at most.
const ROWS: usize = 16;

/// So many keys at most does a network sort.
pub(super) const fn most<T: Lanes>() -> usize {
    ROWS * T::LANES
}

/// Writes at most [`most`] keys in order.
///
/// # Safety
/// The machine has AVX-512 F, and the keys and the room for as many lie in memory; both may be the same.
#[inline(always)]
pub(super) unsafe fn sort<T: Lanes>(keys: *const T, to: *mut T, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match count.div_ceil(T::LANES) {
            0 | 1 => rows::<T, 1>(keys, to, count),
            2 => rows::<T, 2>(keys, to, count),
            3..=4 => rows::<T, 4>(keys, to, count),
            5..=8 => rows::<T, 8>(keys, to, count),
            _ => rows::<T, ROWS>(keys, to, count),
        }
    }
}

/// # Safety
/// As [`sort`], with at most so many rows of keys.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
#[inline(never)]
unsafe fn rows<T: Lanes, const R: usize>(keys: *const T, to: *mut T, count: usize) {
    let in_row = |row: usize| count.saturating_sub(row * T::LANES).min(T::LANES);
    // SAFETY: the caller's promise; a row holds as many keys as are left.
    unsafe {
        let mut v = [T::all(T::LAST); R];
        for (row, v) in v.iter_mut().enumerate() {
            *v = T::load(keys.wrapping_add(row * T::LANES), in_row(row));
        }
        sort_columns::<T, R>(&mut v);
        merge_columns::<T, R, 1>(&mut v);
        merge_columns::<T, R, 2>(&mut v);
        merge_columns::<T, R, 4>(&mut v);
        if T::LANES > 8 {
            merge_columns::<T, R, 8>(&mut v);
        }
        turn::<T, R>(&mut v);
        for (row, v) in v.into_iter().enumerate() {
            T::store(to.wrapping_add(row * T::LANES), in_row(row), v);
        }
    }
}

/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn sort_columns<T: Lanes, const R: usize>(v: &mut [__m512i; R]) {
    // SAFETY: the caller's promise.
    unsafe {
        merge_rows::<T, R, 1>(v);
        merge_rows::<T, R, 2>(v);
        merge_rows::<T, R, 4>(v);
        merge_rows::<T, R, 8>(v);
    }
}

/// Merges each two groups of `S` rows, whose columns are sorted.
///
/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn merge_rows<T: Lanes, const R: usize, const S: usize>(v: &mut [__m512i; R]) {
    if R <= S {
        return;
    }
    for row in 0..R {
        let other = row ^ (2 * S - 1);
        if row < other {
            // SAFETY: the caller's promise.
            unsafe { exchange::<T, R>(v, row, other) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { halve_rows::<T, R>(v, S / 2) };
}

/// Sorts the columns of each `2 * distance` rows, which rise and fall.
///
/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn halve_rows<T: Lanes, const R: usize>(v: &mut [__m512i; R], distance: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if distance >= 8 {
            exchange_rows::<T, R, 8>(v);
        }
        if distance >= 4 {
            exchange_rows::<T, R, 4>(v);
        }
        if distance >= 2 {
            exchange_rows::<T, R, 2>(v);
        }
        if distance >= 1 {
            exchange_rows::<T, R, 1>(v);
        }
    }
}

/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn exchange_rows<T: Lanes, const R: usize, const DISTANCE: usize>(v: &mut [__m512i; R]) {
    for row in 0..R {
        if row & DISTANCE == 0 && row + DISTANCE < R {
            // SAFETY: the caller's promise.
            unsafe { exchange::<T, R>(v, row, row + DISTANCE) };
        }
    }
}

/// Puts the lesser keys of two rows into the first.
///
/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn exchange<T: Lanes, const R: usize>(v: &mut [__m512i; R], first: usize, second: usize) {
    let (x, y) = (v[first], v[second]);
    // SAFETY: the caller's promise.
    unsafe { (v[first], v[second]) = (T::least(x, y), T::ends(u16::MAX, x, y)) };
}

/// Merges each two groups of `S` columns; a group is sorted, column behind column.
///
/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn merge_columns<T: Lanes, const R: usize, const S: usize>(v: &mut [__m512i; R]) {
    let from = *v;
    for row in 0..R {
        // SAFETY: the caller's promise.
        unsafe { v[row] = exchange_columns::<T>(from[row], from[R - 1 - row], 2 * S as u8 - 1, S as u8) };
    }
    for row in v.iter_mut() {
        // SAFETY: the caller's promise.
        unsafe {
            if S > 4 {
                *row = exchange_columns::<T>(*row, *row, 4, 4);
            }
            if S > 2 {
                *row = exchange_columns::<T>(*row, *row, 2, 2);
            }
            if S > 1 {
                *row = exchange_columns::<T>(*row, *row, 1, 1);
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { halve_rows::<T, R>(v, R / 2) };
}

/// The lesser keys of a row and of another's lanes that differ in these bits; the greater ones in lanes with the bit `upper`.
///
/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn exchange_columns<T: Lanes>(row: __m512i, other: __m512i, differing: u8, upper: u8) -> __m512i {
    let greatest = match upper {
        1 => 0xAAAA,
        2 => 0xCCCC,
        4 => 0xF0F0,
        _ => 0xFF00,
    };
    // SAFETY: the caller's promise.
    unsafe {
        let places = T::places(differing);
        T::ends(greatest, row, T::picked(places, other))
    }
}

/// Makes rows of columns: the keys that stand column behind column then stand row behind row.
///
/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn turn<T: Lanes, const R: usize>(v: &mut [__m512i; R]) {
    // SAFETY: the caller's promise.
    unsafe {
        if R > 1 {
            riffle::<T, R>(v);
        }
        if R > 2 {
            riffle::<T, R>(v);
        }
        if R > 4 {
            riffle::<T, R>(v);
        }
        if R > 8 {
            riffle::<T, R>(v);
        }
    }
}

/// Riffles the rows like cards: each key of the first half is followed by that of the second.
///
/// # Safety
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn riffle<T: Lanes, const R: usize>(v: &mut [__m512i; R]) {
    let from = *v;
    // SAFETY: the caller's promise.
    let [low, high] = unsafe { T::riffled() };
    for row in 0..R / 2 {
        let (x, y) = (from[row], from[R / 2 + row]);
        // SAFETY: the caller's promise.
        unsafe {
            v[2 * row] = T::picked_of_two(low, x, y);
            v[2 * row + 1] = T::picked_of_two(high, x, y);
        }
    }
}

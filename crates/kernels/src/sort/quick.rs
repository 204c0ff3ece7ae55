//! Quicksort of keys, as many at once as a register of 512 bits holds, on machines that have such.
//!
//! A row is parted at the median of a sample while it is copied, and its parts in place, until a network sorts them. Where
//! pivots are bad, and parts lie too deep, a comparison sort does the rest: no order of keys takes more than `n log n`.

use super::keys::Element;
use super::part::{self, part};
use super::registers::Lanes;
use super::{Row, network};

/// Writes the elements of a row in order if the machine has the instructions; says so. Zeros of both signs lie in any order.
///
/// # Safety
/// As [`SORT_F32`](super::SORT_F32).
pub(super) unsafe fn by_machine<T: Element + Lanes>(row: Row<T>, out: *mut T) -> bool {
    let has_all = has_registers();
    if has_all {
        // SAFETY: the machine has the instructions, and the caller's promise.
        unsafe { write_sorted(row, out) };
    }
    has_all
}

/// # Safety
/// As [`by_machine`], and the machine has the instructions.
unsafe fn write_sorted<T: Element + Lanes>(row: Row<T>, out: *mut T) {
    let depth = 2 * (usize::BITS - row.n.leading_zeros());
    // SAFETY: the caller's promise; all elements are written before the slices are made.
    unsafe {
        if row.stride == 1 && row.n >= part::least::<T>() {
            let elements = std::slice::from_raw_parts(row.x, row.n);
            let (pivot, _) = median(elements);
            let (below, any) = part::part_over(elements, out, pivot);
            let (below, others) = std::slice::from_raw_parts_mut(out, row.n).split_at_mut(below);
            sort(below, depth);
            return sort(if any { numbers(others) } else { others }, depth);
        }
        (0..row.n).for_each(|place| out.add(place).write(row.at(place)));
        sort(numbers(std::slice::from_raw_parts_mut(out, row.n)), depth);
    }
}

/// True if the machine has the instructions that are used here.
pub(super) fn has_registers() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Moves NaNs behind all numbers, which it gives.
fn numbers<T: Element>(elements: &mut [T]) -> &mut [T] {
    let mut count = 0;
    for place in 0..elements.len() {
        let element = elements[place];
        elements[count] = element;
        count += usize::from(!element.is_nan());
    }
    let (numbers, others) = elements.split_at_mut(count);
    others.fill(T::NAN);
    numbers
}

/// Sorts a piece, whose parts lie at most so deep.
///
/// # Safety
/// The machine has the instructions.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
unsafe fn sort<T: Element + Lanes>(mut piece: &mut [T], mut depth: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        while piece.len() > network::most::<T>() {
            if depth == 0 {
                return piece.sort_unstable_by_key(|x| x.key());
            }
            depth -= 1;
            let (pivot, is_same) = median(piece);
            if is_same && is_constant(piece) {
                return;
            }
            let count = part::<T, false>(piece, pivot);
            if count == 0 {
                // The pivot is the least key.
                let equals = part::<T, true>(piece, pivot);
                piece = &mut piece[equals..];
                continue;
            }
            let (below, others) = piece.split_at_mut(count);
            sort(below, depth);
            piece = others;
        }
        network::sort(piece.as_ptr(), piece.as_mut_ptr(), piece.len());
    }
}

/// The median of a sample, and whether all of it is the same: a longer piece has more samples. A NaN is taken for the last.
///
/// # Safety
/// The machine has the instructions, and there are more elements than samples.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
unsafe fn median<T: Element + Lanes>(piece: &[T]) -> (T, bool) {
    let mut sample = [T::LAST; 64];
    let count = if piece.len() < 2048 { 16 } else { 64 };
    let step = piece.len() / count;
    // Places within a step are those of the golden ratio's multiples: a period of the elements does not meet them.
    let within = |i: usize| ((i as u32).wrapping_mul(0x9E37_79B9) as usize * step.min(1 << 31)) >> 32;
    for (i, sampled) in sample[..count].iter_mut().enumerate() {
        let element = piece[i * step + within(i)];
        *sampled = if element.is_nan() { T::LAST } else { element };
    }
    // SAFETY: the machine has the instructions.
    unsafe { network::sort(sample.as_ptr(), sample.as_mut_ptr(), count) };
    (sample[count / 2], sample[0] == sample[count - 1])
}

/// True if all elements are equal.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
fn is_constant<T: Element>(elements: &[T]) -> bool {
    let first = elements[0];
    elements.chunks(64).all(|some| some.iter().fold(true, |all, &x| all & (x == first)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::keys::ascending;
    use crate::sort::tests::{kinds, lengths};

    fn check<T: Element + Lanes>(row: &[f64], convert: fn(f64) -> T) {
        let row: Vec<T> = row.iter().filter(|x| !x.is_nan()).map(|&x| convert(x)).collect();
        let mut wanted = row.clone();
        wanted.sort_by(|&x, &y| ascending(x, y));
        for depth in [0, 1, 3, 64] {
            let mut keys = row.clone();
            // SAFETY: the machine has the instructions.
            unsafe { sort(&mut keys, depth) };
            assert!(keys.iter().zip(&wanted).all(|(x, y)| x == y), "{} elements, {depth} deep", row.len());
        }
    }

    #[test]
    fn pieces_are_sorted_however_deep_their_parts_may_lie() {
        for row in lengths().filter(|_| has_registers()).flat_map(kinds) {
            check(&row, |x| x as f32);
            check(&row, |x| x);
            check(&row, |x| x as i32);
            check(&row, |x| x as i64);
        }
    }
}

//! Quicksort of keys, as many at once as a register of 512 bits holds, on machines that have such.
//!
//! A piece is parted at the median of a sample in one pass from one buffer to another, and its parts back, until a network sorts
//! them. Where pivots are bad, and parts lie too deep, a comparison sort does the rest: no order of keys takes more than
//! `n log n`.

use std::arch::x86_64::__m512i;
use std::mem::MaybeUninit;

use super::keys::{Element, ascending};
use super::registers::Lanes;
use super::{Row, network};
use crate::wide::{Work, wide};

/// Writes the elements of a row in order if the machine has the instructions; says so. Zeros of both signs lie in any order.
///
/// # Safety
/// As [`SORT_F32`](super::SORT_F32).
pub(super) unsafe fn by_machine<T: Element + Lanes>(row: Row<T>, out: *mut T, scratch: *mut T) -> bool {
    let has_all = has_registers();
    if has_all {
        // SAFETY: the machine has the instructions, and the caller's promise.
        unsafe {
            let count = numbers(row, out);
            let depth = 2 * (usize::BITS - count.leading_zeros());
            sort(Piece { keys: out, other: scratch, count, is_home: true }, depth);
        }
    }
    has_all
}

/// True if the machine has the instructions that are used here.
fn has_registers() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Copies a row, the NaNs behind all numbers; gives how many numbers there are.
///
/// # Safety
/// As [`by_machine`].
unsafe fn numbers<T: Element>(row: Row<T>, out: *mut T) -> usize {
    // SAFETY: the caller's promise; each element is written before the slice of elements is made.
    let (any, copy) = unsafe {
        let to = std::slice::from_raw_parts_mut(out.cast(), row.n);
        let any = if row.stride == 1 {
            wide(Copy { to, elements: std::slice::from_raw_parts(row.x, row.n).iter().copied() })
        } else {
            wide(Copy { to, elements: row.all() })
        };
        (any, std::slice::from_raw_parts_mut(out, row.n))
    };
    if !any {
        return row.n;
    }
    let mut count = 0;
    for place in 0..copy.len() {
        let element = copy[place];
        copy[count] = element;
        count += usize::from(!element.is_nan());
    }
    copy[count..].fill(T::NAN);
    count
}

/// Elements that are copied; gives if one is NaN.
struct Copy<'a, T, I> {
    to: &'a mut [MaybeUninit<T>],
    elements: I,
}

impl<T: Element, I: Iterator<Item = T>> Work for Copy<'_, T, I> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut any = false;
        for (to, element) in self.to.iter_mut().zip(self.elements) {
            to.write(element);
            any |= element.is_nan();
        }
        any
    }
}

/// Keys in one of two buffers.
#[derive(Clone, Copy)]
struct Piece<T> {
    keys: *mut T,
    /// Their places in the other buffer.
    other: *mut T,
    count: usize,
    /// True in the buffer where keys are wanted.
    is_home: bool,
}

impl<T: Lanes> Piece<T> {
    /// The same places, of which the other buffer holds the keys.
    fn moved(self) -> Self {
        Self { keys: self.other, other: self.keys, is_home: !self.is_home, ..self }
    }

    /// The first keys, and those behind them.
    fn split(self, at: usize) -> (Self, Self) {
        let (keys, other) = (self.keys.wrapping_add(at), self.other.wrapping_add(at));
        (Self { count: at, ..self }, Self { keys, other, count: self.count - at, ..self })
    }

    /// The keys where they are wanted.
    ///
    /// # Safety
    /// Both buffers lie in memory.
    unsafe fn home<'a>(self) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe {
            if self.is_home {
                return std::slice::from_raw_parts_mut(self.keys, self.count);
            }
            self.other.copy_from_nonoverlapping(self.keys, self.count);
            std::slice::from_raw_parts_mut(self.other, self.count)
        }
    }
}

/// Sorts a piece, whose parts lie at most so deep.
///
/// # Safety
/// Both buffers lie in memory.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
unsafe fn sort<T: Element + Lanes>(mut piece: Piece<T>, mut depth: u32) {
    // SAFETY: the caller's promise; parts are within the piece.
    unsafe {
        while piece.count > network::most::<T>() {
            if depth == 0 {
                return piece.home().sort_unstable_by(|&x, &y| ascending(x, y));
            }
            depth -= 1;
            let (pivot, is_same) = median(piece);
            if is_same && is_constant(piece) {
                piece.home();
                return;
            }
            let (below, above) = part::<T, false>(piece, pivot);
            piece = if below.count == 0 { without_least(above, pivot) } else { above };
            sort(below, depth);
        }
        let home = if piece.is_home { piece.keys } else { piece.other };
        network::sort(piece.keys, home, piece.count);
    }
}

/// The keys behind the least one, which is the pivot, and its equals, which come to the front.
///
/// # Safety
/// As [`sort`].
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
unsafe fn without_least<T: Lanes>(piece: Piece<T>, pivot: T) -> Piece<T> {
    // SAFETY: the caller's promise.
    unsafe {
        let (least, others) = part::<T, true>(piece, pivot);
        least.home();
        others
    }
}

/// The median of a sample, and whether all of it is the same: a longer piece has more samples.
///
/// # Safety
/// As [`sort`], of a piece with more elements than a sample.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
unsafe fn median<T: Element + Lanes>(piece: Piece<T>) -> (T, bool) {
    let mut sample = [T::LAST; 64];
    let count = if piece.count < 2048 { 16 } else { 64 };
    let step = piece.count / count;
    // Places within a step are those of the golden ratio's multiples: a period of the elements does not meet them.
    let within = |i: usize| (i as u32).wrapping_mul(0x9E37_79B9) as usize % step;
    for (i, element) in sample[..count].iter_mut().enumerate() {
        // SAFETY: the place is within the piece.
        *element = unsafe { *piece.keys.add(i * step + within(i)) };
    }
    // SAFETY: the machine has the instructions.
    unsafe { network::sort(sample.as_ptr(), sample.as_mut_ptr(), count) };
    (sample[count / 2], sample[0] == sample[count - 1])
}

/// True if all elements are equal.
///
/// # Safety
/// As [`sort`], of a piece with elements.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
unsafe fn is_constant<T: Element>(piece: Piece<T>) -> bool {
    // SAFETY: the caller's promise.
    let elements = unsafe { std::slice::from_raw_parts(piece.keys, piece.count) };
    let first = elements[0];
    elements.chunks(64).all(|some| some.iter().fold(true, |all, &x| all & (x == first)))
}

/// Writes the elements of a piece to the other buffer, those below a pivot before the others, and its equals with those if asked.
///
/// # Safety
/// As [`sort`].
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")]
#[inline(never)]
unsafe fn part<T: Lanes, const EQUALS: bool>(piece: Piece<T>, pivot: T) -> (Piece<T>, Piece<T>) {
    let (mut left, mut right) = (piece.other, piece.other.wrapping_add(piece.count));
    let (mut from, end) = (piece.keys, piece.keys.wrapping_add(piece.count));
    // SAFETY: between `left` and `right` there is room for exactly the keys that are not read yet.
    unsafe {
        let pivot = T::all(pivot);
        while end.offset_from_unsigned(from) >= 5 * T::LANES {
            let mut rows = [pivot; 4];
            let mut lanes = [0; 4];
            for i in 0..4 {
                rows[i] = T::load(from.add(i * T::LANES), T::LANES);
                lanes[i] = before::<T, EQUALS>(rows[i], pivot);
            }
            for i in 0..4 {
                let lesser = lanes[i].count_ones() as usize;
                T::write_parted(left, right, lanes[i], rows[i]);
                (left, right) = (left.add(lesser), right.sub(T::LANES - lesser));
            }
            from = from.add(4 * T::LANES);
        }
        while from < end {
            let count = end.offset_from_unsigned(from).min(T::LANES);
            let row = T::load(from, count);
            let some = !(u32::MAX << count) as u16;
            let below = before::<T, EQUALS>(row, pivot) & some;
            let lesser = below.count_ones() as usize;
            T::store(left, lesser, T::gathered(below, row));
            (left, right) = (left.add(lesser), right.sub(count - lesser));
            T::store(right, count - lesser, T::gathered(!below & some, row));
            from = from.add(count);
        }
        piece.moved().split(left.offset_from_unsigned(piece.other))
    }
}

/// The lanes in which an element comes before a pivot, or is its equal if asked.
///
/// # Safety
/// The machine has the instructions.
#[inline(always)]
unsafe fn before<T: Lanes, const EQUALS: bool>(row: __m512i, pivot: __m512i) -> u16 {
    // SAFETY: the caller's promise.
    unsafe {
        if EQUALS {
            return !T::below(pivot, row) & u16::MAX >> (16 - T::LANES);
        }
        T::below(row, pivot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::tests::{kinds, lengths};

    fn check<T: Element + Lanes>(row: &[f64], convert: fn(f64) -> T) {
        let row: Vec<T> = row.iter().filter(|x| !x.is_nan()).map(|&x| convert(x)).collect();
        let mut wanted = row.clone();
        wanted.sort_by(|&x, &y| ascending(x, y));
        for depth in [0, 1, 3, 64] {
            let (mut keys, mut scratch) = (row.clone(), row.clone());
            let piece = Piece {
                keys: keys.as_mut_ptr(),
                other: scratch.as_mut_ptr(),
                count: row.len(),
                is_home: true,
            };
            // SAFETY: the machine has the instructions, and both buffers have as many elements.
            unsafe { sort(piece, depth) };
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

//! Radix sort from the lowest digit up: passes over whole arrays, which keep the order of equal numbers.

/// Bits of a digit.
const DIGIT: u32 = 11;

const BUCKETS: usize = 1 << DIGIT;

/// Digits of the longest word.
const PASSES: usize = u64::BITS.div_ceil(DIGIT) as usize;

/// A number that is sorted by its digits.
pub(super) trait Word: Copy {
    /// The digit that begins at this bit.
    fn digit(self, shift: u32) -> usize;
}

impl Word for u32 {
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & (BUCKETS - 1)
    }
}

impl Word for u64 {
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & (BUCKETS - 1)
    }
}

/// Sorts words by their bits from `low` on, of which those from `high` on are the same in all. The scratch has as many words,
/// at most `u32::MAX`.
pub(super) fn sort<W: Word>(words: &mut [W], scratch: &mut [W], (low, high): (u32, u32)) {
    let shifts = || (low..high).step_by(DIGIT as usize);
    let mut starts = [[0u32; BUCKETS]; PASSES];
    for word in &*words {
        for (starts, shift) in starts.iter_mut().zip(shifts()) {
            starts[word.digit(shift)] += 1;
        }
    }
    let (count, mut is_moved) = (words.len() as u32, false);
    let (mut from, mut to) = (words, scratch);
    for (starts, shift) in starts.iter_mut().zip(shifts()) {
        if !starts.contains(&count) {
            scatter(from, to, starts, shift);
            std::mem::swap(&mut from, &mut to);
            is_moved = !is_moved;
        }
    }
    if is_moved {
        to.copy_from_slice(from);
    }
}

/// Moves each word behind those of lower digits; `starts` holds the number of words of each digit.
fn scatter<W: Word>(from: &[W], to: &mut [W], starts: &mut [u32; BUCKETS], shift: u32) {
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += std::mem::replace(start, sum);
    }
    for &word in from {
        let start = &mut starts[word.digit(shift)];
        to[*start as usize] = word;
        *start += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_by_the_bits_that_are_asked() {
        let words: Vec<u64> = (0..3000u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        for (low, high) in [(0, 64), (32, 64), (5, 16), (8, 8)] {
            let words: Vec<u64> =
                words.iter().map(|word| if high == 64 { *word } else { word & ((1 << high) - 1) }).collect();
            let (mut sorted, mut scratch, mut wanted) = (words.clone(), vec![0; words.len()], words);
            sort(&mut sorted, &mut scratch, (low, high));
            if low < high {
                wanted.sort_by_key(|word| word >> low);
            }
            assert_eq!(sorted, wanted, "{low} to {high}");
        }
    }
}

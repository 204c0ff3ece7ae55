//! Radix sort from the lowest digit up: passes over whole arrays, which keep the order of equal numbers.

/// Bits of a digit.
const DIGIT: u32 = 11;

const BUCKETS: usize = 1 << DIGIT;

/// Sorts words by their bits from `low` on, of which those from `high` on are the same in all. The scratch has as many words.
pub(super) fn sort(words: &mut [u64], scratch: &mut [u64], (low, high): (u32, u32)) {
    let (mut from, mut to, mut is_moved) = (words, scratch, false);
    for shift in (low..high).step_by(DIGIT as usize) {
        let mut starts = [0; BUCKETS];
        from.iter().for_each(|word| starts[digit(*word, shift)] += 1);
        if !starts.contains(&from.len()) {
            scatter(from, to, &mut starts, shift);
            std::mem::swap(&mut from, &mut to);
            is_moved = !is_moved;
        }
    }
    if is_moved {
        to.copy_from_slice(from);
    }
}

/// Moves each word behind those of lower digits; `starts` holds the number of words of each digit.
fn scatter(from: &[u64], to: &mut [u64], starts: &mut [usize; BUCKETS], shift: u32) {
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += std::mem::replace(start, sum);
    }
    for &word in from {
        let start = &mut starts[digit(word, shift)];
        to[*start] = word;
        *start += 1;
    }
}

fn digit(word: u64, shift: u32) -> usize {
    (word >> shift) as usize & (BUCKETS - 1)
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

//! Random bits: Threefry-2x32 with 20 rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).

use crate::{Function, Word};

/// Bits by which the second word is rotated in each of eight rounds.
const TURNS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];

/// Makes a third word of a key's two.
const PARITY: u32 = 0x1BD1_1BDA;

/// The bits that belong to a counter under a key; the first word of each is the lower half.
fn threefry(key: u64, counter: u64) -> u64 {
    let [first, second] = [key as u32, (key >> 32) as u32];
    let words = [first, second, PARITY ^ first ^ second];
    let (mut x, mut y) =
        ((counter as u32).wrapping_add(first), ((counter >> 32) as u32).wrapping_add(second));
    for group in 0..5 {
        for turn in 0..4 {
            x = x.wrapping_add(y);
            y = y.rotate_left(TURNS[(4 * group + turn) % 8]) ^ x;
        }
        x = x.wrapping_add(words[(group + 1) % 3]);
        y = y.wrapping_add(words[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    u64::from(x) | u64::from(y) << 32
}

extern "C" fn bits(key: i64, counter: i64) -> i64 {
    threefry(key as u64, counter as u64) as i64
}

/// 64 random bits of a key and a counter.
pub fn random_bits() -> Function {
    Function {
        name: "random_bits",
        params: &[Word::I64, Word::I64],
        result: Some(Word::I64),
        address: bits as *const u8,
        formula: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of the authors' own implementation, Random123.
    #[test]
    fn bits_are_as_published() {
        assert_eq!(threefry(0, 0), 0x99ba_4efe_6b20_0159);
        assert_eq!(threefry(u64::MAX, u64::MAX), 0xbb00_2be7_1cb9_96fc);
        assert_eq!(threefry(0x0370_7344_1319_8a2e, 0x85a3_08d3_243f_6a88), 0x483d_f7a0_c492_3a9c);
    }
}

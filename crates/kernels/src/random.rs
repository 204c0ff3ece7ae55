//! Random bits: Threefry-2x32 with 20 rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).

use crate::wide::{Work, wide};
use crate::{Function, Word};

/// So many counters are worked off together: the rounds of all of them in turn, which fills registers.
const BLOCK: usize = 64;

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

/// Part of the 64 bits of a counter that is kept, and how.
trait Kept: Copy {
    fn of(bits: [u32; 2]) -> Self;
}

/// All bits; the first word is the lower half.
impl Kept for i64 {
    #[inline(always)]
    fn of([lower, upper]: [u32; 2]) -> Self {
        (u64::from(lower) | u64::from(upper) << 32) as i64
    }
}

/// The upper 24 bits, as a number.
impl Kept for f32 {
    #[inline(always)]
    fn of([_, upper]: [u32; 2]) -> Self {
        (upper >> 8) as i32 as f32
    }
}

/// Writes the kept part of the bits that belong to a block of counters.
#[inline(always)]
fn block<T: Kept>(key: u64, counters: &[i64; BLOCK], out: &mut [T; BLOCK]) {
    let [first, second] = [key as u32, (key >> 32) as u32];
    let words = [first, second, PARITY ^ first ^ second];
    let mut x: [u32; BLOCK] = std::array::from_fn(|at| (counters[at] as u32).wrapping_add(first));
    let mut y: [u32; BLOCK] =
        std::array::from_fn(|at| ((counters[at] as u64 >> 32) as u32).wrapping_add(second));
    for group in 0..5 {
        for turn in 0..4 {
            let by = TURNS[(4 * group + turn) % 8];
            for (x, y) in x.iter_mut().zip(&mut y) {
                *x = x.wrapping_add(*y);
                *y = y.rotate_left(by) ^ *x;
            }
        }
        let [more, other] = [words[(group + 1) % 3], words[(group + 2) % 3].wrapping_add(group as u32 + 1)];
        for (x, y) in x.iter_mut().zip(&mut y) {
            *x = x.wrapping_add(more);
            *y = y.wrapping_add(other);
        }
    }
    for (out, (x, y)) in out.iter_mut().zip(x.into_iter().zip(y)) {
        *out = T::of([x, y]);
    }
}

/// The kept part of the bits that belong to counters.
struct Row<'a, T> {
    key: u64,
    counters: &'a [i64],
    out: &'a mut [T],
}

impl<T: Kept> Work for Row<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (whole, rest) = self.counters.as_chunks::<BLOCK>();
        let (outs, out_rest) = self.out.as_chunks_mut::<BLOCK>();
        for (counters, out) in whole.iter().zip(outs) {
            block(self.key, counters, out);
        }
        for (out, &counter) in out_rest.iter_mut().zip(rest) {
            let bits = threefry(self.key, counter as u64);
            *out = T::of([bits as u32, (bits >> 32) as u32]);
        }
    }
}

/// Writes the bits that belong to `n` counters under a key; takes the key, `n`, where they go, and the first of the counters.
pub const RANDOM_ROW: Function = Function::of_arrays("random_row", &ROW_PARAMS, random_row as *const u8);

/// As `RANDOM_ROW`, but writes the upper 24 bits of each, as numbers of single precision.
pub const RANDOM_SINGLES: Function =
    Function::of_arrays("random_singles", &ROW_PARAMS, random_singles as *const u8);

const ROW_PARAMS: [Word; 4] = [Word::I64, Word::I64, Word::Ptr, Word::Ptr];

/// # Safety
/// `n` counters lie in memory from `counters` on, and there is room for as many elements in `out`, which is apart from them.
unsafe extern "C" fn random_row(key: i64, n: i64, out: *mut i64, counters: *const i64) {
    // SAFETY: the caller's promise.
    wide(unsafe { row(key, n, out, counters) });
}

/// # Safety
/// As `random_row`.
unsafe extern "C" fn random_singles(key: i64, n: i64, out: *mut f32, counters: *const i64) {
    // SAFETY: the caller's promise.
    wide(unsafe { row(key, n, out, counters) });
}

/// # Safety
/// As `random_row`.
unsafe fn row<'a, T>(key: i64, n: i64, out: *mut T, counters: *const i64) -> Row<'a, T> {
    // SAFETY: the caller's promise.
    let (counters, out) = unsafe {
        (std::slice::from_raw_parts(counters, n as usize), std::slice::from_raw_parts_mut(out, n as usize))
    };
    Row { key: key as u64, counters, out }
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

    #[test]
    fn rows_have_the_bits_of_their_counters() {
        for n in [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 5] {
            let counters: Vec<i64> = (0..n as i64).map(|at| at * 0x1234_5678_9abc - 77).collect();
            let mut found = vec![0i64; n];
            // SAFETY: `n` counters, and room for as many words.
            unsafe { random_row(-0x1357_9bdf, n as i64, found.as_mut_ptr(), counters.as_ptr()) };
            let wanted: Vec<i64> = counters.iter().map(|&counter| bits(-0x1357_9bdf, counter)).collect();
            assert_eq!(found, wanted);
            let mut singles = vec![0f32; n];
            // SAFETY: likewise.
            unsafe { random_singles(-0x1357_9bdf, n as i64, singles.as_mut_ptr(), counters.as_ptr()) };
            let upper: Vec<f32> = wanted.iter().map(|&bits| (bits >> 40 & 0xff_ffff) as f32).collect();
            assert_eq!(singles, upper);
        }
    }
}

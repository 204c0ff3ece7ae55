//! Truth of many bools at once: whether any is set, and whether all are.

use crate::wide::{Work, wide};
use crate::{Function, Word};

/// So many bools are looked at before their truth is asked for.
const BLOCK: usize = 4096;

const PARAMS: &[Word] = &[Word::I64, Word::I64, Word::Ptr, Word::Ptr];

/// Writes `wanted`, 0 or 1, if one of `n` bools is that, and the other if none is; takes `wanted`, `n`, where the answer goes, and the
/// first of the bools.
pub const FIND_FLAG: Function = Function::of_arrays("find_flag", PARAMS, find_flag as *const u8);

/// # Safety
/// `n` bools lie in memory from `x` on, and there is room for one in `out`.
unsafe extern "C" fn find_flag(wanted: i64, n: i64, out: *mut u8, x: *const u8) {
    // SAFETY: the caller's promise.
    let flags = unsafe { std::slice::from_raw_parts(x, n as usize) };
    let found = wide(Any { flags, wanted: wanted as u8 });
    // SAFETY: the caller's promise.
    unsafe { out.write(u8::from(found == (wanted == 1))) }
}

/// True if any of some bools is this.
struct Any<'a> {
    flags: &'a [u8],
    wanted: u8,
}

impl Work for Any<'_> {
    type Output = bool;

    /// Looks at whole blocks without a branch.
    #[inline(always)]
    fn run(self) -> bool {
        for block in self.flags.chunks(BLOCK) {
            let mut any = 0;
            for &flag in block {
                any |= u8::from(flag == self.wanted);
            }
            if any != 0 {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_flag_is_found_wherever_it_stands() {
        for n in [0, 1, 31, BLOCK - 1, BLOCK, 2 * BLOCK + 3] {
            for wanted in [0u8, 1] {
                for place in [None, Some(0), Some(n / 2), Some(n.saturating_sub(1))] {
                    let mut flags = vec![1 - wanted; n];
                    let place = place.filter(|_| n > 0);
                    place.into_iter().for_each(|place: usize| flags[place] = wanted);
                    let mut found = 7u8;
                    // SAFETY: `n` bools, room for one.
                    unsafe { find_flag(i64::from(wanted), n as i64, &raw mut found, flags.as_ptr()) };
                    assert_eq!(
                        found,
                        if place.is_some() { wanted } else { 1 - wanted },
                        "{n} {wanted} {place:?}"
                    );
                }
            }
        }
    }
}

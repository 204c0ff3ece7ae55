//! The vector registers that loops in lanes are written for: how wide they are, how many, and how instructions name them.

use crate::registers::Registers;

/// The vector registers of a machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Vectors {
    /// Bytes of a register.
    pub(super) bytes: usize,
    /// The number of registers.
    pub(super) count: u8,
    pub(super) encoding: Encoding,
}

/// The encoding of instructions, which decides what they can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// A comparison gives a register with all bits of a lane set or none. What is read from memory has a number for each lane.
    Vex,
    /// Comparisons give masks, which have registers of their own and name lanes of any instruction. One number in memory can be
    /// read for all lanes.
    Evex,
}

pub(super) const BITS_512: Vectors = Vectors { bytes: 64, count: 32, encoding: Encoding::Evex };
pub(super) const BITS_256: Vectors = Vectors { bytes: 32, count: 16, encoding: Encoding::Vex };

impl Vectors {
    /// The widest that this machine has and `most` allows; `None` if these are no wider than those of every machine.
    pub(crate) fn here(most: Registers) -> Option<&'static Vectors> {
        let allowed = |bits: Registers, has: fn() -> bool| bits <= most && has();
        if allowed(Registers::UpTo512, has_512) {
            Some(&BITS_512)
        } else if allowed(Registers::UpTo256, has_256) {
            Some(&BITS_256)
        } else {
            None
        }
    }

    /// Bits of a register.
    pub(crate) fn bits(&self) -> usize {
        8 * self.bytes
    }

    pub(super) fn has_masks(&self) -> bool {
        self.encoding == Encoding::Evex
    }

    /// Bytes of a constant whose elements have `width`.
    pub(super) fn constant_bytes(&self, width: usize) -> usize {
        if self.has_masks() { width } else { self.bytes }
    }

    /// Bytes of a number that the loop is given.
    pub(super) fn given_bytes(&self) -> usize {
        if self.has_masks() { 8 } else { self.bytes }
    }
}

#[cfg(all(target_arch = "x86_64", unix))]
fn has_512() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512dq") && has!("bmi2")
}

#[cfg(all(target_arch = "x86_64", unix))]
fn has_256() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("fma")
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
fn has_512() -> bool {
    false
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
fn has_256() -> bool {
    false
}

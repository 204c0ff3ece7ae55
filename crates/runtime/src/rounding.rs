//! The rounding mode of the processor, which belongs to a thread: threads that compute together round alike.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

/// What the thread that came to a loop has set: the direction, and what becomes of numbers next to zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding(u64);

/// The bits of `mxcsr` that are settings; the others say what has happened.
#[cfg(target_arch = "x86_64")]
const SETTINGS: u32 = 0xffc0;

#[cfg(target_arch = "x86_64")]
impl Rounding {
    /// That of this thread.
    pub(crate) fn here() -> Self {
        let mut word = 0u32;
        // SAFETY: writes the four bytes of the word.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        Self(u64::from(word & SETTINGS))
    }

    /// Becomes that of this thread.
    pub(crate) fn take(self) {
        let word = self.0 as u32;
        // SAFETY: the settings are those of another thread, so the processor takes them; what Rust computes on this thread
        // besides is no floating number.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags, readonly)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Rounding {
    /// Other processors are taken as they are.
    pub(crate) fn here() -> Self {
        Self(0)
    }

    /// Does nothing.
    pub(crate) fn take(self) {}
}

#[cfg(target_arch = "aarch64")]
impl Rounding {
    /// That of this thread.
    pub(crate) fn here() -> Self {
        let word: u64;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nomem, nostack, preserves_flags)) };
        Self(word)
    }

    /// Becomes that of this thread.
    pub(crate) fn take(self) {
        // SAFETY: as on other processors.
        unsafe { asm!("msr fpcr, {}", in(reg) self.0, options(nomem, nostack, preserves_flags)) };
    }
}

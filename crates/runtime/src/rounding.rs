//! The rounding mode of the processor, which belongs to a thread: threads that compute together round alike, and numbers next to
//! zero count as zero in runs that say so.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

/// Floating-point state of the thread that came to a loop: rounding direction, and treatment of subnormal
/// numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding(u64);

/// The bits of `mxcsr` that are settings; the others say what has happened.
#[cfg(target_arch = "x86_64")]
const SETTINGS: u32 = 0xffc0;

/// The bits that make subnormal results and operands zeros.
#[cfg(target_arch = "x86_64")]
const FLUSHES: u64 = 0x8040;
#[cfg(target_arch = "aarch64")]
const FLUSHES: u64 = 1 << 24;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FLUSHES: u64 = 0;

/// A run in which subnormal numbers are zeros; the thread has what it had before when this goes.
#[derive(Debug)]
pub(crate) struct Flushing(Option<Rounding>);

impl Flushing {
    /// Begins, if the run is one of these and the thread does not flush by itself.
    pub(crate) fn begin(wanted: bool) -> Self {
        let before = if wanted { Some(Rounding::here()) } else { None };
        let before = before.filter(|before| before.0 & FLUSHES != FLUSHES);
        if let Some(before) = before {
            Rounding(before.0 | FLUSHES).take();
        }
        Self(before)
    }

    /// The settings that the thread had before, if it has others now.
    pub(crate) fn before(&self) -> Option<Rounding> {
        self.0
    }
}

impl Drop for Flushing {
    fn drop(&mut self) {
        self.0.into_iter().for_each(Rounding::take);
    }
}

/// Runs what belongs to the host, for which the thread has what it had `before` the run.
pub(crate) fn outside<T>(before: Option<Rounding>, run: impl FnOnce() -> T) -> T {
    let Some(before) = before else { return run() };
    let here = Rounding::here();
    before.take();
    let result = run();
    here.take();
    result
}

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

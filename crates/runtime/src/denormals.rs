//! The fate of subnormal numbers in graphs that compute with arrays of single precision.

use std::sync::atomic::{AtomicBool, Ordering};

/// The fate of numbers that are nearer to zero than any with all its digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denormals {
    /// They are zeros: some processors take a hundred times as long for them.
    Flush,
    /// They are what they are.
    Keep,
}

static KEPT: AtomicBool = AtomicBool::new(false);

/// Says it for all runs of the process that begin from now on.
pub fn say(denormals: Denormals) {
    KEPT.store(denormals == Denormals::Keep, Ordering::Relaxed);
}

/// The last word on it; they are flushed if there was none.
pub fn said() -> Denormals {
    if KEPT.load(Ordering::Relaxed) { Denormals::Keep } else { Denormals::Flush }
}

//! The fate of an integer scalar that leaves its type, where neither a function nor a call says it.

use std::sync::atomic::{AtomicBool, Ordering};

static WRAPS: AtomicBool = AtomicBool::new(false);

/// True if integer scalars are checked for overflow, rather than wrap.
pub fn is_checked() -> bool {
    !WRAPS.load(Ordering::Relaxed)
}

/// Has integer scalars checked for overflow, or lets them wrap; graphs that are there stay as they are.
pub fn check(checks: bool) {
    WRAPS.store(!checks, Ordering::Relaxed);
}

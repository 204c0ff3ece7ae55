//! Promotion of tensors of different element types: in one lattice, unless the user says that they do not.

use std::sync::atomic::{AtomicBool, Ordering};

use gw_types::Promotion;

static STRICT: AtomicBool = AtomicBool::new(false);

/// Says how tensors meet in the graphs and eager calls that are made from now on.
pub fn set(promotion: Promotion) {
    STRICT.store(promotion == Promotion::Strict, Ordering::Relaxed);
}

/// Present promotion rule for tensors.
pub fn said() -> Promotion {
    if STRICT.load(Ordering::Relaxed) { Promotion::Strict } else { Promotion::Standard }
}

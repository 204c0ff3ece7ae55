//! The policy for tensors of different kinds of numbers that meet where branches or iterations do.

use std::sync::atomic::{AtomicBool, Ordering};

/// Flag for tensors that keep their kinds: an integer then meets no float.
#[derive(Debug, Default)]
pub(crate) struct Kinds(AtomicBool);

impl Kinds {
    pub(crate) fn keep(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn are_kept(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

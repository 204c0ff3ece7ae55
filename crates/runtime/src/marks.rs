//! The mark of the profiler: the node that machine code works off at present, in one word of the process.
//!
//! Code that is compiled for the profiler stores the number of a node where the code of it begins. Whoever takes samples of
//! the word learns where the time goes. Two threads that run such code at once overwrite each other's marks.

use std::sync::atomic::{AtomicI64, Ordering};

/// The mark while no code that is profiled runs.
pub const IDLE: i64 = -1;

static MARK: AtomicI64 = AtomicI64::new(IDLE);

/// The mark at present.
pub fn current() -> i64 {
    MARK.load(Ordering::Relaxed)
}

/// Runs code that is profiled; the mark before it holds again behind it, however it ends.
pub fn keeping<T>(run: impl FnOnce() -> T) -> T {
    let before = current();
    let result = run();
    MARK.store(before, Ordering::Relaxed);
    result
}

/// The address of the mark, for machine code.
pub(crate) fn place() -> *mut i64 {
    MARK.as_ptr()
}

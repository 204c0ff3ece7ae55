//! The number of threads that work off a large loop: as many as there are processors, unless the environment or the user says.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::config::config;
use crate::tuning;

/// Latest setting; 0 for as many as there are processors.
static SAID: AtomicUsize = AtomicUsize::new(0);

/// Applies the environment's settings of threads and of memory that waits.
pub fn as_configured() {
    set(config().threads);
    if config().tunes {
        tuning::begin();
    }
    config().pool_bytes.into_iter().for_each(gw_runtime::set_waiting_bytes);
}

/// Says how many threads there are, the one that comes to a loop among them; 0 for as many as there are processors. No result
/// depends on it.
pub fn set(count: usize) {
    SAID.store(count, Ordering::Relaxed);
    gw_runtime::set_threads(count);
}

/// Latest setting.
pub fn said() -> usize {
    SAID.load(Ordering::Relaxed)
}

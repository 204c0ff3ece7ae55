//! The least work of a run of a shared loop, by what this machine takes to wake a thread.
//!
//! Code is generated for a machine that wakes a thread in [`WAKING`]. A run has a multiple of that work where threads wake later: they
//! would come to a loop that is over. Loops that are shared anyway tell how late threads come, so nothing is run to measure it; the host
//! keeps what was found for the processes that come after this one. No result depends on it, as none does on how a loop is cut.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Time to wake a thread that generated code supposes: the work of a run takes as long.
const WAKING: Duration = Duration::from_micros(20);

/// The greatest multiple.
const MOST: usize = 16;

/// So many loops are asked how late the first of the other threads came.
const SAMPLES: usize = 32;

/// Place where the host keeps the multiple for this machine.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    /// The multiple that another process has found.
    pub read: fn() -> Option<usize>,
    /// Keeps the multiple that this process has found.
    pub write: fn(usize),
}

static TUNING: OnceLock<Tuning> = OnceLock::new();

/// The multiple; 0 until a loop is shared.
static FOUND: AtomicUsize = AtomicUsize::new(0);

/// True while loops are asked.
static ASKS: AtomicBool = AtomicBool::new(false);

static LATE: Mutex<Vec<Duration>> = Mutex::new(Vec::new());

/// From now on the multiple is that of this machine; without it, it is 1.
pub fn tune(tuning: Tuning) {
    // It is said once, before loops are shared.
    let _known = TUNING.set(tuning);
}

/// The multiple of the work that code says a run has at least.
pub(crate) fn multiple() -> usize {
    match FOUND.load(Ordering::Relaxed) {
        0 => first(),
        found => found,
    }
}

fn first() -> usize {
    let read = TUNING.get().and_then(|tuning| (tuning.read)());
    let known = read.filter(|known| known.is_power_of_two() && *known <= MOST);
    ASKS.store(known.is_none() && TUNING.get().is_some(), Ordering::Relaxed);
    let found = known.unwrap_or(1);
    FOUND.store(found, Ordering::Relaxed);
    found
}

/// True if a loop is to tell how late the first of the other threads came.
pub(crate) fn is_asked() -> bool {
    ASKS.load(Ordering::Relaxed)
}

/// A loop took so long, and the first of the other threads came after so long, if one came. Shorter loops than the longest run do not tell
/// of late ones.
pub(crate) fn told(took: Duration, came: Option<Duration>) {
    if took < WAKING * MOST as u32 {
        return;
    }
    let mut late = LATE.lock().unwrap_or_else(PoisonError::into_inner);
    late.push(came.unwrap_or(took));
    if late.len() < SAMPLES || !ASKS.swap(false, Ordering::Relaxed) {
        return;
    }
    let found = chosen(&mut std::mem::take(&mut *late));
    drop(late);
    FOUND.store(found, Ordering::Relaxed);
    TUNING.get().into_iter().for_each(|tuning| (tuning.write)(found));
}

/// The least multiple that the middle one of these would not have come too late for.
fn chosen(late: &mut [Duration]) -> usize {
    late.sort_unstable();
    let middle = late[late.len() / 2];
    let enough = |multiple: &usize| WAKING * *multiple as u32 >= middle;
    (0..).map(|power| 1 << power).take_while(|&multiple| multiple < MOST).find(enough).unwrap_or(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiple_is_what_the_middle_thread_needs() {
        let chosen = |micros: &[u64]| {
            let mut late: Vec<_> = micros.iter().map(|&micros| Duration::from_micros(micros)).collect();
            chosen(&mut late)
        };
        assert_eq!(chosen(&[5]), 1);
        assert_eq!(chosen(&[900, 20, 1]), 1);
        assert_eq!(chosen(&[21, 21, 1]), 2);
        assert_eq!(chosen(&[60, 1, 900, 70, 50]), 4);
        assert_eq!(chosen(&[100_000]), MOST);
    }
}

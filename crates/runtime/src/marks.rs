//! The mark of the profiler: the node that machine code works off at present, in one word of the process.
//!
//! Code that is compiled for the profiler stores the number of a node where the code of it begins. Whoever takes samples of
//! the word learns where the time goes. Two threads that run such code at once overwrite each other's marks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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

/// The samples between `start` and `stop`.
#[derive(Debug)]
pub struct Samples {
    /// Time at which they began.
    pub begun: Instant,
    /// The time of each mark.
    pub times: BTreeMap<i64, Duration>,
    /// Times at which the mark was found changed, in order, up to a limit.
    pub stretches: Vec<(Duration, i64)>,
    /// From `start` to `stop`.
    pub whole: Duration,
}

/// Stretches that are kept; later ones count in the times alone.
const MOST_KEPT: usize = 100_000;

static IS_SAMPLED: AtomicBool = AtomicBool::new(false);
static SAMPLER: Mutex<Option<JoinHandle<Samples>>> = Mutex::new(None);

fn sampler() -> MutexGuard<'static, Option<JoinHandle<Samples>>> {
    SAMPLER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes samples of the mark from now on, so often; false if that is done already, or there is no thread for it.
pub fn start(every: Duration) -> bool {
    let mut sampler = sampler();
    if sampler.is_some() {
        return false;
    }
    IS_SAMPLED.store(true, Ordering::Relaxed);
    let named = std::thread::Builder::new().name("graphwright-profiler".to_owned());
    // The thread may begin late: the time until then counts too.
    let begun = Instant::now();
    *sampler = named.spawn(move || sample(begun, every)).ok();
    sampler.is_some()
}

/// Takes no more samples; none if none were taken.
pub fn stop() -> Option<Samples> {
    let sampler = sampler().take()?;
    IS_SAMPLED.store(false, Ordering::Relaxed);
    sampler.join().ok()
}

/// The time since the sample before counts for the mark that is found.
fn sample(begun: Instant, every: Duration) -> Samples {
    let (mut times, mut stretches) = (BTreeMap::<i64, Duration>::new(), Vec::new());
    let (mut last, mut before) = (begun, None);
    let mut goes_on = true;
    while goes_on {
        goes_on = IS_SAMPLED.load(Ordering::Relaxed);
        if goes_on {
            std::thread::sleep(every);
        }
        let (now, mark) = (Instant::now(), current());
        *times.entry(mark).or_default() += now - last;
        if before != Some(mark) && stretches.len() < MOST_KEPT {
            stretches.push((last - begun, mark));
        }
        (last, before) = (now, Some(mark));
    }
    Samples { begun, times, stretches, whole: last - begun }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_tell_how_long_a_mark_held() {
        assert!(start(Duration::from_micros(100)));
        assert!(!start(Duration::from_micros(100)));
        keeping(|| {
            MARK.store(7, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
        });
        assert_eq!(current(), IDLE);
        let samples = stop().expect("it was on");
        assert!(samples.times[&7] <= samples.whole);
        assert!(samples.stretches.iter().any(|&(_, mark)| mark == 7));
        assert!(stop().is_none());
    }
}

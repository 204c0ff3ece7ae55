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
    /// The time of each mark: its share of the samples.
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

/// Samples so far: how often each mark was found, and the stretches.
struct Tally {
    begun: Instant,
    every: Duration,
    last: Instant,
    before: Option<i64>,
    found: BTreeMap<i64, u32>,
    stretches: Vec<(Duration, i64)>,
}

impl Tally {
    fn new(begun: Instant, every: Duration) -> Self {
        Self { begun, every, last: begun, before: None, found: BTreeMap::new(), stretches: Vec::new() }
    }

    /// Takes one sample. Each counts the same: a thread that was kept waiting says nothing of the time it missed, which would
    /// otherwise count for one mark alone.
    fn take(&mut self, now: Instant, mark: i64) {
        *self.found.entry(mark).or_default() += 1;
        let is_late = now - self.last > 4 * self.every;
        if is_late && self.before.is_some_and(|before| before != IDLE) {
            self.push(self.last + self.every, IDLE);
        }
        if is_late || self.before != Some(mark) {
            self.push(if is_late { now - self.every } else { self.last }, mark);
        }
        (self.last, self.before) = (now, Some(mark));
    }

    fn push(&mut self, at: Instant, mark: i64) {
        if self.stretches.len() < MOST_KEPT {
            self.stretches.push((at - self.begun, mark));
        }
    }

    /// The whole time, shared by the marks as often as they were found.
    fn samples(self) -> Samples {
        let whole = self.last - self.begun;
        let all: u32 = self.found.values().sum();
        let share = |count: u32| whole.mul_f64(f64::from(count) / f64::from(all.max(1)));
        let times = self.found.into_iter().map(|(mark, count)| (mark, share(count))).collect();
        Samples { begun: self.begun, times, stretches: self.stretches, whole }
    }
}

/// Samples until `stop`.
fn sample(begun: Instant, every: Duration) -> Samples {
    let mut tally = Tally::new(begun, every);
    let mut goes_on = true;
    while goes_on {
        goes_on = IS_SAMPLED.load(Ordering::Relaxed);
        if goes_on {
            std::thread::sleep(every);
        }
        tally.take(Instant::now(), current());
    }
    tally.samples()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_sample_counts_as_one() {
        let (begun, ms) = (Instant::now(), Duration::from_millis);
        let mut tally = Tally::new(begun, ms(1));
        (1..=9).for_each(|at| tally.take(begun + ms(at), 7));
        tally.take(begun + ms(100), 8);
        let samples = tally.samples();
        assert_eq!(samples.whole, ms(100));
        assert!(samples.times[&7].abs_diff(ms(90)) < ms(1), "{:?}", samples.times);
        assert!(samples.times[&8].abs_diff(ms(10)) < ms(1));
        assert_eq!(samples.stretches, [(ms(0), 7), (ms(10), IDLE), (ms(99), 8)]);
    }

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

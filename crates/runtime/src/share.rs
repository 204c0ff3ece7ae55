//! Loops of machine code that several threads share.

use crate::Context;
use crate::grain;
use crate::threads::{Runs, threads, work_off};

/// Works off a run of a loop: the context, what the loop gives, the first count, how many counts there are, and memory that the
/// run has for itself.
pub type Run = unsafe extern "C" fn(*mut Context, *const u64, i64, i64, *mut u8);

/// A loop as machine code describes it; the words that it gives to each run come behind. The order of the fields is known to
/// the code generators.
#[repr(C)]
#[derive(Debug)]
pub struct Loop {
    /// Function that executes a run.
    pub run: Run,
    /// Memory for runs of the calling thread.
    pub own: *mut u8,
    /// Bytes of it; other threads need as many.
    pub own_size: i64,
    /// Count at which the loop ends.
    pub stop: i64,
    /// Total amount of work.
    pub work: i64,
    /// A run has at least so much of it.
    pub least: i64,
    /// A run has at least so many counts.
    pub fewest: i64,
}

/// So many runs there are for each thread, if there is enough work: who is slower takes fewer.
const RUNS: usize = 4;

/// The least work of a run counts as so many iterations.
const TICKS: i64 = 1 << 8;

/// Longer runs begin with a multiple of this, so that two threads hardly ever write to the same line of a cache.
const ALIGNED: usize = 64;

/// Works off a loop, on several threads if there are some.
///
/// # Safety
/// `context` is that of the running code; the loop says what is true: its runs keep to what they are given, to their counts and
/// to their own memory, and may run at the same time.
pub unsafe extern "C" fn share(context: *mut Context, told: *const Loop) {
    /// Machine code that each thread calls: it is compiled to be called by several.
    struct Called(*mut Context, *const Loop, *const u64);
    // SAFETY: the runs only read what these point to.
    unsafe impl Sync for Called {}
    impl Called {
        fn run(&self, first: usize, count: usize, own: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { ((*self.1).run)(self.0, self.2, first as i64, count as i64, own) };
        }
    }
    // SAFETY: the caller's promise; the words come right behind the description.
    let (told, called) = unsafe { (&*told, Called(context, told, told.add(1).cast())) };
    // SAFETY: the context is this thread's, and nobody else counts while it is here.
    unsafe { (*context).ticks += told.ticks() };
    let (runs, threads) = told.cut(threads(), grain::multiple);
    if threads <= 1 {
        if runs.stop > 0 {
            called.run(0, runs.stop, told.own);
        }
        return;
    }
    let own = (told.own, usize::try_from(told.own_size).unwrap_or(0));
    work_off(&|first, count, own| called.run(first, count, own), runs, threads, own);
}

impl Loop {
    /// As how many iterations of a loop around this counts, of which so many are done before the host is asked whether to go on:
    /// what takes long is asked for sooner.
    fn ticks(&self) -> i64 {
        (self.work / self.least.max(1)).saturating_mul(TICKS).min(1 << 20)
    }

    /// The runs that the loop is cut into, and how many threads are worth it; a run has a multiple of its least work.
    fn cut(&self, threads: usize, multiple: impl FnOnce() -> usize) -> (Runs, usize) {
        let [stop, work, least, fewest] =
            [self.stop, self.work, self.least, self.fewest].map(|n| usize::try_from(n).unwrap_or(0));
        let pieces = work / least.max(1);
        // Few loops are as large: others need not know.
        let multiple = if threads > 1 && pieces > 1 { multiple() } else { 1 };
        let most = (pieces / multiple).min(stop / fewest.max(1)).max(1);
        let count = most.min(threads.saturating_mul(RUNS));
        let is_long = fewest <= 1 && stop / count > ALIGNED;
        (Runs { stop, count, aligned: if is_long { ALIGNED } else { 1 } }, most.min(threads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn nothing(_: *mut Context, _: *const u64, _: i64, _: i64, _: *mut u8) {}

    #[track_caller]
    fn check([stop, work, least, fewest]: [i64; 4], threads: usize, expected: [usize; 3]) {
        let own = std::ptr::null_mut();
        let told = Loop { run: nothing, own, own_size: 0, stop, work, least, fewest };
        let (runs, on) = told.cut(threads, || 1);
        assert_eq!([runs.count, runs.aligned, on], expected);
    }

    #[test]
    fn runs_are_longer_where_threads_wake_later() {
        let own = std::ptr::null_mut();
        let told = Loop { run: nothing, own, own_size: 0, stop: 1000, work: 1000, least: 100, fewest: 1 };
        let count = |multiple| told.cut(4, || multiple).0.count;
        assert_eq!([1, 2, 4, 8, 16].map(count), [10, 5, 2, 1, 1]);
    }

    #[test]
    fn runs_have_enough_to_do() {
        check([1000, 1000, 1, 1], 1, [4, 64, 1]);
        check([1000, 1000, 1, 1], 2, [8, 64, 2]);
        check([1000, 1000, 400, 1], 2, [2, 64, 2]);
        check([1000, 1000, 600, 1], 2, [1, 64, 1]);
        check([8, 1 << 30, 1 << 20, 1], 3, [8, 1, 3]);
        check([300, 1 << 30, 1 << 20, 72], 16, [4, 1, 4]);
        check([150, 1 << 30, 1 << 20, 72], 16, [2, 1, 2]);
        check([1, 1 << 30, 1 << 20, 1], 4, [1, 1, 1]);
        check([0, 0, 1, 1], 4, [1, 1, 1]);
    }
}

//! The threads that work off runs of loops beside the thread that came to the loop: they are started when they are wanted
//! first, wait without doing anything, and end with the process.
//!
//! A loop is put where all threads look for work. Whoever comes takes the next run until none is left, the thread that put it
//! there too, which then waits for those that are still at it. No thread waits for one that has not begun, so a loop gets
//! done whatever becomes of the others, and several threads may come to loops at once.

use std::collections::VecDeque;
use std::num::NonZero;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use crate::grain;
use crate::memory::Block;
use crate::rounding::Rounding;

/// More threads than this are not started.
const MOST: usize = 256;

/// Number of threads that work at once, the calling one among them; 0 until somebody asks: as many as there
/// are processors that the process may use.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// The threads of this process.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// Says how many threads may work off a loop, the one that comes to it among them; 0 for as many as there are processors.
pub fn set_threads(count: usize) {
    WANTED.store(count.min(MOST), Ordering::Relaxed);
}

/// Number of threads that may share a loop.
pub fn threads() -> usize {
    match WANTED.load(Ordering::Relaxed) {
        0 => {
            let here = std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST);
            WANTED.store(here, Ordering::Relaxed);
            here
        }
        count => count,
    }
}

/// Works off the counts of a run: the first, how many there are, and memory of the run's own.
pub(crate) type Work<'w> = dyn Fn(usize, usize, *mut u8) + Sync + 'w;

/// A loop that is being worked off.
struct Job {
    /// Work to do; it lives until the loop is done.
    work: *const Work<'static>,
    /// The first run that nobody has taken yet.
    next: AtomicUsize,
    runs: Runs,
    /// Bytes of memory that each thread needs for itself.
    own: usize,
    rounding: Rounding,
    /// Number of threads at work beside the one that came to the loop, and of those that may still come;
    /// under the pool's lock.
    others: AtomicUsize,
    places: AtomicUsize,
    /// When it began, if it is asked how late the first of the other threads came, and nanoseconds until that, once it has.
    begun: Option<Instant>,
    came: AtomicU64,
}

/// The threads of one process, for as long as it runs.
struct Pool {
    /// The process that it belongs to; a copy of the process has no such threads.
    process: u32,
    state: Mutex<State>,
    /// There is work.
    work: Condvar,
    /// A thread has left a loop.
    left: Condvar,
}

#[derive(Default)]
struct State {
    started: usize,
    jobs: VecDeque<Waiting>,
}

/// A loop that more threads may come to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Waiting(*const Job);

// SAFETY: the job is alive as long as it is in the list, and is made of atomics and of a function that may be shared.
unsafe impl Send for Waiting {}

/// Counts from 0 to `stop` in so many runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Runs {
    pub(crate) stop: usize,
    /// At least one.
    pub(crate) count: usize,
    /// Each begins with a multiple of this.
    pub(crate) aligned: usize,
}

impl Runs {
    /// Count at which a run begins, or at which the last one ends.
    fn begin(self, run: usize) -> usize {
        let even = (run as u128 * self.stop as u128 / self.count as u128) as usize;
        if run < self.count { even - even % self.aligned } else { self.stop }
    }
}

/// Works off runs on so many threads. The memory is that of runs of this thread; each other one gets as many bytes.
pub(crate) fn work_off(work: &Work, runs: Runs, threads: usize, own: (*mut u8, usize)) {
    // SAFETY: only the lifetime is another, and nobody has the job when this function returns.
    let work = unsafe { std::mem::transmute::<*const Work<'_>, *const Work<'static>>(ptr::from_ref(work)) };
    let job = Job {
        work,
        next: AtomicUsize::new(0),
        runs,
        own: own.1,
        rounding: Rounding::here(),
        others: AtomicUsize::new(0),
        places: AtomicUsize::new(threads - 1),
        begun: grain::is_asked().then(Instant::now),
        came: AtomicU64::new(0),
    };
    let pool = pool();
    pool.offer(&job, threads - 1);
    job.runs(own.0);
    pool.take_back(&job);
    if let Some(begun) = job.begun {
        let came = Some(Duration::from_nanos(job.came.into_inner())).filter(|came| !came.is_zero());
        grain::told(begun.elapsed(), came);
    }
}

impl Job {
    /// Another thread has come.
    fn come(&self) {
        if let Some(begun) = self.begun {
            let after = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX).max(1);
            // Those that come behind the first one change nothing.
            let _first = self.came.compare_exchange(0, after, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Takes runs until none is left.
    fn runs(&self, own: *mut u8) {
        loop {
            let run = self.next.fetch_add(1, Ordering::Relaxed);
            if run >= self.runs.count {
                return;
            }
            let (first, end) = (self.runs.begin(run), self.runs.begin(run + 1));
            if first < end {
                // SAFETY: the function lives until the loop is done, which it is not as long as somebody is here.
                unsafe { (*self.work)(first, end - first, own) };
            }
        }
    }
}

/// The pool of this process. In a copy of the process the threads are missing, and locks may be held by nobody: it has
/// another one.
fn pool() -> &'static Pool {
    let process = std::process::id();
    loop {
        let known = POOL.load(Ordering::Acquire);
        // SAFETY: a pool that has been put there stays for ever.
        if let Some(pool) = unsafe { known.as_ref() }
            && pool.process == process
        {
            return pool;
        }
        let (state, work, left) = Default::default();
        let made = Box::into_raw(Box::new(Pool { process, state, work, left }));
        if POOL.compare_exchange(known, made, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: nobody else has seen it.
            drop(unsafe { Box::from_raw(made) });
        }
    }
}

impl Pool {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets other threads come to a loop.
    fn offer(&'static self, job: &Job, others: usize) {
        let mut state = self.state();
        while state.started < others {
            let thread = Builder::new().name(format!("graphwright {}", state.started + 1));
            // Threads that cannot be started are done without.
            if thread.spawn(|| self.serve()).is_err() {
                break;
            }
            state.started += 1;
        }
        state.jobs.push_back(Waiting(job));
        drop(state);
        if others == 1 { self.work.notify_one() } else { self.work.notify_all() }
    }

    /// Waits until no other thread is at the loop; none comes any more.
    fn take_back(&self, job: &Job) {
        let mut state = self.state();
        state.jobs.retain(|waiting| *waiting != Waiting(job));
        while job.others.load(Ordering::Relaxed) > 0 {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Main loop of a worker thread, which lasts as long as the process.
    fn serve(&self) {
        let mut own: Option<Block> = None;
        let mut state = self.state();
        loop {
            let Some(Waiting(job)) = state.next() else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            // SAFETY: a job that somebody is at is alive.
            let job = unsafe { &*job };
            if let Some(own) = room(&mut own, job.own) {
                job.come();
                job.rounding.take();
                job.runs(own);
            }
            state = self.state();
            job.others.fetch_sub(1, Ordering::Relaxed);
            self.left.notify_all();
        }
    }
}

impl State {
    /// A loop for a thread that comes, which is at it from now on.
    fn next(&mut self) -> Option<Waiting> {
        let waiting = *self.jobs.front()?;
        // SAFETY: a job in the list is alive.
        let job = unsafe { &*waiting.0 };
        job.others.fetch_add(1, Ordering::Relaxed);
        if job.places.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.jobs.pop_front();
        }
        Some(waiting)
    }
}

/// Memory of so many bytes; `None` if there is not so much.
fn room(block: &mut Option<Block>, size: usize) -> Option<*mut u8> {
    if block.as_ref().is_none_or(|block| block.size() < size) {
        *block = Some(Block::new(size)?);
    }
    block.as_mut().map(Block::as_mut_ptr)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU8;

    /// Counts how often each count was worked off.
    fn counts(stop: usize, count: usize, threads: usize) -> Vec<u8> {
        let seen: Vec<AtomicU8> = (0..stop).map(|_| AtomicU8::new(0)).collect();
        let work = |first: usize, count: usize, _: *mut u8| {
            for seen in &seen[first..first + count] {
                seen.fetch_add(1, Ordering::Relaxed);
            }
        };
        for aligned in [1, 4] {
            work_off(&work, Runs { stop, count, aligned }, threads, (ptr::null_mut(), 0));
        }
        seen.into_iter().map(AtomicU8::into_inner).collect()
    }

    #[test]
    fn each_count_is_worked_off_once() {
        for (stop, runs, threads) in [(0, 1, 2), (1, 1, 7), (1000, 1000, 3), (1000, 7, 2), (10, 100, 4)] {
            assert_eq!(counts(stop, runs, threads), vec![2; stop], "{stop} in {runs} on {threads}");
        }
    }

    #[test]
    fn several_threads_come_to_loops_at_once() {
        std::thread::scope(|scope| {
            for caller in 1..5 {
                scope.spawn(move || {
                    for stop in 0..200 {
                        assert_eq!(counts(stop, caller, 3), vec![2; stop]);
                    }
                });
            }
        });
    }

    #[test]
    fn each_thread_has_memory_of_its_own() {
        let mut here = [0u8; 64];
        let work = |first: usize, count: usize, own: *mut u8| {
            // SAFETY: 64 bytes are there for this thread alone.
            let own = unsafe { std::slice::from_raw_parts_mut(own, 64) };
            for at in first..first + count {
                own.fill(at as u8);
                std::thread::yield_now();
                assert!(own.iter().all(|&byte| byte == at as u8));
            }
        };
        let runs = Runs { stop: 2000, count: 2000, aligned: 1 };
        work_off(&work, runs, 4, (here.as_mut_ptr(), 64));
    }
}

//! Threads and the user's objects: a trace is alone with them. It puts values of its graph into objects and gives them back what
//! they held, so a thread that reads them meanwhile would see these values, and what it stores would be lost or taken for the
//! function's own. Calls of graphs and the host's functions in them wait for a trace of another thread, and a trace for them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

/// So long a thread waits for a trace of another one: that trace may wait for this thread itself.
const FOR_TRACE: Duration = Duration::from_secs(1);

/// So long a trace waits for functions of the host's: they may wait for what comes from outside.
const FOR_HOST: Duration = Duration::from_millis(50);

/// No thread.
const NONE: u64 = 0;

/// The thread whose trace the others wait for.
static TRACES: AtomicU64 = AtomicU64::new(NONE);

/// The functions of the host's that run, one of each thread, in the low half. The high half counts how often those that
/// ran were given up: a function that takes long is waited for once.
static RUNNING: AtomicU64 = AtomicU64::new(0);
const GIVEN_UP: u64 = 1 << 32;

/// The lock of those who wait for one of the two to change.
static WAITING: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

thread_local! {
    static THREAD: u64 = {
        static COUNT: AtomicU64 = AtomicU64::new(NONE + 1);
        COUNT.fetch_add(1, Ordering::Relaxed)
    };
    /// True in a trace, or in what one calls: nothing in it waits.
    static IN_TRACE: Cell<bool> = const { Cell::new(false) };
    /// The number of times that functions had been given up when that of this thread began, if one counts.
    static COUNTED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs `step`, a trace or a part of one, while the graphs of other threads leave the user's objects alone.
pub fn trace<T>(py: Python<'_>, step: impl FnOnce() -> T) -> T {
    if IN_TRACE.get() {
        return step();
    }
    let this = THREAD.with(|this| *this);
    let was_counted = py.detach(|| begin(this));
    let _end = Ended(|| {
        IN_TRACE.set(false);
        if was_counted {
            enter();
        }
        // A thread that waited too long has taken the turn away.
        let _taken = TRACES.compare_exchange(this, NONE, Ordering::SeqCst, Ordering::SeqCst);
        notify();
    });
    IN_TRACE.set(true);
    step()
}

/// Runs `step`, a function of the host's that a graph calls, once no other thread traces. Where none does, two atomic
/// operations are all it costs.
pub fn host<T>(py: Python<'_>, step: impl FnOnce() -> T) -> T {
    if IN_TRACE.get() || COUNTED.get().is_some() {
        return step();
    }
    enter();
    // Either this sees the trace, or the trace sees that a function runs.
    while TRACES.load(Ordering::SeqCst) != NONE {
        leave();
        py.detach(|| drop(no_trace(lock(), NONE)));
        enter();
    }
    let _end = Ended(leave);
    step()
}

/// Counts a function of the host's that begins.
fn enter() {
    let before = RUNNING.fetch_add(1, Ordering::SeqCst);
    COUNTED.set(Some(before / GIVEN_UP));
}

/// Counts a function of the host's that ends, if it was not given up; tells the trace that waits for it.
fn leave() {
    let Some(begun) = COUNTED.take() else { return };
    let one_less = |now: u64| (now / GIVEN_UP == begun).then(|| now - 1);
    let _given_up = RUNNING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
    if TRACES.load(Ordering::SeqCst) != NONE {
        notify();
    }
}

/// The functions of the host's that run.
fn count(running: u64) -> u64 {
    running & (GIVEN_UP - 1)
}

fn notify() {
    drop(lock());
    CHANGED.notify_all();
}

/// Waits for the trace of another thread, and for the next one that began before this thread had Python again.
pub fn wait(py: Python<'_>) {
    while TRACES.load(Ordering::SeqCst) != NONE && !IN_TRACE.get() {
        py.detach(|| drop(no_trace(lock(), NONE)));
    }
}

/// Lets this thread trace as soon as no other one does, and no function of the host's runs in another one; tells whether one
/// runs in this.
fn begin(this: u64) -> bool {
    let was_counted = COUNTED.get().is_some();
    leave();
    let waiting = no_trace(lock(), this);
    let runs = |(): &mut ()| count(RUNNING.load(Ordering::SeqCst)) > 0;
    drop(CHANGED.wait_timeout_while(waiting, FOR_HOST, runs));
    // Nobody waits again for a function that takes long.
    let none = |now: u64| (count(now) > 0).then(|| (now / GIVEN_UP + 1) * GIVEN_UP);
    let _none = RUNNING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, none);
    was_counted
}

/// Waits until no thread traces, and gives the turn to `next`; takes it away from one that takes too long.
fn no_trace(serving: MutexGuard<'_, ()>, next: u64) -> MutexGuard<'_, ()> {
    let traced = TRACES.load(Ordering::SeqCst);
    let traces = |(): &mut ()| TRACES.load(Ordering::SeqCst) == traced;
    let mut serving = serving;
    if traced != NONE {
        let waited = CHANGED.wait_timeout_while(serving, FOR_TRACE, traces);
        serving = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    let now = TRACES.load(Ordering::SeqCst);
    if now == NONE || now == traced {
        TRACES.store(next, Ordering::SeqCst);
        return serving;
    }
    no_trace(serving, next)
}

fn lock() -> MutexGuard<'static, ()> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does a last thing when it is dropped.
struct Ended<F: FnMut()>(F);

impl<F: FnMut()> Drop for Ended<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

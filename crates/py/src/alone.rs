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

/// The threads in which the host's functions run; the lock of all that is said here.
static SERVING: Mutex<Vec<u64>> = Mutex::new(Vec::new());
static CHANGED: Condvar = Condvar::new();

thread_local! {
    static THREAD: u64 = {
        static COUNT: AtomicU64 = AtomicU64::new(NONE + 1);
        COUNT.fetch_add(1, Ordering::Relaxed)
    };
    /// True in a trace, or in what one calls: nothing in it waits.
    static IN_TRACE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `step`, a trace or a part of one, while the graphs of other threads leave the user's objects alone.
pub fn trace<T>(py: Python<'_>, step: impl FnOnce() -> T) -> T {
    if IN_TRACE.get() {
        return step();
    }
    let this = THREAD.with(|this| *this);
    let was_serving = py.detach(|| begin(this));
    let _end = Ended(|| {
        IN_TRACE.set(false);
        let mut serving = lock();
        serving.extend(was_serving.then_some(this));
        // A thread that waited too long has taken the turn away.
        let _taken = TRACES.compare_exchange(this, NONE, Ordering::Relaxed, Ordering::Relaxed);
        CHANGED.notify_all();
    });
    IN_TRACE.set(true);
    step()
}

/// Runs `step`, a function of the host's that a graph calls, once no other thread traces.
pub fn host<T>(py: Python<'_>, step: impl FnOnce() -> T) -> T {
    let this = THREAD.with(|this| *this);
    let mut serving = lock();
    if IN_TRACE.get() || serving.contains(&this) {
        drop(serving);
        return step();
    }
    if TRACES.load(Ordering::Relaxed) == NONE {
        serving.push(this);
        drop(serving);
    } else {
        drop(serving);
        py.detach(|| no_trace(lock(), NONE).push(this));
    }
    let _end = Ended(|| {
        lock().retain(|serving| *serving != this);
        CHANGED.notify_all();
    });
    step()
}

/// Waits for the trace of another thread.
pub fn wait(py: Python<'_>) {
    if TRACES.load(Ordering::Relaxed) != NONE && !IN_TRACE.get() {
        py.detach(|| drop(no_trace(lock(), NONE)));
    }
}

/// Lets this thread trace as soon as no other one does, and no function of the host's runs in another one; tells whether one
/// runs in this.
fn begin(this: u64) -> bool {
    let mut serving = lock();
    let before = serving.len();
    serving.retain(|thread| *thread != this);
    let was_serving = serving.len() < before;
    if was_serving {
        CHANGED.notify_all();
    }
    let serving = no_trace(serving, this);
    let runs = |serving: &mut Vec<u64>| !serving.is_empty();
    let waited = CHANGED.wait_timeout_while(serving, FOR_HOST, runs);
    // Nobody waits again for a function that takes long.
    waited.unwrap_or_else(PoisonError::into_inner).0.clear();
    was_serving
}

/// Waits until no thread traces, and gives the turn to `next`; takes it away from one that takes too long.
fn no_trace(serving: MutexGuard<'_, Vec<u64>>, next: u64) -> MutexGuard<'_, Vec<u64>> {
    let traced = TRACES.load(Ordering::Relaxed);
    let traces = |_: &mut Vec<u64>| TRACES.load(Ordering::Relaxed) == traced;
    let mut serving = serving;
    if traced != NONE {
        let waited = CHANGED.wait_timeout_while(serving, FOR_TRACE, traces);
        serving = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    let now = TRACES.load(Ordering::Relaxed);
    if now == NONE || now == traced {
        TRACES.store(next, Ordering::Relaxed);
        return serving;
    }
    no_trace(serving, next)
}

fn lock() -> MutexGuard<'static, Vec<u64>> {
    SERVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does a last thing when it is dropped.
struct Ended<F: FnMut()>(F);

impl<F: FnMut()> Drop for Ended<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

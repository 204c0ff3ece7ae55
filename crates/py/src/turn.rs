//! Turns at a variable: what reads a variable and gives it a value made of that, an `assign_add` or a graph that assigns, has
//! its turn alone, so no update of another thread is lost.
//!
//! A thread that waits lets Python go and looks for interrupts. A thread that has its turn already goes on at once.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

/// So long a thread waits before it looks for an interrupt.
const MOMENT: Duration = Duration::from_millis(50);

/// Whose turn it is.
#[derive(Debug, Default)]
pub struct Turn {
    /// The number of the thread, or 0.
    owner: AtomicU64,
    /// How many threads wait.
    waiting: AtomicUsize,
    lock: Mutex<()>,
    free: Condvar,
}

/// The turns that a thread has as long as this lives: it stays on the thread.
#[derive(Debug)]
pub struct Taken<'a> {
    turns: Vec<&'a Turn>,
    on_thread: PhantomData<*const ()>,
}

/// Takes a turn at each of these; in one order for all threads, so that two never wait for each other.
pub fn take<'a>(py: Python<'_>, turns: impl Iterator<Item = &'a Turn>) -> PyResult<Taken<'a>> {
    let mut wanted: Vec<&Turn> = turns.collect();
    wanted.sort_by_key(|turn| std::ptr::from_ref(*turn));
    let mut taken = Taken { turns: Vec::with_capacity(wanted.len()), on_thread: PhantomData };
    for turn in wanted {
        if turn.take(py)? {
            taken.turns.push(turn);
        }
    }
    Ok(taken)
}

impl Turn {
    /// Takes the turn; false if this thread has it already.
    fn take(&self, py: Python<'_>) -> PyResult<bool> {
        let this = number();
        if self.owner.load(Ordering::Relaxed) == this {
            return Ok(false);
        }
        while !self.try_take(this) {
            py.detach(|| self.wait());
            py.check_signals()?;
        }
        Ok(true)
    }

    fn try_take(&self, this: u64) -> bool {
        self.owner.compare_exchange(0, this, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    /// Waits until it is free, or for a moment.
    fn wait(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |(): &mut ()| self.owner.load(Ordering::SeqCst) != 0;
        drop(self.free.wait_timeout_while(held, MOMENT, is_taken));
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    fn give(&self) {
        self.owner.store(0, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock());
            self.free.notify_one();
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.turns.iter().for_each(|turn| turn.give());
    }
}

/// The number of this thread, from 1.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

//! Turns at variables: what reads a variable and gives it a value made of that, an `assign_add` or a graph that assigns, has
//! its turn alone, so no update of another thread is lost. Variables that change together, such as those of an iterator, share
//! one turn.
//!
//! A thread that waits lets Python go and looks for interrupts. A thread that has its turn already may take it again: what a
//! graph calls of Python's may ask the same iterator.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::values::variable::Variable;

/// So long a thread waits before it looks for an interrupt.
const MOMENT: Duration = Duration::from_millis(50);

/// Thread whose turn it is.
#[derive(Debug, Default)]
pub struct Turn {
    /// The number of the thread, or 0.
    owner: AtomicU64,
    /// The number of times that the thread took it; only that thread looks.
    depth: AtomicUsize,
    /// The number of threads that wait.
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

/// Takes a turn at each of these. A thread that waits for one gives back those that it took for the others, so that two never
/// wait for each other.
pub fn take<'a>(py: Python<'_>, turns: impl Iterator<Item = &'a OfVariable>) -> PyResult<Taken<'a>> {
    let turns: Vec<&Turn> = turns.map(OfVariable::turn).collect();
    let mut taken = Taken { turns: Vec::with_capacity(turns.len()), on_thread: PhantomData };
    while let Some(busy) = taken.try_take(&turns) {
        taken.give();
        busy.wait(py)?;
    }
    Ok(taken)
}

impl<'a> Taken<'a> {
    /// Takes all of these up to one that another thread has; gives that one.
    fn try_take(&mut self, turns: &[&'a Turn]) -> Option<&'a Turn> {
        let this = number();
        turns.iter().copied().find(|turn| {
            let is_taken = turn.try_take(this);
            if is_taken {
                self.turns.push(*turn);
            }
            !is_taken
        })
    }

    fn give(&mut self) {
        self.turns.drain(..).for_each(Turn::give);
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.give();
    }
}

impl Turn {
    fn try_take(&self, this: u64) -> bool {
        let is_own = self.is_of(this)
            || self.owner.compare_exchange(0, this, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        if is_own {
            self.depth.fetch_add(1, Ordering::Relaxed);
        }
        is_own
    }

    fn is_of(&self, thread: u64) -> bool {
        self.owner.load(Ordering::Relaxed) == thread
    }

    /// Waits until it is free, or for a moment, without Python.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.wait_a_moment());
        py.check_signals()
    }

    fn wait_a_moment(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |(): &mut ()| self.owner.load(Ordering::SeqCst) != 0;
        drop(self.free.wait_timeout_while(held, MOMENT, is_taken));
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Gives back what this thread took.
    fn give(&self) {
        if self.depth.fetch_sub(1, Ordering::Relaxed) > 1 {
            return;
        }
        self.owner.store(0, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock());
            self.free.notify_one();
        }
    }
}

/// The turn at a variable: its own, or the one that it shares with others.
#[derive(Debug, Default)]
pub struct OfVariable {
    own: Turn,
    shared: OnceLock<Arc<Turn>>,
}

impl OfVariable {
    /// True where the variable changes together with others.
    pub fn is_shared(&self) -> bool {
        self.shared.get().is_some()
    }

    fn turn(&self) -> &Turn {
        self.shared.get().map_or(&self.own, |shared| shared)
    }
}

/// The turn at variables that change together, for `with`.
#[pyclass(frozen, name = "StateLock", module = "graphwright")]
#[derive(Debug)]
pub struct StateLock(Arc<Turn>);

#[pymethods]
impl StateLock {
    /// One turn at all of these variables.
    #[new]
    fn new(variables: Vec<Bound<'_, Variable>>) -> PyResult<Self> {
        let turn = Arc::default();
        for variable in &variables {
            if variable.get().cell.turn.shared.set(Arc::clone(&turn)).is_err() {
                return Err(PyRuntimeError::new_err("a variable belongs to one lock"));
            }
        }
        Ok(Self(turn))
    }

    fn __enter__(&self, py: Python<'_>) -> PyResult<()> {
        let this = number();
        while !self.0.try_take(this) {
            self.0.wait(py)?;
        }
        Ok(())
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyAny>) -> PyResult<()> {
        if !self.0.is_of(number()) {
            return Err(PyRuntimeError::new_err("the lock is not held by this thread"));
        }
        self.0.give();
        Ok(())
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

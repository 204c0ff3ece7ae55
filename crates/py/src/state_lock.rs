//! A lock over variables that change together, such as those of an iterator: a graph that assigns to one of them holds it from
//! before it reads them until its results are written back.
//!
//! A thread that holds the lock may take it again: what a graph calls of Python's may ask the same iterator. A thread that waits
//! lets others run Python meanwhile, and can be interrupted.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::variable::Variable;

/// A thread that waits looks so often whether it is to be interrupted.
const INTERRUPTED: Duration = Duration::from_millis(50);

/// Who holds a lock, and how many times.
#[derive(Debug, Default)]
struct Holder {
    thread: Option<ThreadId>,
    depth: usize,
}

/// A lock that its thread may take more than once.
#[derive(Debug, Default)]
pub struct Lock {
    holder: Mutex<Holder>,
    free: Condvar,
}

impl Lock {
    fn holder(&self) -> MutexGuard<'_, Holder> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_take(&self) -> bool {
        let (mut holder, own) = (self.holder(), thread::current().id());
        if holder.thread.is_some_and(|thread| thread != own) {
            return false;
        }
        holder.thread = Some(own);
        holder.depth += 1;
        true
    }

    /// Waits until the lock is free, or for some time.
    fn wait(&self) {
        let holder = self.holder();
        if holder.thread.is_some() {
            drop(self.free.wait_timeout(holder, INTERRUPTED));
        }
    }

    fn take(&self, py: Python<'_>) -> PyResult<()> {
        while !self.try_take() {
            py.detach(|| self.wait());
            py.check_signals()?;
        }
        Ok(())
    }

    /// Gives it back; false if this thread does not hold it.
    fn release(&self) -> bool {
        let mut holder = self.holder();
        if holder.thread != Some(thread::current().id()) {
            return false;
        }
        holder.depth -= 1;
        if holder.depth == 0 {
            holder.thread = None;
            self.free.notify_one();
        }
        true
    }
}

/// Locks that are held until this is dropped.
#[derive(Debug, Default)]
pub struct Guard(Vec<Arc<Lock>>);

impl Guard {
    /// Takes these locks, each once; two threads that take several of them do so in the same order.
    pub fn take<'a>(py: Python<'_>, locks: impl Iterator<Item = &'a Arc<Lock>>) -> PyResult<Self> {
        let mut all: Vec<Arc<Lock>> = locks.cloned().collect();
        all.sort_unstable_by_key(Arc::as_ptr);
        all.dedup_by(|a, b| Arc::ptr_eq(a, b));
        let mut held = Self::default();
        for lock in all {
            lock.take(py)?;
            held.0.push(lock);
        }
        Ok(held)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for lock in &self.0 {
            lock.release();
        }
    }
}

/// The lock that a variable belongs to.
#[derive(Debug, Default)]
pub struct OfVariable(OnceLock<Arc<Lock>>);

impl OfVariable {
    /// The lock, if there is one.
    pub fn get(&self) -> Option<&Arc<Lock>> {
        self.0.get()
    }
}

/// A lock over variables, for `with`.
#[pyclass(frozen, name = "StateLock", module = "graphwright")]
#[derive(Debug)]
pub struct StateLock(Arc<Lock>);

#[pymethods]
impl StateLock {
    /// A lock over these variables.
    #[new]
    fn new(variables: Vec<Bound<'_, Variable>>) -> PyResult<Self> {
        let lock = Arc::default();
        for variable in &variables {
            if variable.get().cell.lock.0.set(Arc::clone(&lock)).is_err() {
                return Err(PyRuntimeError::new_err("a variable belongs to one lock"));
            }
        }
        Ok(Self(lock))
    }

    fn __enter__(&self, py: Python<'_>) -> PyResult<()> {
        self.0.take(py)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.0.release() {
            true => Ok(()),
            false => Err(PyRuntimeError::new_err("the lock is not held by this thread")),
        }
    }
}

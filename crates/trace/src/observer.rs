//! Observers of a graph that is being built.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An observer, which is told of each node right after it is added to a graph.
pub trait Observer: Debug + Send + Sync {
    /// The nodes of these numbers were added.
    fn added(&self, nodes: Range<usize>);
}

/// The observer of a trace, if it has one.
#[derive(Debug, Default)]
pub(crate) struct Observing {
    observer: Mutex<Option<Arc<dyn Observer>>>,
    /// True while an op takes an index that was checked.
    index_is_checked: AtomicBool,
}

impl Observing {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<dyn Observer>>> {
        self.observer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the observer of nodes.
    pub(crate) fn added(&self, nodes: Range<usize>) {
        // The observer may build too.
        let observer = self.lock().clone();
        if let Some(observer) = observer {
            observer.added(nodes);
        }
    }

    /// Sets the observer; gives the one before.
    pub(crate) fn replace(&self, observer: Option<Arc<dyn Observer>>) -> Option<Arc<dyn Observer>> {
        std::mem::replace(&mut *self.lock(), observer)
    }

    /// Runs a step in which indices are known to be checked.
    pub(crate) fn with_checked_index<T>(&self, step: impl FnOnce() -> T) -> T {
        let before = self.index_is_checked.swap(true, Ordering::Relaxed);
        let made = step();
        self.index_is_checked.store(before, Ordering::Relaxed);
        made
    }

    /// True within that.
    pub(crate) fn is_index_checked(&self) -> bool {
        self.index_is_checked.load(Ordering::Relaxed)
    }
}

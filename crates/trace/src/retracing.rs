//! Facts of one trace that keep nested statements from being traced once more for each statement around them.

use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Loc;

/// Facts about the statements of one trace.
#[derive(Debug, Default)]
pub(crate) struct Retracing {
    has_raising_else: AtomicBool,
    /// The statements whose second branch raises.
    raising_else: Mutex<FxHashSet<Loc>>,
    /// The number of ways out of bodies of `try` that were followed.
    ways: AtomicUsize,
}

impl Retracing {
    fn raising_else(&self) -> MutexGuard<'_, FxHashSet<Loc>> {
        self.raising_else.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the second branch of some statement raises.
    pub(crate) fn has_raising_else(&self) -> bool {
        self.has_raising_else.load(Ordering::Relaxed)
    }

    /// True if that of the statement at this place does.
    pub(crate) fn is_raising_else(&self, place: &Loc) -> bool {
        self.raising_else().contains(place)
    }

    /// Remembers if it does.
    pub(crate) fn set_raising_else(&self, place: &Loc, raises: bool) {
        let mut known = self.raising_else();
        if raises {
            known.insert(place.clone())
        } else {
            known.remove(place)
        };
        self.has_raising_else.store(!known.is_empty(), Ordering::Relaxed);
    }

    /// Counts that one more way out of the body of a `try` is followed.
    pub(crate) fn count_way(&self) -> usize {
        self.ways.fetch_add(1, Ordering::Relaxed) + 1
    }
}

//! Profiles of functions: the time they have run in all, so that hot ones are compiled better, and their better code.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::background;
use crate::{Entry, Program};

/// Machine code with what keeps it in memory.
pub struct Code {
    /// Entry point of the code.
    pub entry: Entry,
    /// Owner that keeps the code in memory.
    pub owner: Box<dyn Any + Send + Sync>,
}

/// Makes better code for a function, which may take long; nothing if that is not possible.
pub type Better = Box<dyn FnOnce(&Program) -> Option<Code> + Send>;

/// A function is hot when its runs have taken so long in all: about as long as it takes to compile one better.
const HOT: Duration = Duration::from_millis(20);

/// The first runs are timed, and then each of so many: to ask for the time takes as long as a small function.
const FIRST: u32 = 4;
const EACH: u32 = 16;

static IMPROVED: AtomicUsize = AtomicUsize::new(0);

/// Number of functions of the process that have got better code.
pub fn improved() -> usize {
    IMPROVED.load(Ordering::Relaxed)
}

/// The code of a function, and what is known of how hot it is.
pub(crate) struct Heat {
    entry: AtomicPtr<()>,
    /// The code that a function began with stays, since somebody may be running it.
    _first: Box<dyn Any + Send + Sync>,
    better: OnceLock<Box<dyn Any + Send + Sync>>,
    /// True while runs are timed.
    timed: AtomicBool,
    runs: AtomicU32,
    nanoseconds: AtomicU64,
    make: Mutex<Option<Better>>,
}

impl Heat {
    pub(crate) fn new(code: Code, make: Option<Better>) -> Self {
        Self {
            entry: AtomicPtr::new(code.entry as *mut ()),
            _first: code.owner,
            better: OnceLock::new(),
            timed: AtomicBool::new(make.is_some()),
            runs: AtomicU32::new(0),
            nanoseconds: AtomicU64::new(0),
            make: Mutex::new(make),
        }
    }

    /// Entry point of the best code that there is.
    pub(crate) fn entry(&self) -> Entry {
        let entry = self.entry.load(Ordering::Acquire);
        // SAFETY: only entries are put there.
        unsafe { std::mem::transmute::<*mut (), Entry>(entry) }
    }

    /// A run begins; when, if it is timed.
    pub(crate) fn begin(&self) -> Option<Instant> {
        if !self.timed.load(Ordering::Relaxed) {
            return None;
        }
        // Threads may count a run twice or not at all: that makes no function hot that is not.
        let runs = self.runs.load(Ordering::Relaxed);
        self.runs.store(runs.wrapping_add(1), Ordering::Relaxed);
        (runs < FIRST || runs.is_multiple_of(EACH)).then(Instant::now)
    }

    /// A run ends that began then; whether the function has become hot by it, which it does once.
    pub(crate) fn end(&self, begun: Option<Instant>) -> bool {
        let Some(begun) = begun else { return false };
        let runs = if self.runs.load(Ordering::Relaxed) <= FIRST { 1 } else { EACH };
        let spent = begun.elapsed().saturating_mul(runs);
        let spent = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX >> 1);
        let all = self.nanoseconds.fetch_add(spent, Ordering::Relaxed).saturating_add(spent);
        all >= HOT.as_nanos() as u64 && self.timed.swap(false, Ordering::Relaxed)
    }

    /// Has the background make better code, and takes it for all runs that begin then.
    pub(crate) fn improve(self: &Arc<Self>, program: &Arc<Program>) {
        let Some(make) = self.make.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let (heat, program) = (Arc::downgrade(self), program.clone());
        background::later(Box::new(move || {
            // Nobody needs code of what is gone.
            if heat.strong_count() > 0
                && let Some(code) = make(&program)
                && let Some(heat) = heat.upgrade()
            {
                heat.take(code);
            }
        }));
    }

    fn take(&self, code: Code) {
        if self.better.set(code.owner).is_ok() {
            self.entry.store(code.entry as *mut (), Ordering::Release);
            IMPROVED.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// True if better code has been taken.
    pub(crate) fn is_better(&self) -> bool {
        self.better.get().is_some()
    }
}

//! Functions of the graph that a trace made, and what it knows of those that it calls again and again.

use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::call::{FunctionCall, FunctionKey, Leaves};
use super::callee::Callee;
use super::limits::LARGE;

/// The functions that one trace made.
#[derive(Debug)]
pub struct Memo<V, S, C, R>(Mutex<MadeFunctions<V, S, C, R>>);

#[derive(Debug)]
pub(super) struct MadeFunctions<V, S, C, R> {
    pub(super) records: Vec<MemoRecord<V, S, C, R>>,
    /// The number of those ever made.
    pub(super) count: usize,
}

/// A function that was made.
#[derive(Debug)]
pub(super) struct MemoRecord<V, S, C, R> {
    /// The arguments that it was asked to take.
    pub(super) asked: Leaves<V>,
    /// Kinds of arguments that it takes.
    pub(super) call: FunctionCall<V, S, C>,
    pub(super) made: Arc<Made<V, S, R>>,
    /// The number of records before it.
    pub(super) at: usize,
    /// True if no function around it is in another round by now.
    pub(super) fresh: bool,
}

impl<V, S, C: Clone, R> Clone for MemoRecord<V, S, C, R> {
    fn clone(&self) -> Self {
        let Self { asked, call, made, at, fresh } = self;
        Self { asked: asked.clone(), call: call.clone(), made: made.clone(), at: *at, fresh: *fresh }
    }
}

impl<V: Clone, S, C: Clone, R> MemoRecord<V, S, C, R> {
    /// A function for a call, which first asked for some arguments.
    pub(super) fn new(asked: &Leaves<V>, call: &FunctionCall<V, S, C>, made: Arc<Made<V, S, R>>) -> Self {
        Self { asked: asked.clone(), call: call.clone(), made, at: 0, fresh: true }
    }

    pub(super) fn asks(&self) -> FunctionCall<V, S, C> {
        self.call.with(self.asked.clone())
    }
}

impl<V, S, C, R> Default for Memo<V, S, C, R> {
    fn default() -> Self {
        Self(Mutex::new(MadeFunctions { records: Vec::new(), count: 0 }))
    }
}

impl<V: Clone, S, C: Clone, R> Memo<V, S, C, R> {
    pub(super) fn lock(&self) -> MutexGuard<'_, MadeFunctions<V, S, C, R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all that is known go.
    pub(super) fn forget(&self) {
        let records = std::mem::take(&mut self.lock().records);
        drop(records);
    }

    /// The number of all records.
    pub(super) fn now(&self) -> usize {
        self.lock().count
    }

    /// A function around those that were made since then is in its next round.
    pub(super) fn renew(&self, since: usize) {
        for record in self.lock().records.iter_mut().filter(|record| record.at >= since) {
            record.fresh = false;
        }
    }
}

/// The functions that a trace calls again and again.
#[derive(Debug)]
pub struct Outlines<V, S, C, R>(Mutex<Known<V, S, C, R>>);

#[derive(Debug)]
pub(super) struct Known<V, S, C, R> {
    /// The sizes of functions.
    pub(super) sizes: FxHashMap<FunctionKey, usize>,
    /// The number of operations made of functions where they were called, inside themselves.
    pub(super) inlined: FxHashMap<FunctionKey, Vec<Inlined<V, S, C>>>,
    pub(super) records: Vec<Record<V, S, C, R>>,
}

/// A call inside itself, and the number of operations that were made of it.
pub(super) type Inlined<V, S, C> = (Arc<FunctionCall<V, S, C>>, usize);

/// Records of functions at one time.
pub(super) struct Records<V, S, C, R>(pub(super) Vec<Record<V, S, C, R>>);

/// A function with arguments of some kinds.
#[derive(Debug)]
pub(super) struct Record<V, S, C, R> {
    pub(super) call: FunctionCall<V, S, C>,
    pub(super) kept: Kept<V, S, R>,
}

/// Record of a function with arguments of some kinds.
#[derive(Debug)]
pub(super) enum Kept<V, S, R> {
    /// It changes nothing in place.
    Quiet,
    /// It is traced where it is called.
    Never,
    /// The same, because it may fail.
    Fails,
    /// It is a function of the graph.
    Function(Arc<Made<V, S, R>>),
}

/// A function of the graph that was made.
#[derive(Debug)]
pub(super) struct Made<V, S, R> {
    /// Parameters and results of the function.
    pub(super) callee: Callee<V, S>,
    /// Objects that the function could reach then.
    pub(super) reach: R,
    /// The number of stores into values by then.
    pub(super) stores: usize,
    /// True if it may fail.
    pub(super) fails: bool,
}

impl<V, S, R> Clone for Kept<V, S, R> {
    fn clone(&self) -> Self {
        match self {
            Self::Quiet => Self::Quiet,
            Self::Never => Self::Never,
            Self::Fails => Self::Fails,
            Self::Function(made) => Self::Function(made.clone()),
        }
    }
}

impl<V, S, C: Clone, R> Clone for Record<V, S, C, R> {
    fn clone(&self) -> Self {
        Self { call: self.call.clone(), kept: self.kept.clone() }
    }
}

impl<V, S, C: Clone, R> Clone for Records<V, S, C, R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V, S, C, R> Default for Outlines<V, S, C, R> {
    fn default() -> Self {
        Self(Mutex::new(Known {
            sizes: FxHashMap::default(),
            inlined: FxHashMap::default(),
            records: Vec::new(),
        }))
    }
}

impl<V: Clone, S, C: Clone, R> Outlines<V, S, C, R> {
    pub(super) fn lock(&self) -> MutexGuard<'_, Known<V, S, C, R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all that is known go.
    pub(super) fn forget(&self) {
        let Outlines(none) = Self::default();
        let none = none.into_inner().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *self.lock(), none);
        drop(before);
    }

    /// True if the function was called before.
    pub(super) fn is_called_again(&self, function: FunctionKey) -> bool {
        let mut called = true;
        self.lock().sizes.entry(function).or_insert_with(|| {
            called = false;
            0
        });
        called
    }

    /// True if it was found to be large.
    pub(super) fn is_large(&self, function: FunctionKey) -> bool {
        self.lock().sizes.get(&function).is_some_and(|size| *size >= LARGE)
    }

    /// Returns a copy of the records as they are now.
    pub(super) fn known(&self) -> Records<V, S, C, R> {
        Records(self.lock().records.clone())
    }

    /// Forgets what became known since then: what was made while a function around it was not settled may call that as
    /// it no longer is.
    pub(super) fn forget_since(&self, known: Records<V, S, C, R>) {
        let before = std::mem::replace(&mut self.lock().records, known.0);
        drop(before);
    }
}

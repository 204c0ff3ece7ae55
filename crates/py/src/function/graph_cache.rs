//! The graphs that a function's calls needed so far: found by trace type, the most specific first; the ones used longest
//! ago go when there are too many.

//!
//! The lock is held only to look things up and to put them down: never while Python is asked, and never while an object of
//! Python's may go. Code of the user's may run then, and call the same function, on this thread or on another.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::function::concrete::CompiledTrace;
use crate::function::fast_match::Positional;
use crate::function::trace_type::{self, Arguments, Inputs, Part};
use crate::values::array;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

/// Statistics of the graph cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Calls that found a graph.
    pub hits: u64,
    /// Calls that had to make one.
    pub misses: u64,
    /// The graphs kept.
    pub kept: usize,
    /// About how many bytes they take.
    pub bytes: usize,
}

/// The graphs of one function.
#[derive(Debug, Default)]
pub struct Traces {
    made: Mutex<Made>,
    ready: Condvar,
    /// The calls that found a graph: also the clock by which graphs are used.
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Some graphs, as they were at one time: they are looked at without the lock.
type Graphs = Arc<[Arc<CompiledTrace>]>;

#[derive(Debug, Default)]
struct Made {
    /// The graphs made for just a trace type, the one made last first: they differ in what they were made with besides
    /// the arguments.
    exact: HashMap<Vec<Part>, Graphs>,
    /// Those that take more than one trace type, in the order in which they were made.
    general: Graphs,
    /// Those that the arguments of a call are compared with first: such as take one trace type, and after them the one
    /// that takes more, if there is one and all others stand before it.
    recent: Graphs,
    /// The trace types that some thread traces now.
    making: Vec<(ThreadId, Vec<Part>)>,
    /// The number of tracings that have come to an end.
    finished: u64,
    /// The number of those ever made.
    count: usize,
    /// Why, for each after the first.
    reasons: Vec<String>,
}

/// So many retraces are remembered with their reasons; at the first of these numbers there is a warning.
const REASONS_KEPT: usize = 64;
const WARN_AT: usize = 5;

/// The arguments of a call are compared with so many graphs of one trace type.
const RECENT: usize = 4;

impl Traces {
    /// Trace types of the user's say in Python whether they are equal, so a thread that has to wait lets Python go.
    fn lock(&self) -> MutexGuard<'_, Made> {
        match self.made.try_lock() {
            Ok(made) => made,
            Err(TryLockError::Poisoned(made)) => made.into_inner(),
            Err(TryLockError::WouldBlock) => {
                Python::attach(|py| self.made.lock_py_attached(py)).unwrap_or_else(PoisonError::into_inner)
            }
        }
    }

    /// The graph for the arguments of a call: one made for just their trace type, else the most specific that takes it.
    pub fn find(&self, py: Python<'_>, arguments: &Arguments) -> Option<Arc<CompiledTrace>> {
        let found = self.find_exact(py, arguments).or_else(|| {
            let general = self.lock().general.clone();
            fitting(py, &general, arguments)
        })?;
        self.lock().prefer(&found);
        self.hit(&found);
        Some(found)
    }

    /// Finds a graph by comparing the arguments of a call with those of the graphs used lately, and does `run`.
    pub fn with_alike<T>(
        &self,
        py: Python<'_>,
        given: Positional<'_, '_>,
        run: impl FnOnce(&CompiledTrace, Inputs) -> T,
    ) -> Option<T> {
        let recent = self.lock().recent.clone();
        let (found, inputs) = recent.iter().find_map(|c| Some((c, c.take(py, given)?)))?;
        self.hit(found);
        Some(run(found, inputs))
    }

    fn hit(&self, found: &CompiledTrace) {
        let now = self.hits.fetch_add(1, Ordering::Relaxed) + 1;
        found.used.store(now, Ordering::Relaxed);
    }

    /// The graph made for just the trace type of these arguments.
    pub fn find_exact(&self, py: Python<'_>, arguments: &Arguments) -> Option<Arc<CompiledTrace>> {
        let same = self.lock().exact.get(&arguments.parts).cloned()?;
        same.iter().find(|c| c.admits(py, arguments)).cloned()
    }

    /// A graph made for the same but for the lengths of axes, as a trace type that takes both.
    pub fn relaxed(&self, parts: &[Part]) -> Option<Vec<Part>> {
        self.all().iter().rev().find_map(|c| trace_type::join(&c.parts, parts))
    }

    /// The graph made last of those that have as many parts: what a new trace type is compared with.
    pub fn nearest(&self, parts: &[Part]) -> Option<Arc<CompiledTrace>> {
        let all = self.lock().in_order();
        let alike = |c: &&Arc<CompiledTrace>| c.parts.len() == parts.len();
        let same = all.iter().rev().find(|c| c.parts == parts);
        same.or_else(|| all.iter().rev().find(alike)).or(all.last()).cloned()
    }

    /// True if there is a graph for arguments that are the same but for the values of Python numbers.
    pub fn differ_in_numbers(&self, parts: &[Part]) -> bool {
        let alike = |(a, b): (&Part, &Part)| {
            a == b
                || matches!(
                    (a, b),
                    (Part::Int(_), Part::Int(_))
                        | (Part::Float(_), Part::Float(_))
                        | (Part::Complex(_), Part::Complex(_))
                        | (Part::Bool(_), Part::Bool(_))
                )
        };
        let all = self.lock().in_order();
        let same =
            |c: &&Arc<CompiledTrace>| c.parts.len() == parts.len() && c.parts.iter().zip(parts).all(alike);
        all.iter().filter(same).any(|c| c.parts != parts)
    }

    /// Remembers why a graph is not made for more calls.
    pub fn remember(&self, reason: String) {
        let mut made = self.lock();
        if made.reasons.len() < REASONS_KEPT {
            made.reasons.push(reason);
        }
    }

    /// Makes a graph that no thread makes yet; one that another thread makes now is waited for.
    pub fn make(
        &self,
        py: Python<'_>,
        arguments: &Arguments,
        make: impl FnOnce() -> PyResult<CompiledTrace>,
    ) -> PyResult<Arc<CompiledTrace>> {
        if let Some(made) = self.reserve(py, arguments)? {
            return Ok(made);
        }
        arguments
            .given
            .iter()
            .try_for_each(|&at| array::refuse_other_methods(arguments.objects[at].bind(py), false))?;
        let _reserved = Reserved::new(self, &arguments.parts);
        self.misses.fetch_add(1, Ordering::Relaxed);
        let concrete = Arc::new(make()?);
        concrete.used.store(self.hits.load(Ordering::Relaxed), Ordering::Relaxed);
        self.keep(py, &concrete);
        Ok(concrete)
    }

    /// Says that this thread makes the graph, unless another one has made it by the time that it can. A thread that makes
    /// a graph waits for no other: two of them could wait for each other.
    fn reserve(&self, py: Python<'_>, arguments: &Arguments) -> PyResult<Option<Arc<CompiledTrace>>> {
        let parts = &arguments.parts;
        let this = thread::current().id();
        loop {
            let finished = self.lock().finished;
            if let Some(found) = self.find_exact(py, arguments) {
                return Ok(Some(found));
            }
            let mut made = self.lock();
            if made.finished != finished {
                continue;
            }
            let waits = RESERVED.get() == 0 && made.making.iter().any(|(t, m)| *t != this && m == parts);
            if !waits {
                made.making.push((this, parts.clone()));
                return Ok(None);
            }
            drop(made);
            py.detach(|| self.wait(finished));
            py.check_signals()?;
        }
    }

    /// Waits until a tracing comes to an end, or for a moment.
    fn wait(&self, finished: u64) {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = |made: &mut Made| made.finished == finished;
        let _timed_out = self.ready.wait_timeout_while(made, MOMENT, goes_on);
    }

    fn keep(&self, py: Python<'_>, concrete: &Arc<CompiledTrace>) {
        let all = self.lock().in_order();
        let dead: Vec<_> = all.iter().filter(|c| !c.lives(py)).map(|c| c.number).collect();
        let mut made = self.lock();
        let mut gone = made.take_out(|c| dead.contains(&c.number));
        made.add(concrete);
        gone.extend(made.make_room());
        made.prefer(concrete);
        drop(made);
        // Removed graphs hold Python objects too: they are dropped without the lock.
        drop(gone);
    }

    /// Remembers why a graph was made; the fifth time says so, if that is to be said aloud.
    pub fn note(&self, py: Python<'_>, name: &str, reason: String, aloud: bool) -> PyResult<()> {
        let mut made = self.lock();
        if made.reasons.len() < REASONS_KEPT {
            made.reasons.push(reason.clone());
        }
        let (warn, count) = (aloud && made.reasons.len() + 1 == WARN_AT, made.count);
        drop(made);
        if !warn {
            return Ok(());
        }
        let text = format!("`{name}` was traced {count} times, and each time is slow. The last: {reason}");
        let category = py.import("graphwright.errors")?.getattr("RetracingWarning")?;
        py.import("warnings")?.call_method1("warn", (text, category, 2)).map(drop)
    }

    /// The reasons given to [`Traces::note`], the first ones.
    pub fn reasons(&self) -> Vec<String> {
        self.lock().reasons.clone()
    }

    /// The number of graphs made, those that are gone included.
    pub fn count(&self) -> usize {
        self.lock().count
    }

    /// The graphs, in the order in which they were made.
    pub fn all(&self) -> Vec<Arc<CompiledTrace>> {
        self.lock().in_order()
    }

    /// Returns the statistics of the graph cache.
    pub fn counts(&self) -> Counts {
        let made = self.lock();
        Counts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            kept: made.exact.values().map(|same| same.len()).sum(),
            bytes: made.bytes(),
        }
    }

    /// Visits the Python objects that the graphs hold, for the collector; not those of graphs that somebody else
    /// holds too.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(made) = self.made.try_lock() else { return Ok(()) };
        for concrete in made.exact.values().flat_map(|same| same.iter()) {
            let holds = |graphs: &Graphs| graphs.iter().any(|c| Arc::ptr_eq(c, concrete));
            let recent = holds(&made.recent);
            let listed = usize::from(holds(&made.general)) + usize::from(recent);
            let in_use = recent && Arc::strong_count(&made.recent) > 1;
            if Arc::strong_count(concrete) == 1 + listed && !in_use {
                concrete.visit(visit)?;
            }
        }
        Ok(())
    }

    /// Forgets the graphs and the counts of calls.
    pub fn clear(&self) {
        let gone = self.lock().take_out(|_| true);
        drop(gone);
        self.hits.store(0, Ordering::Relaxed);
        self.misses.store(0, Ordering::Relaxed);
    }
}

impl Made {
    fn in_order(&self) -> Vec<Arc<CompiledTrace>> {
        let mut all: Vec<_> = self.exact.values().flat_map(|same| same.iter()).cloned().collect();
        all.sort_by_key(|c| c.number);
        all
    }

    fn bytes(&self) -> usize {
        self.exact.values().flat_map(|same| same.iter()).map(|c| c.bytes()).sum()
    }

    fn add(&mut self, concrete: &Arc<CompiledTrace>) {
        let same = self.exact.entry(concrete.parts.clone()).or_default();
        *same = std::iter::once(concrete).chain(same.iter()).cloned().collect();
        if concrete.parts.iter().any(takes_more) {
            self.general = self.general.iter().chain([concrete]).cloned().collect();
        }
        self.count += 1;
    }

    /// Calls are compared with this graph first, if it is still kept, and then with what was so before.
    fn prefer(&mut self, concrete: &Arc<CompiledTrace>) {
        let is_it = |c: &Arc<CompiledTrace>| Arc::ptr_eq(c, concrete);
        if self.recent.first().is_some_and(is_it) {
            return;
        }
        let is_plain = |c: &CompiledTrace| c.pattern.is_some() && !c.parts.iter().any(takes_more);
        let kept = |c: &CompiledTrace| self.exact.get(&c.parts).is_some_and(|same| same.iter().any(is_it));
        let newest = Some(concrete).filter(|c| is_plain(c) && kept(c));
        let before = self.recent.iter().filter(|c| !is_it(c) && is_plain(c));
        let mut recent: Vec<_> = newest.into_iter().chain(before).take(RECENT).cloned().collect();
        let count: usize = self.exact.values().map(|same| same.len()).sum();
        if let [general] = &self.general[..]
            && general.pattern.is_some()
            && count == recent.len() + 1
        {
            recent.push(general.clone());
        }
        self.recent = recent.into();
    }

    /// Takes the graphs used longest ago out, as long as there are too many.
    fn make_room(&mut self) -> Vec<Arc<CompiledTrace>> {
        let config = graphwright::config::config();
        let mut gone = Vec::new();
        loop {
            let all = self.in_order();
            let many = all.len() > config.traces || (all.len() > 1 && self.bytes() > config.trace_bytes);
            let oldest = all.iter().min_by_key(|c| c.used.load(Ordering::Relaxed)).map(|c| c.number);
            let Some(oldest) = oldest.filter(|_| many) else { return gone };
            gone.extend(self.take_out(|c| c.number == oldest));
        }
    }

    /// Takes graphs out; they are dropped when the lock is given back.
    fn take_out(&mut self, which: impl Fn(&CompiledTrace) -> bool) -> Vec<Arc<CompiledTrace>> {
        let gone: Vec<_> = self.in_order().into_iter().filter(|c| which(c)).collect();
        if gone.is_empty() {
            return gone;
        }
        for same in self.exact.values_mut().chain([&mut self.general, &mut self.recent]) {
            *same = same.iter().filter(|c| !which(c)).cloned().collect();
        }
        self.exact.retain(|_, same| !same.is_empty());
        gone
    }
}

/// Among the graphs that take these arguments, the first that no other one of them is more specific than.
fn fitting(
    py: Python<'_>,
    general: &[Arc<CompiledTrace>],
    arguments: &Arguments,
) -> Option<Arc<CompiledTrace>> {
    let fits =
        |c: &&Arc<CompiledTrace>| trace_type::fits(&c.parts, &arguments.parts) && c.admits(py, arguments);
    let takes = general.iter().filter(fits);
    let best = takes.reduce(|best, next| {
        let narrower =
            trace_type::fits(&best.parts, &next.parts) && !trace_type::fits(&next.parts, &best.parts);
        if narrower { next } else { best }
    });
    best.cloned()
}

/// True if a part takes more than one trace type.
fn takes_more(part: &Part) -> bool {
    match part {
        Part::Tensor(_, lengths) => lengths.contains(&None),
        Part::Own(_) => true,
        Part::Bool(_)
        | Part::Number(_)
        | Part::Int(_)
        | Part::Float(_)
        | Part::Complex(_)
        | Part::Text(_)
        | Part::None
        | Part::Structure(..)
        | Part::Function(..)
        | Part::Method
        | Part::Partial(_)
        | Part::Variable(..)
        | Part::Object(_) => false,
    }
}

thread_local! {
    /// The number of graphs that this thread makes now, of all functions.
    static RESERVED: Cell<usize> = const { Cell::new(0) };
}

/// So long a thread waits for another one's graph before it looks for an interrupt.
const MOMENT: Duration = Duration::from_millis(100);

/// A trace type that this thread traces; others that wait for it go on when it is done, whether or not it succeeds.
struct Reserved<'a> {
    traces: &'a Traces,
    parts: &'a [Part],
}

impl<'a> Reserved<'a> {
    fn new(traces: &'a Traces, parts: &'a [Part]) -> Self {
        RESERVED.set(RESERVED.get() + 1);
        Self { traces, parts }
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        RESERVED.set(RESERVED.get() - 1);
        let mut made = self.traces.lock();
        let this = thread::current().id();
        made.making.retain(|(thread, parts)| *thread != this || parts != self.parts);
        made.finished += 1;
        self.traces.ready.notify_all();
    }
}

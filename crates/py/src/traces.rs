//! The graphs that a function's calls needed so far: found by trace type, the most specific first; the ones used longest
//! ago go when there are too many.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use crate::concrete::Concrete;
use crate::key::{self, Arguments, Part};

/// An object that a trace type knows by its address: the trace is of use only while the object lives.
#[derive(Debug)]
pub enum Held {
    /// The object may go, and the trace with it.
    Weak(Py<PyWeakrefReference>),
    /// Objects to which no weak reference can be made.
    Strong(Py<PyAny>),
}

impl Held {
    /// Weakly, where that can be.
    pub fn of(object: &Bound<'_, PyAny>) -> Self {
        match PyWeakrefReference::new(object) {
            Ok(weak) => Held::Weak(weak.unbind()),
            Err(_) => Held::Strong(object.clone().unbind()),
        }
    }

    /// The object, if it lives.
    pub fn get<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match self {
            Held::Weak(weak) => weak.bind(py).upgrade(),
            Held::Strong(object) => Some(object.bind(py).clone()),
        }
    }
}

/// How often the graphs were found.
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
    clock: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug, Default)]
struct Made {
    /// The graphs made for just a trace type, the one made last first: they differ in what they were made with besides
    /// the arguments.
    exact: HashMap<Vec<Part>, Vec<Arc<Concrete>>>,
    /// Those that take more than one trace type, in the order in which they were made.
    general: Vec<Arc<Concrete>>,
    /// The trace types that some thread traces now.
    making: Vec<(ThreadId, Vec<Part>)>,
    /// How many tracings have come to an end.
    finished: u64,
    /// How many were ever made.
    count: usize,
    /// Why, for each after the first.
    reasons: Vec<String>,
}

/// So many retraces are remembered with their reasons; at the first of these numbers there is a warning.
const REASONS_KEPT: usize = 64;
const WARN_AT: usize = 5;

impl Traces {
    fn lock(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graph for the arguments of a call: one made for just their trace type, else the most specific that takes it.
    pub fn find(&self, py: Python<'_>, arguments: &Arguments) -> Option<Arc<Concrete>> {
        let made = self.lock();
        let found = made.exact(py, arguments).or_else(|| made.fitting(py, arguments))?;
        found.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(found.clone())
    }

    /// The graph made for just the trace type of these arguments.
    pub fn find_exact(&self, py: Python<'_>, arguments: &Arguments) -> Option<Arc<Concrete>> {
        self.lock().exact(py, arguments).cloned()
    }

    /// A graph made for the same but for the lengths of axes, as a trace type that takes both.
    pub fn relaxed(&self, parts: &[Part]) -> Option<Vec<Part>> {
        self.lock().in_order().iter().rev().find_map(|c| key::join(&c.parts, parts))
    }

    /// The graph made last of those that have as many parts: what a new trace type is compared with.
    pub fn nearest(&self, parts: &[Part]) -> Option<Arc<Concrete>> {
        let all = self.lock().in_order();
        let alike = |c: &&Arc<Concrete>| c.parts.len() == parts.len();
        let same = all.iter().rev().find(|c| c.parts == parts);
        same.or_else(|| all.iter().rev().find(alike)).or(all.last()).cloned()
    }

    /// Makes a graph that no thread makes yet; one that another thread makes now is waited for.
    pub fn make(
        &self,
        py: Python<'_>,
        arguments: &Arguments,
        make: impl FnOnce() -> PyResult<Concrete>,
    ) -> PyResult<Arc<Concrete>> {
        if let Some(made) = self.reserve(py, arguments) {
            return Ok(made);
        }
        let _reserved = Reserved { traces: self, parts: &arguments.parts };
        self.misses.fetch_add(1, Ordering::Relaxed);
        let concrete = Arc::new(make()?);
        concrete.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.keep(py, &concrete);
        Ok(concrete)
    }

    /// Says that this thread makes the graph, unless another one has made it by the time that it can.
    fn reserve(&self, py: Python<'_>, arguments: &Arguments) -> Option<Arc<Concrete>> {
        let parts = &arguments.parts;
        let this = thread::current().id();
        loop {
            let mut made = self.lock();
            if let Some(found) = made.exact(py, arguments) {
                return Some(found.clone());
            }
            if !made.making.iter().any(|(thread, m)| *thread != this && m == parts) {
                made.making.push((this, parts.to_vec()));
                return None;
            }
            let finished = made.finished;
            drop(made);
            // Nothing here asks Python: what another thread holds while it waits for Python is never waited for.
            py.detach(|| {
                let mut made = self.lock();
                while made.finished == finished {
                    made = self.ready.wait(made).unwrap_or_else(PoisonError::into_inner);
                }
            });
        }
    }

    fn keep(&self, py: Python<'_>, concrete: &Arc<Concrete>) {
        let config = graphwright::config::config();
        let mut made = self.lock();
        made.retain(|c| c.lives(py));
        made.exact.entry(concrete.parts.clone()).or_default().insert(0, concrete.clone());
        if concrete.parts.iter().any(takes_more) {
            made.general.push(concrete.clone());
        }
        made.count += 1;
        loop {
            let all = made.in_order();
            let many = all.len() > config.traces || (all.len() > 1 && made.bytes() > config.trace_bytes);
            let oldest = all.iter().min_by_key(|c| c.used.load(Ordering::Relaxed)).map(|c| c.number);
            let Some(oldest) = oldest.filter(|_| many) else { break };
            made.retain(|c| c.number != oldest);
        }
    }

    /// Remembers why a graph was made; the fifth time says so aloud.
    pub fn note(&self, py: Python<'_>, name: &str, reason: String) -> PyResult<()> {
        let mut made = self.lock();
        if made.reasons.len() < REASONS_KEPT {
            made.reasons.push(reason.clone());
        }
        let warn = made.count == WARN_AT;
        drop(made);
        if !warn {
            return Ok(());
        }
        let text = format!("`{name}` was traced {WARN_AT} times, and each time is slow. The last: {reason}");
        let category = py.import("graphwright.errors")?.getattr("RetracingWarning")?;
        py.import("warnings")?.call_method1("warn", (text, category, 2)).map(drop)
    }

    /// The reasons given to [`Traces::note`], the first ones.
    pub fn reasons(&self) -> Vec<String> {
        self.lock().reasons.clone()
    }

    /// How many graphs were made, those that are gone included.
    pub fn count(&self) -> usize {
        self.lock().count
    }

    /// The graphs, in the order in which they were made.
    pub fn all(&self) -> Vec<Arc<Concrete>> {
        self.lock().in_order()
    }

    /// How often the graphs were found.
    pub fn counts(&self) -> Counts {
        let made = self.lock();
        Counts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            kept: made.exact.values().map(Vec::len).sum(),
            bytes: made.bytes(),
        }
    }

    /// Forgets the graphs and the counts of calls.
    pub fn clear(&self) {
        let mut made = self.lock();
        made.exact.clear();
        made.general.clear();
        self.hits.store(0, Ordering::Relaxed);
        self.misses.store(0, Ordering::Relaxed);
    }
}

impl Made {
    fn exact(&self, py: Python<'_>, arguments: &Arguments) -> Option<&Arc<Concrete>> {
        self.exact.get(&arguments.parts)?.iter().find(|c| c.admits(py, arguments))
    }

    fn in_order(&self) -> Vec<Arc<Concrete>> {
        let mut all: Vec<_> = self.exact.values().flatten().cloned().collect();
        all.sort_by_key(|c| c.number);
        all
    }

    fn bytes(&self) -> usize {
        self.exact.values().flatten().map(|c| c.bytes()).sum()
    }

    fn retain(&mut self, keep: impl Fn(&Concrete) -> bool) {
        self.exact.retain(|_, same| {
            same.retain(|c| keep(c));
            !same.is_empty()
        });
        self.general.retain(|c| keep(c));
    }

    /// Among the graphs that take these arguments, the first that no other one of them is more specific than.
    fn fitting(&self, py: Python<'_>, arguments: &Arguments) -> Option<&Arc<Concrete>> {
        let fits = |c: &&Arc<Concrete>| key::fits(&c.parts, &arguments.parts) && c.admits(py, arguments);
        let takes = self.general.iter().filter(fits);
        takes.reduce(|best, next| {
            let narrower = key::fits(&best.parts, &next.parts) && !key::fits(&next.parts, &best.parts);
            if narrower { next } else { best }
        })
    }
}

/// Whether a part takes more than one trace type.
fn takes_more(part: &Part) -> bool {
    match part {
        Part::Tensor(_, lengths) => lengths.contains(&None),
        Part::Own(_) => true,
        Part::Bool(_)
        | Part::Int(_)
        | Part::Float(_)
        | Part::Text(_)
        | Part::None
        | Part::Structure(..)
        | Part::Function(..)
        | Part::Method
        | Part::Variable(..)
        | Part::Object(_) => false,
    }
}

/// A trace type that this thread traces; others that wait for it go on when it is done, whether or not it succeeds.
struct Reserved<'a> {
    traces: &'a Traces,
    parts: &'a [Part],
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut made = self.traces.lock();
        let this = thread::current().id();
        made.making.retain(|(thread, parts)| *thread != this || parts != self.parts);
        made.finished += 1;
        self.traces.ready.notify_all();
    }
}

//! The graphs that a function's calls needed so far: found by trace type, the most specific first; the ones used longest
//! ago go when there are too many.
//!
//! The lock is held only to look things up and to put them down: never while the host is asked about a graph, and never while
//! an object of the host's may go. Code of the user's may run then, and call the same function, on this thread or on another.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::function::trace_type::{self, OwnType, Part};

/// A graph of a function, as the host keeps it.
pub trait Kept: Send + Sync {
    /// Trace types that objects of the host give themselves.
    type Own: OwnType + Send;

    /// The trace type that it is made for.
    fn parts(&self) -> &[Part<Self::Own>];

    /// Its number among the function's graphs, in the order in which they were made.
    fn number(&self) -> usize;

    /// Time of its last use, by the clock of the function's calls.
    fn used(&self) -> &AtomicU64;

    /// About how many bytes it takes.
    fn bytes(&self) -> usize;

    /// True if arguments can be compared with it before their trace type is known.
    fn has_pattern(&self) -> bool;
}

/// A call that asks for a graph, and its host.
pub trait Asking<K: Kept> {
    /// Exceptions of the host.
    type Error;

    /// The trace type of the arguments.
    fn parts(&self) -> &[Part<K::Own>];

    /// True if a graph of this trace type can run the call: the facts hold that it was made with.
    fn admits(&self, graph: &K) -> bool;

    /// True if a graph can still be run by some call.
    fn lives(&self, graph: &K) -> bool;

    /// Waits without keeping other threads from running the host's code; fails if the user interrupts.
    fn wait(&self, wait: impl FnOnce() + Send) -> Result<(), Self::Error>;
}

/// Locks what the threads of a host share: a trace type of the user's says in the host's code whether it equals another one,
/// so a thread that has to wait lets that run.
pub type Lock<T> = fn(&Mutex<T>) -> MutexGuard<'_, T>;

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
#[derive(Debug)]
pub struct Traces<K: Kept> {
    made: Mutex<Made<K>>,
    wait_for: Lock<Made<K>>,
    ready: Condvar,
    /// The calls that found a graph: also the clock by which graphs are used.
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Some graphs, as they were at one time: they are looked at without the lock.
type Graphs<K> = Arc<[Arc<K>]>;

/// State behind the lock: the graphs, and who makes one.
#[derive(Debug)]
pub struct Made<K: Kept> {
    /// The graphs made for just a trace type, the one made last first: they differ in what they were made with besides
    /// the arguments.
    exact: HashMap<Vec<Part<K::Own>>, Graphs<K>>,
    /// Those that take more than one trace type, in the order in which they were made.
    general: Graphs<K>,
    /// Those that the arguments of a call are compared with first: such as take one trace type, and after them the one
    /// that takes more, if there is one and all others stand before it.
    recent: Graphs<K>,
    /// The trace types that some thread traces now.
    making: Vec<(ThreadId, Vec<Part<K::Own>>)>,
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

impl<K: Kept> Traces<K> {
    /// No graphs yet, of a host that waits for a lock in this way.
    pub fn new(wait_for: Lock<Made<K>>) -> Self {
        let none = || Arc::from([]);
        let made = Made {
            exact: HashMap::new(),
            general: none(),
            recent: none(),
            making: Vec::new(),
            finished: 0,
            count: 0,
            reasons: Vec::new(),
        };
        let (ready, hits, misses) = (Condvar::new(), AtomicU64::new(0), AtomicU64::new(0));
        Self { made: Mutex::new(made), wait_for, ready, hits, misses }
    }

    fn lock(&self) -> MutexGuard<'_, Made<K>> {
        match self.made.try_lock() {
            Ok(made) => made,
            Err(TryLockError::Poisoned(made)) => made.into_inner(),
            Err(TryLockError::WouldBlock) => (self.wait_for)(&self.made),
        }
    }

    /// The graph for the arguments of a call: one made for just their trace type, else the most specific that takes it.
    pub fn find(&self, call: &impl Asking<K>) -> Option<Arc<K>> {
        let found = self.find_exact(call).or_else(|| {
            let general = self.lock().general.clone();
            fitting(&general, call)
        })?;
        self.lock().prefer(&found);
        self.hit(&found);
        Some(found)
    }

    /// Finds a graph by comparing the arguments of a call with those of the graphs used lately, which `take` does, and does
    /// `run` with what it gives.
    pub fn with_alike<I, T>(
        &self,
        take: impl Fn(&K) -> Option<I>,
        run: impl FnOnce(&K, I) -> T,
    ) -> Option<T> {
        let recent = self.lock().recent.clone();
        let (found, inputs) = recent.iter().find_map(|c| Some((c, take(c)?)))?;
        self.hit(found);
        Some(run(found, inputs))
    }

    fn hit(&self, found: &K) {
        // Threads without a common lock may count two calls as one, which makes no graph older than it is by more than one call.
        let now = self.hits.load(Ordering::Relaxed) + 1;
        self.hits.store(now, Ordering::Relaxed);
        found.used().store(now, Ordering::Relaxed);
    }

    /// The graph made for just the trace type of these arguments.
    pub fn find_exact(&self, call: &impl Asking<K>) -> Option<Arc<K>> {
        let same = self.lock().exact.get(call.parts()).cloned()?;
        same.iter().find(|c| call.admits(c)).cloned()
    }

    /// A graph made for the same but for the lengths of axes, as a trace type that takes both.
    pub fn relaxed(&self, parts: &[Part<K::Own>]) -> Option<Vec<Part<K::Own>>> {
        self.all().iter().rev().find_map(|c| trace_type::join(c.parts(), parts))
    }

    /// The graph made last of those that have as many parts: what a new trace type is compared with.
    pub fn nearest(&self, parts: &[Part<K::Own>]) -> Option<Arc<K>> {
        let all = self.lock().in_order();
        let alike = |c: &&Arc<K>| c.parts().len() == parts.len();
        let same = all.iter().rev().find(|c| c.parts() == parts);
        same.or_else(|| all.iter().rev().find(alike)).or(all.last()).cloned()
    }

    /// True if there is a graph for arguments that are the same but for the values of numbers.
    pub fn differ_in_numbers(&self, parts: &[Part<K::Own>]) -> bool {
        let same = |c: &&Arc<K>| {
            let mut pairs = c.parts().iter().zip(parts);
            c.parts().len() == parts.len() && pairs.all(|(a, b)| a.differs_in_number(b))
        };
        self.lock().in_order().iter().filter(same).any(|c| c.parts() != parts)
    }

    /// Remembers why a graph is not made for more calls.
    pub fn remember(&self, reason: String) {
        let mut made = self.lock();
        if made.reasons.len() < REASONS_KEPT {
            made.reasons.push(reason);
        }
    }

    /// Makes a graph that no thread makes yet; one that another thread makes now is waited for.
    pub fn make<A: Asking<K>>(
        &self,
        call: &A,
        make: impl FnOnce() -> Result<K, A::Error>,
    ) -> Result<Arc<K>, A::Error> {
        let reserved = match self.reserve(call)? {
            Reservation::Made(graph) => return Ok(graph),
            Reservation::Ours(reserved) => reserved,
        };
        self.misses.fetch_add(1, Ordering::Relaxed);
        let graph = Arc::new(make()?);
        graph.used().store(self.hits.load(Ordering::Relaxed), Ordering::Relaxed);
        self.keep(call, &graph);
        drop(reserved);
        Ok(graph)
    }

    /// Says that this thread makes the graph, unless another one has made it by the time that it can. A thread that makes
    /// a graph waits for no other: two of them could wait for each other.
    fn reserve<'a, A: Asking<K>>(&'a self, call: &'a A) -> Result<Reservation<'a, K>, A::Error> {
        let parts = call.parts();
        let this = thread::current().id();
        loop {
            let finished = self.lock().finished;
            if let Some(found) = self.find_exact(call) {
                return Ok(Reservation::Made(found));
            }
            let mut made = self.lock();
            if made.finished != finished {
                continue;
            }
            let waits = RESERVED.get() == 0 && made.making.iter().any(|(t, m)| *t != this && m == parts);
            if !waits {
                made.making.push((this, parts.to_vec()));
                return Ok(Reservation::Ours(Reserved::new(self, parts)));
            }
            drop(made);
            call.wait(|| self.wait(finished))?;
        }
    }

    /// Waits until a tracing comes to an end, or for a moment.
    fn wait(&self, finished: u64) {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = |made: &mut Made<K>| made.finished == finished;
        let _timed_out = self.ready.wait_timeout_while(made, MOMENT, goes_on);
    }

    fn keep(&self, call: &impl Asking<K>, graph: &Arc<K>) {
        let all = self.lock().in_order();
        let dead: Vec<_> = all.iter().filter(|c| !call.lives(c)).map(|c| c.number()).collect();
        let mut made = self.lock();
        let mut gone = made.take_out(|c| dead.contains(&c.number()));
        made.add(graph);
        gone.extend(made.make_room());
        made.prefer(graph);
        drop(made);
        // Removed graphs hold objects of the host: they are dropped without the lock.
        drop(gone);
    }

    /// Remembers why a graph was made; the fifth time there is a warning, if that is to be said aloud.
    pub fn note(&self, name: &str, reason: String, aloud: bool) -> Option<String> {
        let mut made = self.lock();
        let warns = aloud && made.reasons.len() + 2 == WARN_AT;
        let warning =
            || format!("`{name}` was traced {} times, and each time is slow. The last: {reason}", made.count);
        let warning = warns.then(warning);
        if made.reasons.len() < REASONS_KEPT {
            made.reasons.push(reason);
        }
        warning
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
    pub fn all(&self) -> Vec<Arc<K>> {
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

    /// Visits the graphs that nobody else holds, for a collector of the host's objects; none while the lock is held.
    pub fn visit<E>(&self, mut visit: impl FnMut(&K) -> Result<(), E>) -> Result<(), E> {
        let Ok(made) = self.made.try_lock() else { return Ok(()) };
        for graph in made.exact.values().flat_map(|same| same.iter()) {
            let holds = |graphs: &Graphs<K>| graphs.iter().any(|c| Arc::ptr_eq(c, graph));
            let recent = holds(&made.recent);
            let listed = usize::from(holds(&made.general)) + usize::from(recent);
            let in_use = recent && Arc::strong_count(&made.recent) > 1;
            if Arc::strong_count(graph) == 1 + listed && !in_use {
                visit(graph)?;
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

impl<K: Kept> Made<K> {
    fn in_order(&self) -> Vec<Arc<K>> {
        let mut all: Vec<_> = self.exact.values().flat_map(|same| same.iter()).cloned().collect();
        all.sort_by_key(|c| c.number());
        all
    }

    fn bytes(&self) -> usize {
        self.exact.values().flat_map(|same| same.iter()).map(|c| c.bytes()).sum()
    }

    fn add(&mut self, graph: &Arc<K>) {
        let same = self.exact.entry(graph.parts().to_vec()).or_insert_with(|| Arc::from([]));
        *same = std::iter::once(graph).chain(same.iter()).cloned().collect();
        if graph.parts().iter().any(Part::takes_more) {
            self.general = self.general.iter().chain([graph]).cloned().collect();
        }
        self.count += 1;
    }

    /// Calls are compared with this graph first, if it is still kept, and then with what was so before.
    fn prefer(&mut self, graph: &Arc<K>) {
        let is_it = |c: &Arc<K>| Arc::ptr_eq(c, graph);
        if self.recent.first().is_some_and(is_it) {
            return;
        }
        let is_plain = |c: &K| c.has_pattern() && !c.parts().iter().any(Part::takes_more);
        let kept = |c: &K| self.exact.get(c.parts()).is_some_and(|same| same.iter().any(is_it));
        let newest = Some(graph).filter(|c| is_plain(c) && kept(c));
        let before = self.recent.iter().filter(|c| !is_it(c) && is_plain(c));
        let mut recent: Vec<_> = newest.into_iter().chain(before).take(RECENT).cloned().collect();
        let count: usize = self.exact.values().map(|same| same.len()).sum();
        if let [general] = &self.general[..]
            && general.has_pattern()
            && count == recent.len() + 1
        {
            recent.push(general.clone());
        }
        self.recent = recent.into();
    }

    /// Takes the graphs used longest ago out, as long as there are too many.
    fn make_room(&mut self) -> Vec<Arc<K>> {
        let config = crate::config::config();
        let mut gone = Vec::new();
        loop {
            let all = self.in_order();
            let many = all.len() > config.traces || (all.len() > 1 && self.bytes() > config.trace_bytes);
            let oldest = all.iter().min_by_key(|c| c.used().load(Ordering::Relaxed)).map(|c| c.number());
            let Some(oldest) = oldest.filter(|_| many) else { return gone };
            gone.extend(self.take_out(|c| c.number() == oldest));
        }
    }

    /// Takes graphs out; they are dropped when the lock is given back.
    fn take_out(&mut self, which: impl Fn(&K) -> bool) -> Vec<Arc<K>> {
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
fn fitting<K: Kept>(general: &[Arc<K>], call: &impl Asking<K>) -> Option<Arc<K>> {
    let fits = |c: &&Arc<K>| trace_type::fits(c.parts(), call.parts()) && call.admits(c);
    let takes = general.iter().filter(fits);
    let best = takes.reduce(|best, next| {
        let narrower =
            trace_type::fits(best.parts(), next.parts()) && !trace_type::fits(next.parts(), best.parts());
        if narrower { next } else { best }
    });
    best.cloned()
}

thread_local! {
    /// The number of graphs that this thread makes now, of all functions.
    static RESERVED: Cell<usize> = const { Cell::new(0) };
}

/// So long a thread waits for another one's graph before it looks for an interrupt.
const MOMENT: Duration = Duration::from_millis(100);

/// Outcome of a reservation.
enum Reservation<'a, K: Kept> {
    /// Another thread has made the graph meanwhile.
    Made(Arc<K>),
    /// This thread makes it.
    Ours(Reserved<'a, K>),
}

/// A trace type that this thread traces; others that wait for it go on when it is done, whether or not it succeeds.
struct Reserved<'a, K: Kept> {
    traces: &'a Traces<K>,
    parts: &'a [Part<K::Own>],
}

impl<'a, K: Kept> Reserved<'a, K> {
    fn new(traces: &'a Traces<K>, parts: &'a [Part<K::Own>]) -> Self {
        RESERVED.set(RESERVED.get() + 1);
        Self { traces, parts }
    }
}

impl<K: Kept> Drop for Reserved<'_, K> {
    fn drop(&mut self) {
        RESERVED.set(RESERVED.get() - 1);
        let mut made = self.traces.lock();
        let this = thread::current().id();
        made.making.retain(|(thread, parts)| *thread != this || parts != self.parts);
        made.finished += 1;
        self.traces.ready.notify_all();
    }
}

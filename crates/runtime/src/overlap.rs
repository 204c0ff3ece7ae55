//! Overlap: work of a graph that another thread does while the host is called.
//!
//! A run begins it, calls the host, and waits for what it gives. If nobody has come to it by then, the run does it itself, as it
//! does what was over sooner than a thread wakes the last time. A run that ends before it has waited leaves the work alone:
//! whoever is at it is told to stop, and what it gives is nobody's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use gw_base::FIRST_OVERLAP;

use crate::rounding::{Rounding, outside};
use crate::{Buffer, Executable, Failure, HostError, HostFn, RunError, Stream, threads};

/// The nanoseconds of work that are worth waking a thread.
const WORTH: u64 = 50_000;

/// So often the host is asked whether to go on while a thread is waited for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Work that a graph has done beside calls of the host.
#[derive(Debug)]
pub(crate) struct OverlappedWork {
    executable: Executable,
    /// Nanoseconds that it took when it was done last; 0 if it never was.
    took: AtomicU64,
}

/// A request to the runtime in place of the host.
pub(crate) enum Asked {
    Begin(usize),
    Finish(usize),
}

impl Asked {
    /// The request that a number means that is no function of the host's.
    pub(crate) fn of(number: usize) -> Option<Self> {
        let past = number.checked_sub(FIRST_OVERLAP)?;
        Some(if past.is_multiple_of(2) { Self::Begin(past / 2) } else { Self::Finish(past / 2) })
    }
}

impl OverlappedWork {
    pub(crate) fn new(executable: Executable) -> Self {
        Self { executable, took: AtomicU64::new(0) }
    }

    /// Has another thread begin, if that is worth it.
    pub(crate) fn begin(self: &Arc<Self>, inputs: Vec<Buffer>) -> Pending {
        let state = Mutex::new(State::Waiting);
        let (done, stop, rounding) = (Condvar::new(), AtomicBool::new(false), Rounding::here());
        let task = Arc::new(Task { work: self.clone(), inputs, state, done, stop, rounding });
        if threads() > 1 && self.took.load(Ordering::Relaxed) >= WORTH {
            hand_over(task.clone());
        }
        Pending { task, process: std::process::id() }
    }

    fn run(&self, inputs: &[Buffer], host: &mut dyn HostFn) -> Result<Vec<Buffer>, RunError> {
        let begun = Instant::now();
        let found = self.executable.run(inputs, host);
        let took = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.took.store(took, Ordering::Relaxed);
        found
    }
}

/// One run's work.
struct Task {
    work: Arc<OverlappedWork>,
    inputs: Vec<Buffer>,
    state: Mutex<State>,
    /// It is done.
    done: Condvar,
    /// Nobody wants it any more.
    stop: AtomicBool,
    rounding: Rounding,
}

enum State {
    /// Nobody has come to it.
    Waiting,
    /// Somebody is at it.
    Taken,
    /// The results; nothing if it failed.
    Done(Option<Vec<Buffer>>),
}

impl Task {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if it is the caller's from here on.
    fn take(&self) -> bool {
        let mut state = self.state();
        let is_free = matches!(*state, State::Waiting);
        if is_free {
            *state = State::Taken;
        }
        is_free
    }

    /// Does the work on another thread.
    fn work(&self) {
        if self.take() {
            self.rounding.take();
            let run = || self.work.run(&self.inputs, &mut Quiet(&self.stop)).ok();
            let found = catch_unwind(AssertUnwindSafe(run)).ok().flatten();
            *self.state() = State::Done(found);
            self.done.notify_all();
        }
    }
}

/// Work that a run has begun.
pub(crate) struct Pending {
    task: Arc<Task>,
    /// A copy of the process has no thread that could be at it.
    process: u32,
}

impl Pending {
    /// The results.
    ///
    /// # Errors
    /// If there is no memory, or the user wants the run to end.
    pub(crate) fn finish(
        self,
        host: &mut dyn HostFn,
        rounding: Option<Rounding>,
    ) -> Result<Vec<Buffer>, RunError> {
        let is_copy = self.process != std::process::id();
        if !is_copy && !self.task.take() {
            match self.wait(host, rounding) {
                Ok(Some(found)) => return Ok(found),
                // Retry here work for which another thread had no memory; a second failure is the run's.
                Ok(None) => {}
                Err(interrupted) => return Err(interrupted),
            }
        }
        self.task.work.run(&self.task.inputs, host)
    }

    fn wait(
        &self,
        host: &mut dyn HostFn,
        rounding: Option<Rounding>,
    ) -> Result<Option<Vec<Buffer>>, RunError> {
        let mut state = self.task.state();
        loop {
            if let State::Done(found) = &mut *state {
                return Ok(found.take());
            }
            let waited = self.task.done.wait_timeout(state, PATIENCE);
            let (held, late) = waited.unwrap_or_else(PoisonError::into_inner);
            state = held;
            if late.timed_out() && outside(rounding, || host.check_interrupt()) {
                let message = "interrupted".to_owned();
                return Err(RunError { failure: Failure::Interrupted, message, place: None });
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.task.stop.store(true, Ordering::Relaxed);
    }
}

/// The host of work that has no effects; it ends it once nobody wants it.
struct Quiet<'t>(&'t AtomicBool);

impl HostFn for Quiet<'_> {
    fn print(&mut self, _: Stream, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn check_interrupt(&mut self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Threads that wait for work, and the process that they belong to.
static IDLE: Mutex<(u32, Vec<Sender<Arc<Task>>>)> = Mutex::new((0, Vec::new()));

/// Gives a task to a thread that waits for one, or to a new one. What cannot be handed over is done by who waits for it.
fn hand_over(task: Arc<Task>) {
    let Ok(mut idle) = IDLE.try_lock() else { return };
    let process = std::process::id();
    if idle.0 != process {
        // The threads of the process that this one is a copy of are not here.
        let gone = std::mem::take(&mut idle.1);
        std::mem::forget(gone);
        idle.0 = process;
    }
    let waiting = idle.1.pop();
    drop(idle);
    let refused = match waiting {
        Some(thread) => thread.send(task).err().map(|refused| refused.0),
        None => Some(task),
    };
    if let Some(task) = refused {
        start(task);
    }
}

fn start(task: Arc<Task>) {
    let (sender, tasks) = channel();
    let thread = Builder::new().name("graphwright overlap".to_owned());
    // Threads that cannot be started are done without.
    drop(thread.spawn(move || serve(task, &sender, &tasks)));
}

/// Serves tasks as long as the process lives.
fn serve(first: Arc<Task>, sender: &Sender<Arc<Task>>, tasks: &Receiver<Arc<Task>>) {
    let mut next = Some(first);
    while let Some(task) = next {
        task.work();
        drop(task);
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).1.push(sender.clone());
        next = tasks.recv().ok();
    }
}

//! The one thread that works while nobody waits for it: it is started when there is work, and ends with the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{Builder, JoinHandle};

/// Something to do.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// Bytes of stack: a compiler calls itself as deep as code is nested.
const STACK: usize = 1 << 26;

/// So often is asked for a place that somebody holds.
const ATTEMPTS: usize = 1000;

struct Worker {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
    /// The process that it belongs to; a copy of the process has no such thread.
    process: u32,
}

static WORKER: Mutex<Option<Worker>> = Mutex::new(None);

/// True once the process ends: tasks that have not begun are dropped.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Has this done, unless the process ends sooner.
pub(crate) fn later(job: Job) {
    let Some(mut worker) = worker() else { return };
    if ENDING.load(Ordering::Relaxed) {
        return;
    }
    let process = std::process::id();
    if worker.is_none() {
        *worker = start(process);
    }
    // In a copy of the process the thread is missing, and what it was at is half done.
    if let Some(worker) = worker.as_ref().filter(|worker| worker.process == process) {
        // A worker that is gone does nothing.
        drop(worker.jobs.send(job));
    }
}

/// The worker's place. Who holds it does so for a moment, but for ever in a copy of the process that was made then.
fn worker() -> Option<MutexGuard<'static, Option<Worker>>> {
    for _ in 0..ATTEMPTS {
        match WORKER.try_lock() {
            Ok(worker) => return Some(worker),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

fn start(process: u32) -> Option<Worker> {
    let (jobs, given) = channel();
    let thread = Builder::new().name("graphwright".to_owned()).stack_size(STACK).spawn(move || work(&given));
    thread.ok().map(|thread| Worker { jobs, thread, process })
}

fn work(given: &Receiver<Job>) {
    while let Ok(job) = given.recv() {
        if ENDING.load(Ordering::Relaxed) {
            return;
        }
        job();
    }
}

/// Waits until what has been begun is done; nothing is begun any more. To be called before the process ends, since the
/// libraries that work is done with are taken down then.
pub fn finish() {
    ENDING.store(true, Ordering::Relaxed);
    let worker = WORKER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Worker { jobs, thread, process }) = worker {
        drop(jobs);
        if process == std::process::id() {
            // A worker that has panicked has nothing left to do.
            drop(thread.join());
        } else {
            std::mem::forget(thread);
        }
    }
}

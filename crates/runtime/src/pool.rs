//! Great blocks of memory that nobody uses wait here to be used again: to get fresh pages from the system takes longer than
//! to compute what is written there.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks of at least so many bytes wait; the allocator keeps smaller ones at hand itself.
pub(crate) const LEAST: usize = 1 << 17;

/// So many bytes wait at most; all ones until somebody says or asks.
static MOST: AtomicUsize = AtomicUsize::new(UNSAID);
const UNSAID: usize = usize::MAX;

/// This part of the machine's memory waits at most if nobody says another number.
const PART: usize = 8;

/// So much memory a machine is taken to have that does not tell.
const UNKNOWN: usize = 1 << 32;

static IDLE: Mutex<Idle> = Mutex::new(Idle { blocks: VecDeque::new(), bytes: 0 });

/// Blocks that wait, by address and size, the one that waits longest first.
struct Idle {
    blocks: VecDeque<(usize, usize)>,
    bytes: usize,
}

/// A block of just this size, which belongs to the caller now.
pub(crate) fn take(size: usize) -> Option<*mut u8> {
    let mut idle = idle();
    let at = idle.blocks.iter().rposition(|(_, waiting)| *waiting == size)?;
    let (address, size) = idle.blocks.remove(at)?;
    idle.bytes -= size;
    Some(std::ptr::with_exposed_provenance_mut(address))
}

/// Lets a block wait; gives those that have waited too long, which belong to the caller now.
pub(crate) fn give(start: *mut u8, size: usize) -> Vec<(*mut u8, usize)> {
    idle().give(start, size, most())
}

/// Says how many bytes may wait; gives what is too much, which belongs to the caller now.
pub(crate) fn set_most(bytes: usize) -> Vec<(*mut u8, usize)> {
    MOST.store(bytes.min(UNSAID - 1), Ordering::Relaxed);
    idle().leave(most())
}

fn most() -> usize {
    match MOST.load(Ordering::Relaxed) {
        UNSAID => {
            let most = memory() / PART;
            MOST.store(most, Ordering::Relaxed);
            most
        }
        most => most,
    }
}

/// Bytes of memory that the process may have, by the machine and by what contains the process.
fn memory() -> usize {
    let told = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let contained = told.and_then(|text| text.trim().parse().ok()).unwrap_or(usize::MAX);
    physical().unwrap_or(UNKNOWN).min(contained)
}

#[cfg(unix)]
fn physical() -> Option<usize> {
    // SAFETY: asks for two numbers.
    let [pages, size] = unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
    usize::try_from(pages).ok()?.checked_mul(usize::try_from(size).ok()?)
}

#[cfg(not(unix))]
fn physical() -> Option<usize> {
    None
}

/// All blocks that wait, which belong to the caller now.
pub(crate) fn take_all() -> Vec<(*mut u8, usize)> {
    idle().leave(0)
}

fn idle() -> MutexGuard<'static, Idle> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Idle {
    /// Lets a block wait, unless it is too large by itself; takes those out that have waited too long.
    fn give(&mut self, start: *mut u8, size: usize, most: usize) -> Vec<(*mut u8, usize)> {
        if size > most {
            return vec![(start, size)];
        }
        self.blocks.push_back((start.expose_provenance(), size));
        self.bytes += size;
        self.leave(most)
    }

    /// Takes the oldest blocks out until no more than these bytes are left.
    fn leave(&mut self, bytes: usize) -> Vec<(*mut u8, usize)> {
        let mut gone = Vec::new();
        while self.bytes > bytes
            && let Some((address, size)) = self.blocks.pop_front()
        {
            self.bytes -= size;
            gone.push((std::ptr::with_exposed_provenance_mut(address), size));
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_leave_first() {
        let mut idle = Idle { blocks: VecDeque::from([(64, 10), (128, 20), (192, 30)]), bytes: 60 };
        let sizes = |gone: Vec<(*mut u8, usize)>| gone.into_iter().map(|(_, size)| size).collect::<Vec<_>>();
        assert_eq!(sizes(idle.leave(60)), []);
        assert_eq!(sizes(idle.leave(49)), [10, 20]);
        assert_eq!((sizes(idle.leave(0)), idle.bytes), (vec![30], 0));
    }

    #[test]
    fn no_more_wait_than_may() {
        let mut idle = Idle { blocks: VecDeque::new(), bytes: 0 };
        let mut gone = 0;
        for size in 1..100 {
            gone += idle.give(std::ptr::without_provenance_mut(64 * size), size, 500).len();
            assert!(idle.bytes <= 500 && idle.bytes == idle.blocks.iter().map(|(_, size)| size).sum());
        }
        assert_eq!(gone + idle.blocks.len(), 99);
        let (waiting, alone) = (idle.blocks.len(), std::ptr::without_provenance_mut(64));
        assert_eq!((idle.give(alone, 501, 500), idle.blocks.len()), (vec![(alone, 501)], waiting));
        assert!((1 << 24..1 << 46).contains(&memory()));
    }
}

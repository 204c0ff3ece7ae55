//! Great blocks of memory that nobody uses wait here to be used again: to get fresh pages from the system takes longer than
//! to compute what is written there.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Blocks of at least so many bytes wait; the allocator keeps smaller ones at hand itself.
pub(crate) const LEAST: usize = 1 << 17;

/// So many bytes wait at most.
const MOST: usize = 1 << 29;

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
    let mut idle = idle();
    idle.blocks.push_back((start.expose_provenance(), size));
    idle.bytes += size;
    idle.leave(MOST)
}

/// All blocks that wait, which belong to the caller now.
pub(crate) fn take_all() -> Vec<(*mut u8, usize)> {
    idle().leave(0)
}

fn idle() -> MutexGuard<'static, Idle> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Idle {
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
}

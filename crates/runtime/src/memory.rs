//! Aligned memory: the one place that asks the allocator, or the system, for it.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::{pages, pool};

/// Every block begins at a multiple of this.
pub(crate) const ALIGNMENT: usize = 64;

/// Owned bytes, aligned to [`ALIGNMENT`].
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: a block owns its bytes; nothing in it is tied to a thread.
unsafe impl Send for Block {}
// SAFETY: shared access reads only.
unsafe impl Sync for Block {}

impl Block {
    /// Memory whose bytes hold anything; `None` if there is not so much.
    pub(crate) fn new(size: usize) -> Option<Self> {
        let waiting = if size >= pool::LEAST { pool::take(size) } else { None };
        if let Some(start) = waiting {
            return Some(Self { start: NonNull::new(start)?, size });
        }
        // SAFETY: `with` never passes a layout of size zero.
        Self::with(size, |layout| unsafe { alloc(layout) })
    }

    /// Memory whose bytes are zero; `None` if there is not so much.
    pub(crate) fn zeroed(size: usize) -> Option<Self> {
        // SAFETY: `with` never passes a layout of size zero.
        Self::with(size, |layout| unsafe { alloc_zeroed(layout) })
    }

    fn with(size: usize, allocate: impl Fn(Layout) -> *mut u8) -> Option<Self> {
        if size == 0 {
            let start = NonNull::new(std::ptr::without_provenance_mut(ALIGNMENT))?;
            return Some(Self { start, size });
        }
        let layout = Layout::from_size_align(size, ALIGNMENT).ok()?;
        let get = || if size >= pages::LEAST { pages::map(size) } else { NonNull::new(allocate(layout)) };
        let start = get().or_else(|| {
            // SAFETY: what waited was given by blocks that are gone.
            pool::take_all().into_iter().for_each(|block| unsafe { release(block) });
            get()
        });
        Some(Self { start: start?, size })
    }

    /// The same block with room for more; itself if that cannot be had without a copy.
    pub(crate) fn extended(self, size: usize) -> Result<Self, Self> {
        if self.size < pages::LEAST {
            return Err(self);
        }
        // SAFETY: a block of this size has pages of its own.
        match unsafe { pages::extend(self.start, self.size, size) } {
            Some(start) => {
                std::mem::forget(self);
                Ok(Self { start, size })
            }
            None => Err(self),
        }
    }

    /// The block that `into_raw` took apart.
    ///
    /// # Safety
    /// `start` and `size` come from `into_raw`, once.
    pub(crate) unsafe fn from_raw(start: *mut u8, size: usize) -> Option<Self> {
        Some(Self { start: NonNull::new(start)?, size })
    }

    /// Start and size; the caller owns the bytes now.
    pub(crate) fn into_raw(self) -> (*mut u8, usize) {
        let raw = (self.start.as_ptr(), self.size);
        std::mem::forget(self);
        raw
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The block with these bytes in it, of which there are as many as it has.
    pub(crate) fn filled(mut self, bytes: &[u8]) -> Self {
        assert_eq!(bytes.len(), self.size, "bytes of a block");
        // SAFETY: both have `size` bytes, and nobody else holds those of the block.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.as_mut_ptr(), self.size) };
        self
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let block = (self.start.as_ptr(), self.size);
        if self.size >= pool::LEAST {
            // SAFETY: what waited was given by blocks that are gone.
            pool::give(block.0, block.1).into_iter().for_each(|block| unsafe { release(block) });
        } else if self.size > 0 {
            // SAFETY: this block is gone.
            unsafe { release(block) };
        }
    }
}

/// Says how many bytes of memory may wait for being used again.
pub fn set_waiting_bytes(bytes: usize) {
    // SAFETY: what waited was given by blocks that are gone.
    pool::set_most(bytes).into_iter().for_each(|block| unsafe { release(block) });
}

/// Gives memory back to the allocator.
///
/// # Safety
/// It was that of a block, which had some, and is nobody's any more.
unsafe fn release((start, size): (*mut u8, usize)) {
    if size >= pages::LEAST {
        // SAFETY: a block of this size has pages of its own.
        return unsafe { pages::unmap(start, size) };
    }
    // SAFETY: made by `Block::with` from this very layout.
    unsafe { dealloc(start, Layout::from_size_align_unchecked(size, ALIGNMENT)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_great_block_grows_and_keeps_what_is_in_it() {
        let mut block = Block::zeroed(3 * pages::LEAST + 1).expect("memory");
        // SAFETY: the block is as large.
        unsafe { block.as_mut_ptr().add(3 * pages::LEAST).write(7) };
        let block = block.extended(40 * pages::LEAST).unwrap_or_else(|block| block);
        // SAFETY: the block is as large.
        assert_eq!(unsafe { block.as_ptr().add(3 * pages::LEAST).read() }, 7);
        assert!(Block::zeroed(64).expect("memory").extended(128).is_err());
    }

    #[test]
    fn a_great_block_is_used_again() {
        let size = pool::LEAST + 4097 * ALIGNMENT;
        let mut first = Block::new(size).expect("memory");
        let start = first.as_mut_ptr();
        drop(first);
        let again = Block::new(size).expect("memory");
        assert_eq!((again.as_ptr(), again.size()), (start.cast_const(), size));
        assert_ne!(Block::new(size).expect("memory").as_ptr(), start.cast_const());
    }
}

//! Rust's memory comes from mimalloc: compiling takes and gives back many small tables, for which the system's allocator needs an
//! eighth of a first call (decision 168).
#![allow(unsafe_code, reason = "an allocator gives memory by its address")]

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys::{mi_free, mi_malloc, mi_malloc_aligned, mi_realloc_aligned, mi_zalloc_aligned};

/// The allocator of the module.
struct Mimalloc;

#[global_allocator]
static ALLOCATOR: Mimalloc = Mimalloc;

// SAFETY: mimalloc gives blocks of at least so many bytes that nobody else has, aligned as they are asked for and at least as a word
// is, or null where memory ends.
unsafe impl GlobalAlloc for Mimalloc {
    /// Blocks that need no more alignment than a word are asked for without one, which takes a third of the instructions.
    #[inline]
    // SAFETY: any size, and any power of two.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= size_of::<usize>() {
            // SAFETY: likewise.
            return unsafe { mi_malloc(layout.size()) }.cast();
        }
        // SAFETY: likewise.
        unsafe { mi_malloc_aligned(layout.size(), layout.align()) }.cast()
    }

    // SAFETY: likewise.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: likewise.
        unsafe { mi_zalloc_aligned(layout.size(), layout.align()) }.cast()
    }

    #[inline]
    // SAFETY: the block is one of these.
    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: likewise.
        unsafe { mi_free(block.cast()) }
    }

    // SAFETY: likewise.
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: likewise.
        unsafe { mi_realloc_aligned(block.cast(), size, layout.align()) }.cast()
    }
}

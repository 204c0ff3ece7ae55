//! Pages of the system's for great blocks: they grow without being copied, and those that nobody has written to take no
//! memory. Elsewhere than on Linux there are none.

use std::ptr::NonNull;

/// Blocks of at least so many bytes are pages of their own.
pub(crate) const LEAST: usize = if cfg!(target_os = "linux") { 1 << 20 } else { usize::MAX };

/// Pages for so many bytes, all of them zero; `None` if there are not so many.
#[cfg(target_os = "linux")]
pub(crate) fn map(size: usize) -> Option<NonNull<u8>> {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new pages, which nobody has, at an address that the system chooses.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), size, access, kind, -1, 0) };
    if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
}

/// The same pages and more, at another address perhaps; `None`, and nothing has changed, if there are not so many.
///
/// # Safety
/// They are those that `map` or this gave for `size`, and the caller's.
#[cfg(target_os = "linux")]
pub(crate) unsafe fn extend(start: NonNull<u8>, size: usize, wide: usize) -> Option<NonNull<u8>> {
    // SAFETY: the caller's promise.
    let start = unsafe { libc::mremap(start.as_ptr().cast(), size, wide, libc::MREMAP_MAYMOVE) };
    if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
}

/// Gives pages back.
///
/// # Safety
/// They are those that `map` or `extend` gave for `size`, and nobody's any more.
#[cfg(target_os = "linux")]
pub(crate) unsafe fn unmap(start: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    let _always_done = unsafe { libc::munmap(start.cast(), size) };
}

/// None.
#[cfg(not(target_os = "linux"))]
pub(crate) fn map(_size: usize) -> Option<NonNull<u8>> {
    None
}

/// None.
///
/// # Safety
/// There are none.
#[cfg(not(target_os = "linux"))]
pub(crate) unsafe fn extend(_start: NonNull<u8>, _size: usize, _wide: usize) -> Option<NonNull<u8>> {
    None
}

/// Nothing.
///
/// # Safety
/// There are none.
#[cfg(not(target_os = "linux"))]
pub(crate) unsafe fn unmap(_start: *mut u8, _size: usize) {}

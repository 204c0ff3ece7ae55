//! The free stack of a thread.
//!
//! The C library knows where the first thread's stack ends by reading all of `/proc/self/maps`, which takes half a
//! millisecond in a process with many libraries. Linux says it in two numbers: the kernel puts the name of the program at
//! the stack's upper end, and lets the stack grow to the limit. Other threads and systems are asked by `stacker`.

/// Bytes of stack that this thread has left, where that is known.
pub fn remaining_stack() -> Option<usize> {
    let here = 0u8;
    let here = (&raw const here).addr();
    match FIRST.with(Clone::clone) {
        Some(first) if first.contains(&here) => Some(here - first.start),
        Some(_) | None => stacker::remaining_stack(),
    }
}

thread_local! {
    /// The stack of the process's first thread, if this is the thread. A thread may run on another stack for a while, and
    /// the first thread of a process that was forked by another has the stack of that one.
    static FIRST: Option<std::ops::Range<usize>> = first_stack();
}

#[cfg(target_os = "linux")]
fn first_stack() -> Option<std::ops::Range<usize>> {
    // SAFETY: it asks for a number and has no conditions.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) };
    if u32::try_from(thread) == Ok(std::process::id()) { linux::first_stack() } else { None }
}

#[cfg(not(target_os = "linux"))]
fn first_stack() -> Option<std::ops::Range<usize>> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::CStr;
    use std::ops::Range;

    /// Below a stack that may grow further than this, other memory may lie: the kernel keeps 128 MiB free for it, in which
    /// it begins at a random place.
    const LARGEST: usize = 1 << 26;

    /// Addresses at which the stack of the process's first thread may lie.
    pub(super) fn first_stack() -> Option<Range<usize>> {
        let upper = upper_end()?;
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `limit` is there to be written to.
        let found = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
        let bytes = usize::try_from(limit.rlim_cur).ok().filter(|&bytes| found == 0 && bytes <= LARGEST)?;
        Some(upper.checked_sub(bytes)?..upper)
    }

    /// The program's name, ended by a zero, and a word of zeros are the last things on the stack.
    pub(super) fn upper_end() -> Option<usize> {
        // SAFETY: it asks for a number and has no conditions.
        let (name, page) = unsafe { (libc::getauxval(libc::AT_EXECFN), libc::sysconf(libc::_SC_PAGESIZE)) };
        let start: *const libc::c_char = std::ptr::with_exposed_provenance(usize::try_from(name).ok()?);
        if start.is_null() {
            return None;
        }
        // SAFETY: the kernel put a text there that ends with a zero and stays as long as the process.
        let length = unsafe { CStr::from_ptr(start) }.to_bytes_with_nul().len();
        let end = start.addr() + length + size_of::<usize>();
        Some(end.next_multiple_of(usize::try_from(page).ok().filter(|&page| page > 0)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_less_stack_left_the_deeper_it_is() {
        fn deeper(levels: usize) -> usize {
            let left = remaining_stack().expect("a limit");
            if levels == 0 { left } else { std::hint::black_box(deeper(levels - 1)) }
        }
        let (here, there) = (deeper(0), deeper(100));
        assert!(there < here && here - there < 1 << 18, "{there} of {here}");
        assert_eq!(stacker::remaining_stack().map(|left| left.abs_diff(here) < 1 << 12), Some(true));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_first_threads_stack_is_the_one_that_the_kernel_lists() {
        let listed = std::fs::read_to_string("/proc/self/maps").expect("the list of what is mapped");
        let line = listed.lines().find(|line| line.ends_with("[stack]")).expect("a stack");
        let (start, end) =
            line.split_once(' ').and_then(|(range, _)| range.split_once('-')).expect("a range");
        let hexadecimal = |text| usize::from_str_radix(text, 16).expect("an address");
        // SAFETY: it asks for a number and has no conditions.
        let name = unsafe { libc::getauxval(libc::AT_EXECFN) };
        if !(hexadecimal(start)..hexadecimal(end)).contains(&usize::try_from(name).expect("an address")) {
            // Valgrind gives the program a stack of its own, and the list is of its.
            return;
        }
        assert_eq!(linux::upper_end(), Some(hexadecimal(end)));
        if let Some(stack) = linux::first_stack() {
            assert!(stack.contains(&hexadecimal(start)));
        }
    }
}

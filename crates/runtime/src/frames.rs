//! The idle frames of a function: one that is at hand without a lock, and some more for when several threads run at once.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::frame::Frame;

/// As many idle frames are kept besides the one at hand.
const MORE: usize = 7;

/// Idle frames.
#[derive(Debug, Default)]
#[allow(clippy::vec_box, reason = "a frame travels as the box that it was lent in")]
pub(crate) struct Frames {
    /// Null, or a box taken apart that nobody else has.
    at_hand: AtomicPtr<Frame>,
    more: Mutex<Vec<Box<Frame>>>,
}

impl Frames {
    /// Takes an idle frame, if there is one.
    pub(crate) fn take(&self) -> Option<Box<Frame>> {
        // SAFETY: a pointer that is not null comes from `put`; the exchange takes it out, so it is taken once.
        let at_hand = unsafe { boxed(self.at_hand.swap(ptr::null_mut(), Ordering::Acquire)) };
        at_hand.or_else(|| self.more().pop())
    }

    /// Gives a frame back.
    pub(crate) fn put(&self, frame: Box<Frame>) {
        // SAFETY: as in `take`: the exchange takes out what another `put` put in.
        let before = unsafe { boxed(self.at_hand.swap(Box::into_raw(frame), Ordering::AcqRel)) };
        if let Some(before) = before {
            let mut more = self.more();
            if more.len() < MORE {
                more.push(before);
            }
        }
    }

    #[allow(clippy::vec_box, reason = "as above")]
    fn more(&self) -> MutexGuard<'_, Vec<Box<Frame>>> {
        self.more.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// # Safety
/// The pointer is null, or comes from `Box::into_raw` and nobody else uses it.
unsafe fn boxed(frame: *mut Frame) -> Option<Box<Frame>> {
    // SAFETY: the caller's promise.
    (!frame.is_null()).then(|| unsafe { Box::from_raw(frame) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(scratch: usize) -> Box<Frame> {
        Box::new(Frame::new(&[8], scratch).expect("memory"))
    }

    #[test]
    fn frames_given_back_are_taken_again() {
        let frames = Frames::default();
        assert!(frames.take().is_none());
        for scratch in 0..12 {
            frames.put(frame(scratch));
        }
        let taken: Vec<usize> = std::iter::from_fn(|| frames.take()).map(|f| f.scratch.len()).collect();
        assert_eq!(taken, [11, 6, 5, 4, 3, 2, 1, 0]);
    }
}

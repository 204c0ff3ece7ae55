//! Options that the body of a loop sets for its statement while that runs.

use std::cell::RefCell;

thread_local! {
    /// Options that the body of each loop set for its statement, the innermost last.
    static LOOPS: RefCell<Vec<LoopOptions>> = const { RefCell::new(Vec::new()) };
}

/// The statement of a loop runs until this is dropped; options that its body sets are its own.
pub struct InLoop(());

/// Begins the statement of a loop.
pub fn in_loop() -> InLoop {
    LOOPS.with_borrow_mut(|loops| loops.push(LoopOptions::default()));
    InLoop(())
}

impl Drop for InLoop {
    fn drop(&mut self) {
        let _ = LOOPS.with_borrow_mut(Vec::pop);
    }
}

/// Options that the body of a loop may set.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopOptions {
    /// The most iterations that it may take.
    pub most: Option<i64>,
    /// In how many levels of segments it is: the way back keeps what segments begin with, and no more.
    pub segments: usize,
}

/// Options that the body of the innermost loop has set so far.
pub fn loop_options() -> LoopOptions {
    LOOPS.with_borrow(|loops| loops.last().copied().unwrap_or_default())
}

/// Says more.
pub fn change_loop_options(change: impl FnOnce(&mut LoopOptions)) {
    LOOPS.with_borrow_mut(|loops| loops.last_mut().map(change));
}

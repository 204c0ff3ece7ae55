//! Limits of the functions of a graph: how often one is traced, and which calls become one.

/// The most rounds of one function: a round more than any types need that only ever grow.
pub const MOST_ROUNDS: usize = 24;

/// The most calls in each other that differ in lengths alone.
pub const MOST_LENGTHS: usize = 32;

/// The most functions in each other that are made for different numbers.
pub const MOST_VARIANTS: usize = 4;

/// The most calls in each other that are given one container, which grows.
pub const MOST_GROWING: usize = 5;

/// The number of operations that make a function large.
pub const LARGE: usize = 100;

/// The most kinds of arguments of a function that are told apart; a function with more is traced where it is called.
pub const MOST_KINDS: usize = 64;

/// The most operations that are made of a function inside itself for arguments of the same kinds, before it is kept however small
/// it is and although it may fail: one that calls itself twice for each number of the host's, in loops that are traced more
/// than once, would be traced as often as there are ways to come to the smallest number.
pub const MOST_INLINED: usize = 2000;

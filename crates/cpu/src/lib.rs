//! Graph to loops to machine code: a whole graph function, loops and branches included, becomes one native function.

mod jit;
pub mod loops;
